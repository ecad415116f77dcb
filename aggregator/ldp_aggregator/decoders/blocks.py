"""Kind `blocks`: Hadamard response, whose errors depend on how many hold the values of a block.

    estimate (2 C - N) c / n, with N the reports of the value's block, and C those that support it
    n Var = c (2 / (R - 1) + F) - f,  F the share of the respondents who hold a value of the block

c is what a report is worth, and R the odds of a report that supports the value. F has an unbiased
estimate as well, c N / n - 2 / (R - 1); with one block it is 1. What of it is not f is shared by
those who do not hold the value:

    hold = c (2 / (R - 1) + 1) - 1,   other = c (2 / (R - 1) + g),   g = (F - f) / (1 - f)

Where an entry is drawn from m, entries stand for respondents, and c for m c. The value is a share f
/ m of the entries, and of any other entry g = (F - f / m) / (1 - f / m) is in its block, so that

    hold = m^2 c (2 / (R - 1) + [1 + (m - 1) g] / m) - 1,   other = m^2 c (2 / (R - 1) + g)

Who holds which values together is not known; f hold + (1 - f) other is right whoever does.

If fewer hold the value than it seems, chance has put more reports on its side, and not more into
its block: for a lower frequency f' the mean square of the scores, (m c)^2 N / n, is still what was
counted, and the variance that less f'.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer, is_blocked
from ldp.mechanisms.pad_and_sample import PadAndSample
from ldp.survey import Question
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.decoders.decoder import (
    Asked,
    Decoder,
    Range,
    Rates,
    chances_of_supporters,
)
from ldp_aggregator.moments.moments import Moments
from ldp_aggregator.moments.scores import Scores, symbol_scores
from ldp_aggregator.moments.supports import block_supports, blocks_of
from ldp_aggregator.tallies.counting import total_reports


def block_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of Hadamard response, and of one that reports an entry of a set."""
    assert is_blocked(randomizer)  # noqa: S101 (a fact about our own table, not about input)
    reports = total_reports(counts, randomizer.layout)
    supports, in_block = block_supports(randomizer, counts)
    frequency: Floats = (2 * supports - in_block) * float(randomizer.worth) / reports
    oracle, most = (
        blocks_of(randomizer),
        randomizer.most if isinstance(randomizer, PadAndSample) else 1,
    )
    worth, elsewhere = float(oracle.worth), float(2 / (oracle.ratio - 1))
    one_block = oracle.blocks == 1
    block = np.ones(len(frequency)) if one_block else worth * in_block / reports - elsewhere
    own = np.clip(frequency, 0, 1) / most
    # Of other entries; if there are none, of those that there might be.
    alike = np.divide(block - own, 1 - own, out=np.ones(len(own)), where=own < 1)
    alike = np.clip(alike, 0, 1)
    scale = most**2 * worth
    hold = scale * (elsewhere + (1 + (most - 1) * alike) / most) - 1
    other = scale * (elsewhere + alike)
    if not one_block:
        squares = scale * worth * in_block / reports
        return Moments(
            reports, frequency, hold, other=other, covariance=_none, below=(squares - 1, squares)
        )
    p, q = (float(rate) for rate in randomizer.within)
    rates = np.full(len(frequency), p), np.full(len(frequency), q)
    return Moments(
        reports, frequency, hold, other=other, covariance=_none, supports=supports, rates=rates
    )


def _none() -> Floats:
    raise EstimateError(
        "expected a mechanism whose reports support pairs of values evenly for a covariance"
    )


def moments(randomizer: Randomizer, counts: Counts, asked: Asked) -> Moments:  # noqa: ARG001
    """Of one report from each respondent."""
    return block_moments(randomizer, counts)


def score_range(randomizer: Randomizer) -> Range:
    """C or -c in the value's block, 0 elsewhere."""
    assert is_blocked(randomizer)  # noqa: S101
    return Range(-randomizer.worth, randomizer.worth)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Half of the rows of a block support a value."""
    assert is_blocked(randomizer)  # noqa: S101
    oracle = blocks_of(randomizer)
    return chances_of_supporters(oracle.layout.symbols, oracle.rows // 2, oracle.halves[0])


def support_rates(randomizer: Randomizer, counts: Counts) -> Rates:
    """Of the reports of a value's block."""
    assert is_blocked(randomizer)  # noqa: S101
    return Rates(*block_supports(randomizer, counts), randomizer.within)


def joint_scores(question: Question, counts: Counts, values: Sequence[str]) -> Scores:  # noqa: ARG001
    """Of symbols."""
    return symbol_scores(question, counts, block_moments)


DECODER = Decoder(
    moments=moments,
    score_range=score_range,
    payload_chances=payload_chances,
    support_rates=support_rates,
    joint_scores=joint_scores,
)
