"""Aggregating: from reports as people have them at hand to one tally, and what became
of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import cast

from ldp.survey.survey import Survey, check_survey
from ldp.wire.wire import REASONS
from ldp_aggregator.output.files import FileError
from ldp_aggregator.tallies.intake.paths import SOURCES, Source, count_paths
from ldp_aggregator.tallies.tally import Intake, Tally

Reports = Source | Iterable[Source]
"""One source of reports, or several."""


def aggregate(survey: Survey, reports: Reports, *, allow_equal: bool = False) -> Tally:
    """The tally of all reports to a survey, from whatever holds them.

    reports      the path or URL of a report file or tally file, the bytes of such a
                 file, a tally, or an iterable of these; a batch that comes twice counts
                 once
    allow_equal  count tallies of equal counts as often as they come: without it they
                 are taken for one tally that was given twice, and refused

    Batches that are refused are counted in the tally's `intake`, and warned about.

    Raises `FileError` for a file that cannot be read or a tally of another survey, and
    where no batch at all is of this survey; `TypeError` for what holds no reports.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus", "bus"]})
    >>> ldp_aggregator.aggregate(survey, reports).reports("mode")
    3
    """
    check_survey(survey, "aggregate(survey, reports)")
    tally, _ = count_paths(survey, _sources(reports), allow_equal=allow_equal)
    refuse_useless(tally.intake)
    rejected = sum(tally.intake.rejected.values())
    if rejected:
        warnings.warn(
            f"{rejected:,} of {tally.intake.received:,} batches were rejected: "
            f"{told_reasons(tally.intake)}",
            stacklevel=2,
        )
    return tally


def _sources(reports: Reports) -> Iterable[Source]:
    """The sources one by one; what is none is refused where it is looked at."""
    alone = isinstance(reports, SOURCES) or not hasattr(reports, "__iter__")
    return cast("Iterable[Source]", (reports,) if alone else reports)


def refuse_useless(intake: Intake) -> None:
    """Raise `FileError` if batches came, and none of them could be counted."""
    if intake.received and not intake.accepted:
        raise FileError(
            "expected reports of this survey, got none: rejected "
            f"{told_reasons(intake)}"
        )


def told_reasons(intake: Intake) -> str:
    """How many batches were rejected for which reason."""
    return "; ".join(
        f"{count:,} {reason} ({REASONS[reason]})"
        for reason, count in intake.rejected.items()
    )
