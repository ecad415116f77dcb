"""The estimates of one value in each epoch, with what their errors are made of.

Epochs that are numbers are equal stretches of time: those without estimates in between
are there, and missing. Other epochs (files, names of months) follow one another as they
are given.

The variance of an estimate depends on the true frequency. It is taken at a frequency
that is given, such as the level: at each epoch's own estimate, epochs that happen to be
low would seem to be surer than the others, where few hold a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.comparisons.sharing import keeps, lasting_variance
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.decoders.intervals.cumulants import cumulants, reports_for_normal
from ldp_aggregator.decoders.intervals.intervals import INTERVAL_ENDS, within_bounds
from ldp_aggregator.numerics.arrays import Floats

Epoch = int | str
MOST_EPOCHS = 1_000
FAR = 4.0
"""How many standard errors out normal theory has to hold for a value to be tested."""


@dataclass(frozen=True)
class ValueHistory:
    """One value over epochs: arrays of shape (T,), NaN where an epoch is missing."""

    value: str
    epochs: tuple[Epoch, ...]
    reports: tuple[int, ...]
    estimate: Floats
    low: Floats
    high: Floats
    by_epoch: tuple[QuestionEstimates | None, ...]
    """Of this value alone."""

    def variance(self, frequency: Floats) -> Floats:
        """Of each estimate, if these are the true frequencies (for means, whatever they
        are).
        """
        variances = np.full(len(self.epochs), np.nan)
        for place, known in enumerate(self.by_epoch):
            if known is not None:
                variances[place] = _variance(known, self.value, frequency[place])
        return variances

    def lasting(self, frequency: Floats) -> Floats:
        """The part of it that the same devices repeat, if they are the same in all
        epochs.
        """
        variances = np.zeros(len(self.epochs))
        for place, known in enumerate(self.by_epoch):
            if known is None:
                continue
            if self.value == MEAN and not len(known):
                variances[place] = _variance(known, MEAN, 0.0) if keeps(known) else 0.0
                continue
            of_one = lasting_variance(known, np.array([frequency[place]]))[0]
            variances[place] = of_one / max(known.respondents, 1)
        return variances

    def reports_for_normal(self, frequency: float) -> int:
        """How many reports an epoch has to have for normal theory at this frequency.

        0 where all have enough.
        """
        share, needed = np.array([min(max(frequency, 0.0), 1.0)]), 0
        for known in self.by_epoch:
            if known is None or known.law is None or not len(known):
                continue
            of_law = reports_for_normal(
                known.law, share, FAR, estimand=known.options.estimand
            )
            if of_law[0] > known.law.reports:
                needed = max(needed, math.ceil(of_law[0]))
        return needed

    @property
    def may_repeat(self) -> bool:
        """Whether devices keep a permanent response."""
        return any(known is not None and keeps(known) for known in self.by_epoch)

    def before(self) -> Floats:
        """For each epoch the mean of those before it, by respondents; its own where
        none was.
        """
        weights = np.where(np.isnan(self.estimate), 0.0, self.reports)
        shares = np.nan_to_num(self.estimate)
        sums, totals = np.cumsum(weights * shares), np.cumsum(weights)
        earlier = (
            np.concatenate([[0.0], sums[:-1]]),
            np.concatenate([[0.0], totals[:-1]]),
        )
        mean = np.divide(
            earlier[0], earlier[1], out=shares.copy(), where=earlier[1] > 0
        )
        before: Floats = mean if self.is_mean else np.clip(mean, 0.0, 1.0)
        return before

    @property
    def is_mean(self) -> bool:
        """Whether it is that of numbers, in their unit."""
        return self.value == MEAN

    def overall(self) -> float:
        """The mean of all epochs, by respondents."""
        weights = np.where(np.isnan(self.estimate), 0.0, self.reports)
        return float(np.nan_to_num(self.estimate) @ weights / weights.sum())


def _variance(known: QuestionEstimates, value: str, frequency: float) -> float:
    if value == MEAN and not len(known):
        assert known.mean is not None  # noqa: S101 (it was chosen for having one)
        return known.mean.standard_error**2
    if known.law is None:
        return float(known.standard_error[0] ** 2)
    share = np.array([min(max(float(frequency), 0.0), 1.0)])
    return float(cumulants(known.law, share, known.options.estimand).variance[0])


def series_of(
    history: Sequence[tuple[Epoch, QuestionEstimates | None]],
    value: str,
    estimand: str,
    *,
    intervals: bool = True,
) -> ValueHistory:
    """One value over the epochs of a history that is complete (`completed`).

    intervals  whether those of the estimand are made: half of the time, and no part of
               a test
    """
    alone = [
        None
        if known is None
        else _of_value(known, value, estimand, intervals=intervals)
        for _, known in history
    ]
    numbers = np.array([_numbers(known) for known in alone])
    estimate, low, high = numbers.T
    return ValueHistory(
        value,
        tuple(epoch for epoch, _ in history),
        tuple(0 if known is None else known.respondents for _, known in history),
        estimate=estimate,
        low=low,
        high=high,
        by_epoch=tuple(alone),
    )


def _of_value(
    known: QuestionEstimates, value: str, estimand: str, *, intervals: bool
) -> QuestionEstimates | None:
    if not known.reports:
        return None
    options = replace(known.options, estimand=estimand)
    if value == MEAN and known.mean is not None and value not in known.values:
        return replace(known.only(np.empty(0, dtype=np.int64)), options=options)
    if value not in known.values:
        return None
    place = np.array([known.values.index(value)])
    alone = replace(known.only(place), options=options)
    if alone.law is None or not intervals:
        return alone
    low, high = within_bounds(
        INTERVAL_ENDS[options.interval](alone.law, 1 - options.level, estimand)
    )
    return replace(alone, low=low, high=high)


def _numbers(known: QuestionEstimates | None) -> tuple[float, float, float]:
    """Estimate and interval."""
    if known is None:
        return np.nan, np.nan, np.nan
    if not len(known):
        assert known.mean is not None  # noqa: S101 (it was chosen for having one)
        return known.mean.estimate, known.mean.low, known.mean.high
    return float(known.unbiased[0]), float(known.low[0]), float(known.high[0])


def complete_history(
    history: Sequence[tuple[Epoch, QuestionEstimates]],
) -> list[tuple[Epoch, QuestionEstimates | None]]:
    """The history with its missing epochs, in order.

    Raises `EstimateError` for one that is none.
    """
    epochs = [epoch for epoch, _ in history]
    if len(set(epochs)) < len(epochs):
        raise EstimateError("expected each epoch once, got one of them twice")
    numbers = [epoch for epoch in epochs if isinstance(epoch, int)]
    if len(numbers) < len(epochs):
        return list(history)
    if not numbers:
        raise EstimateError("expected a history of at least one epoch, got none")
    first, last = min(numbers), max(numbers)
    if last - first >= MOST_EPOCHS:
        raise EstimateError(
            f"expected at most {MOST_EPOCHS:,} epochs, got those from {first} to "
            f"{last}; leave out the earliest"
        )
    known = dict(history)
    return [(epoch, known.get(epoch)) for epoch in range(first, last + 1)]
