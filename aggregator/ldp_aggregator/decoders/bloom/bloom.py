"""Kind `bloom`: randomized Bloom filters in cohorts, decoded by regression on
candidates.

The formulas are in `ldp_aggregator.decoders.bloom`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp.answers.texts import to_nfc
from ldp.errors import EstimateError
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Randomizer
from ldp.survey.survey import Question
from ldp_aggregator.decoders.bloom.decoding import bloom_moments, design_matrix
from ldp_aggregator.decoders.decoder import (
    Decoder,
    DecoderRequest,
    Rates,
    Refusal,
    ReportLaw,
    ShareDecoder,
    known_as,
    of_support,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.moments.repeats import noise_of
from ldp_aggregator.decoders.moments.scores import Scores, among_others, ones_of
from ldp_aggregator.numerics.arrays import Counts, Floats

if TYPE_CHECKING:
    from ldp_aggregator.decoders.other_results import Grouped


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Moments of the candidates' frequencies."""
    return bloom_moments(
        known_as(randomizer, Rappor),
        counts,
        asked.values,
        repeats=asked.reports_per_person,
        design=asked.design,
    )


def score_range(randomizer: Randomizer) -> Refusal:
    """Least squares weighs each bit by what all reports say, and chooses among
    candidates by it.
    """
    least, most = of_support(*known_as(randomizer, Rappor).support)
    bit = max(most, 1 - least)
    return Refusal(
        "least squares weighs each bit by what all reports say; the share of a cohort "
        f"whose text sets a bit moves by at most {float(bit):.3g} times the share of "
        "its reports that are forged"
    )


def support_rates(randomizer: Randomizer, counts: Counts) -> Rates:
    """Support rates of the bits of each cohort."""
    return Rates(counts[:, 1:], counts[:, :1], known_as(randomizer, Rappor).support)


def joint_scores(
    question: Question, counts: Counts, candidates: Sequence[str]
) -> Scores:
    """By least squares on the bits of the candidates."""
    return scores_of_design(
        question,
        counts,
        design_matrix(known_as(question.randomizer, Rappor), candidates),
    )


def scores_of_design(
    question: Question, counts: Counts, bits_of: Any, background: float = 0.0
) -> Scores:
    """The same where others than our hash functions may have set the bits.

    bits_of     which bits the candidates set, (rows, M), sparse
    background  the chance that a text which is no candidate sets a bit: over the choice
                of hash functions such texts then have no part in any score. 0 where
                there are none

    Raises `EstimateError` for candidates that cannot be told apart.
    """
    randomizer = known_as(question.randomizer, Rappor)
    bits, noise = randomizer.bits, noise_of(randomizer)
    gain = noise.one - noise.zero
    # (cohorts,): reports. A row of the design is a bit of a cohort, which has the
    # cohort's share.
    sizes = counts[:, 0].astype(float)
    share = np.repeat(sizes / max(sizes.sum(), 1.0), bits)
    design = bits_of.toarray()
    centred = design - background
    gram = centred.T @ (share[:, None] * centred)
    if not len(gram) or np.linalg.matrix_rank(gram) < len(gram):
        raise EstimateError(
            f"question {question.name!r}: expected candidates that set different bits, "
            "got none, too many, or some that cannot be told apart by these reports"
        )
    # (M, rows). The share of a cohort in the weights cancels the one that its reports
    # are divided by.
    weights = np.linalg.solve(gram, centred.T) / gain
    # (M, cohorts, bits), then (M, cohorts, 1 + bits) with what each report adds,
    # whatever its bits.
    by_cohort = weights.reshape(len(gram), -1, bits)
    at_zero = noise.zero + gain * background
    scores = np.concatenate(
        [-at_zero * by_cohort.sum(axis=2, keepdims=True), by_cohort], axis=2
    )
    # (cohorts, M, M): what the score of x is on average in a cohort, if v is held.
    seen = np.einsum(
        "xji,jiv->jxv", by_cohort * gain, centred.reshape(-1, bits, len(gram))
    )
    # (M, M): E[s_x^2 | v] is the noise of the bits, and the mean square over cohorts.
    shares = sizes / sizes.sum()
    spread = noise.zero_variance + (noise.one_variance - noise.zero_variance) * design
    expected = weights**2 @ (share[:, None] * spread) + np.einsum(
        "j,jxv->xv", shares, seen**2
    )
    flat = scores.reshape(len(gram), -1)
    # (cohorts, 1 + bits, M): E[mark | v], the first mark being that of the report.
    rates = noise.zero + gain * design.reshape(-1, bits, len(gram))
    marks = np.concatenate([np.ones((len(shares), 1, len(gram))), rates], axis=1)

    def moments(cells: Floats) -> Floats:
        # (M,), how many hold each value, by the scores; then (M, M), of noise and of
        # means.
        holders = flat @ cells
        noisy = weights * (share * (spread @ holders)) @ weights.T
        return np.asarray(
            noisy
            + np.einsum("j,jxv,v,jzv->xz", shares, seen, holders, seen, optimize=True)
        )

    def law() -> Floats:
        return np.asarray((shares[:, None, None] * marks).reshape(-1, len(gram)).T)

    alike, least = among_others(expected)
    own = np.diag(expected).copy()
    return Scores(
        ones_of(question),
        flat,
        expected @ flat,
        own=own,
        alike=alike,
        least=least,
        law=law,
        moments=moments,
        powers=None,
    )


def alike(randomizer: Randomizer, counts: Counts, candidates: Sequence[str]) -> Grouped:
    """Those that set the same bits in all cohorts with reports."""
    from ldp_aggregator.decoders.bloom.indistinguishable import alike_together
    from ldp_aggregator.decoders.other_results import Candidates

    names = tuple(dict.fromkeys(map(to_nfc, candidates)))
    design = design_matrix(known_as(randomizer, Rappor), names)
    return alike_together(Candidates(names, design), counts)


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(moments=moments, alike=alike, joint_scores=joint_scores),
    report_law=ReportLaw(support_rates=support_rates),
)
