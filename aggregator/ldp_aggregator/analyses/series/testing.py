"""Whether a value of a question has changed over its epochs: which are tested, and what
comes out.

Levels and bands (`following`) and alerts (`changes`) take it from here. The last epochs
may still get reports, and are not tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ldp.answers.booleans import canonical_value
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.series.errors_over_time import covariances
from ldp_aggregator.analyses.series.evidence import Evidence, evidence_of
from ldp_aggregator.analyses.series.history import ValueHistory
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.numerics.arrays import Floats, Integers

MOST_VALUES = 50
"""That are followed without being named."""


class TrendOptions(NamedTuple):
    """How a value is followed."""

    level: float
    overlap: float | None
    season: int | None
    slope: bool
    closed: int
    """How many epochs are tested."""


def values_of(newest: QuestionEstimates, values: Sequence[str]) -> tuple[str, ...]:
    """The values to follow: those that are named, or all. Raises `EstimateError` for
    too many.
    """
    mean = () if newest.mean is None else (MEAN,)
    known = (*newest.values, *mean)
    named = tuple(canonical_value(value, newest.values) for value in values)
    for value in named:
        if value not in known:
            raise UnknownNameError(
                value, known, f"one of the values of question {newest.name!r}"
            )
    if not known:
        raise EstimateError(
            f"question {newest.name!r}: expected frequencies or a mean, got none"
        )
    chosen = named or newest.values or mean
    if len(chosen) > MOST_VALUES:
        raise EstimateError(
            f"expected the names of up to {MOST_VALUES} values to follow, as question "
            f"{newest.name!r} has {len(chosen):,}"
        )
    return chosen


def epochs_to_test(of_value: ValueHistory, asked: TrendOptions) -> Integers:
    """The places of the epochs with estimates that are tested for changes."""
    return np.flatnonzero(~np.isnan(of_value.estimate[: asked.closed]))


def evidence_in(of_value: ValueHistory, asked: TrendOptions) -> Evidence | None:
    """Evidence of a change in one value; None where fewer than two epochs are
    tested.
    """
    there = epochs_to_test(of_value, asked)
    if len(there) < 2:
        return None
    before = of_value.before()
    known = covariances(
        of_value.variance(before)[there],
        of_value.lasting(before)[there],
        asked.overlap,
        may_repeat=of_value.may_repeat,
    )
    seasons = None
    if asked.season is not None:
        seasons = (there % asked.season).astype(float)
    return evidence_of(of_value.estimate[there], known, seasons)


def on_epochs(
    of_value: ValueHistory, evidence: Evidence | None, asked: TrendOptions
) -> tuple[Floats, Floats]:
    """Evidence after each epoch, and sizes of steps there; what is not tested adds
    nothing.
    """
    size = len(of_value.epochs)
    values, steps = np.ones(size), np.zeros(size)
    if evidence is None:
        return values, steps
    there = epochs_to_test(of_value, asked)
    steps[there] = evidence.size
    # (T,): the last tested epoch up to each.
    latest = np.searchsorted(there, np.arange(size), side="right") - 1
    values = np.where(latest >= 0, evidence.values[np.maximum(latest, 0)], 1.0)
    return values, steps
