"""Finding frequent texts from hashed prefixes, stage by stage.

Each stage gives every cell a score: its support less what chance gives it, in standard
errors of a cell that no one is in. A *prefix* of the stage's full length goes on to the
next if its score is above a line that, by chance, one of the continuations of four
prefixes passes, and in the first stage 16 of all; where more than 256 do, the best of
them.

A *text* that ends within the stage is remembered if its score is above 1: there is time
to confirm it, since all later stages hear of it again. It is found if the mean of its
scores there, times the square root of their number, passes a line that leaves noise a
chance of 1 in 50 to have anything found wrongly (Bonferroni, over the texts
remembered). A prefix of the longest length counts as a text, confirmed by the last
stage.

A text may also meet a frequent one in its cell. Hardly any does in two stages, so the
stage in which it was remembered does not confirm it, and none of the others can alone:
scores above the line count as the line. Of those that pass, the one with the most
evidence is found first, and no other is found by scores of cells that are its own.

    score = (C - n q') / sqrt(n q' (1 - q')),  q' = p / m + (1 - 1/m) q

Source: Wang, Li and Jha 2018 (prefix extension).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp_aggregator.decoders.moments.supports import support_counts
from ldp_aggregator.decoders.search.continuations import (
    continuations,
    partial_character,
)
from ldp_aggregator.numerics.arrays import Counts, Floats

MOST_PREFIXES = 256
MEMORABLE = 1.0
"""The score above which a text is remembered."""
FALSE_ALARM = 0.02
_FIRST_BY_CHANCE, _PREFIXES_TO_ONE_BY_CHANCE = 16, 4


class FoundTexts(NamedTuple):
    """The texts found, of those that were remembered."""

    texts: tuple[str, ...]
    remembered: int


def search(randomizer: HeavyHitters, counts: Counts) -> FoundTexts:
    """Search the stages of a tally; the cohorts held out are not looked at."""
    by_stage = [scores(randomizer, counts, stage) for stage in range(randomizer.stages)]
    remembered = _texts_to_confirm(randomizer, by_stage)
    texts = _confirm(randomizer, by_stage, remembered)
    return FoundTexts(tuple(text.decode() for text in texts), sum(map(len, remembered)))


def _texts_to_confirm(
    randomizer: HeavyHitters, by_stage: Sequence[Floats]
) -> list[list[bytes]]:
    """The texts to be confirmed, by the stage in which they end."""
    prefixes, remembered = [b""], []
    for stage, score in enumerate(by_stage[:-1]):
        ending, prefixes = _extend(randomizer, prefixes, stage, score=score)
        remembered.append(ending)
    remembered[-1] += [prefix for prefix in prefixes if not partial_character(prefix)]
    return remembered


def _confirm(
    randomizer: HeavyHitters,
    by_stage: Sequence[Floats],
    remembered: Sequence[Sequence[bytes]],
) -> list[bytes]:
    """The texts found, the one with the most evidence first."""
    texts = [text for ending in remembered for text in ending]
    line, total = confirming_line(len(texts)), np.zeros(len(texts))
    for stage in range(1, randomizer.stages):
        before = sum(map(len, remembered[:stage]))
        total[:before] += np.minimum(
            by_stage[stage][cells(randomizer, texts[:before], stage)], line
        )
    heard = np.repeat(
        np.arange(len(remembered), 0, -1), [len(ending) for ending in remembered]
    )
    evidence = total / np.sqrt(heard)
    confirmed, cells_taken = [], set[tuple[int, int]]()
    for index in np.argsort(-evidence)[: np.count_nonzero(evidence >= line)].tolist():
        own = [
            (stage, randomizer.cell(texts[index], stage))
            for stage in range(randomizer.stages)
        ]
        free = [
            (stage, cell)
            for stage, cell in own[-heard[index] :]
            if (stage, cell) not in cells_taken
        ]
        if free and sum(
            min(by_stage[stage][cell], line) for stage, cell in free
        ) >= line * math.sqrt(len(free)):
            confirmed.append(texts[index])
            cells_taken.update(own)
    return confirmed


def scores(randomizer: HeavyHitters, counts: Counts, cohort: int) -> Floats:
    """The scores of all cells in one cohort."""
    row = counts[cohort : cohort + 1]
    reports, (_, q) = int(row.sum()), rates(randomizer)
    surplus = support_counts(randomizer.oracle, row) - reports * q
    return np.asarray(
        surplus / math.sqrt(max(reports, 1) * q * (1 - q)), dtype=np.float64
    )


def rates(randomizer: HeavyHitters) -> tuple[float, float]:
    """(p, q'): how often a report supports the cell of its own text, and that of
    another.
    """
    p, q = (float(rate) for rate in randomizer.oracle.support)
    return p, q + (p - q) / randomizer.oracle.size


def cells(
    randomizer: HeavyHitters, texts: Sequence[bytes], cohort: int
) -> NDArray[np.int64]:
    """Where a cohort's hash function takes each text."""
    return np.fromiter(
        (randomizer.cell(text, cohort) for text in texts),
        dtype=np.int64,
        count=len(texts),
    )


def extending_line(randomizer: HeavyHitters, stage: int) -> float:
    """The score above which a prefix goes on."""
    from scipy.special import ndtri

    followers = float(randomizer.branching) ** growth(randomizer, stage)
    return -float(
        ndtri(
            min(
                (1 / _PREFIXES_TO_ONE_BY_CHANCE if stage else _FIRST_BY_CHANCE)
                / followers,
                0.5,
            )
        )
    )


def confirming_line(texts: int) -> float:
    """The score that finds one of n texts remembered."""
    from scipy.special import ndtri

    return -float(ndtri(FALSE_ALARM / max(texts, 1)))


def growth(randomizer: HeavyHitters, stage: int) -> int:
    """By how many bytes prefixes grow in a stage."""
    return randomizer.lengths[stage] - (randomizer.lengths[stage - 1] if stage else 0)


def _extend(
    randomizer: HeavyHitters, prefixes: Sequence[bytes], stage: int, score: Floats
) -> tuple[list[bytes], list[bytes]]:
    """(texts that end in this stage and are remembered, prefixes that go on)."""
    size, line = growth(randomizer, stage), extending_line(randomizer, stage)
    ending: list[bytes] = []
    going_on: list[tuple[float, bytes]] = []
    for prefix in prefixes:
        following = continuations(partial_character(prefix), size, randomizer.alphabet)
        # The empty text is none.
        texts = [prefix + part for part in following.ending if prefix + part]
        reached = score[cells(randomizer, texts, stage)]
        ending += [texts[index] for index in np.flatnonzero(reached > MEMORABLE)]
        longer = [prefix + part for part in following.going_on]
        reached = score[cells(randomizer, longer, stage)]
        going_on += [
            (float(reached[index]), longer[index])
            for index in np.flatnonzero(reached > line)
        ]
    going_on.sort(reverse=True)
    return ending, [prefix for _, prefix in going_on[:MOST_PREFIXES]]
