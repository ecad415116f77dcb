"""From RAPPOR's Bloom tallies to moments: the bits of each text, and what the
regression found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from xxhash import xxh64_intdigest

from ldp.mechanisms.chains.bloom import hash_seeds
from ldp.mechanisms.chains.rappor import Rappor
from ldp_aggregator.decoders.bloom.hashing import hashed_again
from ldp_aggregator.decoders.bloom.selection import Decoded, decode
from ldp_aggregator.decoders.bloom.sums import CandidateSums, sum_moments
from ldp_aggregator.decoders.moments.bit_covariance import BitNoise
from ldp_aggregator.decoders.moments.bit_designs import design_of, place_type
from ldp_aggregator.decoders.moments.moments import (
    CandidateFit,
    Findings,
    Moments,
    ScoreJumps,
)
from ldp_aggregator.decoders.moments.repeats import (
    check_repeats,
    effective,
    noise_of,
    repeats_note,
)
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.output.checks import Check
from ldp_aggregator.tallies.counting.counting import total_reports

_AT_ONCE = 1 << 14


def bloom_moments(
    randomizer: Rappor,
    counts: Counts,
    candidates: Sequence[str],
    repeats: int = 1,
    design: Any = None,
) -> Moments:
    """Moments of the candidates' frequencies.

    Raises `EstimateError` if the reports cannot tell them apart. `design` is the matrix
    of the candidates' bits, where others than our hash functions set them, or
    `CandidateSums`.
    """
    if isinstance(design, CandidateSums):
        moments = bloom_moments(
            randomizer, counts, candidates, repeats=repeats, design=design.design
        )
        return sum_moments(moments, design.sums)
    check_repeats(total_reports(counts, randomizer.layout), repeats)
    noise = noise_of(randomizer, repeats)
    background = background_of(randomizer)
    bits = design
    if design is None:
        bits = design_matrix(randomizer, candidates)
    own_bits = np.asarray(bits.sum(axis=0), dtype=float).ravel() / len(counts)
    return decoded_moments(
        decode(counts, bits, noise, background=background), noise, own_bits
    )


def background_of(randomizer: Rappor) -> float:
    """How likely a text that is no candidate sets a bit."""
    return float(1 - (1 - 1 / randomizer.bits) ** randomizer.hashes)


def decoded_moments(decoded: Decoded, noise: BitNoise, own_bits: Floats) -> Moments:
    """Moments for intervals and checks: variances for the respondents, from the
    population's.

    An estimate is, but for what is subtracted, the mean of a candidate's own bits:
    `own_bits` in each cohort, on average. So a 1 that is noise makes it jump by 1 /
    (own_bits n (q* - p*)), with p(1-p)(1-2p) over p(1-p) as for any count.
    """
    respondents = round(decoded.respondents)
    repeated = repeats_note(respondents, noise.repeats, effective(respondents, noise))
    estimated = _moments(
        decoded, decoded.frequency, decoded.variance, noise=noise, own_bits=own_bits
    )

    tested = None
    if decoded.tested is not None:
        tested = _moments(decoded, *decoded.tested, noise=noise, own_bits=own_bits)
    return replace(
        estimated,
        findings=Findings(
            "; ".join(filter(None, (decoded.note, repeated))),
            checks=() if decoded.residual is None else (_complete(decoded),),
        ),
        fit=CandidateFit(tested, decoded.likely, decoded.unallocated),
    )


def _moments(
    decoded: Decoded,
    frequency: Floats,
    variance: Floats,
    noise: BitNoise,
    own_bits: Floats,
) -> Moments:
    """Moments of estimates with these variances for the population."""
    respondents = round(decoded.respondents)
    shares = np.clip(decoded.frequency, 0, 1)

    def covariance() -> Floats:
        sampling = np.diag(shares) - np.outer(shares, shares)
        matrix: Floats = decoded.covariance() - sampling / respondents
        return matrix

    # (M,) each: what drawing the respondents adds by the frequencies that the variances
    # were made with (those of the estimates would take away most where chance made an
    # estimate high), the least that is left (the noise of a candidate's own bits), and
    # the jump of a 1.
    sampled = decoded.shares * (1 - decoded.shares)
    least = (
        min(noise.zero_variance, noise.one_variance)
        / (noise.one - noise.zero) ** 2
        / np.maximum(own_bits, 1.0)
    )
    scaled = np.maximum(respondents * variance - sampled, least)
    jump = (
        noise.zero_third
        / noise.zero_variance
        / (noise.one - noise.zero)
        / np.maximum(own_bits, 1.0)
    )
    return Moments(
        respondents,
        frequency,
        scaled,
        variance_if_not=scaled,
        covariance=covariance,
        jumps=ScoreJumps((jump * scaled, jump * scaled)),
    )


def design_matrix(randomizer: Rappor, candidates: Sequence[str]) -> Any:
    """Which bits the candidates set: a design of shape (cohorts x bits, candidates)."""
    cohorts, hashes, bits = randomizer.cohorts, randomizer.hashes, randomizer.bits
    # As `bloom.bloom_positions`, but with one short hash for all cohorts of a text.
    short = np.array(
        [xxh64_intdigest(candidate.encode()) for candidate in candidates], np.uint64
    )
    places = np.empty((cohorts, hashes, len(candidates)), place_type(bits))
    for start in range(0, len(short), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        for cohort in range(cohorts):
            for slot, seed in enumerate(hash_seeds(cohort, hashes)):
                places[cohort, slot, some] = hashed_again(
                    short[some], seed
                ) % np.uint64(bits)
    return design_of(places, bits)


def _complete(decoded: Decoded) -> Check:
    residual = decoded.residual
    assert residual is not None  # noqa: S101
    return Check(
        "dictionary",
        round(residual.statistic),
        residual.p_value,
        meaning="the bit rates miss those of the candidates by a chi-square of "
        f"{residual.statistic:,.1f}, where chance has {residual.freedom:,}; a small "
        "p-value: texts were reported that are no candidates",
    )
