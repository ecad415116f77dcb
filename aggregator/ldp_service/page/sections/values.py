"""The table of a question's values, with search and pages where there are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from ldp_aggregator.answers.pairs.room import PairEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import Estimate
from ldp_aggregator.answers.texts.room import TextEstimates
from ldp_aggregator.output.markup import Safe, join, tag
from ldp_aggregator.output.sheet import MOST_BARS
from ldp_service.page.markup.elements import number, row, table
from ldp_service.page.views.question import QuestionView
from ldp_service.page.views.view_request import ViewRequest

_LEAST = 1e-9
"""P-values are by the normal law, which means nothing so far out."""


def search_form(view: QuestionView, asked: ViewRequest) -> Safe:
    """Fields to look for values, and links to their pages; nothing where one page is
    all.
    """
    question = view.estimates
    if len(question) <= MOST_BARS or not question.reports:
        return Safe("")
    name, search = question.name, view.search
    rest = asked.query(values_of=name, find=None, page=None)
    hidden = [
        tag("input", type="hidden", name=key, value=value)
        for key, value in rest.items()
    ]
    field = tag(
        "input",
        type="search",
        name="find",
        value=search.text,
        id=f"find-{name}",
        maxlength=200,
    )
    form = tag(
        "form",
        *hidden,
        tag("label", f"Find among {len(question):,} values", for_=f"find-{name}"),
        field,
        tag("button", "Find"),
        method="get",
        action=f"./#question-{name}",
        class_="find",
        role="search",
        aria_label=f"Values of {name}",
    )
    return join([form, *_pages(view, asked)])


def _pages(view: QuestionView, asked: ViewRequest) -> Iterator[Safe]:
    """Where one is, and the way to others."""
    name, search = view.estimates.name, view.search
    first = (search.page - 1) * MOST_BARS + 1
    what = ""
    if search.text:
        what = f" with \u201c{search.text}\u201d"
    if not view.matching:
        yield tag("p", f"No value{what}.", class_="note")
        return
    last = first + len(view.shown) - 1
    place = tag("span", f"Values {first:,} to {last:,} of {view.matching:,}{what}")
    steps = []
    for words, page in (("Previous", search.page - 1), ("Next", search.page + 1)):
        if 1 <= page <= view.pages:
            query = asked.query(values_of=name, find=search.text, page=str(page))
            href = f"./?{urlencode(query)}#question-{name}"
            steps.append(
                tag("a", words, href=href, aria_label=f"{words} values of {name}")
            )
    yield tag(
        "p", place, *(part for step in steps for part in (" ", step)), class_="pages"
    )


def values(view: QuestionView) -> Safe:
    """The values that are shown, each with all its numbers."""
    question = view.estimates
    if question.is_shape:
        return _shape(question)
    rows = [
        _value(
            question,
            question.at(place),
            float(view.chances[place]),
            miss=view.miss,
            means=_means(question, place),
        )
        for place in view.shown
    ]
    if isinstance(question, TextEstimates) and question.unallocated is not None:
        rows.append(_value(question, question.unallocated, None, miss=view.miss))
    value, count, frequency, error, interval, *means = question.headings
    head = (value, frequency, error, interval, count, "p-value", *means)
    which = "all" if view.complete else f"{len(view.shown)} of {len(question):,}"
    caption = (
        f"{question.name}: {which} values; p-values, of no one holding it, are "
        "simultaneous"
    )
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


def _means(question: QuestionEstimates, place: int) -> Sequence[Safe]:
    """The cells of the mean of a key, if keys come with numbers."""
    if not isinstance(question, PairEstimates) or question.key_means is None:
        return ()
    mean = question.key_means.means[place]
    estimate, interval = mean.cells
    ends = interval.strip("[]").split(", ")
    low, high = map(number, ends, mean.interval)
    shown = number(estimate, mean.estimate) if mean.is_told else join([estimate])
    return shown, join(["[", low, ", ", high, "]"])


def _value(
    question: QuestionEstimates,
    estimate: Estimate,
    chance: float | None,
    miss: float,
    means: Sequence[Safe] = (),
) -> Safe:
    show = question.shown
    value, count, frequency, error, _ = question.row(estimate)
    raw, cut = [], []
    if not (question.is_vector or 0 <= estimate.frequency <= 1):
        # Noise took it beyond what is possible: the nearest possible value, and the raw
        # one below.
        nearest = min(max(estimate.frequency, 0.0), 1.0)
        raw, cut = [tag("small", f"raw {frequency}")], [tag("small", "cut")]
        frequency = show(nearest)
        count = f"{nearest * question.respondents:,.0f}"
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
        join([number(frequency, estimate.frequency), *raw]),
        number(error, estimate.standard_error),
        join(["[", low, ", ", high, "]", *cut]),
        number(count, estimate.count),
        join(detection),
        *means,
    )
