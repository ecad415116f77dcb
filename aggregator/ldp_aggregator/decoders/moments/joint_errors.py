"""How linear functions of a question's frequencies err together.

The share of a few values, the difference of two, a weighted score: each is a sum q'f of
frequencies with weights q. Its variance is that of one report's score q's, given what
its respondent holds, and not the sum of the variances of its parts, whose errors go
together:

    n Cov(q'f, r'f) = E[(q's)(r's)] - sum_z f_z q_z r_z                      for the respondents

What is known of E[(q's)(r's)] differs by mechanism, and none of it takes a matrix of
all values:

    even pairs   Cov(s_a, s_b | z) is v or w for a = b, as a is held or not, and A or B
                 for a != b, as z is one of them or not. With Q and R for the sums of
                 all q and r, (w - B) q'r + B Q R + sum_z f_z [(v - w) q_z r_z + (A - B)
                 (q_z (R - r_z) + r_z (Q - q_z))]
    symbols      the mean over the tally of the products of the scores that each symbol
                 has: exact, and unbiased whatever is held
    hashes       the expectation over hash functions: over all of them, or over as many
                 as take a fraction of a second, drawn with a fixed seed
    matrix       Q C R', where a decoder has the covariance C of all values

Where none of it is known, standard errors are added up: no error is larger than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.decoders.moments.jumps import fourth_of_rates, third_of_rates
from ldp_aggregator.numerics.arrays import Floats, Integers

if TYPE_CHECKING:
    from ldp.mechanisms.values.local_hashing import LocalHashing

Covariance = Callable[[Floats], Floats]
"""From weights (Q, M) to the covariance (Q, Q) of their functions, for the respondents.
"""

FEW_REPORTS = 1 << 14
"""From so many on, functions show their noise, whatever a report is worth to them."""

MOST_VALUES = 2048
"""Of a covariance of all values that is made from their functions."""

_HASHES_AT_ONCE = 1 << 22
_FEWEST_HASHES, _MOST_HASHES = 16, 4096
_SEED = 20261
_MOST_KEPT = 1 << 20
"""Numbers that are kept for weights that come again."""


class PairLaw(NamedTuple):
    """Pair law of one report's scores: their variances, and their covariance by
    pairs.
    """

    own: float
    """v: of a value's score, if it is held."""
    other: float
    """w: of one, if it is not."""
    either: float
    """A: of two values' scores, if one of them is held."""
    neither: float
    """B: of two, if neither is."""


class ScoreCumulants(NamedTuple):
    """The law of one report's function: cumulants by what its respondent holds, (M,)
    each.
    """

    variance: Floats
    third: Floats
    fourth: Floats


def even_pairs(frequency: Floats, reports: int, law: PairLaw) -> Covariance:
    """Where pairs of values are supported evenly."""
    own, other, either, neither = law
    apart = either - neither

    def together(weights: Floats) -> Floats:
        totals, held = weights.sum(axis=1), weights @ frequency
        by_value = other - neither + frequency * (own - other - 2 * apart)
        crossed = np.outer(held, totals)
        noise = (weights * by_value) @ weights.T + neither * np.outer(totals, totals)
        return (noise + apart * (crossed + crossed.T)) / reports

    return together


def even_spread(law: PairLaw, p: float, q: float) -> Callable[[Floats], ScoreCumulants]:
    """Where a report supports its own value with p, others with q, and pairs of them
    evenly.

    Third and fourth cumulants are those of supports that come independently. Where a
    report supports so many values at most, its function has shorter tails than that.
    """
    own, other, either, neither = law
    apart = either - neither
    thirds, fourths = third_of_rates(p, q), fourth_of_rates(p, q)

    def spread(weights: Floats) -> ScoreCumulants:
        total = float(weights.sum())
        of_all = (other - neither) * float(weights @ weights) + neither * total**2
        of_holder = (own - other - 2 * apart) * weights**2 + 2 * apart * total * weights
        return ScoreCumulants(
            np.asarray(of_all + of_holder),
            one_by_one(weights, thirds, 3),
            one_by_one(weights, fourths, 4),
        )

    return spread


def one_by_one(weights: Floats, cumulants: tuple[Any, Any], order: int) -> Floats:
    """A cumulant of a function by what is held, (M,), if the scores of values are
    independent.

    `cumulants` are those of a value's score, if it is held and if not.
    """
    if_held, if_not = cumulants
    raised = weights**order
    return np.asarray((raised * if_not).sum() + raised * (if_held - if_not))


def spread_of_scores(
    scores: Callable[[Floats], Floats], expected: Callable[[Floats], Floats]
) -> Callable[[Floats], ScoreCumulants]:
    """Where a report is a symbol that has a score for any weights, as in `of_symbols`.

    `expected` takes numbers of the symbols, (Q, cells), to their means by what is held,
    (Q, M).
    """

    def spread(weights: Floats) -> ScoreCumulants:
        score = scores(weights[None])
        return about_means(
            weights, expected(np.concatenate([score**2, score**3, score**4]))
        )

    return spread


def about_means(means: Floats, powers: Floats) -> ScoreCumulants:
    """Cumulants from means, (M,), and from expected squares, cubes and fourth powers,
    (3, M).
    """
    square, cube, fourth = powers
    variance = np.maximum(square - means**2, 0.0)
    about = fourth - 4 * means * cube + 6 * means**2 * square - 3 * means**4
    return ScoreCumulants(
        variance,
        cube - 3 * means * square + 2 * means**3,
        fourth=about - 3 * variance**2,
    )


def spread_of_hashes(randomizer: LocalHashing) -> Callable[[Floats], ScoreCumulants]:
    """Where each report has a hash function of its own."""

    def spread(weights: Floats) -> ScoreCumulants:
        return about_means(
            weights, _products(randomizer, 1, _weights_key(weights)).powers[:, 0]
        )

    return spread


def of_symbols(
    scores: Callable[[Floats], Floats], counts: Floats, frequency: Floats
) -> Covariance:
    """Where a tally counts symbols, (cells,), each with a score for any weights, (Q,
    cells).

    `scores` are centred so that their means are the functions of the frequencies.
    """
    reports = counts.sum()

    def together(weights: Floats) -> Floats:
        of_symbol = scores(weights)
        products = (of_symbol * (counts / reports)) @ of_symbol.T
        return np.asarray((products - (weights * frequency) @ weights.T) / reports)

    return together


def of_pairs(
    products: Floats, frequency: Floats, reports: int, scale: float = 1.0
) -> Covariance:
    """Where the means of products of scores, over a tally, are known by pairs: (K, K)
    over scale.

    As `of_symbols`, for few values.
    """

    def together(weights: Floats) -> Floats:
        expected = weights @ (products / scale) @ weights.T
        return (expected - (weights * frequency) @ weights.T) / reports

    return together


def of_hashes(randomizer: LocalHashing, frequency: Floats, reports: int) -> Covariance:
    """Where each report has a hash function of its own."""
    rate = 1 / float(randomizer.ratio + randomizer.buckets - 1)
    surplus = float(randomizer.ratio - 1) * rate

    def together(weights: Floats) -> Floats:
        if len(weights) * weights.size <= _MOST_KEPT:
            known = _products(randomizer, len(weights), _weights_key(weights))
            expected = rate * known.any_bucket + surplus * (
                known.own_bucket @ frequency
            )
        else:
            expected, functions = np.zeros((len(weights), len(weights))), 0
            for bucket, worth in _worths(randomizer, weights):
                # How likely a report names each bucket, (buckets,).
                chance = rate + surplus * np.bincount(
                    bucket, frequency, minlength=worth.shape[1]
                )
                expected += (worth * chance) @ worth.T
                functions += 1
            expected /= functions
        return (expected - (weights * frequency) @ weights.T) / reports

    return together


class _Products(NamedTuple):
    """Means, over hash functions, of the products of what buckets are worth to rows of
    weights.
    """

    any_bucket: Floats
    """Summed over all buckets, (Q, Q)."""
    own_bucket: Floats
    """Of the bucket of each value, (Q, Q, M)."""
    powers: Floats
    """Expected squares, cubes and fourth powers of the rows, by what is held, (3, Q,
    M).
    """


def _weights_key(weights: Floats) -> bytes:
    return weights.astype(float).tobytes()


@lru_cache(maxsize=16)
def _products(randomizer: LocalHashing, rows: int, weights: bytes) -> _Products:
    """Kept, since they are the same for every tally."""
    any_bucket = np.zeros((rows, rows))
    own_bucket = np.zeros((rows, rows, randomizer.size))
    powers = np.zeros((3, rows, randomizer.size))
    rate = 1 / float(randomizer.ratio + randomizer.buckets - 1)
    surplus = float(randomizer.ratio - 1) * rate
    functions = 0
    for bucket, worth in _worths(randomizer, np.frombuffer(weights).reshape(rows, -1)):
        products = worth[:, None] * worth
        any_bucket += products.sum(axis=2)
        own_bucket += products[:, :, bucket]
        raised = np.stack([worth**2, worth**3, worth**4])
        powers += (
            rate * raised.sum(axis=2, keepdims=True) + surplus * raised[:, :, bucket]
        )
        functions += 1
    return _Products(any_bucket / functions, own_bucket / functions, powers / functions)


def _worths(
    randomizer: LocalHashing, weights: Floats
) -> Iterator[tuple[Integers, Floats]]:
    """By hash function: the bucket of each value, (M,); the worth of each bucket, (Q,
    buckets).
    """
    p, q = (float(rate) for rate in randomizer.support)
    size, buckets = randomizer.size, randomizer.buckets
    many = int(np.clip(_HASHES_AT_ONCE // size, _FEWEST_HASHES, _MOST_HASHES))
    values, total = np.arange(size), weights.sum(axis=1, keepdims=True)
    for multiplier, shift in _hash_functions(randomizer.modulus, many).tolist():
        bucket = (multiplier * values + shift) % randomizer.modulus * buckets
        bucket //= randomizer.modulus
        within = np.stack(
            [np.bincount(bucket, row, minlength=buckets) for row in weights]
        )
        yield bucket, (within - q * total) / (p - q)


def _hash_functions(modulus: int, most: int) -> Integers:
    """Multipliers and shifts, (functions, 2): all of them, or some that are drawn."""
    if modulus * (modulus - 1) <= most:
        multipliers, shifts = np.divmod(np.arange(modulus * (modulus - 1)), modulus)
        return np.stack([multipliers + 1, shifts], axis=1)
    return np.random.default_rng(_SEED).integers([1, 0], modulus, size=(most, 2))


def of_matrix(matrix: Callable[[], Floats]) -> Covariance:
    """Where a decoder has the covariance of all values."""

    def together(weights: Floats) -> Floats:
        return weights @ matrix() @ weights.T

    return together


def all_values(together: Covariance, size: int) -> Callable[[], Floats]:
    """The covariance of all values, (M, M), which raises `EstimateError` for too
    many.
    """

    def covariance() -> Floats:
        if size > MOST_VALUES:
            raise EstimateError(
                f"expected at most {MOST_VALUES:,} values for the covariance of all of "
                f"them, got {size:,}; ask for the sums or differences that are needed "
                "(share, contrast)"
            )
        return together(np.eye(size))

    return covariance
