"""Mean vectors beside PrivUnit, exact and from surveys: `python -m
lab.benchmarks.privunit`.

PrivUnit, written here from its papers: of a unit vector v in d dimensions a device
reports a unit vector y, with probability p uniform on the cap <y, v> >= c, else uniform
off it. A uniform vector is on the cap with probability q = 1 - I_(1+c)/2(a, a), a = (d
- 1) / 2. Two vectors are told apart with odds of no more than

    R = [p / q] / [(1 - p) / (1 - q)]

and y / m is unbiased, with n Var of the mean, all coordinates together, of 1 / m^2 - 1:

    m = E<y, v> = (p / q - (1 - p) / (1 - q)) Gamma(d/2) (1 - c^2)^a / (sqrt(pi)
    Gamma(a) (d - 1))

published  epsilon is split: p = e^s / (1 + e^s), and the rest r of it bounds the cap,
           by either of two sufficient conditions, c <= tanh(r / 2) sqrt(pi / (2 (d -
           1))), or c >= sqrt(2 / d) and r >= log(d) / 2 + log 6 - a log(1 - c^2) + log
           c. Here with the split and the cap that err least; R is then below e^epsilon.
best cap   p is the one for which R is e^epsilon, and c the cap that errs least: the
           optimum of all mechanisms, up to numbers.

Source: Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018; Asi, Feldman and Talwar
2022.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import betainc, betaincinv, gammaln

import ldp
from ldp.answers.balls import UNIT
from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.decoders.vectors.law import word_law
from ldp_aggregator.numerics.arrays import Floats
from ldp_simulations.sampling.table import sample_counts
from ldp_simulations.vector_holders import VectorHolders, synthetic_vectors

EPSILONS = (1, 2, 4, 8)
DIMENSIONS = 100
WORDS = (64, 256)
RESPONDENTS, RUNS = 20_000, 40
_CAPS = np.linspace(0, 0.95, 9501)
_SPLITS = 2000


class PrivUnit(NamedTuple):
    """The numbers of PrivUnit: `likely` is the probability p, `cap` is c."""

    dimensions: int
    likely: float
    cap: float

    @property
    def ratio(self) -> float:
        """R."""
        share = float(_share(self.dimensions, self.cap))
        return self.likely * (1 - share) / ((1 - self.likely) * share)

    @property
    def shrinkage(self) -> float:
        """The constant m."""
        return float(_shrinkage(self.dimensions, self.likely, self.cap))

    @property
    def variance(self) -> float:
        """Of the mean, times n, a coordinate."""
        return (1 / self.shrinkage**2 - 1) / self.dimensions

    def estimate(self, vectors: Floats, generator: Generator) -> Floats:
        """The mean of unit vectors, of shape (respondents, coordinates), from a report
        of each.
        """
        count, middle = len(vectors), (self.dimensions - 1) / 2
        share = float(_share(self.dimensions, self.cap))
        on_cap = generator.random(count) < self.likely
        # (respondents,): ranks on the cap or off it, then how far along v they are.
        ranks = generator.random(count)
        ranks = np.where(on_cap, 1 - share * ranks, (1 - share) * ranks)
        along = 2 * betaincinv(middle, middle, ranks) - 1
        # (respondents, coordinates): a uniform direction across v.
        across = generator.standard_normal(vectors.shape)
        across -= (across * vectors).sum(axis=1, keepdims=True) * vectors
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        reports = along[:, None] * vectors + np.sqrt(1 - along**2)[:, None] * across
        return np.asarray(reports.mean(axis=0) / self.shrinkage, dtype=np.float64)


def published(dimensions: int, epsilon: float) -> PrivUnit:
    """By the published conditions: the split and the cap that err least."""
    allowed = [
        PrivUnit(
            dimensions, 1 / (1 + math.exp(-part)), _widest(dimensions, epsilon - part)
        )
        for part in np.linspace(0, epsilon, _SPLITS, endpoint=False)[1:].tolist()
    ]
    return min(allowed, key=lambda one: one.variance)


def with_best_cap(dimensions: int, epsilon: float) -> PrivUnit:
    """Of those whose ratio is e^epsilon the one that errs least."""
    shares, above = _share(dimensions, _CAPS), math.exp(epsilon)
    likely = above * shares / (above * shares + 1 - shares)
    best = int(np.argmax(_shrinkage(dimensions, likely, _CAPS)))
    return PrivUnit(dimensions, float(likely[best]), float(_CAPS[best]))


def _widest(dimensions: int, epsilon: float) -> float:
    """The largest cap that one of the two sufficient conditions allows."""
    allowed = math.tanh(epsilon / 2) * math.sqrt(math.pi / (2 * (dimensions - 1)))
    far = _CAPS[math.sqrt(2 / dimensions) <= _CAPS]
    needed = math.log(6 * math.sqrt(dimensions)) - (dimensions - 1) / 2 * np.log1p(
        -(far**2)
    )
    others = far[needed + np.log(far) <= epsilon]
    return float(max((allowed, *others[-1:])))


def _share(dimensions: int, cap: float | Floats) -> Floats:
    """The share of uniform vectors that is on a cap."""
    middle = (dimensions - 1) / 2
    return np.asarray(
        betainc(middle, middle, (1 - np.asarray(cap)) / 2), dtype=np.float64
    )


def _shrinkage(dimensions: int, likely: float | Floats, cap: float | Floats) -> Floats:
    share, middle = _share(dimensions, cap), (dimensions - 1) / 2
    constant = gammaln(dimensions / 2) - gammaln(middle) - math.log(math.pi) / 2
    part = np.exp(constant + middle * np.log1p(-(np.asarray(cap) ** 2))) / (
        dimensions - 1
    )
    return np.asarray(
        (likely / share - (1 - likely) / (1 - share)) * part, dtype=np.float64
    )


def question_of(epsilon: float, words: int) -> ldp.Question:
    """Ours."""
    question = ldp.question(
        "x", dimensions=DIMENSIONS, radius=1, epsilon=epsilon, words=words
    )
    return ldp.survey("benchmark", question)["x"]


def variance_of(question: ldp.Question) -> float:
    """Of the mean, times n, a coordinate."""
    response = question.randomizer
    assert isinstance(response, CodebookResponse)
    return word_law(response).total_variance(DIMENSIONS) / DIMENSIONS


def measured(epsilon: float, runs: int = RUNS, seed: int = 1) -> Floats:
    """N times mean square errors of a coordinate: PrivUnit's as published, its best,
    then ours.
    """
    generator = np.random.default_rng(seed)
    question = question_of(epsilon, WORDS[0])
    ball = question.domain.ball
    assert ball is not None
    holders = synthetic_vectors(ball, RESPONDENTS, np.arange(DIMENSIONS, 0.0, -1))
    vectors = np.repeat(holders.vectors / UNIT, holders.counts, axis=0)
    true = vectors.mean(axis=0)
    peers = published(DIMENSIONS, epsilon), with_best_cap(DIMENSIONS, epsilon)
    errors = []
    for _ in range(runs):
        estimates = [peer.estimate(vectors, generator) for peer in peers]
        estimates.append(_ours(question, holders, generator))
        errors.append([np.mean((estimate - true) ** 2) for estimate in estimates])
    return RESPONDENTS * np.mean(errors, axis=0)


def _ours(
    question: ldp.Question, holders: VectorHolders, generator: Generator
) -> Floats:
    counts = sample_counts(question, holders, generator)
    return (
        decoder_of(question.randomizer)
        .vector_parts(question.randomizer, counts)
        .estimate
    )


def main() -> None:
    """Prints both tables."""
    print(f"n Var of a coordinate, {DIMENSIONS} dimensions, vectors of length 1")
    for epsilon in EPSILONS:
        split, best = published(DIMENSIONS, epsilon), with_best_cap(DIMENSIONS, epsilon)
        ours = (
            f"{variance_of(question_of(epsilon, words)):.3g} ({words} words)"
            for words in WORDS
        )
        print(
            f"epsilon {epsilon}: PrivUnit {best.variance:.3g}, as published "
            f"{split.variance:.3g} (its true epsilon is {math.log(split.ratio):.3g}); "
            f"here {', '.join(ours)}"
        )
    print(f"\nn times mean square errors, {RESPONDENTS:,} respondents, {RUNS} surveys")
    for epsilon in EPSILONS:
        split, best, ours = measured(epsilon)
        print(
            f"epsilon {epsilon}: PrivUnit {best:.3g}, as published {split:.3g}; here "
            f"{ours:.3g}"
        )


if __name__ == "__main__":
    main()
