"""Kind `signed`: a report supports signed items, two of each key that a number may come
with.

A respondent holds one item of each key that they hold: that of the upper or that of the
lower end of the range, drawn so that the mean is kept. What a report is worth to the
share who hold a key, and to the mean among them, is in
`ldp_aggregator.decoders.key_laws`. So frequencies are those of keys,

    n Var of the estimate, for the respondents = f v + (1 - f) w

with v and w for the variance of s if the key is held and if not, and sums and means of
the numbers stand beside them (`key_values.means`). How the errors of two keys go
together depends on how many hold both, which no report tells.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.sets.pad_and_sample import SignedItems
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    KeyDecoder,
    Range,
    ReportLaw,
    ShareDecoder,
    known_as,
    of_one_report,
)
from ldp_aggregator.decoders.key_laws import Balances, ItemPairLaw
from ldp_aggregator.decoders.moments.jumps import jumps_of
from ldp_aggregator.decoders.moments.moments import Moments, with_jumps
from ldp_aggregator.decoders.moments.supports import support_counts
from ldp_aggregator.decoders.values import pure
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports


def signed_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of the shares that hold each key, from the tally of the oracle."""
    reports, share, _, law = balances(randomizer, counts)
    size = len(share)
    chances = [law.chances(held=held) for held in (True, False)]
    scores = law.scores
    if_held, if_not = (
        float(law_ @ scores**2 - (law_ @ scores) ** 2) for law_ in chances
    )
    moments = Moments(
        reports,
        share,
        np.full(size, if_held),
        variance_if_not=np.full(size, if_not),
        covariance=_no_covariance,
    )
    return with_jumps(moments, *(jumps_of(scores, law_) for law_ in chances))


def balances(randomizer: Randomizer, counts: Counts) -> Balances:
    """The share that holds each key, and the balance of its ends."""
    items = known_as(randomizer, SignedItems)
    law = ItemPairLaw.of(items)
    reports = total_reports(counts, items.layout)
    # (keys, 2): the lower item of each key, and the upper one.
    supports = support_counts(items, counts).reshape(-1, 2)
    lower, upper = ((supports / reports - law.q) / (law.p - law.q)).T
    return Balances(reports, lower + upper, upper - lower, law=law)


def _no_covariance() -> Floats:
    raise EstimateError(
        "expected a mechanism whose reports support pairs of values evenly for a "
        "covariance"
    )


def score_range(randomizer: Randomizer) -> Range:
    """Of a report that supports none of a key's items, and of one that supports as many
    as can be.

    Some report supports both, if any does by chance.
    """
    items = known_as(randomizer, SignedItems)
    p, q = items.support
    most = 2 if items.of_pair()[1] else 1
    return Range(-2 * q / (p - q), (most - 2 * q) / (p - q))


def sum_reach(randomizer: Randomizer, ends: tuple[Fraction, Fraction]) -> Fraction:
    """Of a report that supports none of a key's items, either, or both, if that can
    be.
    """
    items = known_as(randomizer, SignedItems)
    p, q = items.support
    low, high = ends
    # A report that supports an item is worth as much as its end to the sum, less q
    # times both ends.
    supported = [Fraction(0), low, high, *([low + high] if items.of_pair()[1] else [])]
    worths = [(end - q * (low + high)) / (p - q) for end in supported]
    return max(
        max(worths) - min(low, Fraction(0)), max(high, Fraction(0)) - min(worths)
    )


def explain(question: Question) -> list[str]:
    """Explain the use of the numbers, and padding."""
    items = known_as(question.randomizer, SignedItems)
    scale = question.domain.key_scale
    assert scale is not None  # noqa: S101 (the kind is that of such questions)
    return [
        f"  numbers             {scale.range_text}: each becomes one of the two ends, "
        "drawn so that no mean is biased",
        f"  one entry           of {items.most}, the keys that are held and dummies, "
        f"is drawn and reported as one of {items.size} signed items, whatever is held",
        f"  at most             {items.most} keys a device: which of more they are, it "
        "chooses before it answers, or sends nothing",
    ]


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(moments=of_one_report(signed_moments), known_before=True),
    keys=KeyDecoder(balances=balances, sum_reach=sum_reach),
    report_law=ReportLaw(
        payload_chances=pure.payload_chances, support_rates=pure.support_rates
    ),
    explain=explain,
)
