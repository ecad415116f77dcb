"""Kind `blocks`: Hadamard response, whose errors depend on how many hold the values of
a block.

The values are dealt out to blocks. A report names a symbol of one block, and supports
half of the values there, likelier the device's own. Of the reports of a block those
that support a value are counted against those that do not; reports of other blocks say
nothing of it. So an estimate rests on more reports, and has more noise, the more
respondents hold any value of its block.

    estimate (2 C - N) c / n, with N the reports of the value's block, and C those that
    support it
    n Var = c (2 / (R - 1) + F) - f,  F the share of the respondents who hold a value of the block

c is what a report is worth, and R the odds of a report that supports the value. F has
an unbiased estimate as well, c N / n - 2 / (R - 1); with one block it is 1. What of it
is not f is shared by those who do not hold the value:

    if_held = c (2 / (R - 1) + 1) - 1,   if_not = c (2 / (R - 1) + g),   g = (F - f) / (1 - f)

Where an entry is drawn from m, entries stand for respondents, and c for m c. The value
is a share f / m of the entries, and of any other entry g = (F - f / m) / (1 - f / m) is
in its block, so that

    if_held = m^2 c (2 / (R - 1) + [1 + (m - 1) g] / m) - 1,   if_not = m^2 c (2 / (R - 1) + g)

Who holds which values together is not known; f if_held + (1 - f) if_not is right in any
case.

If fewer hold the value than it seems, chance has put more reports on its side, and not
more into its block: for a lower frequency f' the mean square of the scores, (m c)^2 N /
n, is still what was counted, and the variance that less f'.

A score is m c, -m c or 0, so that its cubes and fourth powers are (m c)^2 times itself
and its square.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Blocked, Randomizer, is_blocked
from ldp.mechanisms.sets.pad_and_sample import PadAndSample
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp_aggregator.decoders.decoder import (
    Decoder,
    Range,
    Rates,
    ReportLaw,
    ShareDecoder,
    chances_of_supporters,
    of_one_report,
    scores_of_symbols,
)
from ldp_aggregator.decoders.moments.few_supports import walsh_at
from ldp_aggregator.decoders.moments.joint_errors import (
    FEW_REPORTS,
    Covariance,
    ScoreCumulants,
    all_values,
    of_pairs,
    of_symbols,
    spread_of_scores,
)
from ldp_aggregator.decoders.moments.moments import (
    LinearLaw,
    Moments,
    OneCount,
    ScoreJumps,
    alike_for,
)
from ldp_aggregator.decoders.moments.supports import walsh_hadamard
from ldp_aggregator.numerics.arrays import Counts, Floats, Indices
from ldp_aggregator.tallies.counting.counting import total_reports

MOST_ROWS_ALONE = 16
"""Values up to which numbers of the transform one by one take less time than all of
them.
"""


def block_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of Hadamard response, and of one that reports an entry of a set."""
    assert is_blocked(randomizer)  # noqa: S101 (a fact about our own table, not about input)
    # (M,) each: C and N of every value.
    supports, in_block = block_supports(randomizer, counts)
    frequency = _frequency(randomizer, counts, supports, in_block=in_block)
    together = _together(randomizer, counts, frequency)
    return _of_supports(
        randomizer, counts, supports, in_block=in_block, together=together
    )


def few_moments(
    randomizer: Randomizer, counts: Counts, places: Indices
) -> Moments | None:
    """Moments of the values at some places, (K,), of one answer from each
    respondent.
    """
    assert is_blocked(randomizer)  # noqa: S101
    few_reports = total_reports(counts, randomizer.layout) < FEW_REPORTS
    if (
        isinstance(randomizer, PadAndSample)
        or len(places) > MOST_ROWS_ALONE
        or few_reports
    ):
        return None
    oracle = blocks_of(randomizer)
    block, row = places % oracle.blocks, places // oracle.blocks + 1
    same = block[:, None] == block[None, :]
    by_block = counts.reshape(oracle.blocks, oracle.rows)
    # (K,): N, 2 C - N; (K, K): those of the product of two rows.
    in_block, differences = np.zeros_like(places), np.zeros_like(places)
    products = np.zeros(same.shape)
    for one in np.unique(block).tolist():
        here = np.flatnonzero(block == one)
        crossed = np.bitwise_xor.outer(row[here], row[here])
        transformed = walsh_at(
            by_block[one], np.concatenate([row[here], crossed.ravel()])
        )
        in_block[here], differences[here] = (
            by_block[one].sum(),
            transformed[: len(here)],
        )
        products[np.ix_(here, here)] = transformed[len(here) :].reshape(crossed.shape)
    supports = (in_block + differences) // 2
    reports = total_reports(counts, randomizer.layout)
    together = of_pairs(
        float(randomizer.worth) ** 2 * products / reports,
        _frequency(randomizer, counts, supports, in_block=in_block),
        reports,
    )
    return _of_supports(
        randomizer, counts, supports, in_block=in_block, together=together
    )


def _frequency(
    randomizer: Blocked, counts: Counts, supports: Counts, in_block: Counts
) -> Floats:
    reports = total_reports(counts, randomizer.layout)
    return (2 * supports - in_block) * float(randomizer.worth) / reports


def _of_supports(
    randomizer: Blocked,
    counts: Counts,
    supports: Counts,
    in_block: Counts,
    together: Covariance | None,
) -> Moments:
    """The moments of values that so many reports support, of those in their blocks,
    (M,) each.
    """
    reports = total_reports(counts, randomizer.layout)
    frequency = _frequency(randomizer, counts, supports, in_block=in_block)
    oracle = blocks_of(randomizer)
    most = randomizer.most if isinstance(randomizer, PadAndSample) else 1
    worth, elsewhere = float(oracle.worth), float(2 / (oracle.ratio - 1))
    # F of every value's block, and the share that the value has of the entries.
    one_block = oracle.blocks == 1
    block = (
        np.ones(len(frequency)) if one_block else worth * in_block / reports - elsewhere
    )
    own = np.clip(frequency, 0, 1) / most
    # Of other entries; if there are none, of those that there might be.
    alike = np.divide(block - own, 1 - own, out=np.ones(len(own)), where=own < 1)
    alike = np.clip(alike, 0, 1)
    scale = most**2 * worth
    if_held = scale * (elsewhere + (1 + (most - 1) * alike) / most) - 1
    if_not = scale * (elsewhere + alike)
    covariance = (
        _no_covariance if together is None else all_values(together, len(frequency))
    )
    spread = _spread(randomizer) if reports < FEW_REPORTS else None
    if not one_block:
        # Few reports may show fewer in a block than come there by chance alone.
        squares = np.maximum(scale * worth * in_block / reports, scale * elsewhere)
        largest = (most * worth) ** 2
        held_fourth = largest * (if_held - 3) + 6 * if_held + 3 - 3 * if_held**2
        other_fourth = largest * if_not - 3 * if_not**2
        parts = held_fourth, other_fourth / 2
        return Moments(
            reports,
            frequency,
            if_held,
            variance_if_not=if_not,
            covariance=covariance,
            linear=LinearLaw(together, spread),
            below=(squares - 1, squares),
            jumps=ScoreJumps(
                third=(largest - 3 * if_held - 1, np.zeros_like(if_not)),
                fourth=(held_fourth, other_fourth),
                rising=parts,
                falling=parts,
            ),
        )
    p, q = (float(rate) for rate in randomizer.within)
    rates = alike_for(len(frequency), p), alike_for(len(frequency), q)
    return Moments(
        reports,
        frequency,
        if_held,
        variance_if_not=if_not,
        covariance=covariance,
        linear=LinearLaw(together, spread),
        count=OneCount(supports, rates),
    )


def block_supports(randomizer: Blocked, counts: Counts) -> tuple[Counts, Counts]:
    """How many reports support each value, and how many are in its block.

    In a block, twice the support is the number of reports plus the Walsh-Hadamard
    transform at the value's row.
    """
    oracle, size = blocks_of(randomizer), randomizer.size
    transformed = walsh_hadamard(counts.reshape(oracle.blocks, oracle.rows))
    # Values are dealt out to the blocks in turn.
    in_block, by_row = transformed[:, 0], transformed[:, 1:].T
    reports = np.broadcast_to(in_block, by_row.shape).ravel()[:size]
    supports: Counts = (reports + by_row.ravel()[:size]) // 2
    return supports, reports


def blocks_of(randomizer: Blocked) -> HadamardResponse:
    """The Hadamard response that makes the reports."""
    oracle = randomizer.oracle if isinstance(randomizer, PadAndSample) else randomizer
    assert isinstance(oracle, HadamardResponse)  # noqa: S101 (a fact about our own table)
    return oracle


def _together(
    randomizer: Blocked, counts: Counts, frequency: Floats
) -> Covariance | None:
    """From the scores of symbols; None of sets, whose values are held together or
    not.
    """
    if isinstance(randomizer, PadAndSample):
        return None
    return of_symbols(
        partial(_scores, randomizer), counts.ravel().astype(np.float64), frequency
    )


def _scores(randomizer: Blocked, weights: Floats) -> Floats:
    """Return the worth of each symbol to functions with weights (Q, M), of shape (Q,
    symbols).
    """
    oracle = blocks_of(randomizer)
    # (Q, blocks, rows): row 0 stands for no value, and values are dealt out in turn.
    places = np.zeros((len(weights), oracle.blocks, oracle.rows))
    values = np.arange(weights.shape[1])
    places[:, values % oracle.blocks, 1 + values // oracle.blocks] = weights
    worths = walsh_hadamard(places).reshape(len(weights), -1)
    return float(randomizer.worth) * worths


def _spread(randomizer: Blocked) -> Callable[[Floats], ScoreCumulants] | None:
    """The law of functions; None of sets, whose values are held together or not."""
    if isinstance(randomizer, PadAndSample):
        return None
    oracle, values = blocks_of(randomizer), np.arange(randomizer.size)
    own, other = (float(half) / (oracle.rows / 2) for half in oracle.halves)

    def expectation(numbers: Floats) -> Floats:
        by_row = walsh_hadamard(
            numbers.reshape(len(numbers), oracle.blocks, oracle.rows)
        )
        # (Q, M): the sum over the half block that supports each value.
        block, row = values % oracle.blocks, 1 + values // oracle.blocks
        supporting = (by_row[:, block, 0] + by_row[:, block, row]) / 2
        return np.asarray(
            other * numbers.sum(axis=1, keepdims=True) + (own - other) * supporting
        )

    return spread_of_scores(partial(_scores, randomizer), expectation)


def _no_covariance() -> Floats:
    raise EstimateError(
        "expected one answer of each respondent for a covariance, got sets: no report "
        "tells who holds which values together"
    )


def score_range(randomizer: Randomizer) -> Range:
    """The worth c of a report or -c in the value's block, 0 elsewhere."""
    assert is_blocked(randomizer)  # noqa: S101
    return Range(-randomizer.worth, randomizer.worth)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Half of the rows of a block support a value."""
    assert is_blocked(randomizer)  # noqa: S101
    oracle = blocks_of(randomizer)
    return chances_of_supporters(
        oracle.layout.symbols, oracle.rows // 2, oracle.halves[0]
    )


def support_rates(randomizer: Randomizer, counts: Counts) -> Rates:
    """Support rates of the reports of a value's block."""
    assert is_blocked(randomizer)  # noqa: S101
    return Rates(*block_supports(randomizer, counts), randomizer.within)


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(
        moments=of_one_report(block_moments),
        of_few=few_moments,
        joint_scores=scores_of_symbols(block_moments),
    ),
    report_law=ReportLaw(payload_chances=payload_chances, support_rates=support_rates),
)
