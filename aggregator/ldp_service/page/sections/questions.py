"""One question: what is said of its picture and its numbers, its districts, its
health.
"""

from __future__ import annotations

from ldp_aggregator.answers.maps.map_estimates import MapEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.output.markup import Safe, join, tag
from ldp_aggregator.output.sheet import Bars, Grid, Shapes
from ldp_service.page.markup.elements import many, number, row, table
from ldp_service.page.views.question import QuestionView


def districts(question: QuestionEstimates) -> Safe:
    """Return the table of the districts of a map, of which borders may cut cells."""
    if not isinstance(question, MapEstimates) or not question.shown_districts:
        return Safe("")
    rows = [
        row(
            district.label,
            number(f"{district.frequency:.4f}", district.frequency),
            number(f"{district.standard_error:.4f}", district.standard_error),
            f"[{district.low:.4f}, {district.high:.4f}]",
            f"[{district.surely_low:.4f}, {district.surely_high:.4f}]",
        )
        for district in question.shown_districts
    ]
    level = f"{question.options.level:.4g} interval"
    head = (
        "district",
        "share",
        "standard error",
        level,
        "wherever within cells people are",
    )
    return table(
        f"{question.name}: districts", head, rows, id=f"districts-{question.name}"
    )


def legend(view: QuestionView) -> str:
    """Return what is seen in the picture."""
    if view.estimates.is_shape:
        return "A biased shape; there are no ranges."
    if isinstance(view.panel.form, Grid | Shapes):
        return "Brighter: a larger share. Hatched: may be zero."
    level = f"{100 * view.estimates.options.level:.4g} %"
    said = f"Bars: estimates. Lines: {level} ranges. Pale bars may be zero."
    if view.complete:
        return said
    return f"{len(view.shown)} of {len(view.estimates):,} values. {said}"


def first_bar(panel: Bars) -> Bars:
    """Return the bar of Yes alone, of all people; all bars where answers are others."""
    if list(panel.labels) != ["Yes", "No"]:
        return panel
    return panel._replace(
        labels=panel.labels[:1],
        lengths=panel.lengths[:1],
        low=panel.low[:1],
        high=panel.high[:1],
        within=(0, 1),
    )


def warnings(view: QuestionView) -> list[str]:
    """Return what has to be looked at: failed checks, and changes over closed
    epochs.
    """
    said = []
    failed = [check for check in view.checks if check.suspicious]
    if failed and view.estimates.reports:
        said.append(
            f"Health: {many(len(failed), 'check')} of {len(view.checks)} failed."
        )
    if view.changes is not None and view.changes.alarm:
        said.append(f"Over time: {view.changes}.")
    return said


def notes_on(question: QuestionEstimates) -> list[str]:
    """Return what to know before believing the numbers."""
    bound = ""
    if question.manipulation is not None:
        bound = str(question.manipulation)
    return [*filter(None, (question.note, *map(str, question.remarks), bound))]


def health(view: QuestionView) -> Safe:
    """Return the checks of the reports, and whether anything changed, if reports
    came.
    """
    if not view.estimates.reports:
        return Safe("")
    changes = view.changes
    calm = changes is not None and not changes.untested and not changes.alarm
    quiet = []
    if calm:
        quiet = [tag("p", f"Over time: {changes}.", class_="note")]
    if not view.checks:
        return join(
            [tag("p", "No check applies to these reports.", class_="note"), *quiet]
        )
    failed = sum(check.suspicious for check in view.checks)
    verdict = "Health: all checks passed"
    if failed:
        verdict = f"Health: {many(failed, 'check')} of {len(view.checks)} failed"
    rows = [
        row(
            check.name,
            "suspicious" if check.suspicious else "as expected",
            number(f"{check.p_value:.2g}", check.p_value),
            check.meaning,
        )
        for check in view.checks
    ]
    name = view.estimates.name
    caption = f"{name}: whether the reports look as the mechanism would have drawn them"
    checks = tag(
        "details",
        tag("summary", verdict, class_="problem" if failed else None),
        table(
            caption, ("check", "verdict", "p-value", "meaning"), rows, class_="worded"
        ),
        id=f"health-{name}",
        open=bool(failed),
    )
    return join([checks, *quiet])
