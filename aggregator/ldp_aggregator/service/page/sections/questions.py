"""The section of one question: what it is, its bars with their table, its health, its epochs."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from ldp.exact import log_text
from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.estimates.question_numbers import MEAN, Estimate
from ldp_aggregator.service.page.charts.bars import bars
from ldp_aggregator.service.page.charts.cumulative import cumulative
from ldp_aggregator.service.page.charts.heat import districts, heat
from ldp_aggregator.service.page.charts.panels import means_of, panel_of_means, panels, points_of
from ldp_aggregator.service.page.markup.elements import many, number, row, table
from ldp_aggregator.service.page.markup.tags import Safe, joined, tag
from ldp_aggregator.service.page.sections.side_by_side import side_by_side
from ldp_aggregator.service.page.views.asked import Asked
from ldp_aggregator.service.page.views.question import QuestionView
from ldp_aggregator.service.page.views.series import when

MOST_PANELS = 6
_LEAST = 1e-9
"""P-values are by the normal law, which means nothing so far out."""


def question_section(view: QuestionView, asked: Asked) -> Safe:
    """Facts, bars with their table, what to know about them, and what came when."""
    question = view.estimates
    name = question.name
    parts = [tag("h2", name, id=f"heading-{name}")]
    if question.question.text:
        parts.append(tag("p", tag("bdi", question.question.text), class_="text"))
    parts.append(_facts(view))
    if question.reports and view.shown:
        chart = tag("figure", bars(view), tag("figcaption", _legend(view)))
        parts.append(tag("div", chart, _values(view), class_="beside"))
    distribution = question.distribution
    if question.reports and distribution is not None and not distribution.line.circular:
        legend = "The curve rises as the true one does; the band holds all of that at once."
        chart = cumulative(question, distribution)
        parts.append(tag("figure", chart, tag("figcaption", legend)))
    if question.reports and question.places is not None:
        legend = "Brighter cells have larger shares. Hatched: not told from zero."
        parts.append(tag("figure", heat(question), tag("figcaption", legend)))
    if question.reports and question.shown_districts:
        parts.append(_districts(question))
    if question.reports and question.regions is not None:
        legend = "Brighter districts have larger shares. Hatched: not told from zero."
        chart = districts(question, question.regions)
        parts.append(tag("figure", chart, tag("figcaption", legend)))
    bound = "" if question.manipulation is None else str(question.manipulation)
    sentences = filter(None, (question.note, *map(str, question.remarks), bound))
    parts += [tag("p", sentence, class_="note") for sentence in sentences]
    parts += [_health(view), _changed(view)] if question.reports else []
    if asked.served.survey.epoch is not None:
        parts.append(_over_time(view, asked))
    return tag(
        "section",
        *parts,
        id=f"question-{name}",
        class_="question",
        aria_labelledby=f"heading-{name}",
    )


def _facts(view: QuestionView) -> Safe:
    question = view.estimates
    options, declared = question.options, question.question.declared
    family = f", simultaneous ({options.simultaneous})" if options.simultaneous else ""
    facts = [
        ("Reports", number(f"{question.reports:,}", question.reports)),
        (
            "Epsilon",
            f"{declared.text} declared, {log_text(question.question.randomizer.ratio, 6)} "
            f"delivered",
        ),
        ("Mechanism", question.question.mechanism),
        ("Intervals", f"{options.level:.4g} {options.interval}{family}"),
        ("Errors for", f"the {options.estimand}"),
    ]
    if options.post:
        beside = "beside the errors of the unbiased ones"
        if question.is_shape:
            beside = "without errors or intervals"
        facts.append(("View", f"{options.post}: biased frequencies, {beside}"))
    domain = question.question.domain
    unit = f", in {domain.unit}" if domain.unit else ""
    for name, numbers in question.numbers:
        estimate, error, interval = numbers.cells
        facts.append((f"{name.capitalize()}{unit}", f"{estimate} ± {error} {interval}"))
        unit = f"{unit} squared" if unit else ""
    if domain.key_scale is not None and unit:
        facts.append(("Numbers", unit.removeprefix(", ")))
    for quantile in question.quantiles:
        estimate, _, interval = quantile.cells
        facts.append((quantile.name.capitalize(), f"{estimate} {interval}"))
    for place in question.on_circle:
        estimate, error, interval = place.cells
        shown = f"{estimate} ± {error} {interval}" if error else estimate
        facts.append((place.name.capitalize(), shown))
    if len(view.chances) and not question.is_shape:
        # Simultaneous, whatever the intervals are.
        values = many(len(view.chances), "value")
        there = f"{view.found:,} of {values} (Bonferroni, {options.level:.4g})"
        facts.append(("Detected", there))
    return tag(
        "dl",
        *(tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts),
        class_="facts",
    )


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
    return f"The {len(view.shown)} most frequent of {len(view.estimates):,} values. {legend}"


def _values(view: QuestionView) -> Safe:
    question = view.estimates
    if question.is_shape:
        return _shape(question)
    rows = [
        _value(
            question,
            _estimate(question, place),
            float(view.chances[place]),
            miss=view.miss,
            means=_means(question, place),
        )
        for place in view.shown
    ]
    if question.unallocated is not None:
        rows.append(_value(question, question.unallocated, None, miss=view.miss))
    value, count, frequency, error, interval = question.headings
    head = (value, frequency, error, interval, count, "p-value", *question.mean_headings)
    which = "all" if view.complete else f"{len(view.shown)} of {len(question):,}"
    caption = f"{question.name}: {which} values; p-values, of no one holding it, are simultaneous"
    return table(caption, head, rows, id=f"values-{question.name}")


def _shape(question: QuestionEstimates) -> Safe:
    """The table of values that have neither errors nor tests."""
    rows = []
    for estimate in question:
        value, count, frequency, *_ = question.row(estimate)
        numbers = (number(frequency, estimate.frequency), number(count, estimate.count))
        rows.append(row(value, *numbers))
    caption = f"{question.name}: a biased shape, without errors or tests"
    value, count, frequency, *_ = question.headings
    return table(caption, (value, frequency, count), rows, id=f"values-{question.name}")


def _estimate(question: QuestionEstimates, place: int) -> Estimate:
    # Without a look at the others, of which there may be a million.
    columns = (question.frequency, question.standard_error, question.low, question.high)
    frequency, *errors = (float(column[place]) for column in columns)
    return Estimate(question.values[place], question.respondents * frequency, frequency, *errors)


def _means(question: QuestionEstimates, place: int) -> Sequence[Safe]:
    """The cells of the mean of a key, if keys come with numbers."""
    if question.key_means is None:
        return ()
    mean = question.key_means.means[place]
    estimate, interval = mean.cells
    ends = interval.strip("[]").split(", ")
    low, high = map(number, ends, mean.interval)
    shown = number(estimate, mean.estimate) if mean.is_told else joined([estimate])
    return shown, joined(["[", low, ", ", high, "]"])


def _value(
    question: QuestionEstimates,
    estimate: Estimate,
    chance: float | None,
    miss: float,
    means: Sequence[Safe] = (),
) -> Safe:
    show = question.shown
    value, count, frequency, error, _ = question.row(estimate)
    low = number(show(estimate.low), estimate.low)
    high = number(show(estimate.high), estimate.high)
    detection = []
    if chance is not None:
        text = f"{chance:.2g}" if chance >= _LEAST else f"< {_LEAST:g}"
        detection.append(number(text, chance))
        if chance <= miss:
            detection.append(tag("span", " detected", class_="detected"))
    return row(
        value,
        number(frequency, estimate.frequency),
        number(error, estimate.standard_error),
        joined(["[", low, ", ", high, "]"]),
        number(count, estimate.count),
        joined(detection),
        *means,
    )


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


def _over_time(view: QuestionView, asked: Asked) -> Safe:
    name = view.estimates.name
    if view.series is None:
        return tag("p", _link("Show over time", asked, f"#question-{name}", over_time=name))
    hide = tag("p", _link("Hide over time", asked, f"#question-{name}", over_time=""))
    if not view.series:
        return hide
    most = sorted(view.shown, key=lambda place: -view.estimates.frequency[place])[:MOST_PANELS]
    if view.estimates.is_shape:
        most = []
    shown = f" Its {len(most)} most frequent values." if 0 < len(most) < len(view.estimates) else ""
    pictures = tag("div", *panel_of_means(view), *panels(view, most), class_="panels")
    caption = f"{name} by epoch (each begins at the time given, UTC).{shown}"
    values = [view.estimates.values[place] for place in most]
    points = [
        {point.epoch: point for point in points_of(view.series, view.estimates, place)}
        for place in most
    ]
    has_mean = bool(means_of(view.series))
    rows = []
    for epoch, estimates in reversed(view.series):
        cells = [number(f"{estimates.reports:,}", estimates.reports)]
        if has_mean:
            cells.append(_mean(estimates))
        for by_epoch in points:
            point = by_epoch.get(epoch)
            if point is None:
                cells.append(Safe(""))
            else:
                cells.append(number(estimates.shown(point.estimate), point.estimate))
        rows.append(row(when(epoch), *cells))
    head = ("epoch", "reports", *([MEAN] if has_mean else []), *values)
    both = side_by_side(view.series)
    return joined([tag("h3", "Over time"), pictures, both, table(caption, head, rows), hide])


def _mean(estimates: QuestionEstimates) -> Safe:
    mean = estimates.mean
    return Safe("") if mean is None else number(mean.cells[0], mean.estimate)


def _link(words: str, asked: Asked, place: str, **changes: str) -> Safe:
    return tag("a", words, href=f"./?{urlencode(asked.query(**changes))}{place}")
