"""Several reports under one permanent response: the unit is the respondent, not the
report.

With R reports each, the instantaneous noise of a respondent's mean report is divided by
R; the permanent noise and what the respondent holds are the same in all R. So variances
are sums of one part over R n and one over n, and an estimate is worth what `effective`
respondents with one report each would give. A tally does not know who sent what: R is
the analyst's word, and R reports from everybody are assumed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer, is_memoized
from ldp.survey.survey import Question

if TYPE_CHECKING:
    from ldp.mechanisms.chains.rappor import Rappor
    from ldp_aggregator.decoders.moments.bit_covariance import BitNoise


def noise_of(randomizer: Rappor, repeats: int = 1) -> BitNoise:
    """The noise of one bit, from the thresholds that clients use."""
    from ldp_aggregator.decoders.moments.bit_covariance import bit_noise

    span = 1 << randomizer.word
    return bit_noise(
        randomizer.if_zero / span,
        randomizer.if_one / span,
        2 * randomizer.flip / span,
        repeats=repeats,
    )


_SELDOM = 0.05
"""What a few devices with wrong clocks may add to the reports of each."""


def most_repeats(epochs: Mapping[int, int]) -> int:
    """How many reports of each respondent explain these numbers of reports by epoch.

    As if the same devices answered in all epochs: the number of epochs, where all have
    as many reports.
    """
    counts = sorted(epochs.values(), reverse=True)
    squares = sum((2 * place + 1) * count for place, count in enumerate(counts))
    return max(1, math.ceil(squares / max(1, sum(counts)) - _SELDOM))


ONCE_EACH = (
    "one report from each respondent: without a permanent response, reports_per_person "
    "is not for this question"
)


def reports_of_each(randomizer: Randomizer, asked: int) -> int:
    """How many reports a respondent sent: as asked for, or one where no response is
    kept.
    """
    if is_memoized(randomizer):
        return asked
    return 1


def check_repeatable(questions: Collection[Question], asked: int) -> None:
    """Raise `EstimateError` if no question allows for several reports of each
    respondent.
    """
    if asked > 1 and not any(
        is_memoized(question.randomizer) for question in questions
    ):
        names = ", ".join(question.name for question in questions)
        raise EstimateError(
            "expected a memoized question, to which respondents send several reports "
            f"of one permanent response, got {asked} reports of each and only {names}; "
            "leave --reports-per-person (reports_per_person) out"
        )


def check_repeats(reports: int, repeats: int) -> None:
    """Raise `EstimateError` if the reports are fewer than those of one respondent."""
    if repeats > reports:
        raise EstimateError(
            f"expected at least the {repeats} reports that a respondent sent, got "
            f"{reports}"
        )


def repeats_note(respondents: int, repeats: int, worth: int) -> str:
    """Describe the worth of repeats in words; empty without any."""
    if repeats == 1:
        return ""
    return (
        f"{repeats} reports from each of {respondents:,} respondents, worth {worth:,} "
        "respondents with one report each: the permanent response does not average out"
    )


def effective(respondents: int, noise: BitNoise) -> int:
    """How many respondents with one report each would have as little noise in bits not
    set.
    """
    return round(respondents * noise.zero * (1 - noise.zero) / noise.zero_variance)
