"""Whether anything has changed in a question over epochs: what an alert rests on,
without levels.

It is the evidence of `ldp analyze trend` and says the same. Who looks after every
epoch, or never, may take it for what it is: the chance that anything is ever called
changed that has not is the rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.series.evidence import since
from ldp_aggregator.analyses.series.history import Epoch, complete_history, series_of
from ldp_aggregator.analyses.series.testing import (
    MOST_VALUES,
    TrendOptions,
    epochs_to_test,
    evidence_in,
    on_epochs,
)
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN

ALARM_RATE = 0.01
POPULATION = Options(estimand="population")
"""What the estimates of a history are made with: each epoch draws its respondents."""


@dataclass(frozen=True)
class Changes:
    """Changes in a question, or why they were not tested."""

    alarm_rate: float
    """The chance that there is ever an alarm though nothing changes."""
    evidence: float = 1.0
    """The greatest e-value that was reached against "nothing has changed"."""
    first: Epoch | None = None
    """The epoch by which there was enough of it for an alarm."""
    values: dict[str, tuple[Epoch, ...]] = field(default_factory=dict)
    """The values that are called changed by themselves, and the epochs since when they
    may be.
    """
    untested: str = ""
    """Why nothing was tested, if it was not."""

    @property
    def alarm(self) -> bool:
        """Whether something has changed."""
        return self.first is not None

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "alarm": self.alarm,
            "alarm_rate": self.alarm_rate,
            "evidence": self.evidence,
            "by": self.first,
            "values": [
                {"value": value, "since": list(epochs)}
                for value, epochs in self.values.items()
            ],
            **({"not_tested": self.untested} if self.untested else {}),
        }

    def __str__(self) -> str:
        if self.untested:
            return f"changes over time were not tested: {self.untested}"
        rate = f"{self.alarm_rate:.2g}"
        if not self.alarm:
            return (
                f"no change over time is certain enough (false alarms ever: {rate} at "
                "most)"
            )
        named = [
            f"{value} (since {' or '.join(map(str, epochs))})"
            for value, epochs in self.values.items()
        ]
        which = ""
        if named:
            which = f"; certain by themselves: {', '.join(named)}"
        return (
            f"changed by epoch {self.first}: evidence (e-value) {self.evidence:,.3g}, "
            f"where {1 / self.alarm_rate:,.4g} are enough for false alarms in {rate} "
            f"of all cases, ever{which}"
        )


def changes_in(
    history: Sequence[tuple[Epoch, QuestionEstimates]],
    *,
    alarm_rate: float = ALARM_RATE,
    still_open: int = 0,
) -> Changes:
    """Return the changes over epochs whose estimates were made for the `POPULATION`.

    still_open  how many of the last epochs may still get reports: they are not tested
    """
    try:
        complete = complete_history(history)
        newest = next(
            estimates for _, estimates in reversed(complete) if estimates is not None
        )
        chosen = _values(newest)
    except EstimateError as error:
        return Changes(alarm_rate, untested=str(error))
    asked = TrendOptions(
        0.95, None, None, slope=False, closed=max(0, len(complete) - still_open)
    )
    threshold = 1 / alarm_rate
    evidence = np.ones((len(chosen), len(complete)))
    since_when: dict[str, tuple[Epoch, ...]] = {}
    untested = "two closed epochs with enough reports are needed"
    for place, value in enumerate(chosen):
        of_value = series_of(complete, value, POPULATION.estimand, intervals=False)
        if of_value.reports_for_normal(of_value.overall()):
            continue
        known = evidence_in(of_value, asked)
        if known is None:
            continue
        untested = ""
        evidence[place], _ = on_epochs(of_value, known, asked)
        if evidence[place].max() >= threshold * len(chosen):
            places = epochs_to_test(of_value, asked)[
                since(known, 1 - asked.level)
            ].tolist()
            since_when[value] = tuple(of_value.epochs[there] for there in places)
    # That of the question, after each epoch: the mean over its values, (T,).
    mean = evidence.mean(axis=0)
    reached = np.flatnonzero(mean >= threshold)
    return Changes(
        alarm_rate,
        float(mean.max()),
        complete[int(reached[0])][0] if reached.size else None,
        values=since_when,
        untested=untested,
    )


def _values(newest: QuestionEstimates) -> tuple[str, ...]:
    """Its values, or its mean where these are many or none. Raises `EstimateError`."""
    if newest.is_shape:
        raise EstimateError("expected estimates with errors, got a biased shape")
    if 0 < len(newest.values) <= MOST_VALUES:
        return newest.values
    if newest.mean is not None:
        return (MEAN,)
    raise EstimateError(
        f"expected up to {MOST_VALUES} values or a mean, got {len(newest.values):,} "
        "values; ldp trend --value follows some of them"
    )
