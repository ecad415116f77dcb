"""Kind `pure`: a report supports its own value with probability p, and any other with
q.

Of those who hold a value, a share p is expected to support it; of all others, a share
q. So the share of the reports that supports it lies between q and p, and says by where
it lies what part of the respondents holds the value. Nearly every frequency oracle is
of this kind.

With C of n reports in support of a value, and f its frequency,

    estimate (C / n - q) / (p - q)
    n Var of the estimate, for the respondents = f p (1-p) / (p-q)^2 + (1 - f) q (1-q) / (p-q)^2

the two fractions being what `Moments` calls `variance_if_held` and `variance_if_not`.
Of memoized mechanisms, respondents may have sent several reports of one permanent
response.

Source: Wang, Blocki, Li and Jha 2017, Section 3 (pure frequency oracles).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Pure, Randomizer, is_memoized
from ldp.survey.survey import Question
from ldp_aggregator.decoders.count_law import law_of_supports
from ldp_aggregator.decoders.decoder import (
    Decoder,
    DecoderRequest,
    MeanDecoder,
    Range,
    Rates,
    ReportLaw,
    ShareDecoder,
    chances_of_supporters,
    of_support,
    reach_of_mean,
)
from ldp_aggregator.decoders.moments.joint_errors import (
    FEW_REPORTS,
    Covariance,
    PairLaw,
    ScoreCumulants,
    all_values,
    even_pairs,
    even_spread,
    of_hashes,
    of_pairs,
    of_symbols,
    spread_of_hashes,
    spread_of_scores,
)
from ldp_aggregator.decoders.moments.jumps import jumps_of, repeat_law, third_of_rates
from ldp_aggregator.decoders.moments.moments import (
    Findings,
    LinearLaw,
    Moments,
    OneCount,
    ScoreJumps,
    alike_for,
    with_jumps,
)
from ldp_aggregator.decoders.moments.repeats import check_repeats, repeats_note
from ldp_aggregator.decoders.moments.scores import (
    Scores,
    by_pairs,
    powers_of_support,
    symbol_scores,
)
from ldp_aggregator.decoders.moments.supports import (
    is_counted,
    support_counts,
    supported_weights,
)
from ldp_aggregator.numerics.arrays import Counts, Floats, Indices
from ldp_aggregator.tallies.counting.counting import total_reports

if TYPE_CHECKING:
    from ldp.mechanisms.chains.longitudinal import Chain
    from ldp.mechanisms.chains.rappor import Rappor
    from ldp.mechanisms.values.projective import ProjectiveResponse

MOST_POINTS_ALONE = 8
"""Values of a projective response up to which sums for each take less time than one
transform.
"""


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Of one report from each respondent, or of several where a device keeps its
    response.
    """
    if not is_memoized(randomizer):
        return pure_moments(randomizer, counts)
    if asked.reports_per_person > 1:
        known = memoized_moments(
            _permanent(randomizer), counts, asked.reports_per_person
        )
    else:
        known = pure_moments(randomizer, counts)
    return replace(
        known, lasting=_lasting(_permanent(randomizer), len(known.frequency))
    )


def _permanent(randomizer: Randomizer) -> Rappor | Chain:
    """A randomizer of this kind that keeps a response: no others do."""
    return cast("Rappor | Chain", randomizer)


def _lasting(randomizer: Rappor | Chain, size: int) -> tuple[Floats, Floats]:
    """The variance of a permanent response: P (1-P) (p2-q2)^2, over the square of the
    signal.
    """
    (p, q), _ = ((float(own), float(another)) for own, another in randomizer.steps)
    scale = (p - q) ** 2
    return np.full(size, p * (1 - p) / scale), np.full(size, q * (1 - q) / scale)


def pure_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments where every report supports its own value with p and any other with q."""
    pure = _pure(randomizer)
    supports = support_counts(pure, counts)
    law = _pair_law(pure)
    if law is not None:
        return _of_supports(pure, counts, supports, together=law)
    together = _together(pure, counts, _frequency(pure, counts, supports))
    return _of_supports(pure, counts, supports, together=together)


def few_moments(
    randomizer: Randomizer, counts: Counts, places: Indices
) -> Moments | None:
    """Moments of the values at some places, (K,), where the tally counts what supports
    each.

    Of projective responses what supports these, and pairs of them, is summed up for
    each by itself.
    """
    from ldp_aggregator.decoders.moments.few_supports import point_supports

    pure = _pure(randomizer)
    law = _pair_law(pure)
    if law is not None and is_counted(pure):
        return _of_supports(
            pure, counts, support_counts(pure, counts)[places], together=law
        )
    response = points(randomizer)
    few_reports = total_reports(counts, randomizer.layout) < FEW_REPORTS
    if (
        response is None
        or response.folded
        or len(places) > MOST_POINTS_ALONE
        or few_reports
    ):
        return None
    supports, pairs = point_supports(response, counts[0], places)
    reports, (_, q) = total_reports(counts, randomizer.layout), _rates(pure)
    together = of_pairs(
        # (K, K): the mean of (support - q) (support' - q), over reports.
        (pairs - q * (supports[:, None] + supports[None, :])) / reports + q**2,
        _frequency(pure, counts, supports),
        reports,
        scale=_signal(pure) ** 2,
    )
    return _of_supports(pure, counts, supports, together=together)


def _of_supports(
    randomizer: Pure,
    counts: Counts,
    supports: Counts,
    together: PairLaw | Covariance | None,
) -> Moments:
    """The moments of values that so many reports support, (values,)."""
    reports, (p, q) = total_reports(counts, randomizer.layout), _rates(randomizer)
    frequency = _frequency(randomizer, counts, supports)
    scale = _signal(randomizer) ** 2
    size, third = len(frequency), third_of_rates(p, q)
    joint = randomizer.joint_support()
    disjoint = joint is not None and not any(joint)
    spread = None
    if isinstance(together, PairLaw):
        law, together = together, even_pairs(frequency, reports, together)
        spread = even_spread(law, p, q)
        if disjoint:
            spread = _spread_of_one(p, q, randomizer.size)
    elif reports < FEW_REPORTS:
        spread = _spread(randomizer)
    return Moments(
        reports,
        frequency,
        alike_for(size, p * (1 - p) / scale),
        variance_if_not=alike_for(size, q * (1 - q) / scale),
        covariance=_no_covariance if together is None else all_values(together, size),
        linear=LinearLaw(together, spread),
        count=OneCount(supports, (alike_for(size, p), alike_for(size, q)), disjoint),
        jumps=ScoreJumps((alike_for(size, third[0]), alike_for(size, third[1]))),
    )


def _frequency(randomizer: Pure, counts: Counts, supports: Counts) -> Floats:
    reports, (_, q) = total_reports(counts, randomizer.layout), _rates(randomizer)
    return (supports / reports - q) / _signal(randomizer)


def _rates(randomizer: Pure) -> tuple[float, float]:
    p, q = randomizer.support
    return float(p), float(q)


def _signal(randomizer: Pure) -> float:
    p, q = _rates(randomizer)
    return p - q


@lru_cache(maxsize=64)
def _pair_law(randomizer: Pure) -> PairLaw | None:
    """Where reports support pairs of values evenly.

    It is made of exact fractions, and asked for again with every cell of a tally whose
    symbols are decoded one by one.
    """
    joint = randomizer.joint_support()
    if joint is None:
        return None
    p, q = _rates(randomizer)
    both_own, both_other = (float(rate) for rate in joint)
    rates = p * (1 - p), q * (1 - q), both_own - p * q, both_other - q * q
    return PairLaw(*(rate / (p - q) ** 2 for rate in rates))


def _together(randomizer: Pure, counts: Counts, frequency: Floats) -> Covariance | None:
    """How sums and differences err where pairs are not even; None where no tally
    tells.
    """
    from ldp.mechanisms.chains.longitudinal import Chain
    from ldp.mechanisms.values.local_hashing import LocalHashing

    reports = total_reports(counts, randomizer.layout)
    once = randomizer.once if isinstance(randomizer, Chain) else randomizer
    if isinstance(once, LocalHashing):
        return of_hashes(once, frequency, reports)
    response = points(randomizer)
    if response is None or response.folded:
        return None

    return of_symbols(
        partial(_scores_of_points, response), counts[0].astype(np.float64), frequency
    )


def _scores_of_points(response: ProjectiveResponse, weights: Floats) -> Floats:
    """Return the worth of each symbol to functions with weights (Q, M), of shape (Q,
    symbols).
    """
    p, q = _rates(response)
    supported = supported_weights(response, weights)
    return np.asarray((supported - q * weights.sum(axis=1, keepdims=True)) / (p - q))


def _spread_of_one(p: float, q: float, size: int) -> Callable[[Floats], ScoreCumulants]:
    """The law of functions where a report supports one of so many: p its own, q any
    other.

    Where weights, (K,), are those of few of them, the last is that of all others, and
    0.
    """

    def scores(weights: Floats) -> Floats:
        return np.asarray((weights - q * weights.sum(axis=1, keepdims=True)) / (p - q))

    def expectation(numbers: Floats) -> Floats:
        total = numbers.sum(axis=1) + (size - numbers.shape[1]) * numbers[:, -1]
        return np.asarray(q * total[:, None] + (p - q) * numbers)

    return spread_of_scores(scores, expectation)


def _spread(randomizer: Pure) -> Callable[[Floats], ScoreCumulants] | None:
    """The law of functions where pairs are not even; None where it is not known."""
    from ldp.mechanisms.chains.longitudinal import Chain
    from ldp.mechanisms.values.local_hashing import LocalHashing

    once = randomizer.once if isinstance(randomizer, Chain) else randomizer
    if isinstance(once, LocalHashing):
        return spread_of_hashes(once)
    response = points(randomizer)
    if response is None or response.folded:
        return None
    from ldp.mechanisms.values.projective import geometry

    symbols = response.layout.symbols
    block = geometry(response.order, response.dimension).block
    own, size = float(response.support[0]), response.size
    of_own, of_other = own / block, (1 - own) / (symbols - block)

    def expectation(numbers: Floats) -> Floats:
        # A point is orthogonal to those that are to it: values are points, as symbols
        # are.
        supporting = supported_weights(response, numbers)[:, :size]
        everywhere = numbers.sum(axis=1, keepdims=True)
        return np.asarray(of_other * everywhere + (of_own - of_other) * supporting)

    return spread_of_scores(partial(_scores_of_points, response), expectation)


def _no_covariance() -> Floats:
    raise EstimateError(
        "expected a mechanism whose tally tells how pairs of values go together for a "
        "covariance"
    )


def memoized_moments(
    randomizer: Rappor | Chain, counts: Counts, repeats: int
) -> Moments:
    """Moments of a memoized mechanism of kind `pure` where every respondent sent
    `repeats` reports.

    Let P be the chance that a permanent response supports a value: p1 or q1. Of R
    reports from it, the share that supports the value has the variance P (1-P)
    (p2-q2)^2 + [P p2 (1-p2) + (1-P) q2 (1-q2)] / R.
    """
    once = pure_moments(randomizer, counts)
    check_repeats(once.reports, repeats)
    lasting, (p, q) = (
        (float(own), float(another)) for own, another in randomizer.steps
    )
    respondents, signal = once.reports // repeats, (lasting[0] - lasting[1]) * (p - q)

    def variance(lasting_rate: float) -> Floats:
        instantaneous = (
            lasting_rate * p * (1 - p) + (1 - lasting_rate) * q * (1 - q)
        ) / repeats
        return np.full(
            len(once.frequency),
            (lasting_rate * (1 - lasting_rate) * (p - q) ** 2 + instantaneous)
            / signal**2,
        )

    def covariance() -> Floats:
        if not randomizer.layout.bits:
            raise EstimateError(
                "expected one report of each respondent for a covariance of symbols, "
                f"got {repeats}"
            )
        return (
            np.diag(once.frequency * if_held + (1 - once.frequency) * if_not)
            / respondents
        )

    if_held, if_not = map(variance, lasting)
    worth = round(respondents * float(once.variance_if_not[0] / if_not[0]))
    note = repeats_note(respondents, repeats, worth)
    laws = (
        repeat_law(((lasting_rate, p), (1 - lasting_rate, q)), repeats)
        for lasting_rate in lasting
    )
    jumps = (jumps_of(shares / signal, chances) for shares, chances in laws)
    return with_jumps(
        Moments(
            respondents,
            once.frequency,
            if_held,
            variance_if_not=if_not,
            covariance=covariance,
            findings=Findings(note),
        ),
        *jumps,
    )


def score_range(randomizer: Randomizer) -> Range:
    """Score range of (support - q) / (p - q)."""
    return of_support(*_pure(randomizer).support)


def mean_reach(randomizer: Randomizer) -> Fraction:
    """A report supports one value, w values, or as many as it likes, of which half are
    best.
    """
    pure, layout = _pure(randomizer), randomizer.layout
    any_number = layout.bits and not layout.ones
    highest = pure.size // 2 if any_number else layout.ones or 1
    return reach_of_mean(pure.size, highest, score_range(randomizer))


def support_rates(randomizer: Randomizer, counts: Counts) -> Rates:
    """Support rates of all values: q if no one holds it, p if everyone does."""
    pure = _pure(randomizer)
    trials = np.array([[total_reports(counts, randomizer.layout)]])
    return Rates(support_counts(pure, counts)[None], trials, pure.support)


def joint_scores(question: Question, counts: Counts, values: Sequence[str]) -> Scores:  # noqa: ARG001
    """Joint scores of symbols, or of bits that go by pairs."""
    if question.layout.bits:
        return _bit_scores(question)
    return symbol_scores(question, counts, pure_moments)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats] | None:
    """Payload chances of the symbols of a projective space, unless they are folded."""
    if randomizer.layout.bits:
        return None
    from ldp.mechanisms.sets.pad_and_sample import PadAndSample

    if isinstance(randomizer, PadAndSample):
        return payload_chances(randomizer.oracle)
    response = points(randomizer)
    if response is None or response.folded:
        return None
    from ldp.mechanisms.values.projective import geometry

    block = geometry(response.order, response.dimension).block
    return chances_of_supporters(response.layout.symbols, block, response.support[0])


def points(randomizer: Randomizer) -> ProjectiveResponse | None:
    """The response itself, if it is projective."""
    if randomizer.layout.bits:
        return None
    from ldp.mechanisms.values.projective import ProjectiveResponse

    if isinstance(randomizer, ProjectiveResponse):
        return randomizer
    return None


def _bit_scores(question: Question) -> Scores:
    randomizer, size = _pure(question.randomizer), question.layout.bits
    p, q = (float(rate) for rate in randomizer.support)
    joint = randomizer.joint_support()
    assert joint is not None  # noqa: S101
    scale = (p - q) ** 2
    # (M, 1 + M): the cells of a tally are that of the reports, and one for each bit.
    scores = np.concatenate([np.full((size, 1), -q), np.eye(size)], axis=1) / (p - q)
    if_held, if_not = p * (1 - p) / scale, q * (1 - q) / scale
    law = np.concatenate([np.ones((size, 1)), q + (p - q) * np.eye(size)], axis=1)
    either = (float(joint[0]) - p * q) / scale
    neither = (float(joint[1]) - q * q) / scale
    return by_pairs(
        question,
        scores,
        (if_held + 1, if_not),
        pair=(either, neither),
        law=law,
        powers=powers_of_support(randomizer),
    )


def _pure(randomizer: Randomizer) -> Pure:
    """A randomizer of this kind: the table of decoders has no other here."""
    return cast("Pure", randomizer)


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(
        moments=moments,
        of_few=few_moments,
        joint_scores=joint_scores,
        count_law=law_of_supports,
        known_before=True,
    ),
    mean=MeanDecoder(reach=mean_reach),
    report_law=ReportLaw(
        payload_chances=payload_chances, support_rates=support_rates, points=points
    ),
)
