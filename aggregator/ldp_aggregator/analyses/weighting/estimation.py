"""Weighted estimates: their value, their variance by linearization, and its check by
replicates.

With factors g (`weighting.calibration`), psi the unbiased shares of combinations and
cells together with an answer, and y what an answer counts for,

    estimate   sum over combinations and cells of g psi y
    score      g (y s - x' b s), s what a report is worth, b = (sum of phi X X')^-1 sum
               of X psi y: margins that are known explain a part of the answers, and
               what is left has the error
    group      sum of g psi y over sum of g phi of its combinations, a ratio whose
               scores are those of (y s - mean), 0 for everybody else: all the sample
               has a part in the error
    error      of the mean of the scores (`weighting.answers`): noise, sampling and
               weights in one
    jackknife  leaves out every report once (those that are alike, together with how
               many they are)
    bootstrap  draws as many reports again, with replacement
    clusters   the jackknife leaves out each cluster once, and the others of its stratum
               count n / (n - 1) times; half-samples of two clusters a stratum (BRR)
               keep one of each, doubled, by the columns of a Hadamard matrix

    effective  (sum of weights)^2 / sum of squares: how many respondents with equal
               weights would
    sample     tell as much, if answers had nothing to do with weights (Kish 1965)
    design     variance / variance without margins and design weights, of as many
    effect     reports; beside it, as factors, what randomization, weights and clusters
               make of the variance of a simple random sample of answers in the clear

Sources: Deville and Sarndal 1992, equation 3.4 (residuals times factors); Kish 1965;
Quenouille 1956; Efron 1979; McCarthy 1969 (half-samples).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.weighting.answers import (
    ReportAnswers,
    Units,
    clusters_of,
)
from ldp_aggregator.analyses.weighting.calibration import (
    Factors,
    factors_for,
    targets_of,
)
from ldp_aggregator.analyses.weighting.margins import Margin
from ldp_aggregator.numerics.arrays import Floats

JACKKNIFE, BOOTSTRAP, BALANCED = "jackknife", "bootstrap", "brr"
REPLICATES = (JACKKNIFE, BOOTSTRAP, BALANCED)
MOST_LEFT_OUT = 20_000
"""Reports that differ, each of which the jackknife leaves out once."""
DRAWN = 400
"""Replicates of the bootstrap."""
_SINGULAR = 1e-10


class WeightedEstimates(NamedTuple):
    """Arrays of shape (M,), for M answers that are estimated."""

    estimate: Floats
    standard_error: Floats
    unweighted: Floats
    """Without margins and design weights."""
    unweighted_error: Floats
    covariance: Floats
    effects: Floats
    """Factors of the variance by randomization, weights and clusters, (3, M)."""
    effective: float
    """Kish's effective sample size."""


def weighted_means(
    answers: ReportAnswers,
    outcome: Floats,
    factors: Factors,
    inside: Floats | None = None,
) -> WeightedEstimates:
    """Weighted means of an outcome, (cells, M): what each cell counts for.

    inside  1 for the combinations of each group, (combinations, D), whose means are
            then side by side, (D M,); without it everybody's
    """
    plain = _without_design(answers)
    if inside is None:
        estimate = _estimate(answers, outcome, factors)
        functions = _of_outcome(answers, outcome)
        own = _of_outcome(plain, outcome)
        unweighted = plain.mean(own)
    else:
        estimate, functions = _of_groups(
            answers, outcome, inside, factors=factors.factors[:, 0]
        )
        unweighted, own = _of_groups(
            plain, outcome, inside, factors=np.ones(len(inside))
        )
    scores = scores_of(answers, functions, factors)
    covariance = answers.covariance(scores)
    steps = [_hajek(plain, own), answers.drawn_apart().covariance(scores), covariance]
    variances = [np.maximum(np.diag(step), 0.0) for step in steps]
    sampling = variances[0] - np.diag(plain.noise(own))
    with np.errstate(divide="ignore", invalid="ignore"):
        effects = np.divide(variances, [sampling, *variances[:-1]])
    return WeightedEstimates(
        estimate,
        np.sqrt(variances[-1]),
        unweighted,
        unweighted_error=np.sqrt(variances[0]),
        covariance=covariance,
        effects=np.where(np.isfinite(effects) & (effects > 0), effects, np.nan),
        effective=effective_size(answers, factors),
    )


def scores_of(answers: ReportAnswers, functions: Floats, factors: Factors) -> Floats:
    """The linearized scores V, (combinations, 1 + cells, M), from those before
    weighting.
    """
    shares, design = factors.shares, factors.indicators
    size = design.shape[2]
    flat, rows = shares.ravel(), design.reshape(-1, size)
    # (combinations, cells, M): unbiased, what holders of each add to the outcome.
    added = answers.shares[:, :, None] * functions[:, 1:]
    if factors.public:
        constant = answers.clear_shares[:, None] * functions[:, 0]
        added = added.sum(axis=1, keepdims=True) + constant[:, None]
    moments = rows.T @ (flat[:, None] * rows)
    slopes = np.linalg.pinv(moments, rcond=_SINGULAR, hermitian=True) @ (
        rows.T @ added.reshape(len(flat), -1)
    )
    # (combinations, cells or 1, M): what margins explain.
    explained = design @ slopes
    own = np.broadcast_to(factors.factors[:, :, None], explained.shape)
    scores = np.zeros(functions.shape)
    scores[:, 1:] = factors.factors[:, :, None] * functions[:, 1:]
    if factors.public:
        scores[:, 0] = own[:, 0] * (functions[:, 0] - explained[:, 0])
    else:
        scores[:, 1:] -= own * explained
    return scores


def effective_size(answers: ReportAnswers, factors: Factors) -> float:
    """Kish's, of the weights that reports have, or of those that cells are estimated to
    have.
    """
    squares = _powers(answers, factors, 2)
    if squares > 0:
        return _powers(answers, factors, 1) ** 2 / squares
    return float("nan")


def replicate_errors(
    answers: ReportAnswers,
    outcome: Floats,
    margins: Sequence[Margin],
    method: str,
    *,
    way: str,
) -> Floats:
    """Standard errors by estimating again from parts of the reports: of shape (M,)."""
    units = _told_apart(answers)
    if units.sizes is not None:
        raise EstimateError(
            "expected no sizes of the population (--size) for replicates, which take "
            "it for infinite"
        )
    if way == BOOTSTRAP:
        return bootstrap(answers, outcome, margins, method=method)
    refit = _refitting(answers, outcome, margins, method=method)
    whole = refit(units.alike)
    square = np.zeros(len(whole))
    counts = _half_samples(units) if way == BALANCED else _left_out(units)
    for count, part in counts:
        square += part * (refit(count) - whole) ** 2
    return np.sqrt(square)


def _left_out(units: Units) -> Iterator[tuple[Floats, float]]:
    """Counts without each report (or cluster), and what its square counts for."""
    if units.stratum is None and units.cluster is None:
        if len(units.alike) > MOST_LEFT_OUT:
            raise EstimateError(
                f"expected at most {MOST_LEFT_OUT:,} reports that differ for a "
                f"jackknife, got {len(units.alike):,}; use the bootstrap"
            )
        reports = float(units.alike.sum())
        for place, alike in enumerate(units.alike):
            count = units.alike.copy()
            count[place] -= 1
            yield count, alike * (reports - 1) / reports
        return
    pairs, cluster = clusters_of(units)
    for number, stratum in enumerate(pairs[0]):
        left = int((pairs[0] == stratum).sum()) - 1
        count = np.where(pairs[0][cluster] == stratum, (left + 1) / max(left, 1), 1.0)
        count[cluster == number] = 0
        yield units.alike * count, left / (left + 1)


def _half_samples(units: Units) -> Iterator[tuple[Floats, float]]:
    """Counts with one of the two clusters of each stratum, doubled."""
    from scipy.linalg import hadamard  # slow to import

    pairs, place = clusters_of(units)
    strata, stratum, sizes = np.unique(
        pairs[0], return_inverse=True, return_counts=True
    )
    if (units.stratum is None and units.cluster is None) or (sizes != 2).any():
        raise EstimateError(
            "expected two clusters in each stratum for balanced half-samples (brr); "
            "the jackknife takes any number"
        )
    # Clusters are in the order of their strata: the second of each is the odd one.
    second = np.arange(len(stratum)) % 2
    for row in hadamard(1 << len(strata).bit_length()):
        kept = (row[1:][stratum] > 0) == second
        order = len(row)
        yield units.alike * 2.0 * kept[place], 1 / order


def bootstrap(
    answers: ReportAnswers,
    outcome: Floats,
    margins: Sequence[Margin],
    method: str,
    seed: int = 1,
) -> Floats:
    """Standard errors by drawing the reports again, with replacement: of shape (M,)."""
    units = _told_apart(answers)
    if units.stratum is not None or units.cluster is not None:
        raise EstimateError(
            "expected no clusters or strata for replicates of single reports"
        )
    refit = _refitting(answers, outcome, margins, method=method)
    generator = np.random.default_rng(seed)
    chances = units.alike / units.alike.sum()
    drawn = [
        refit(
            generator.multinomial(round(float(units.alike.sum())), chances).astype(
                np.float64
            )
        )
        for _ in range(DRAWN)
    ]
    return np.asarray(np.std(drawn, axis=0, ddof=1))


def _refitting(
    answers: ReportAnswers, outcome: Floats, margins: Sequence[Margin], method: str
) -> Callable[[Floats], Floats]:
    """The estimate of other counts of the same reports."""

    def refit(count: Floats) -> Floats:
        other = replace(answers, units=_told_apart(answers)._replace(alike=count))
        factors = factors_for(other, targets_of(other, margins), method)
        return _estimate(other, outcome, factors)

    return refit


def _estimate(answers: ReportAnswers, outcome: Floats, factors: Factors) -> Floats:
    """Weighted sums of what cells count for, (M,)."""
    return np.asarray(
        ((factors.factors * answers.shares)[:, :, None] * outcome[None]).sum((0, 1))
    )


def _of_outcome(answers: ReportAnswers, outcome: Floats) -> Floats:
    """The scores of unweighted means, (combinations, 1 + cells, M)."""
    functions = np.zeros(
        (len(answers.combinations), 1 + answers.cells, outcome.shape[1])
    )
    functions[:, 1:] = outcome[None]
    return functions


def _of_groups(
    answers: ReportAnswers, outcome: Floats, inside: Floats, factors: Floats
) -> tuple[Floats, Floats]:
    """Means by group, (D M,), and the scores of these ratios, (combinations, 1 + cells,
    D M).
    """
    people = inside.T @ (factors * answers.clear_shares)
    held = factors[:, None] * (answers.shares @ outcome)
    # (D, M)
    means = inside.T @ held / people[:, None]
    # (combinations, D): what a member counts for in its group's mean.
    member = inside / people
    shape = (len(inside), 1 + answers.cells, *means.shape)
    functions = np.zeros(shape)
    functions[:, 0] = -member[:, :, None] * means[None]
    functions[:, 1:] = member[:, None, :, None] * outcome[None, :, None, :]
    return means.ravel(), functions.reshape(*shape[:2], -1)


def _hajek(answers: ReportAnswers, functions: Floats) -> Floats:
    """The covariance of means: about them, as their weights may differ."""
    centred = functions.copy()
    centred[:, 0] -= answers.mean(functions)
    return answers.covariance(centred)


def _without_design(answers: ReportAnswers) -> ReportAnswers:
    """The same reports, each of which counts once, as if they were drawn one by one."""
    apart = answers.drawn_apart()
    if apart.units is None:
        return apart
    design = np.ones(len(apart.units.design))
    return replace(apart, units=apart.units._replace(design=design))


def _powers(answers: ReportAnswers, factors: Factors, power: int) -> float:
    """The sum over reports of a power of their weights."""
    units = answers.units
    if units is None:
        shares = answers.shares_where(public=factors.public)
        return float((shares * factors.factors**power).sum() * answers.reports)
    own = factors.factors[units.combination] ** power
    weights = own[:, 0] if factors.public else (own * units.scores).sum(axis=1)
    return float((units.alike * units.design**power * weights).sum())


def _told_apart(answers: ReportAnswers) -> Units:
    if answers.units is None:
        raise EstimateError(
            "expected reports of one symbol each for replicates, got a tally of bits"
        )
    return answers.units
