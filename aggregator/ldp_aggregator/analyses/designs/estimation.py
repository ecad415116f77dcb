"""From counts of answers to shares with intervals.

One sample whose types are all estimated goes the way of all mechanisms that are a
matrix: a mean of scores, with intervals that are exact where answers are few.
Everything else (several samples, types that do not follow, quotients) goes by the
likelihood.
"""

from __future__ import annotations

import math
from operator import mul

import numpy as np
from scipy.special import gammaincc, ndtr, ndtri

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.law import Law
from ldp_aggregator.analyses.designs.likelihood import (
    DesignFit,
    Model,
    add_pseudo_counts,
    fit,
    interval_of,
    measure_share,
    weights_of,
)
from ldp_aggregator.analyses.designs.result import DesignEstimate, DesignTest
from ldp_aggregator.answers.results.remarks import beyond_noise, on_intervals
from ldp_aggregator.decoders.intervals.intervals import (
    careful_interval,
    few_reports,
    null_error,
    standard_error,
    within_bounds,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.values.matrix import decoding, moments_of_scores
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.checks import Remark

Answer = tuple[tuple[DesignEstimate, ...], tuple[DesignTest, ...], tuple[Remark, ...]]

_CLOSE = 1e-6
ESTIMANDS = ("population", "respondents")


def check_identified(law: Law) -> None:
    """Raise `EstimateError` if answers cannot tell a share that the law is for."""
    model = Model.of(law)
    if law.numbers:
        yes, no = (sum(map(mul, row, law.numbers)) for row in law.arms[0].rows)
        if yes == no:
            raise EstimateError(
                "expected answers with other means for 'yes' and for 'no'"
            )
    if not model.is_determined:
        raise EstimateError(
            "expected more questions: these answers determine no shares of types"
        )
    hidden = np.eye(len(law.types)) - model.spanned @ model.spanned.T
    if law.held or np.abs(_weights(law) @ hidden).max() < _CLOSE:
        return
    unclear = np.abs(hidden).max(axis=1) > _CLOSE
    alike = [
        repr(name)
        for name, is_hidden in zip(law.types, unclear, strict=True)
        if is_hidden
    ]
    raise EstimateError(
        f"expected answers that tell {' from '.join(alike)}: nothing does with these "
        "numbers"
    )


def _weights(law: Law) -> Floats:
    """The weights of types in all shares that are estimated, (shares, types)."""
    weights = [one for measure in law.measures for one in weights_of(law, measure)]
    return np.stack([one for one in weights if one is not None])


def estimate_shares(law: Law, counts: Floats, level: float, estimand: str) -> Answer:
    """Return shares, tests and remarks, of counts (arms, answers). Raises
    `EstimateError`.
    """
    if not 0 < level < 1:
        raise EstimateError(f"expected a level between 0 and 1, got {level}")
    if estimand not in ESTIMANDS:
        raise EstimateError(f"expected estimand to be one of {', '.join(ESTIMANDS)}")
    if (counts.sum(axis=1) == 0).any():
        raise EstimateError("expected answers in each arm, got an arm without")
    impossible = (np.array([arm.rows for arm in law.arms]).max(axis=1) == 0) & (
        counts > 0
    )
    if impossible.any():
        arm, answer = np.argwhere(impossible)[0]
        raise EstimateError(
            f"expected no answer {law.answers[answer]!r} in "
            f"{law.arms[arm].name or 'this design'}, got {counts[arm, answer]:,.0f}"
        )
    said = (Remark("cannot-tell", law.note),) if law.note else ()
    simple = not law.held and all(
        len(one.of) == 1 and not one.among for one in law.measures
    )
    if len(law.arms) == 1 and simple:
        shares, tests, remarks = _by_scores(law, counts[0], level, estimand=estimand)
    elif estimand == "population":
        shares, tests, remarks = _by_likelihood(law, counts, level)
    else:
        raise EstimateError(
            "expected estimand population: this model has no errors for the "
            "respondents alone"
        )
    return shares, tests, (*remarks, *said)


def moments_of(law: Law, counts: Floats) -> Moments:
    """Return the moments of the types' shares, of one arm whose types are all
    estimated.
    """
    channel = np.array(law.arms[0].rows, dtype=float)
    come = channel.max(axis=0) > 0
    return moments_of_scores(
        channel[:, come], _scores(law, channel)[come], counts[come]
    )


def _scores(law: Law, channel: Floats) -> Floats:
    """Return the worth of each answer to each type, (answers, types)."""
    if law.numbers:
        numbers = np.array(law.numbers, dtype=float)
        yes, no = channel @ numbers
        worth = (numbers - no) / (yes - no)
        return np.stack([worth, 1 - worth], axis=1)
    come = channel.max(axis=0) > 0
    scores = np.zeros(channel.T.shape)
    scores[come] = decoding(channel[:, come])
    return scores


def _by_scores(law: Law, counts: Floats, level: float, estimand: str) -> Answer:
    moments = moments_of(law, counts)
    missing = 1 - level
    low, high = within_bounds(careful_interval(moments, missing, estimand))
    errors = standard_error(moments, estimand)
    columns = moments.frequency, errors, low, high
    shares = [
        DesignEstimate(name, *map(float, numbers))
        for name, *numbers in zip(law.types, *columns, strict=True)
    ]
    remarks = (
        *beyond_noise(law.types, moments.frequency, null_error(moments)),
        *on_intervals(low, high),
        *few_reports(moments, missing, estimand),
    )
    return tuple(shares), (), remarks


def _by_likelihood(law: Law, counts: Floats, level: float) -> Answer:
    model = Model.of(law)
    done = fit(model, counts)
    wider = fit(model, add_pseudo_counts(model, counts))
    quantile = float(ndtri((1 + level) / 2))
    shares = []
    for measure in law.measures:
        weights = weights_of(law, measure)
        estimate, error = measure_share(done, weights)
        ends = np.clip(interval_of(wider, weights, quantile), 0, 1).tolist()
        shares.append(
            DesignEstimate(measure.name, estimate, error, low=ends[0], high=ends[1])
        )
    tests = [*_of_fit(model, done), *_of_families(law, done)]
    low, high = (
        np.array([getattr(share, end) for share in shares]) for end in ("low", "high")
    )
    remarks = on_intervals(low, high)
    if not law.held and not law.families:
        plain = [share for share in shares if math.isfinite(share.standard_error)]
        estimates, errors = (
            np.array([getattr(share, name) for share in plain])
            for name in ("estimate", "standard_error")
        )
        remarks = (
            *beyond_noise([share.name for share in plain], estimates, errors),
            *remarks,
        )
    return tuple(shares), tuple(tests), remarks


def _of_fit(model: Model, done: DesignFit) -> list[DesignTest]:
    """Whether the arms or answers agree with one another, where they are more than it
    takes.
    """
    if model.surplus <= 0:
        return []
    chance = float(gammaincc(model.surplus / 2, done.deviance / 2))
    meaning = "small p: people do not follow the design as it is told"
    return [
        DesignTest(
            "fit (G²)", done.deviance, model.surplus, p_value=chance, meaning=meaning
        )
    ]


def _of_families(law: Law, done: DesignFit) -> list[DesignTest]:
    """Whether all shares of types may be 0 or more: Bonferroni over types and
    families.
    """
    if not law.families:
        return []
    errors = np.sqrt(np.maximum(np.diag(done.covariance), 0))
    chances, lowest = [], 0.0
    for family in law.families:
        places = [law.types.index(name) for name in family.types]
        tested = [place for place in places if errors[place] > 0]
        least = min(
            (done.shares[place] / errors[place] for place in tested), default=0.0
        )
        chances.append(min(1.0, len(tested) * float(ndtr(least))))
        lowest = min(lowest, float(least))
    chance = min(1.0, len(chances) * min(chances))
    meaning = "small p: the sensitive item changes answers to the others"
    return [
        DesignTest("design effects (z)", lowest, 0, p_value=chance, meaning=meaning)
    ]
