"""Facts about a question's numbers: how many reports, how private, for whom, which
intervals.
"""

from __future__ import annotations

from collections.abc import Iterator

from ldp.numbers.exact import log_text
from ldp_aggregator.answers.distributions.distribution_estimates import (
    DistributionEstimates,
)
from ldp_aggregator.answers.options import WHOM
from ldp_service.page.markup.elements import many, number
from ldp_service.page.markup.words import WORDS
from ldp_service.page.views.question import QuestionView

_MEANT = {
    "Reports": "report",
    "Intervals": "interval",
    "Errors for": "estimand",
    "Detected": "detected",
}
"""Headings whose word is another one."""


def facts(view: QuestionView) -> Iterator[tuple[str, str, str]]:
    """Yield all facts of a question: heading, the word that explains it, if any, and
    the fact.
    """
    for heading, fact in _facts(view):
        first = heading.partition(",")[0].partition(" ")[0].lower()
        word = _MEANT.get(heading, first)
        yield heading, word if word in WORDS else "", fact


def _facts(view: QuestionView) -> Iterator[tuple[str, str]]:
    question = view.estimates
    options, declared = question.options, question.question.declared
    family = ""
    if options.simultaneous:
        family = f", simultaneous ({options.simultaneous})"
    delivered = log_text(question.question.randomizer.ratio, 6)
    yield "Name", question.name
    yield "Reports", number(f"{question.reports:,}", question.reports)
    yield "Epsilon", f"{declared.text} declared, {delivered} delivered"
    yield "Mechanism", question.question.mechanism
    yield "Intervals", f"{options.level:.4g} {options.interval}{family}"
    yield "Errors for", WHOM[options.estimand]
    if options.post_process:
        beside = "beside the errors of the unbiased ones"
        if question.is_shape:
            beside = "without errors or intervals"
        yield "View", f"{options.post_process}: biased frequencies, {beside}"
    yield from _of_numbers(view)
    if len(view.chances) and not question.is_shape:
        # Simultaneous, whatever the intervals are.
        values = many(len(view.chances), "value")
        yield (
            "Detected",
            f"{view.present:,} of {values} (Bonferroni, {options.level:.4g})",
        )


def _of_numbers(view: QuestionView) -> Iterator[tuple[str, str]]:
    question, domain = view.estimates, view.estimates.question.domain
    unit = f", in {domain.unit}" if domain.unit else ""
    for name, numbers in question.numbers:
        estimate, error, interval = numbers.cells
        yield f"{name.capitalize()}{unit}", f"{estimate} ± {error} {interval}"
        unit = f"{unit} squared" if unit else ""
    if domain.key_scale is not None and unit:
        yield "Numbers", unit.removeprefix(", ")
    for quantile in view.quantiles:
        estimate, _, interval = quantile.cells
        yield quantile.name.capitalize(), f"{estimate} {interval}"
    on_circle = (
        question.on_circle if isinstance(question, DistributionEstimates) else ()
    )
    for place in on_circle:
        estimate, error, interval = place.cells
        shown = f"{estimate} ± {error} {interval}" if error else estimate
        yield place.name.capitalize(), shown
