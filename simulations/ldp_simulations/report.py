"""What a simulation says: as a table, as records for machines, and as one self-contained HTML page."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import numpy as np

from ldp_aggregator.columns import columns
from ldp_aggregator.plot import picture
from ldp_aggregator.result import QuestionEstimates
from ldp_simulations import html_page
from ldp_simulations.simulation import LAW, Runs, Simulation

FORMAT = 1


def table(simulation: Simulation) -> str:
    """Truth against estimate, one table for each question."""
    parts = [summary(simulation)]
    for question in simulation.first:
        headings, *rows = _cells(question, simulation.runs[question.name])
        parts += [f"{question.name}: {question.describe()}", columns(headings, rows), _verdict(simulation, question)]
    return "\n".join(parts)


def to_dict(simulation: Simulation) -> dict[str, Any]:
    """Ready for JSON: the estimates of the first run, with the truth and the errors of all runs beside them."""
    told = simulation.first.to_dict()
    told["format"] = FORMAT
    told["simulation"] = {"way": simulation.way, "runs": _count(simulation), "report_bytes": simulation.report_size}
    for name, runs in simulation.runs.items():
        for index, value in enumerate(told["questions"][name]["values"]):
            value["truth"] = float(runs.truth[index])
            value["covered"] = float(runs.coverage[index])
            value["empirical_error"] = _finite(runs.empirical_error[index])
            value["stated_error"] = _finite(runs.stated_error[index])
    return told


def page(simulation: Simulation) -> str:
    """One HTML page with everything in it: no scripts, nothing fetched from elsewhere."""
    body = "".join(_section(simulation, question) for question in simulation.first)
    return html_page.page(f"{simulation.survey.name}: simulation", html_page.paragraph(summary(simulation)) + body)


def summary(simulation: Simulation) -> str:
    """How the numbers came about."""
    respondents = max(holders.respondents for holders in simulation.population.values())
    if simulation.way == LAW:
        how = "tallies drawn from their exact law"
    else:
        how = f"{simulation.report_size:,} bytes of reports a run, made by clients and read by the aggregator"
    runs = "1 run" if _count(simulation) == 1 else f"{_count(simulation):,} runs"
    return f"{respondents:,} respondents, {runs}; {how}. Estimates are those of the first run."


def _section(simulation: Simulation, question: QuestionEstimates) -> str:
    headings, *rows = _cells(question, simulation.runs[question.name])
    drawing = picture(question, "svg", {question.name: simulation.runs[question.name].truth.tolist()}).decode()
    return (
        f"<h2>{html.escape(question.name)}</h2>{html_page.paragraph(question.question.text)}"
        f"{html_page.paragraph(question.describe())}<figure>{drawing[drawing.index('<svg') :]}</figure>"
        f"{html_page.table(headings, rows)}{html_page.paragraph(_verdict(simulation, question))}"
    )


def _cells(question: QuestionEstimates, runs: Runs) -> Iterator[tuple[str, ...]]:
    """Headings, then a row for each value; the last columns tell of one run or of many."""
    many = len(runs.frequency) > 1
    last = ("empirical error", "stated error", "coverage") if many else ("holds the truth",)
    yield ("value", "truth", "estimate", "standard error", f"{question.options.level:.4g} interval", *last)
    show = question.shown
    for index, (estimate, truth) in enumerate(zip(question, runs.truth.tolist(), strict=False)):
        interval = f"[{show(estimate.low)}, {show(estimate.high)}]"
        row = (estimate.value, show(truth), show(estimate.frequency), show(estimate.standard_error), interval)
        if many:
            errors = (show(runs.empirical_error[index]), show(runs.stated_error[index]))
            yield (*row, *errors, f"{runs.coverage[index]:.3f}")
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
    return float(number) if np.isfinite(number) else None
