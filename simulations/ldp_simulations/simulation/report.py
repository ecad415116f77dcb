"""What a simulation says: as a table, as records for machines, and as one
self-contained HTML page.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ldp_aggregator.estimates.question_estimates import MOST_ROWS, Gather, QuestionEstimates
from ldp_aggregator.rendering.columns import columns
from ldp_aggregator.rendering.json_text import json_pieces
from ldp_simulations import html_page
from ldp_simulations.simulation.simulation import CLIENTS, LAW, REPORTS, Runs, Simulation

FORMAT = 1


def table(simulation: Simulation, most: int = MOST_ROWS) -> str:
    """Truth against estimate, one table for each question, with up to so many of its values."""
    parts = [summary(simulation)]
    for question in simulation.first:
        headings, *rows = _cells(*_chosen(simulation, question, most))
        parts += [f"{question.name}: {question.describe()}", columns(headings, rows)]
        parts += [f"  {sentence}" for sentence in _left_out(question, most)]
        parts.append(_verdict(simulation, question))
    return "\n".join(parts)


_HOW = {
    CLIENTS: "{size:,} bytes of reports a run, made by clients and read by the aggregator",
    REPORTS: "{size:,} bytes of reports a run, drawn in bulk where a mechanism has such a draw, "
    "else made by clients, "
    "and read by the aggregator",
    LAW: "tallies drawn from their exact law",
}
"""How the numbers came about, by the way that was taken."""


def to_dict(simulation: Simulation) -> dict[str, Any]:
    """Ready for JSON: the estimates of the first run, with the truth and the errors of all runs
    beside them.
    """
    return _record(simulation, list)


def json_lines(simulation: Simulation) -> Iterator[str]:
    """The same as text, in pieces."""
    return json_pieces(_record(simulation, iter))


def _record(simulation: Simulation, gather: Gather) -> dict[str, Any]:
    told = simulation.first.record(iter)
    told["format"] = FORMAT
    told["simulation"] = {
        "way": simulation.way,
        "runs": _count(simulation),
        "report_bytes": simulation.report_size,
    }
    for name, question in told["questions"].items():
        question["values"] = gather(_beside_the_truth(question["values"], simulation.runs[name]))
    return told


def _beside_the_truth(values: Iterator[dict[str, Any]], runs: Runs) -> Iterator[dict[str, Any]]:
    columns = (runs.truth, runs.coverage, runs.empirical_error, runs.stated_error)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for value, (truth, covered, empirical, stated) in zip(values, rows, strict=False):
        errors = {"empirical_error": _finite(empirical), "stated_error": _finite(stated)}
        yield {**value, "truth": truth, "covered": covered, **errors}


def top(simulation: Simulation, most: int) -> Simulation:
    """No more than so many values of each question: those that most respondents hold."""
    chosen = {question.name: _chosen(simulation, question, most) for question in simulation.first}
    estimates = {
        name: replace(question, left_out=len(simulation.first[name]) - len(question))
        for name, (question, _) in chosen.items()
    }
    first = replace(simulation.first, questions=estimates)
    return replace(simulation, first=first, runs={name: runs for name, (_, runs) in chosen.items()})


def page(simulation: Simulation) -> str:
    """One HTML page with everything in it: no scripts, nothing fetched from elsewhere.

    Of many values it shows some.
    """
    body = "".join(_section(simulation, question) for question in simulation.first)
    return html_page.page(
        f"{simulation.survey.name}: simulation", html_page.paragraph(summary(simulation)) + body
    )


def summary(simulation: Simulation) -> str:
    """How the numbers came about."""
    respondents = max(holders.respondents for holders in simulation.population.values())
    how = _HOW[simulation.way].format(size=simulation.report_size)
    runs = "1 run" if _count(simulation) == 1 else f"{_count(simulation):,} runs"
    return f"{respondents:,} respondents, {runs}; {how}. Estimates are those of the first run."


def _chosen(
    simulation: Simulation, question: QuestionEstimates, most: int
) -> tuple[QuestionEstimates, Runs]:
    """All values in their order or, of more than `most`, those that most respondents hold.

    They are chosen by the truth: estimates that are chosen for being high are too high on average.
    """
    runs = simulation.runs[question.name]
    if len(question) <= most:
        return question, runs
    places = np.argsort(-runs.truth[: len(question)], kind="stable")[:most]
    return question.only(places), runs.only(places)


def _left_out(question: QuestionEstimates, most: int) -> list[str]:
    if len(question) <= most:
        return []
    held = f"shown: the {most:,} values of {len(question):,} that most respondents hold"
    return [f"{held}; --top all shows every value, and --output writes them all to estimates.csv"]


def _section(simulation: Simulation, question: QuestionEstimates) -> str:
    headings, *rows = _cells(*_chosen(simulation, question, MOST_ROWS))
    left_out = "".join(map(html_page.paragraph, _left_out(question, MOST_ROWS)))
    drawing = question.plot(truth=simulation.runs[question.name].truth.tolist()).decode()
    return (
        f"<h2>{html.escape(question.name)}</h2>{html_page.paragraph(question.question.text)}"
        f"{html_page.paragraph(question.describe())}<figure>{drawing[drawing.index('<svg') :]}</figure>"
        f"{html_page.table(headings, rows)}{left_out}{html_page.paragraph(_verdict(simulation, question))}"
    )


def _cells(question: QuestionEstimates, runs: Runs) -> Iterator[tuple[str, ...]]:
    """Headings, then a row for each value; the last columns tell of one run or of many."""
    many = len(runs.frequency) > 1
    last = ("empirical error", "stated error", "coverage") if many else ("holds the truth",)
    yield (
        "value",
        "truth",
        "estimate",
        "standard error",
        f"{question.options.level:.4g} interval",
        *last,
    )
    show = question.shown
    empirical, stated, coverage = (
        (runs.empirical_error, runs.stated_error, runs.coverage) if many else ((), (), ())
    )
    for index, (estimate, truth) in enumerate(zip(question, runs.truth.tolist(), strict=False)):
        interval = f"[{show(estimate.low)}, {show(estimate.high)}]"
        row = (
            estimate.value,
            show(truth),
            show(estimate.frequency),
            show(estimate.standard_error),
            interval,
        )
        if many:
            yield (*row, show(empirical[index]), show(stated[index]), f"{coverage[index]:.3f}")
        else:
            yield (*row, "yes" if estimate.low <= truth <= estimate.high else "no")


def _verdict(simulation: Simulation, question: QuestionEstimates) -> str:
    """One sentence: do the stated errors and intervals keep their word?"""
    runs = simulation.runs[question.name]
    if not len(runs.truth):
        return question.note
    covered, level = float(runs.coverage.mean()), question.options.level
    ratio = float(np.sqrt((runs.empirical_error**2).sum() / (runs.stated_error**2).sum()))
    return (
        f"{covered:.1%} of all intervals hold the truth (stated: {level:.4g}); "
        f"errors are {ratio:.2f} times what was stated.\n"
    )


def _count(simulation: Simulation) -> int:
    return len(next(iter(simulation.runs.values())).frequency)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
