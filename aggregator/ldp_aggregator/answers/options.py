"""Options of estimates, and their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ldp.errors import EstimateError

if TYPE_CHECKING:
    from ldp_aggregator.answers.geography import Geography

WHOM = {
    "respondents": "these respondents (randomization alone)",
    "population": "the population (sampling and randomization)",
}
"""Whom errors are for, and which errors they are, by estimand."""
ESTIMANDS = tuple(WHOM)
INTERVALS = ("score", "clopper-pearson")
SIMULTANEOUS = ("bonferroni", "sidak")
MOST_REPORTS_PER_PERSON = 10**9
CORRECTIONS = ("bonferroni", "benjamini-hochberg", "storey")
"""How a test of each value allows for the number of values."""
DEFAULT = "default"
"""Storey's where an estimator has found its candidates to be all there is, else
Benjamini-Hochberg's."""
SHAPES = ("em", "ems")
"""Views of a shape alone: frequencies that are biased, without unbiased ones beside
them.
"""
POST = (
    "norm-sub",
    "base-cut",
    "posterior",
    "posterior-mean",
    "monotone",
    "shrunk",
    *SHAPES,
)


@dataclass(frozen=True)
class NumberOptions:
    """What is shown of the distribution of a number. Raises `EstimateError`.

    >>> import ldp_aggregator
    >>> numbers = ldp_aggregator.NumberOptions(quantiles=(0.5,))
    >>> ldp_aggregator.Options(numbers=numbers).numbers.quantiles
    (0.5,)
    """

    quantiles: tuple[float, ...] = (0.25, 0.5, 0.75)
    """Shares of the answers whose quantiles are shown."""
    ranges: tuple[tuple[str, str], ...] = ()
    """Ranges [low, high) whose shares are shown."""
    edges: tuple[str, ...] = ()
    """Of the cells of the histogram; a few round ones, if there are none."""

    def __post_init__(self) -> None:
        for share in self.quantiles:
            if not 0 < share < 1:
                raise EstimateError(
                    "expected quantiles of shares between 0 and 1, such as 0.5, got "
                    f"{share}"
                )


@dataclass(frozen=True)
class MapOptions:
    """What is shown of a map.

    >>> import ldp_aggregator
    >>> maps = ldp_aggregator.MapOptions(zoom=(4, 4))
    >>> ldp_aggregator.Options(maps=maps).maps.zoom
    (4, 4)
    """

    rectangles: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = ()
    """Rectangles, a range [low, high) of x and one of y, whose shares are shown."""
    zoom: tuple[int, int] | None = None
    """How many cells are shown along x and y; None for as many as can be told from
    empty ones.
    """
    geography: Geography | None = None
    """Districts whose shares and borders are shown."""


@dataclass(frozen=True)
class Options:
    """Options of estimates. Raises `EstimateError` for unknown ones.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> options = ldp_aggregator.Options(level=0.99, estimand="population")
    >>> ldp_aggregator.estimate(survey, reports, options=options)["mode"].options.level
    0.99
    """

    level: float = 0.95
    """Coverage of the intervals."""
    estimand: str = "population"
    """Whom the errors are for: those who answered, or the population they were drawn
    from.
    """
    interval: str = "score"
    simultaneous: str | None = None
    """How all intervals of a question are made to hold together, if at all."""
    post_process: str | None = None
    """A biased view of the frequencies."""
    covariance: bool = False
    reports_per_person: int | None = None
    """Reports that every respondent sent of one permanent response (memoized questions
    only); None for the most that the epochs of a tally allow.
    """
    frequencies: bool = False
    """Whether to estimate frequencies also where a mechanism is for means (`geometric`,
    `laplace`).
    """
    detect: str | None = None
    """The correction by which values are told to be there, if they are: see
    `detection`.
    """
    detect_level: float = 0.95
    """One less the false discoveries, or the chance of any, that this allows."""
    numbers: NumberOptions = NumberOptions()
    maps: MapOptions = MapOptions()

    @property
    def repeats(self) -> int:
        """Reports of each respondent, as far as that is said."""
        return self.reports_per_person or 1

    def changed(self, level: float | None, estimand: str | None) -> Options:
        """Return these options with another level or estimand, where one is given."""
        level = self.level if level is None else level
        return replace(self, level=level, estimand=estimand or self.estimand)

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise EstimateError(
                f"expected a level between 0 and 1, such as 0.95, got {self.level}"
            )
        if not 0 < self.detect_level < 1:
            raise EstimateError(
                "expected a level between 0 and 1 to find values at, such as 0.95, got "
                f"{self.detect_level}"
            )
        if self.reports_per_person is not None and not (
            1 <= self.reports_per_person <= MOST_REPORTS_PER_PERSON
        ):
            raise EstimateError(
                f"expected 1 to {MOST_REPORTS_PER_PERSON:,} reports from each "
                f"respondent, got {self.reports_per_person}"
            )
        for name, known in (
            ("estimand", ESTIMANDS),
            ("interval", INTERVALS),
            ("simultaneous", (None, *SIMULTANEOUS)),
            ("post_process", (None, *POST)),
            ("detect", (None, DEFAULT, *CORRECTIONS)),
        ):
            if getattr(self, name) not in known:
                options = ", ".join(str(option) for option in known)
                raise EstimateError(
                    f"expected {name} to be one of {options}, got "
                    f"{getattr(self, name)!r}"
                )
