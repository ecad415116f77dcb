"""The likelihood of reports through their channel, and the coefficients where it is
greatest.

What was said is not known, but how a report comes about is: from it follows how likely
each report is under any coefficients, and the best ones are those under which the
reports are likeliest.

    pi      the chance that the answer is the second of two values, by its link to x'b
    P       = L_0 + (L_1 - L_0) pi, L_y the chance of the report if the answer is y
            (`channel`)
    score   = (L_1 - L_0) pi' x / P
    sandwich  A^-1 B A^-1 with A the negative second derivative of the log-likelihood
              and B the sum of squares of scores: right as well where the model is not,
              about the coefficients that come nearest to the truth; `model` errors are
              A^-1

Newton's method with steps that never lose likelihood; where the log-likelihood is not
concave, as noise can make it, the squares of scores take the place of its second
derivative.

Sources: Maddala 1983, Section 2.7; van den Hout, van der Heijden and Gilchrist 2007;
Huber 1967 (the sandwich).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ldp_aggregator.analyses.regression.ascent import climb
from ldp_aggregator.analyses.regression.links import LINKS, LOGIT, Link, Means
from ldp_aggregator.analyses.regression.prior import log_prior, prior_slope
from ldp_aggregator.numerics.arrays import Floats

_STEPS = 200
_SETTLED = 1e-20
_LONGEST = 8.0
"""Step of a linear predictor."""
_SINGULAR = 1e-12
_DIFFERENCE = 1e-5
"""Of a coefficient, for the second derivative of the prior."""


class Observed(NamedTuple):
    """Reports and covariates: arrays over reports, or over reports that are alike."""

    table: Floats
    """X, (U, k)."""
    alike: Floats
    """How many reports are alike, (U,)."""
    weight: Floats
    """The design weight of each of them, (U,)."""
    chances: Floats
    """L_0 and L_1, (U, 2)."""
    link: Link = LINKS[LOGIT]
    offset: Floats | float = 0.0
    """What is added to the linear predictor, (U,)."""
    prior: Floats | None = None
    """Columns of Jeffreys' prior, (U, K), where there is one."""

    def without(self, places: tuple[int, ...]) -> Observed:
        """Return it without some columns."""
        keep = [place for place in range(self.table.shape[1]) if place not in places]
        return self._replace(table=self.table[:, keep])

    def linear(self, coefficients: Floats) -> Floats:
        """The linear predictors, (U,)."""
        return self.table @ coefficients + self.offset


class RegressionFit(NamedTuple):
    """The greatest likelihood."""

    coefficients: Floats
    log_likelihood: float
    information: Floats
    """A, (k, k)."""
    squares: Floats
    """B, (k, k)."""
    converged: bool
    steps: int
    inside: bool = True
    """Whether no chance is as good as 0 or 1."""
    empty: int = 0
    """Combinations of predictors that no one holds, where their shares are found as
    well.
    """

    def covariance(self, *, robust: bool) -> Floats:
        """Covariance of the coefficients: the sandwich, or that of the model."""
        inverse = np.linalg.pinv(self.information, hermitian=True)
        return np.asarray(inverse @ self.squares @ inverse if robust else inverse)


def likeliest(observed: Observed, start: Floats | None = None) -> RegressionFit:
    """The coefficients under which reports are likeliest."""
    size = observed.table.shape[1]

    def step_at(coefficients: Floats) -> tuple[Floats, Floats]:
        slope, information, squares = derivatives(observed, coefficients)
        move = _move(information, squares, slope)
        # Where chances are all but 0 or 1 a parabola says nothing of what is far away.
        reach = float(np.abs(observed.table @ move).max(initial=0.0))
        return slope, move * _LONGEST / max(reach, _LONGEST)

    top = climb(
        partial(log_likelihood, observed),
        step_at,
        np.zeros(size) if start is None else start.copy(),
        most=_STEPS,
        settled=_SETTLED,
    )
    coefficients = top.point
    _, information, squares = derivatives(observed, coefficients)
    sound = size == 0 or float(np.linalg.eigvalsh(information)[0]) > 0
    inside = observed.link.is_inside(observed.linear(coefficients))
    return RegressionFit(
        coefficients,
        top.value,
        information,
        squares=squares,
        converged=bool(top.reached and sound and inside),
        steps=top.steps,
        inside=inside,
    )


def log_likelihood(observed: Observed, coefficients: Floats) -> float:
    """Log likelihood of coefficients (k,)."""
    linear = observed.linear(coefficients)
    chance = _of_reports(observed, observed.link.at(linear))
    weight = observed.alike * observed.weight
    value = float(weight @ np.log(np.maximum(chance, 1e-300)))
    if observed.prior is None:
        return value
    return value + log_prior(observed.link, observed.prior, linear, weight=weight)


def derivatives(
    observed: Observed, coefficients: Floats
) -> tuple[Floats, Floats, Floats]:
    """The slope of the log-likelihood (k,), A and B (k, k)."""
    linear = observed.linear(coefficients)
    at = observed.link.at(linear)
    chance = np.maximum(_of_reports(observed, at), 1e-300)
    # By the linear predictor, (U,): the first and the second derivative of one report's
    # part.
    difference = observed.chances[:, 1] - observed.chances[:, 0]
    first = difference * at.slope / chance
    second = difference * at.bend / chance - first**2
    table, weight = observed.table, observed.weight
    slope = table.T @ (observed.alike * weight * first)
    information = -table.T @ ((observed.alike * weight * second)[:, None] * table)
    squares = table.T @ ((observed.alike * (weight * first) ** 2)[:, None] * table)
    if observed.prior is not None:
        along = partial(
            prior_slope, observed.link, observed.prior, weight=observed.alike * weight
        )
        slope = slope + table.T @ along(linear)
        steps = _DIFFERENCE * table.T
        bends = [along(linear + step) - along(linear - step) for step in steps]
        information = information - np.array(bends) @ table / (2 * _DIFFERENCE)
    return slope, information, squares


def _of_reports(observed: Observed, at: Means) -> Floats:
    none, one = observed.chances.T
    return np.asarray(none * at.rest + one * at.mean)


def _move(information: Floats, squares: Floats, slope: Floats) -> Floats:
    """Newton's step, or where the likelihood bends the wrong way one that goes
    uphill.
    """
    values, vectors = np.linalg.eigh(information)
    if values[0] <= _SINGULAR * max(values[-1], 0.0):
        values, vectors = np.linalg.eigh(
            squares + _SINGULAR * np.trace(squares) * np.eye(len(slope))
        )
    return np.asarray(vectors @ ((vectors.T @ slope) / np.maximum(values, 1e-300)))
