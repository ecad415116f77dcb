"""The section of one question: what it is, its bars with their table, its health, its epochs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_service.analysis.notes import Note
from ldp_service.page.charts.bars import bars
from ldp_service.page.charts.cumulative import cumulative
from ldp_service.page.charts.heat import districts, heat
from ldp_service.page.charts.histogram import histogram
from ldp_service.page.markup.elements import many, number, row, table
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.sections.facts import facts
from ldp_service.page.sections.over_time import over_time
from ldp_service.page.sections.sharpness import sharpness
from ldp_service.page.sections.values import search_form, values
from ldp_service.page.views.asked import Asked
from ldp_service.page.views.numbers import cells_of
from ldp_service.page.views.question import QuestionView


def question_section(view: QuestionView, asked: Asked, notes: Sequence[Note] = ()) -> Safe:
    """Facts, bars with their table, what to know about them, and what came when."""
    question = view.estimates
    name = question.name
    parts = [tag("h2", name, id=f"heading-{name}")]
    if question.question.text:
        parts.append(tag("p", tag("bdi", question.question.text), class_="text"))
    parts.append(facts(view))
    if question.reports and len(question):
        parts.append(search_form(view, asked))
    if question.reports and view.shown:
        parts.append(tag("div", main_figure(view), values(view), class_="beside"))
    parts += _further_figures(question)
    bound = "" if question.manipulation is None else str(question.manipulation)
    sentences = filter(None, (question.note, *map(str, question.remarks), bound))
    parts += [tag("p", sentence, class_="note") for sentence in sentences]
    parts += [sharpness(view), _health(view), _changed(view)] if question.reports else []
    if asked.served.survey.epoch is not None:
        parts.append(over_time(view, asked, notes))
    return tag(
        "section",
        *parts,
        id=f"question-{name}",
        class_="question",
        aria_labelledby=f"heading-{name}",
    )


def main_figure(view: QuestionView) -> Safe:
    """A histogram of numbers in their order, or bars, with what it shows in words."""
    cells = () if view.search.text else cells_of(view.estimates)
    if not cells:
        return tag("figure", bars(view), tag("figcaption", _legend(view)))
    legend = "Columns are estimates, lines their intervals. Pale: not told from zero."
    if view.estimates.is_shape:
        legend = "Columns are a biased shape; there are no intervals."
    if view.quantiles or view.estimates.mean is not None:
        legend += " Below: points with their intervals."
    return tag("figure", histogram(view, cells), tag("figcaption", legend))


def _further_figures(question: QuestionEstimates) -> Iterator[Safe]:
    """The cumulative distribution, maps and districts, where there are any."""
    if not question.reports:
        return
    distribution = question.distribution
    if distribution is not None and not distribution.line.circular:
        legend = "The curve rises as the true one does; the band holds all of that at once."
        chart = cumulative(question, distribution)
        yield tag("figure", chart, tag("figcaption", legend))
    if question.places is not None:
        legend = "Brighter cells have larger shares. Hatched: not told from zero."
        yield tag("figure", heat(question), tag("figcaption", legend))
    if question.shown_districts:
        yield _districts(question)
    if question.regions is not None:
        legend = "Brighter districts have larger shares. Hatched: not told from zero."
        chart = districts(question, question.regions)
        yield tag("figure", chart, tag("figcaption", legend))


def _districts(question: QuestionEstimates) -> Safe:
    """The table of the districts of a map, of which borders may cut cells."""
    rows = [
        row(
            district.shown,
            number(f"{district.frequency:.4f}", district.frequency),
            number(f"{district.standard_error:.4f}", district.standard_error),
            f"[{district.low:.4f}, {district.high:.4f}]",
            f"[{district.surely_low:.4f}, {district.surely_high:.4f}]",
        )
        for district in question.shown_districts
    ]
    level = f"{question.options.level:.4g} interval"
    head = ("district", "share", "standard error", level, "wherever within cells people are")
    return table(f"{question.name}: districts", head, rows, id=f"districts-{question.name}")


def _legend(view: QuestionView) -> str:
    if view.estimates.is_shape:
        return "Bars are a biased shape; there are no intervals."
    legend = "Bars are estimates, lines their intervals. Pale: not told from zero."
    if view.complete:
        return legend
    return f"{len(view.shown)} of {len(view.estimates):,} values. {legend}"


def _changed(view: QuestionView) -> Safe:
    """Whether anything has changed over closed epochs, where that was tested."""
    changes = view.changes
    if changes is None or changes.untested:
        return Safe("")
    return tag("p", f"Over time: {changes}.", class_="problem" if changes.alarm else "note")


def _health(view: QuestionView) -> Safe:
    failed = [check for check in view.checks if check.suspicious]
    if not view.checks:
        return tag("p", "No check applies to these reports.", class_="note")
    verdict = "Health: all checks passed"
    if failed:
        verdict = f"Health: {many(len(failed), 'check')} of {len(view.checks)} failed"
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
    return tag(
        "details",
        tag("summary", verdict, class_="problem" if failed else None),
        table(caption, ("check", "verdict", "p-value", "meaning"), rows, class_="worded"),
        id=f"health-{name}",
        open=bool(failed),
    )
