"""Terms of queries: numbers, sums of shares, and one sum over another.

A sum of shares is a constant and, for each question, weights of some of its values. A
quotient has a sum above and one below. A quantile is no sum: its interval comes from
a test, and it stands by itself. What is no such thing (the product of two
shares, a ratio and a share) has no unbiased estimate, or none with an interval that is
known to hold, and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.numerics.arrays import Floats, Indices


class Weights(NamedTuple):
    """Weights of those of a question's values that have any, of which there are mostly
    few.
    """

    places: Indices
    """(K,), in rising order."""
    numbers: Floats
    """(K,)."""

    def at(self, places: Indices) -> Floats:
        """Those of other places, which have all of these among them; 0 elsewhere."""
        weights = np.zeros(len(places))
        weights[np.searchsorted(places, self.places)] = self.numbers
        return weights


class Key(NamedTuple):
    """What weights are of: the values of a question, or its mean, which is estimated by
    itself.
    """

    question: str
    is_mean: bool = False


class Linear(NamedTuple):
    """A constant, and weights by what they are of: of values, or one of a mean."""

    constant: float
    weights: Mapping[Key, Weights] = {}

    @property
    def is_number(self) -> bool:
        """Whether nothing is estimated."""
        return not self.weights


class Quotient(NamedTuple):
    """One sum over another."""

    top: Linear
    bottom: Linear


class Located(NamedTuple):
    """The quantile of a question's numbers, which stands by itself."""

    question: str
    share: float


Term = Linear | Quotient


def plus(left: Term, right: Term) -> Term:
    """The sum; to a quotient only numbers may be added. Raises `EstimateError`."""
    if isinstance(left, Linear) and isinstance(right, Linear):
        weights = dict(left.weights)
        for name, theirs in right.weights.items():
            weights[name] = _both(weights[name], theirs) if name in weights else theirs
        return Linear(left.constant + right.constant, weights)
    for ratio, other in ((left, right), (right, left)):
        if (
            isinstance(ratio, Quotient)
            and isinstance(other, Linear)
            and other.is_number
        ):
            # T / S + c = (T + c S) / S
            added = plus(ratio.top, times(ratio.bottom, other))
            return ratio._replace(top=_linear(added))
    raise EstimateError(
        "expected numbers to be added to a ratio, got what is estimated, too: ask for "
        "the two apart"
    )


def times(left: Term, right: Term) -> Term:
    """The product with a number. Raises `EstimateError` for two things that are
    estimated.
    """
    for term, other in ((left, right), (right, left)):
        if isinstance(other, Linear) and other.is_number:
            return scale_term(term, other.constant)
    raise EstimateError(
        "expected a number on one side of *, got two things that are estimated: their "
        "product has no unbiased estimate"
    )


def over(top: Term, bottom: Term) -> Term:
    """The quotient. Raises `EstimateError` for a quotient of quotients, and for nothing
    below.
    """
    if isinstance(bottom, Linear) and bottom.is_number:
        if not bottom.constant:
            raise EstimateError("expected a number other than 0 below the line, got 0")
        return scale_term(top, 1 / bottom.constant)
    if isinstance(top, Linear) and isinstance(bottom, Linear):
        return Quotient(top, bottom)
    raise EstimateError(
        "expected sums of shares above and below the line, got a ratio of ratios"
    )


def scale_term(term: Term, factor: float) -> Term:
    """So many times a term."""
    if isinstance(term, Quotient):
        return term._replace(top=_linear(scale_term(term.top, factor)))
    weights = {
        name: Weights(ours.places, factor * ours.numbers)
        for name, ours in term.weights.items()
    }
    return Linear(factor * term.constant, weights)


def weights_of(numbers: Floats) -> Weights:
    """Those that are not 0 among the weights of all values, (M,)."""
    places = np.flatnonzero(numbers)
    return Weights(places, np.asarray(numbers[places], dtype=np.float64))


def _both(ours: Weights, theirs: Weights) -> Weights:
    places = np.union1d(ours.places, theirs.places)
    return Weights(places, ours.at(places) + theirs.at(places))


def _linear(term: Term) -> Linear:
    assert isinstance(term, Linear)  # noqa: S101 (made from such)
    return term
