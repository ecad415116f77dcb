"""Kind `sketch`: count-mean sketches, whose hash functions are chosen once for all
respondents.

A hash function takes a great many values to a few buckets, and a device reports its
bucket; which function it uses is its cohort. Other values meet a value in its bucket
under some of the functions, and are taken for it there. On average over functions that
is known and subtracted. What is left of it is an error that depends on the functions,
and so stays however many reports there are.

    estimate (C / n - q') / (p - q'), with C the reports that support the value in their
    cohort q' = c p + (1-c) q Var = [f if_held + (1 - f) if_not] / n + collisions
    if_held = p (1-p) / (p-q')^2,  if_not = q' (1-q') / (p-q')^2 - c / ((1-c) k)
    collisions = c / ((1-c) k) x (sum of f_x^2 over the other values x) third and fourth
    cumulants: those of one count, and of meetings, which add f_x / ((1-c) k) or
    nothing: collisions_3 = c (1-2c) / ((1-c) k)^2 x (sum of f_x^3 over the other values
    x) collisions_4 = c (1 - 6c(1-c)) / ((1-c) k)^3 x (sum of f_x^4 over the other
    values x)

c is the chance that two values meet in one of the k hash functions. What their meeting
adds is the variance of collisions, which no number of reports reduces. In place of the
unknown sum of f^2 stands its unbiased estimate, or 0 if that is negative:

    S = (sum of estimate^2 - sum of [f if_held + (1-f) if_not] / n) / (1 + (d-1) c /
    ((1-c) k))

In place of the sums of f^3 and f^4 stand those of the estimates cut to [0, 1], which
are rather more: on the safe side.

Source: Apple Differential Privacy Team 2017; the variance by conditioning on the hash
functions, as in Pan 2024.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.values.sketches import (
    CountMean,
    HadamardCountMean,
    Sketch,
    coefficients,
    collision,
)
from ldp.numbers.buckets import MODULUS
from ldp_aggregator.decoders.decoder import (
    Decoder,
    Range,
    ReportLaw,
    ShareDecoder,
    chances_of_supporters,
    of_one_report,
    of_support,
)
from ldp_aggregator.decoders.moments.joint_errors import (
    Covariance,
    PairLaw,
    all_values,
    even_pairs,
)
from ldp_aggregator.decoders.moments.jumps import fourth_of_rates, third_of_rates
from ldp_aggregator.decoders.moments.moments import (
    Collisions,
    Findings,
    LinearLaw,
    Moments,
    ScoreJumps,
    of_others,
)
from ldp_aggregator.decoders.moments.supports import walsh_hadamard
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports


def sketch_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of a sketch from its counts."""
    assert isinstance(randomizer, CountMean | HadamardCountMean)  # noqa: S101 (a fact about our own table)
    reports = total_reports(counts, randomizer.layout)
    # (M,): how many reports support the bucket of each value, over all cohorts.
    within = _of_buckets(randomizer, counts)
    supports = sum(
        of_bucket[bucket_of]
        for of_bucket, bucket_of in zip(within, buckets_of(randomizer), strict=True)
    )
    p, q = (float(rate) for rate in support_rates(randomizer))
    c = float(collision(randomizer.buckets))
    share, scale = c / ((1 - c) * randomizer.cohorts), (p - q) ** 2
    if_held, if_not = p * (1 - p) / scale, q * (1 - q) / scale - share
    frequency: Floats = (supports / reports - q) / (p - q)
    # S of the formulas above, and of it what others than the value have.
    noise = (frequency * if_held + (1 - frequency) * if_not).sum() / reports
    size = randomizer.size
    squares = max(0.0, float((frequency**2).sum() - noise) / (1 + (size - 1) * share))
    collisions = share * np.maximum(squares - np.clip(frequency, 0, 1) ** 2, 0.0)
    note = (
        f"Up to {np.sqrt(collisions.max()):.2g} of each standard error does not shrink "
        "with more reports: values share buckets under the survey's "
        f"{randomizer.cohorts:,} hash functions."
    )
    shares, missed = np.clip(frequency, 0, 1), (1 - c) * randomizer.cohorts
    third, fourth = third_of_rates(p, q), fourth_of_rates(p, q)
    together = _together(randomizer, frequency, reports, squares=squares)
    return Moments(
        reports,
        frequency,
        np.full(size, if_held),
        variance_if_not=np.full(size, if_not),
        covariance=all_values(together, size),
        linear=LinearLaw(together),
        jumps=ScoreJumps(
            third=(np.full(size, third[0]), np.full(size, third[1])),
            fourth=(np.full(size, fourth[0]), np.full(size, fourth[1])),
        ),
        collisions=Collisions(
            collisions,
            third=c * (1 - 2 * c) / missed**2 * of_others(shares**3),
            fourth=c * (1 - 6 * c * (1 - c)) / missed**3 * of_others(shares**4),
        ),
        findings=Findings(note),
    )


def support_rates(sketch: Sketch) -> tuple[Fraction, Fraction]:
    """(p, q'): how often a report supports its own value, and another over all hash
    functions.
    """
    (p, q), c = sketch.within, collision(sketch.buckets)
    return p, c * p + (1 - c) * q


def buckets_of(sketch: Sketch) -> Iterator[NDArray[np.int64]]:
    """h_j of every value, cohort by cohort."""
    values = np.arange(sketch.size)
    for cohort in range(sketch.cohorts):
        c0, c1, c2 = coefficients(sketch.hash_seed, cohort)
        yield (
            ((c2 * values + c1) % MODULUS * values + c0)
            % MODULUS
            * sketch.buckets
            // MODULUS
        )


def _of_buckets(sketch: Sketch, counts: Counts) -> Counts:
    """How many reports support each bucket, of shape (cohorts, buckets)."""
    if isinstance(sketch, CountMean):
        return counts[:, 1:]
    # (cohorts, coordinates, plus or minus). A report supports half of the buckets:
    # those that do, less those that do not, are the transform of plus less minus.
    signs = counts.reshape(len(counts), -1, 2)
    reports = counts.sum(axis=1, keepdims=True)
    supports: Counts = (reports + walsh_hadamard(signs[:, :, 0] - signs[:, :, 1])) // 2
    return supports


def _together(
    sketch: Sketch, frequency: Floats, reports: int, squares: float
) -> Covariance:
    """Noise that two values share where they meet, and what others that they meet add
    to both.

    With S of the formulas above, and as if any four values met independently, meetings
    add

        c / ((1-c) k) x (S q'r - 2 sum of q_x r_x f_x^2 + (q'f) (r'f))
    """
    (own, other), c = (
        (float(rate) for rate in sketch.within),
        float(collision(sketch.buckets)),
    )
    p, q = (float(rate) for rate in support_rates(sketch))
    scale, share = (p - q) ** 2, c / ((1 - c) * sketch.cohorts)
    of_own = own * (1 - own)
    of_other = c * own * (1 - own) + (1 - c) * other * (1 - other)
    law = PairLaw(
        p * (1 - p) / scale,
        q * (1 - q) / scale - share,
        c * of_own / scale,
        neither=c * of_other / scale,
    )
    noise = even_pairs(frequency, reports, law)
    # (values,): unbiased squares of the shares.
    variance = (frequency * law.own + (1 - frequency) * law.other) / reports
    own_squares = (frequency**2 - variance) / (1 + share)

    def together(weights: Floats) -> Floats:
        held, of_noise = weights @ frequency, noise(weights)
        products = np.outer(held, held) - of_noise
        met = (weights * (squares - 2 * own_squares)) @ weights.T + products
        return of_noise + share * met

    return together


def score_range(randomizer: Randomizer) -> Range:
    """Score range of (support - q') / (p - q')."""
    assert isinstance(randomizer, CountMean | HadamardCountMean)  # noqa: S101
    return of_support(*support_rates(randomizer))


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats] | None:
    """Payload chances of signs: half of them support a bucket. Bits have rates of their
    own.
    """
    if not isinstance(randomizer, HadamardCountMean):
        return None
    symbols, buckets = randomizer.layout.symbols, randomizer.buckets
    return chances_of_supporters(symbols, buckets, randomizer.within[0])


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(moments=of_one_report(sketch_moments), known_before=True),
    report_law=ReportLaw(payload_chances=payload_chances),
)
