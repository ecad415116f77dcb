"""How the service is: what is wrong, the sum of its batches, uploads of developers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ldp_service.counting.submissions import QUARANTINED, summed_up
from ldp_service.page.markup.elements import many
from ldp_service.page.views.overview import SurveyLine
from ldp_service.page.views.service import ServiceView
from ldp_service.uploads.debugging import DebugUpload


def problems(view: ServiceView) -> list[str]:
    """Return what is wrong, in sentences."""
    wrong = []
    if not view.balances:
        wrong.append(
            "Batches do not add up: the store is damaged. Run ldp store doctor on it."
        )
    if view.trouble is not None:
        wrong.append(f"No reports are taken: {view.trouble}")
    return [*wrong, *view.warnings]


def sums(view: ServiceView) -> str:
    """Return what became of all batches, as a sum."""
    outcomes = summed_up(view.accounts.outcomes)
    counts = {
        "accepted": outcomes["accepted"],
        "duplicate": outcomes["duplicate"],
        "rejected": sum(outcomes["rejected"].values()),
        QUARANTINED: outcomes[QUARANTINED],
    }
    return " + ".join(f"{count:,} {name}" for name, count in counts.items())


def time_of(upload: DebugUpload) -> str:
    """Return when an upload came."""
    return datetime.fromtimestamp(upload.seconds, UTC).strftime("%H:%M:%S UTC")


def overview_summary(lines: Sequence[SurveyLine]) -> str:
    """Return one sentence on all surveys."""
    reports = sum(line.reports for line in lines)
    alarms = sum(len(line.alarms) for line in lines)
    said = "no alarms"
    if alarms:
        said = many(alarms, "alarm")
    surveys = f"{many(len(lines), 'survey')}, {many(reports, 'report')}"
    return f"{surveys} to the question that was answered most in each, {said}."
