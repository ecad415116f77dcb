"""Reach of a search for frequent texts: before anyone is asked, and once reports are
in.

A text held by a frequency f scores about normally in each stage, with a mean of f over
the standard error e of a cell that no one is in, and a standard deviation of sqrt([f v
+ (1 - f) w] / w), with v and w for the variances of a score if the respondent holds the
text and if not. It is missed if

    one of its prefixes does not score above the line by which they go on, in a stage before that
    in which it ends; or if it does not score above 1 where it ends; or if its later scores do not
    confirm it

(see `prefix_extension`). The sum of these chances is at most 1 in 100 from the
frequency stated here on. Frequent texts that meet in a cell raise each other's scores,
and so make none be missed. Texts that end in one stage share a frequency, so there is
one for each stage; those too long, or outside of the alphabet, are never found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp_aggregator.decoders.other_results import SearchReach
from ldp_aggregator.decoders.search.prefix_extension import (
    MEMORABLE,
    MOST_PREFIXES,
    confirming_line,
    extending_line,
    growth,
    rates,
)
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.bisection import least_share

MISSED = 0.01
_UNLUCKY = 3
"""Standard deviations by which a cohort may fall short of its share of the respondents.
"""
_LEAST_VARIANCE = 1e-12


def expected_reach(randomizer: HeavyHitters, respondents: int) -> list[SearchReach]:
    """Predict the texts that n respondents let be found, by length."""
    even = respondents / randomizer.cohorts
    reports_of_stage = max(1.0, even - _UNLUCKY * math.sqrt(even))
    return _reach(
        randomizer,
        np.full(randomizer.stages, reports_of_stage),
        confirming_line(_most_candidates(randomizer)),
    )


def reach_of(
    randomizer: HeavyHitters, counts: Counts, remembered: int
) -> list[SearchReach]:
    """Return the texts that could be found, by length, with the reports that came."""
    reports = np.maximum(counts[: randomizer.stages].sum(axis=1), 1.0)
    return _reach(randomizer, reports, confirming_line(remembered))


def in_words(reaches: Sequence[SearchReach]) -> str:
    """One phrase: the shortest texts, those that take one more stage, and the
    longest.
    """
    shown = dict.fromkeys([*reaches[:2], reaches[-1]])
    return ", ".join(
        f"{_share_text(step.frequency)} for texts of up to {step.longest} bytes"
        for step in shown
    )


def never_found(randomizer: HeavyHitters) -> str:
    """The texts that no number of respondents lets be found."""
    outside = ""
    if randomizer.alphabet:
        outside = ", and those with other characters than those of the alphabet,"
    return f"longer texts{outside} are"


def _share_text(frequency: float | None) -> str:
    if frequency is None:
        return "more than there are"
    return f"{frequency:.2%}"


def _most_candidates(randomizer: HeavyHitters) -> int:
    """How many texts chance has a search remember where as many prefixes go on as ever
    do.
    """
    from scipy.special import ndtr  # slow to import

    ending = 0
    for stage in range(randomizer.stages - 1):
        of_prefix = sum(
            int(randomizer.branching**size) for size in range(growth(randomizer, stage))
        )
        ending += of_prefix * (MOST_PREFIXES if stage else 1)
    return math.ceil(ending * float(ndtr(-MEMORABLE))) + MOST_PREFIXES


def _reach(randomizer: HeavyHitters, reports: Floats, line: float) -> list[SearchReach]:
    # A text of exactly the length of a stage's prefixes ends in the next stage.
    longest = [length - 1 for length in randomizer.lengths[:-2]] + [
        randomizer.lengths[-2]
    ]
    return [
        SearchReach(length, _least_found(randomizer, reports, line, stage=stage))
        for stage, length in enumerate(longest)
    ]


def _least_found(
    randomizer: HeavyHitters, reports: Floats, line: float, stage: int
) -> float | None:
    return least_share(
        lambda frequency: (
            _chance_to_miss(randomizer, reports, line, stage=stage, frequency=frequency)
            <= MISSED
        )
    )


def _chance_to_miss(
    randomizer: HeavyHitters, reports: Floats, line: float, stage: int, frequency: float
) -> float:
    """At most.

    Of the texts that end in the stage, or, in the last but one, of those of the longest
    length.
    """
    from scipy.special import ndtr  # slow to import

    p, q = rates(randomizer)
    mean = frequency * (p - q) * np.sqrt(reports / (q * (1 - q)))
    spread = math.sqrt(
        (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q)) / (q * (1 - q))
    )
    whole = stage == randomizer.stages - 2
    lines = [extending_line(randomizer, before) for before in range(stage + whole)] + [
        MEMORABLE
    ] * (not whole)
    lost = ndtr((np.array(lines) - mean[: len(lines)]) / spread).sum()
    later = (line - mean[stage + 1 :]) / spread
    if len(later) == 1:
        return float(lost + ndtr(later[0]))
    # Scores above the line count as the line: mean and mean square of what a normal
    # number falls short of it.
    density = np.exp(-(later**2) / 2) / math.sqrt(2 * math.pi)
    short = spread * (later * ndtr(later) + density)
    square = spread**2 * ((later**2 + 1) * ndtr(later) + later * density)
    room = line * (len(later) - math.sqrt(len(later)))
    variance = max(float((square - short**2).sum()), _LEAST_VARIANCE)
    return float(lost + ndtr((short.sum() - room) / math.sqrt(variance)))
