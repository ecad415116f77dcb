"""The circle that arcs lie on: what a report is worth to a query of the distribution.

A query is a number for each value, its sum over what people hold is what is asked for:
1 for the values of a range and 0 for others, or the values themselves. With the arcs of
`numbers.arcs`, w the weights of the frequencies, adding up to 1, and `Z = R t + P - t`,

    P[a report supports x' | x] = (t + (R-1) s(x - x')) / Z
    s(d) = sum of w_k overlap(k d mod P),   overlap(a) the places that arcs a apart have in common
    S    = the matrix of s(|x - x'|), of shape (values, values)

    score of a report = constant + Z / (R-1) x sum of alpha over the values that it
    supports
    constant = 1'S^-1 q / 1'S^-1 1,   alpha = S^-1 q - constant x S^-1 1

whose mean over reports is unbiased for q'f, and which is the least squares estimate
with a total of
1. As the alphas add up to 0, a score is a difference of two of their sums along the
   circle.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.numbers.arcs import Arcs
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers


class Circle(NamedTuple):
    """Facts on a randomizer before there is any report."""

    arcs: Arcs
    law: Floats
    """The weights of the frequencies, of shape (K,), adding up to 1."""
    kernel: Floats
    """s(d), of shape (values,)."""
    factor: Floats
    """Cholesky's factor of S, of shape (values, values)."""
    even: Floats
    """S^-1 1, of shape (values,)."""

    @property
    def scale(self) -> float:
        """Z / (R - 1)."""
        ratio = float(self.arcs.ratio)
        return self.arcs.mass / self.arcs.other / (ratio - 1)


class ArcScores(NamedTuple):
    """Worth of a report to each of Q queries."""

    constant: Floats
    """Of shape (Q,)."""
    alpha: Floats
    """Of shape (values, Q)."""


@lru_cache(maxsize=8)
def circle_of(arcs: Arcs) -> Circle:
    """The circle of a randomizer."""
    from scipy.linalg import cho_factor, cho_solve, toeplitz  # slow to import

    law = np.array([float(weight) for weight in arcs.law])
    law /= law.sum()
    kernel = _kernel(arcs, law)
    factor = np.asarray(cho_factor(toeplitz(kernel))[0], dtype=np.float64)
    even = np.asarray(cho_solve((factor, False), np.ones(arcs.size)), dtype=np.float64)
    return Circle(arcs, law, kernel, factor=factor, even=even)


def places(arcs: Arcs) -> Integers:
    """The place of each value under each frequency: of shape (K, values)."""
    frequencies = np.arange(1, arcs.layout.cohorts + 1)
    return frequencies[:, None] * np.arange(arcs.size) % arcs.modulus


def supports(arcs: Arcs, counts: Counts | Floats) -> Floats:
    """How many reports support each value, of shape (values,); `counts` is of shape (K,
    P).
    """
    # (K, P): how many arcs under each frequency hold each place.
    holding = around(np.asarray(counts, dtype=np.float64), arcs.width)
    total: Floats = np.take_along_axis(holding, places(arcs), axis=1).sum(axis=0)
    return total


def around(numbers: Floats, width: int) -> Floats:
    """For each place, the sum over the `width` places that end there, around the
    circle.

    Places run along the last axis, of P places.
    """
    sums = np.cumsum(numbers, axis=-1)
    before = np.concatenate([np.zeros_like(sums[..., :1]), sums[..., :-1]], axis=-1)
    # The sum from so many places before up to this one; what begins before place 0 goes
    # around.
    start = np.roll(before, width - 1, axis=-1)
    start[..., : width - 1] -= sums[..., -1:]
    return np.asarray(sums - start)


def frequencies(circle: Circle, counts: Counts | Floats) -> Floats:
    """The unbiased frequency of each value, of shape (values,); they add up to 1."""
    from scipy.linalg import cho_solve  # slow to import

    arcs, reports = circle.arcs, counts.sum()
    ratio = float(arcs.ratio)
    share = supports(arcs, counts) / reports
    mass = arcs.mass / arcs.other
    observed = (mass * share - arcs.width) / (ratio - 1)
    solved = np.asarray(cho_solve((circle.factor, False), observed))
    rest = (1 - solved.sum()) / circle.even.sum()
    return np.asarray(solved + rest * circle.even)


def scores(circle: Circle, queries: Floats) -> ArcScores:
    """Return the worth of reports to queries of shape (Q, values)."""
    from scipy.linalg import cho_solve  # slow to import

    solved = np.asarray(cho_solve((circle.factor, False), queries.T))
    constant = solved.sum(axis=0) / circle.even.sum()
    return ArcScores(constant, solved - constant * circle.even[:, None])


def windows_under(circle: Circle, of_query: ArcScores, cohort: int) -> Floats:
    """The sum of the alphas over each arc under one frequency, of one query: of shape
    (P,).
    """
    arcs = circle.arcs
    placed = np.zeros(arcs.modulus)
    placed[(cohort + 1) * np.arange(arcs.size) % arcs.modulus] = of_query.alpha[:, 0]
    return np.roll(around(placed, arcs.width), 1 - arcs.width)


def _kernel(arcs: Arcs, law: Floats) -> Floats:
    width, modulus = arcs.width, arcs.modulus
    apart = np.arange(modulus)
    one_way = np.minimum(apart, modulus - apart)
    other_way = np.maximum(apart, modulus - apart)
    overlap = np.maximum(0, width - one_way) + np.maximum(0, width - other_way)
    return np.asarray(law @ overlap[places(arcs)])
