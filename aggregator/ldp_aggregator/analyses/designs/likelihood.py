"""Shares of types from counts of answers: one likelihood for every survey design.

With shares s of the types, arm g has the chances lambda_g = s A_g, and the
log-likelihood is

    sum over g, z of n_gz log lambda_gz         s = s0 + H t

Of several questions, and theta who follow none of them, s = ((1 - theta) r, theta) with
r a product of shares by question, or log-linear with main effects and pairs.

Without bounds s may leave [0, 1], which keeps estimates unbiased. Fisher scoring, which
is least squares with the weights n_g / lambda_gz, has the maximum; where there are as
many parameters as free answers its first step solves the equations themselves.

A share c s is estimable if the columns of all A_g, with a column of ones, span c.

Intervals add four answers, alike over arms and answers, and take the normal quantile
(Agresti and Caffo 2000; Price and Bonett 2004); of quotients they are Fieller's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.law import Law, Measure
from ldp_aggregator.answers.contrasts.ratios import ratio_ends, ratio_error
from ldp_aggregator.numerics.arrays import Flags, Floats

_MOST_STEPS = 200
_WHOLE_STEPS = 20
_MOST_HALVINGS = 30
_CLOSE = 1e-10
_HARDLY = 0.01
_LEAST = 1e-8
_ADDED = 4.0
"""Answers that are added for an interval."""

Shares = Callable[[Floats], tuple[Floats, Floats]]
"""Shares of types, (T,), from parameters, (D,); and their derivatives, (T, D)."""


@dataclass(frozen=True)
class Model:
    """Model of a law for its likelihood, as arrays of G arms, T types and Z answers."""

    chances: Floats
    """P[answer | type], (T, G Z)."""
    possible: Flags
    """Which answers can come, (G, Z)."""
    shares: Shares
    start: Floats
    """Parameters to begin with, (D,)."""
    spanned: Floats
    """An orthonormal basis of what is estimable where shares are linear, (T, rank)."""

    @classmethod
    def of(cls, law: Law) -> Model:
        """The model of a law."""
        laws = np.array([arm.rows for arm in law.arms], dtype=float)
        chances = laws.transpose(1, 0, 2).reshape(len(law.types), -1)
        columns = np.column_stack([chances, np.ones(len(law.types))])
        basis, sizes, _ = np.linalg.svd(columns)
        spanned = basis[:, : int((sizes > _CLOSE * sizes[0]).sum())]
        held = np.array(law.held, dtype=float)
        if law.pairs:
            shares, start = _association_model(held)
        elif law.held:
            shares, start = _independent(held)
        else:
            shares, start = _linear(spanned)
        return cls(chances, laws.max(axis=1) > 0, shares, start=start, spanned=spanned)

    @property
    def surplus(self) -> int:
        """How many more free answers there are than parameters."""
        return int((self.possible.sum(axis=1) - 1).sum()) - len(self.start)

    @property
    def is_determined(self) -> bool:
        """Whether other parameters have other answers."""
        _, slopes = self.shares(self.start)
        return int(np.linalg.matrix_rank(self.chances.T @ slopes)) == len(self.start)


@dataclass(frozen=True)
class DesignFit:
    """The maximum of the likelihood."""

    shares: Floats
    """Of types, (T,)."""
    covariance: Floats
    """Of these, (T, T)."""
    expected: Floats
    """The chances of answers, (G, Z)."""
    deviance: float
    """Twice the log-likelihood that perfect agreement would add."""


def fit(model: Model, counts: Floats) -> DesignFit:
    """Return the maximum for counts of answers, (G, Z). Raises `EstimateError` if there
    is none.
    """
    if model.surplus > 0:
        # Without it nothing keeps the chance of an answer that nobody gave from falling
        # below 0.
        counts = np.where(model.possible, np.maximum(counts, _HARDLY), counts)
    totals = counts.sum(axis=1, keepdims=True)
    seen = (counts / totals).ravel()
    keep = model.possible.ravel()
    people = np.broadcast_to(totals, counts.shape).ravel()[keep]
    chances, seen = model.chances[:, keep], seen[keep]
    parameters = model.start
    shares, slopes = model.shares(parameters)
    for number in range(_MOST_STEPS):
        fitted = shares @ chances
        step = _pull(slopes, chances, people, fitted=fitted) @ (seen - fitted)
        # Scoring may go to and fro about the maximum: half of each step then goes right
        # to it.
        step = step if number < _WHOLE_STEPS else step / 2
        best = _log_likelihood(people * seen, fitted)
        for _ in range(_MOST_HALVINGS):
            new, new_slopes = model.shares(parameters + step)
            if _log_likelihood(people * seen, new @ chances) >= best - _CLOSE:
                break
            step = step / 2
        parameters, shares, slopes = parameters + step, new, new_slopes
        if np.abs(step).max() < _CLOSE:
            break
    else:
        raise EstimateError(
            "expected counts that the design can give; no estimate converged"
        )
    fitted = shares @ chances
    spread = slopes @ _pull(slopes, chances, people, fitted=fitted)
    expected = np.zeros(counts.size)
    expected[keep] = fitted
    given = people * seen
    surprise = given[given > 0] @ np.log(
        seen[given > 0] / np.maximum(fitted[given > 0], 1e-300)
    )
    return DesignFit(
        shares,
        spread @ _of_answers(expected.reshape(counts.shape), totals, keep) @ spread.T,
        expected.reshape(counts.shape),
        deviance=max(2 * float(surprise), 0.0),
    )


def _pull(slopes: Floats, chances: Floats, people: Floats, fitted: Floats) -> Floats:
    """What an answer more than expected moves each parameter by, (D, Z)."""
    # An answer that is not expected would weigh without bound.
    weights = people / np.maximum(fitted, _LEAST)
    jacobian = chances.T @ slopes
    pulled: Floats = np.linalg.pinv(jacobian.T * weights @ jacobian) @ (
        jacobian.T * weights
    )
    return pulled


def _of_answers(expected: Floats, totals: Floats, keep: Flags) -> Floats:
    """The covariance of the shares of answers, arm by arm."""
    chances = np.clip(expected, 0, 1)
    size = expected.size
    covariance = np.zeros((size, size))
    for place, (row, total) in enumerate(zip(chances, totals.ravel(), strict=True)):
        block = slice(place * len(row), (place + 1) * len(row))
        covariance[block, block] = (np.diag(row) - np.outer(row, row)) / total
    return covariance[np.ix_(keep, keep)]


def _log_likelihood(counts: Floats, chances: Floats) -> float:
    some = counts > 0
    return float(counts[some] @ np.log(np.maximum(chances[some], 1e-300)))


def _linear(spanned: Floats) -> tuple[Shares, Floats]:
    """All shares that sum to 1, within what is estimable."""
    ones = spanned.sum(axis=0)
    _, _, rotation = np.linalg.svd(ones[None, :])
    first = spanned @ ones / (ones @ ones)
    directions = spanned @ rotation[1:].T

    def shares(parameters: Floats) -> tuple[Floats, Floats]:
        return first + directions @ parameters, directions

    return shares, np.zeros(directions.shape[1])


def _mixture(followers: Shares, start: Floats) -> tuple[Shares, Floats]:
    """Those who follow, and a last type of those who do not: its share is the first
    parameter.
    """

    def shares(parameters: Floats) -> tuple[Floats, Floats]:
        theta, (inner, slopes) = parameters[0], followers(parameters[1:])
        own = np.column_stack([-inner, (1 - theta) * slopes])
        last = np.zeros((1, len(parameters)))
        last[0, 0] = 1
        return np.append((1 - theta) * inner, theta), np.vstack([own, last])

    return shares, np.array([0.1, *start])


def _independent(held: Floats) -> tuple[Shares, Floats]:
    """A product of the shares of yes by question, of which no type knows the others."""

    def followers(yes: Floats) -> tuple[Floats, Floats]:
        factors = np.where(held > 0, yes, 1 - yes)
        slopes = np.empty(held.shape)
        for question in range(held.shape[1]):
            others = np.delete(factors, question, axis=1).prod(axis=1)
            slopes[:, question] = np.where(held[:, question] > 0, others, -others)
        return factors.prod(axis=1), slopes

    return _mixture(followers, np.full(held.shape[1], 0.4))


def _association_model(held: Floats) -> tuple[Shares, Floats]:
    """A log-linear model: a main effect of each question, and one of each pair."""
    pairs = [held[:, a] * held[:, b] for a, b in combinations(range(held.shape[1]), 2)]
    effects = np.column_stack([held, *pairs])

    def followers(parameters: Floats) -> tuple[Floats, Floats]:
        scores = effects @ parameters
        odds = np.exp(scores - scores.max())
        chances = odds / odds.sum()
        return chances, chances[:, None] * (effects - chances @ effects)

    return _mixture(followers, np.zeros(effects.shape[1]))


def add_pseudo_counts(model: Model, counts: Floats) -> Floats:
    """Return the counts with four more answers, alike over arms and possible
    answers.
    """
    arms, answers = len(counts), model.possible.sum(axis=1, keepdims=True)
    return np.asarray(counts + model.possible * (_ADDED / arms) / answers)


def weights_of(law: Law, measure: Measure) -> tuple[Floats, Floats | None]:
    """Return the weights of types above and below the line of a share, (T,) each."""
    above = np.array([float(name in measure.of) for name in law.types])
    if not measure.among:
        return above, None
    return above, np.array([float(name in measure.among) for name in law.types])


def measure_share(
    done: DesignFit, weights: tuple[Floats, Floats | None]
) -> tuple[float, float]:
    """Return a share and its standard error."""
    above, below = weights
    top = float(above @ done.shares)
    if below is None:
        return top, math.sqrt(max(float(above @ done.covariance @ above), 0.0))
    both = np.stack([above, below])
    bottom = float(below @ done.shares)
    ratio = top / bottom if bottom else float("nan")
    return ratio, ratio_error(top, bottom, both @ done.covariance @ both.T)


def interval_of(
    done: DesignFit, weights: tuple[Floats, Floats | None], quantile: float
) -> tuple[float, float]:
    """Return the ends of a share's interval, without bounds."""
    above, below = weights
    if below is None:
        middle, error = measure_share(done, weights)
        return middle - quantile * error, middle + quantile * error
    both = np.stack([above, below])
    top, bottom = (both @ done.shares).tolist()
    return ratio_ends(top, bottom, both @ done.covariance @ both.T, quantile=quantile)
