"""All surveys of a service, a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ldp_service.analysis.analysis import Analysis
from ldp_service.counting.served import Catalogue, Served
from ldp_service.page.views.alarms import Alarm, alarms_of
from ldp_service.store.records import Epoch


@dataclass(frozen=True)
class SurveyLine:
    """One survey: how much there is, since when, and what is wrong."""

    served: Served
    """Its newest version."""
    versions: int
    reports: int
    """Of the question that has the most, over all versions."""
    epochs: Sequence[tuple[Epoch, int]]
    """Those with reports, and how many that question has in each, in the order of time.
    """
    alarms: Sequence[Alarm]

    @property
    def last(self) -> Epoch | None:
        """The last epoch with reports; None before there are any, and where time is not
        divided.
        """
        if self.epochs and self.epochs[-1][0].length:
            return self.epochs[-1][0]
        return None


def overview(analysis: Analysis, catalogue: Catalogue) -> Sequence[SurveyLine]:
    """A line for each survey, in the order in which they are served."""
    return [_line(analysis, versions) for versions in catalogue.by_name.values()]


def _line(analysis: Analysis, versions: Sequence[Served]) -> SurveyLine:
    # A question that versions share has one tally: counted by its fingerprint, once.
    by_name: dict[str, dict[bytes, list[tuple[Epoch, int]]]] = {}
    for served in versions:
        for name, epochs in analysis.growth(served).items():
            by_name.setdefault(name, {})[served.survey[name].fingerprint] = epochs
    sums = [_sum_counts(list(parts.values())) for parts in by_name.values()]
    most = max(sums, key=lambda epochs: sum(epochs.values()), default={})
    alarms = [alarm for served in versions for alarm in alarms_of(analysis, served)]
    return SurveyLine(
        versions[-1],
        len(versions),
        sum(most.values()),
        epochs=sorted(most.items()),
        alarms=list(dict.fromkeys(alarms)),
    )


def _sum_counts(parts: Sequence[Sequence[tuple[Epoch, int]]]) -> dict[Epoch, int]:
    sums: dict[Epoch, int] = {}
    for epoch, reports in (row for part in parts for row in part):
        sums[epoch] = sums.get(epoch, 0) + reports
    return sums
