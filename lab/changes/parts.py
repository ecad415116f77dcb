"""What is measured, part by part, and what is claimed of it.

A claim is a range for a column of a table. It is broken by a figure that is farther out
than chance goes once in a million. A share over several values, or epochs, has at most
the spread of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from lab.changes import contrasts, courses, pairs
from lab.changes.cells import ALARMS, BANDS, CONTRASTS, PAIRS, PANELS
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options

Row = Mapping[str, float]
Cells = Mapping[str, Callable[[int, int], Row]]
"""What measures each row, from the number of runs and a seed."""

HELD, AT_LEAST, SIZE = (0.94, 0.96), (0.94, 1.0), (0.04, 0.06)
_DEVIATIONS = 4.9
"""Of a share of runs, beyond which chance goes less often than once in a million."""
_ROUNDING = 1e-9


class Part(NamedTuple):
    """A table: its rows, its columns, and what is claimed of some of these."""

    title: str
    words: str
    columns: tuple[str, ...]
    claims: Mapping[str, tuple[float, float]]
    cells: Cells


class Measured(NamedTuple):
    """What came out."""

    part: Part
    runs: int
    rows: Mapping[str, Row]


def measured(name: str, runs: int, seed: int) -> Measured:
    """All rows of a part."""
    part = PARTS[name]
    return Measured(
        part, runs, {row: measure(runs, seed) for row, measure in part.cells.items()}
    )


def broken(known: Measured) -> Iterator[str]:
    """What of the claims does not hold, in words."""
    for name, row in known.rows.items():
        for column, (low, high) in known.part.claims.items():
            share = row.get(column, math.nan)
            below = low - _chance(low, known.runs)
            above = high + _chance(high, known.runs)
            # What has no figure breaks nothing.
            if share < below or share > above + _ROUNDING:
                yield (
                    f"{known.part.title}: {name}: {column} {share:.3f}, not {low:g} to "
                    f"{high:g}"
                )


def _chance(share: float, runs: int) -> float:
    return _DEVIATIONS * math.sqrt(share * (1 - share) / runs)


def _contrast(contrast: contrasts.Contrast) -> Callable[[int, int], Row]:
    def measure(runs: int, seed: int) -> Row:
        row = contrasts.measured(contrast, runs, seed)
        return {
            ("size" if what == "test" else what): share for what, share in row.items()
        }

    return measure


def _pair(pair: pairs.Pair) -> Callable[[int, int], Row]:
    """With the power of single values by normal theory beside what was measured."""

    def measure(runs: int, seed: int) -> Row:
        row = pairs.measured(pair, runs, seed)
        what = "size" if pair.shares[0] == pair.shares[1] else "power"
        row |= {what: row.pop("value"), f"{what}, any": row.pop("any")}
        if what == "power" and pair.respondents[0] == pair.respondents[1]:
            row["power by theory"] = _power(pair, seed)
        return row

    return measure


def _power(pair: pairs.Pair, seed: int) -> float:
    generator, question = np.random.default_rng(seed), pair.question
    options = Options(pairs.LEVEL, pair.estimand)
    known = estimate_question(
        question, pairs.drawn(pair, question, generator)[0], options
    )
    return float(
        np.mean(
            [pairs.expected_power(pair, known, value) for value in range(len(known))]
        )
    )


def _course(course: courses.Course) -> Callable[[int, int], Row]:
    def measure(runs: int, seed: int) -> Row:
        row = courses.measured(course, runs, seed)
        # Until the change there is nothing that an alarm could be right about.
        if course.changed is None:
            return row
        return {**row, "alarm": math.nan, "seen": row["alarm"]}

    return measure


PARTS: Mapping[str, Part] = {
    "contrasts": Part(
        "Sums, differences, scores and ratios of shares",
        "Five values have shares of 40, 25, 15, 15 and 5 %. The columns are a sum of "
        "two, a difference, a score with weights 2, 0, 1, 0 and -3, and a ratio. "
        "*Size* is how often the two equal shares are called different at .05.",
        ("sum", "difference", "score", "ratio", "size"),
        claims={
            **dict.fromkeys(("sum", "difference", "score", "ratio"), HELD),
            "size": SIZE,
        },
        cells={name: _contrast(contrast) for name, contrast in CONTRASTS.items()},
    ),
    "pairs": Part(
        "Pairs of tallies",
        "Four values have shares of 50, 30, 15 and 5 % of 10,000 people on both sides, "
        "or 4 % move from one to another. *Few* are 200 and 400 people with shares of "
        "1 and 2 % for the rarest value. *Size* and *power*: how often a single value "
        "is called different at .05 if nothing differs, and if something does. *Any*: "
        "how often the test of all values does. *Alike*: how often a difference is "
        "called smaller than it is.",
        (
            *("difference", "ratio", "odds", "size", "size, any"),
            *("power", "power by theory", "power, any", "alike"),
        ),
        claims={
            **dict.fromkeys(("difference", "ratio", "odds"), AT_LEAST),
            **dict.fromkeys(("size", "size, any"), SIZE),
        },
        cells={name: _pair(pair) for name, pair in PAIRS.items()},
    ),
    "panels": Part(
        "Memoized devices",
        "A share of the devices reports on both sides, and nothing differs. The "
        "overlap is known or unknown. The test of all values ignores the overlap, so "
        "it is conservative.",
        ("difference", "size", "size, any", "unknown overlap"),
        claims={
            "difference": HELD,
            "size": SIZE,
            "size, any": (0.0, 0.06),
            "unknown overlap": AT_LEAST,
        },
        cells={name: _pair(pair) for name, pair in PANELS.items()},
    ),
    "bands": Part(
        "Levels",
        "Levels move by steps, given in standard errors of an estimate. The columns "
        "are how often 95 % bands hold them, over all epochs and at the last. Bands of "
        "levels that hardly move are too wide, because this cannot be known.",
        ("band", "at the end"),
        claims={"band": AT_LEAST, "at the end": AT_LEAST},
        cells={course.name: _course(course) for course in BANDS},
    ),
    "alarms": Part(
        "Changes",
        "Alarms have a rate of .05 within 40 epochs, and jumps are given in standard "
        "errors. The columns are how often a jump is *seen*, the epochs from the jump "
        "to the alarm, how often the jump is among the stated epochs *since* which "
        "something changed, and their number.",
        ("alarm", "seen", "delay", "since", "epochs since"),
        claims={"alarm": (0.0, 0.05), "since": (0.95, 1.0)},
        cells={course.name: _course(course) for course in ALARMS},
    ),
}
