"""Scrambled numbers: the mean of X from answers that a device made of it.

A device makes Z of X with E[Z | X] = a X + b, and another unknown mean times c, if
there is one:

    design            a                          b
    additive          1                          mean of S              Z = X + S
    multiplicative    mean of S                  0                      Z = X S
    unrelated-number  p                          (1 - p) mean of Y      X with p, else Y
    partial           p + (1 - p) mean of S      0                      X with p, else X S
    eriksson          p                          (1 - p) mean of Q      X with p, else Q
    saha              mean of W                  mean of W, mean of U   Z = W (X + U)

Scores (Z - b) / a have the mean of X; their spread has all noise in it, so the interval
of a mean (Student's) is for the population. Two samples with other p also tell an
unknown mean of Y.

A number tells of X however it is scrambled unless S has a law made for it: analysis
only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.law import Arm
from ldp_aggregator.analyses.designs.result import (
    DesignEstimate,
    DesignEstimates,
    DesignGroups,
)
from ldp_aggregator.analyses.designs.rows import DesignRows, arms_of, numbers_of
from ldp_aggregator.analyses.designs.words import Parameter, parameters, split
from ldp_aggregator.analyses.rows.columns import Table
from ldp_aggregator.numerics.arrays import Floats

_PRIVACY = "no finite epsilon unless the noise has a law made for it: for analysis only"
_MEAN = Parameter("the mean of the noise", is_chance=False)
_P = Parameter("the chance to answer with the true number")
_NAMES = ("mean", "mean of the unrelated number")
_FEWEST = 2


class LinearMean(NamedTuple):
    """Mean of one sample's answers: own x + other y + shift."""

    own: Fraction
    shift: Fraction
    other: Fraction = Fraction(0)


class NumberRow(NamedTuple):
    """A design for numbers: what it is called, what it takes, its lines and who wrote
    of it.
    """

    title: str
    parameters: Mapping[str, Parameter]
    lines: Callable[..., list[LinearMean]]
    source: str


def _unrelated_lines(
    p: tuple[Fraction, ...], mean: Fraction | None
) -> list[LinearMean]:
    if (mean is None) != (len(p) == 2):
        raise EstimateError(
            "expected one p with the mean of the unrelated number, or two without it"
        )
    if mean is None:
        return [LinearMean(own, Fraction(0), 1 - own) for own in p]
    return [LinearMean(p[0], (1 - p[0]) * mean)]


def _eriksson(
    p: Fraction, numbers: tuple[Fraction, ...], chances: tuple[Fraction, ...]
) -> list[LinearMean]:
    if len(numbers) != len(chances) or sum(chances) != 1:
        raise EstimateError("expected as many chances as numbers, with a sum of 1")
    mean = sum(
        (a * b for a, b in zip(numbers, chances, strict=True)), start=Fraction(0)
    )
    return [LinearMean(p, (1 - p) * mean)]


NUMBERS: Mapping[str, NumberRow] = {
    "additive": NumberRow(
        "additive noise",
        {"mean": _MEAN},
        lambda mean: [LinearMean(Fraction(1), mean)],
        source="Pollock 1976",
    ),
    "multiplicative": NumberRow(
        "multiplicative noise (scrambled response)",
        {"mean": _MEAN},
        lambda mean: [LinearMean(mean, Fraction(0))],
        source="Eichhorn and Hayre 1983",
    ),
    "unrelated-number": NumberRow(
        "unrelated number; two samples where its mean is unknown",
        {
            "p": _P._replace(most=2),
            "mean": _MEAN._replace(
                meaning="the mean of the unrelated number", default=""
            ),
        },
        _unrelated_lines,
        source="Greenberg, Kuebler, Abernathy and Horvitz 1971",
    ),
    "partial": NumberRow(
        "the number with chance p, else multiplied by noise",
        {"p": _P, "mean": _MEAN},
        lambda p, mean: [LinearMean(p + (1 - p) * mean, Fraction(0))],
        source="Bar-Lev, Bobovitch and Boukai 2004",
    ),
    "eriksson": NumberRow(
        "the number with chance p, else one of some numbers",
        {
            "p": _P,
            "numbers": Parameter("the other numbers", 1, 100, is_chance=False),
            "chances": Parameter("the chance of each of them", 1, 100),
        },
        _eriksson,
        source="Eriksson 1973",
    ),
    "saha": NumberRow(
        "noise added, then multiplied",
        {"added": _MEAN, "factor": _MEAN._replace(meaning="the mean of the factor")},
        lambda added, factor: [LinearMean(factor, factor * added)],
        source="Saha 2007",
    ),
}


@dataclass(frozen=True)
class NumberDesign:
    """A design for numbers, with what its answers are on average."""

    words: str
    title: str
    source: str
    lines: tuple[LinearMean, ...]

    @property
    def privacy(self) -> str:
        """Describe in a sentence what one answer reveals."""
        return _PRIVACY

    def estimate(self, *answers: ArrayLike, level: float = 0.95) -> DesignEstimates:
        """Return the mean from the answers of each sample. Raises `EstimateError`."""
        if not 0 < level < 1:
            raise EstimateError(f"expected a level between 0 and 1, got {level}")
        samples = [np.asarray(sample, dtype=float) for sample in answers]
        _check(samples, len(self.lines))
        # What the sample means are made of, (samples, unknown means).
        coefficients = np.array(
            [(line.own, line.other) for line in self.lines], dtype=float
        )
        coefficients = coefficients[:, : len(samples)]
        shifts = np.array([line.shift for line in self.lines], dtype=float)
        inverse = np.linalg.inv(coefficients)
        centres = np.array([sample.mean() for sample in samples])
        spreads = np.array([sample.var(ddof=1) / sample.size for sample in samples])
        estimates = inverse @ (centres - shifts)
        errors = np.sqrt(inverse**2 @ spreads)
        people = sum(sample.size for sample in samples)
        quantile = float(stdtrit(people - len(samples), (1 + level) / 2))
        columns = (
            estimates,
            errors,
            estimates - quantile * errors,
            estimates + quantile * errors,
        )
        rows = zip(_NAMES, *(column.tolist() for column in columns), strict=False)
        return DesignEstimates(
            self.words,
            f"{self.title} ({self.source})",
            _PRIVACY,
            respondents=people,
            level=level,
            estimand="population",
            estimates=tuple(DesignEstimate(*row) for row in rows),
            unit="",
        )

    def estimate_rows(
        self,
        table: Table,
        answers: str,
        *,
        arm: str | None = None,
        by: str | Sequence[str] = (),
        where: Mapping[str, str] | None = None,
        level: float = 0.95,
    ) -> DesignGroups:
        """Return the mean from a table with a row for each respondent, by groups if
        asked for.

        Raises `EstimateError`, and `UnknownNameError` for columns that the table has
        not.
        """
        rows = DesignRows.read(table)
        by = (by,) if isinstance(by, str) else tuple(by)
        numbers = numbers_of(rows, answers)
        arm_texts = None
        if arm is not None:
            arm_texts = rows.texts(arm)
        samples = [Arm(f"p={line.own}", ()) for line in self.lines]
        arms = arms_of(arm_texts, samples, rows.people)
        groups = {}
        for label, some in rows.groups(by, where).items():
            chosen = some & np.isfinite(numbers)
            parts = [
                numbers[chosen & (arms == place)] for place in range(len(self.lines))
            ]
            groups[label] = self.estimate(*parts, level=level)
        missing = int(np.isnan(numbers).sum())
        return DesignGroups(
            by, groups, (f"column {answers}: {missing:,} rows without a number",)
        )


def _check(samples: Sequence[Floats], lines: int) -> None:
    if len(samples) != lines:
        raise EstimateError(
            f"expected the answers of {lines} samples, got {len(samples)}"
        )
    if any(sample.ndim != 1 or sample.size < _FEWEST for sample in samples):
        raise EstimateError("expected a list of two answers or more in each sample")
    if not all(np.isfinite(sample).all() for sample in samples):
        raise EstimateError("expected numbers, got one that is missing or infinite")


def number_design(words: str) -> NumberDesign:
    """Return the design of words such as `additive mean=10`.

    Raises `UnknownNameError` and `EstimateError` for words that are none.

    >>> import ldp_aggregator
    >>> additive = ldp_aggregator.number_design("additive mean=10")
    """
    name, rest = split(words, NUMBERS)
    row = NUMBERS[name]
    lines = tuple(row.lines(**parameters(name, row.parameters, rest)))
    if len({line.own for line in lines}) < len(lines) or not all(
        line.own for line in lines
    ):
        raise EstimateError(
            f"design {name}: expected chances and means that leave the number to be "
            "told"
        )
    return NumberDesign(words, row.title, row.source, lines=lines)
