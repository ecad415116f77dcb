"""Alarms of the service and of its counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ldp_service.analysis.analysis import Analysis
from ldp_service.analysis.punctuality import punctuality
from ldp_service.counting.served import Served


class Alarm(NamedTuple):
    """One of them, in words, and the part of the survey's page where there is more."""

    words: str
    place: str = ""


def alarms_of(analysis: Analysis, served: Served) -> Sequence[Alarm]:
    """Return the alarms of a survey: failed checks, changes over epochs, late
    batches.
    """
    return tuple(_alarms(analysis, served))


def _alarms(analysis: Analysis, served: Served) -> Iterator[Alarm]:
    for name, checks in analysis.health(served).items():
        failed = [check.name for check in checks if check.suspicious]
        if failed:
            yield Alarm(
                f"{name}: reports look wrong ({', '.join(failed)})", f"question-{name}"
            )
    for name, changes in analysis.changes(served).items():
        if changes.alarm:
            named = ", ".join(changes.values) or "its values together"
            yield Alarm(f"{name}: has changed over time ({named})", f"question-{name}")
    late = punctuality(analysis.outcomes(served))
    if late.is_alarming:
        words = (
            f"{late.late:,} of the last {late.batches:,} batches came too late to be "
            "counted"
        )
        yield Alarm(words, "batches")
