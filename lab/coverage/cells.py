"""The grid: what is simulated, cell by cell.

    values    every mechanism, its epsilons x sizes x numbers of respondents;
              populations take turns, so that each meets every epsilon, size and number
    means     of whole numbers, through every mechanism that has a mean
    few       differences and sums of shares, of 1 to 300 respondents
    few numbers
              means and variances of as few
    repeats   five reports from each respondent, of one permanent response
    joint     cells of two questions answered together
    pooled    two versions of a question through different mechanisms
    hashes    Bloom filters whose hash functions stay the same in all surveys, with few
              candidates and with many
    distributions
              of whole numbers: the share below each of them, ranges, quantiles

A cell takes as many surveys as can be drawn in a second or so, by the rows' estimates
of the time, so that what is measured depends on neither clock nor machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from lab.coverage.populations import POPULATIONS
from lab.coverage.questions import (
    EPSILONS,
    ROWS,
    GridError,
    Row,
    question_of,
    rows_by_label,
)
from ldp.mechanisms.contract import is_pure

RESPONDENTS = (200, 10_000, 1_000_000)
FEW = (1, 10, 30, 100, 300)
REPEATS = 5
MOST_SURVEYS, LEAST_SURVEYS = 500, 25
MOST_BY_REPORT = 1 << 24
"""Reports times values up to which the tallies of local hashing are drawn report by
report in reasonable time.
"""
MOST_PAIRS = 1 << 28
"""Beyond, they are not: see `ldp_simulations.sampling.values.hashes`."""

_BUDGET = 0.75e6
"""Microseconds, for all surveys of a cell."""
_WITH_SAME_HASHES = 150
_EPSILONS_OF_FEW = ("1", "5")
_EPSILONS_OF_MEANS, _SIZES_OF_MEANS = ("1/2", "2", "8"), (10, 100)
_IN_PART, _SIZE_IN_PART = 25, 100
_MORE_IN_PART = {
    ("values", ("grr",)): 100,
    ("joint", ("ss", "ss")): 50,
    ("joint", ("grr", "grr")): 50,
}
"""Of families of mechanisms that decode alike one has more surveys, and more values."""
_OTHERS_IN_PART = {
    "means": (("geometric",), ("one-bit",), ("grr",), ("dithered",), ("square-wave",)),
    "few": (("hr",),),
    "repeats": (("l-grr",),),
    "joint": (("ss", "ss"), ("grr", "grr")),
    "pooled": (("grr", "oue"),),
    "distributions": (("arcs",),),
}


class Cell(NamedTuple):
    """One cell of the grid."""

    kind: str
    labels: tuple[str, ...]
    """Of the rows of its questions."""
    epsilon: str
    size: int
    population: str
    respondents: int
    surveys: int

    @property
    def mechanism(self) -> str:
        """What the page lists it under."""
        return (
            " x ".join(self.labels) if self.kind == "joint" else " + ".join(self.labels)
        )

    @property
    def name(self) -> str:
        """Told apart from all others, but for the number of surveys."""
        return (
            f"{self.kind}: {self.mechanism}, epsilon {self.epsilon}, {self.size} "
            f"values, {self.population}, n = {self.respondents}"
        )


BLOOM = "rappor, Bloom"
MEANS = (
    *(
        "geometric",
        "laplace",
        "grr",
        "ss",
        "sue",
        "oue",
        "the",
        "she",
        "matrix",
        "exponential",
    ),
    *("rappor, one-hot", "l-grr", "l-sue", "l-osue", "dbitflip"),
    *("one-bit", "dithered", "square-wave", "arcs", "tree"),
    *("pgr", "olh", "blh", "loloha"),
)
"""Rows of mechanisms that have a mean: of its own, or of frequencies with a covariance.

New ones come last, as in `questions.ROWS`: by its place a row takes its turn with
populations.
"""

FAMILIES_OF_FEW = ("values", "numbers", "sets", "tree", "places", "fields")
"""Families of rows whose shares have differences and sums."""

DISTRIBUTIONS = ("arcs", "tree")
"""Rows of mechanisms that have a distribution."""

CHAINS = ("rappor, one-hot", "l-grr", "l-sue", "l-osue")

PAIRS = (
    ("ss", "ss"),
    ("grr", "grr"),
    ("oue", "grr"),
    ("hr", "matrix"),
    ("pgr", "exponential"),
)
"""Of questions answered together."""

VERSIONS = (("grr", "oue"), ("grr", "pgr"), ("ss", "matrix"))


def cells() -> list[Cell]:
    """All of them."""
    rows = rows_by_label()
    return [cell for part in _PARTS for cell in part(rows)]


def part(every: Sequence[Cell]) -> list[Cell]:
    """A part for every day: each mechanism's hardest cell, some other families', fewer
    surveys.
    """
    hardest: dict[tuple[str, tuple[str, ...]], Cell] = {}
    for cell in every:
        place = cell.kind, cell.labels
        if cell.size > _SIZE_IN_PART and place not in _MORE_IN_PART:
            continue
        if place not in hardest or _hardness(cell) > _hardness(hardest[place]):
            hardest[place] = cell
    return [
        cell._replace(surveys=_MORE_IN_PART.get((kind, labels), _IN_PART))
        for (kind, labels), cell in hardest.items()
        if kind == "values" or labels in _OTHERS_IN_PART.get(kind, ())
    ]


def _hardness(cell: Cell) -> tuple[float, ...]:
    """What is greater is looked at first, where only some cells are.

    That is what can be drawn often, then large epsilons (small ones, where noise adds
    to noise), then many values; 10,000 respondents are best.
    """
    epsilon = float(Fraction(cell.epsilon))
    return (
        cell.surveys > LEAST_SURVEYS,
        -epsilon if cell.kind == "joint" else epsilon,
        cell.size,
        -abs(math.log10(cell.respondents) - 4),
    )


def fitting(every: Sequence[Cell], pattern: str) -> list[Cell]:
    """The cells whose names fit a pattern such as `values: grr,*`.

    Raises `GridError` if there are none.
    """
    cells = [cell for cell in every if fnmatchcase(cell.name, pattern)]
    if not cells:
        raise GridError(
            "expected a pattern that cells fit, such as 'values: grr,*', got "
            f"{pattern!r}"
        )
    return cells


def _values(rows: Mapping[str, Row]) -> Iterator[Cell]:
    for turn, row in enumerate(rows.values()):
        if row.family == "means":
            continue
        numbers = RESPONDENTS[1:] if row.family == "found" else RESPONDENTS
        for places in product(
            *(range(len(levels)) for levels in (row.epsilons, row.sizes, numbers))
        ):
            epsilon = row.epsilons[places[0]]
            size = row.sizes[places[1]]
            respondents = numbers[places[2]]
            if (
                row.by_report
                and MOST_BY_REPORT < respondents * max(size, 64) <= MOST_PAIRS
            ):
                continue
            cost = row.cost(size, epsilon, respondents)
            if row.by_report and respondents * max(size, 64) > MOST_PAIRS:
                cost = 0.0
            yield _cell(
                "values",
                (row.name,),
                epsilon,
                size=size,
                population=_in_turn(turn + sum(places)),
                respondents=respondents,
                drawing=cost,
            )


def labels_of_means(rows: Mapping[str, Row]) -> list[str]:
    """Return the rows that have a mean: those of `MEANS`, then others that have a
    covariance.
    """
    known = {row.name for row in ROWS}
    others = (row for name, row in rows.items() if name not in known)
    return [*MEANS, *(row.name for row in others if _has_mean(row))]


def _has_mean(row: Row) -> bool:
    randomizer = question_of(row, 10, "2").randomizer
    return is_pure(randomizer) and randomizer.joint_support() is not None


def _means(rows: Mapping[str, Row]) -> Iterator[Cell]:
    return _numbers("means", labels_of_means(rows), rows)


def _distributions(rows: Mapping[str, Row]) -> Iterator[Cell]:
    return _numbers("distributions", DISTRIBUTIONS, rows)


def _few(rows: Mapping[str, Row]) -> Iterator[Cell]:
    labels = [row.name for row in rows.values() if row.family in FAMILIES_OF_FEW]
    yield from _numbers("few", labels, rows, numbers=FEW)
    yield from _numbers("few numbers", labels_of_means(rows), rows, numbers=FEW)


def _numbers(
    kind: str,
    labels: Sequence[str],
    rows: Mapping[str, Row],
    numbers: Sequence[int] = RESPONDENTS,
) -> Iterator[Cell]:
    epsilons = _EPSILONS_OF_FEW if numbers == FEW else _EPSILONS_OF_MEANS
    for turn, label in enumerate(labels):
        sizes = [size for size in rows[label].sizes if size in _SIZES_OF_MEANS]
        if numbers == FEW:
            sizes = sizes[:1] or list(rows[label].sizes[:1])
        for places in product(
            range(len(epsilons)), range(len(sizes)), range(len(numbers))
        ):
            epsilon = epsilons[places[0]]
            size = sizes[places[1]]
            respondents = numbers[places[2]]
            cost = rows[label].cost(size, epsilon, respondents)
            yield _cell(
                kind,
                (label,),
                epsilon,
                size=size,
                population=_in_turn(turn + sum(places)),
                respondents=respondents,
                drawing=cost,
            )


def _repeats(rows: Mapping[str, Row]) -> Iterator[Cell]:
    for label, epsilon, size, respondents in product(
        CHAINS, EPSILONS, (10, 100), RESPONDENTS
    ):
        yield _cell(
            "repeats",
            (label,),
            epsilon,
            size=size,
            population="zipf",
            respondents=respondents,
            drawing=rows[label].cost(size, epsilon, respondents),
        )


def _joint(_: Mapping[str, Row]) -> Iterator[Cell]:
    for pair, epsilon, size, respondents in product(
        PAIRS, ("1/5", "1", "4"), (3, 12), (200, 1_000, 100_000)
    ):
        yield _cell(
            "joint",
            pair,
            epsilon,
            size=size,
            population="zipf",
            respondents=respondents,
            drawing=2_000 + 0.3 * respondents,
        )


def _pooled(_: Mapping[str, Row]) -> Iterator[Cell]:
    for pair, epsilon, population, respondents in product(
        VERSIONS, EPSILONS, POPULATIONS, (1_000, 10_000)
    ):
        yield _cell(
            "pooled",
            pair,
            epsilon,
            size=10,
            population=population,
            respondents=respondents,
            drawing=200,
        )


def _hashes(_: Mapping[str, Row]) -> Iterator[Cell]:
    for size, respondents in product((100, 300), (10_000, 1_000_000)):
        yield Cell(
            "hashes",
            (BLOOM,),
            "5",
            size=size,
            population="zipf",
            respondents=respondents,
            surveys=_WITH_SAME_HASHES,
        )


def _in_turn(number: int) -> str:
    return list(POPULATIONS)[number % len(POPULATIONS)]


def _cell(
    kind: str,
    labels: tuple[str, ...],
    epsilon: str,
    size: int,
    population: str,
    respondents: int,
    drawing: float,
) -> Cell:
    # The exact intervals of few expected counts take the longest.
    estimating = 6_000 + 15 * size
    surveys = int(_BUDGET / (estimating + 2 * drawing))
    return Cell(
        kind,
        labels,
        epsilon,
        size=size,
        population=population,
        respondents=respondents,
        surveys=min(max(surveys, LEAST_SURVEYS), MOST_SURVEYS),
    )


_PARTS: tuple[Callable[[Mapping[str, Row]], Iterator[Cell]], ...] = (
    _values,
    _means,
    _repeats,
    _joint,
    _pooled,
    _hashes,
    _distributions,
    _few,
)
