"""Report of a simulation: as tables and records, and as one self-contained HTML
page.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace
from typing import Any

import numpy as np

from ldp_aggregator.answers.pairs.room import means_of_keys
from ldp_aggregator.answers.results.question_estimates import (
    BOOLEAN,
    Gather,
    QuestionEstimates,
)
from ldp_aggregator.answers.results.values import MEAN, MOST_ROWS
from ldp_aggregator.output.formats.html_page import section
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.pictures.picture import chart
from ldp_aggregator.output.sheet import NOTHING, Band, Bars, Sheet, TextTable, finite
from ldp_aggregator.output.templates import templates_of
from ldp_simulations.simulation.simulation import (
    CLIENTS,
    LAW,
    REPORTS,
    Runs,
    Simulation,
)

FORMAT = 1
_COLUMNS = (
    "question",
    "value",
    "count",
    "frequency",
    "standard_error",
    "low",
    "high",
    "truth",
    "covered",
    "empirical_error",
    "stated_error",
)


def sheet(simulation: Simulation, asked: int | None = None) -> Sheet:
    """Truth against estimate, of up to as many values of each question as are asked
    for, 0 for all.

    If no number is asked for, tables have up to `MOST_ROWS`, and all else has all.
    """
    most = MOST_ROWS
    if asked is not None:
        most = asked or sys.maxsize
    chosen = simulation
    if asked:
        chosen = top(simulation, asked)
    return Sheet(
        f"{simulation.survey.name}: simulation",
        lead=[summary(simulation)],
        tables=lambda: [
            _text_table(simulation, question, most) for question in simulation.first
        ],
        record=lambda: _record(chosen, iter),
        columns=_COLUMNS,
        rows=lambda: _rows(chosen),
        bars=lambda: [_panel(chosen, question) for question in chosen.first],
        warnings=chosen.first.sheet().warnings,
    )


_HOW = {
    CLIENTS: (
        "{size:,} bytes of reports a run, made by clients and read by the aggregator"
    ),
    REPORTS: (
        "{size:,} bytes of reports a run, drawn in bulk and read by the aggregator"
    ),
    LAW: "tallies drawn from their exact law",
}
"""How the numbers came about, by the way that was taken."""


def to_dict(simulation: Simulation) -> dict[str, Any]:
    """Ready for JSON: the first run's estimates, with the truth and the errors of all
    runs.
    """
    return _record(simulation, list)


def _record(simulation: Simulation, gather: Gather) -> dict[str, Any]:
    record = simulation.first.record(iter)
    record["format"] = FORMAT
    record["simulation"] = {
        "way": simulation.way,
        "runs": _count(simulation),
        "report_bytes": simulation.report_size,
    }
    for name, question in record["questions"].items():
        runs = simulation.runs[name]
        values = _beside_the_truth(question["values"], runs)
        if runs.key_means is not None:
            values = _with_means(values, runs.key_means)
        question["values"] = gather(values)
        if runs.mean is not None:
            (question["mean"],) = _beside_the_truth(iter([question["mean"]]), runs.mean)
        if runs.distribution is not None:
            question["distribution"] = runs.distribution.to_dict()
    return record


def _rows(simulation: Simulation) -> Iterator[list[str | float | None]]:
    """A flat record for each value, then for the mean, if any: first run, truth and all
    runs.

    The mean stands under the frequency, as the value `mean`.
    """
    for question in simulation.first:
        runs = simulation.runs[question.name]
        for estimate, numbers in zip(question, _runs_rows(runs), strict=False):
            yield [question.name, *astuple(estimate), *numbers]
        of_keys = means_of_keys(question)
        if of_keys is not None and runs.key_means is not None:
            means = zip(question.values, of_keys.means, strict=True)
            for (key, of_key), numbers in zip(
                means, _runs_rows(runs.key_means), strict=True
            ):
                name = f"{key}: {MEAN}"
                yield [
                    question.name,
                    name,
                    question.reports,
                    *astuple(of_key),
                    *numbers,
                ]
        if question.mean is not None and runs.mean is not None:
            (numbers,) = _runs_rows(runs.mean)
            mean = question.mean
            errors = (mean.standard_error, *mean.interval)
            yield [
                question.name,
                MEAN,
                question.reports,
                mean.estimate,
                *errors,
                *numbers,
            ]


def _runs_rows(runs: Runs) -> Iterator[tuple[float, float, float, float]]:
    """The truth and what all runs tell, value by value."""
    columns = (runs.truth, runs.coverage, runs.empirical_error, runs.stated_error)
    return zip(*(column.tolist() for column in columns), strict=True)


def _beside_the_truth(
    values: Iterator[dict[str, Any]], runs: Runs
) -> Iterator[dict[str, Any]]:
    for value, (truth, covered, empirical, stated) in zip(
        values, _runs_rows(runs), strict=False
    ):
        errors = {"empirical_error": finite(empirical), "stated_error": finite(stated)}
        yield {**value, "truth": truth, "covered": finite(covered), **errors}


def _with_means(
    values: Iterator[dict[str, Any]], means: Runs
) -> Iterator[dict[str, Any]]:
    """Values of keys whose means stand beside the truth as well."""
    for value, (truth, covered, empirical, stated) in zip(
        values, _runs_rows(means), strict=True
    ):
        numbers = {"truth": truth, "covered": covered}
        numbers |= {"empirical_error": empirical, "stated_error": stated}
        known = {name: finite(number) for name, number in numbers.items()}
        yield {**value, "mean": {**value["mean"], **known}}


def top(simulation: Simulation, most: int) -> Simulation:
    """No more than `most` values of each question: those that most respondents hold."""
    chosen = {
        question.name: _choose(simulation, question, most)
        for question in simulation.first
    }
    estimates = {
        name: replace(question, left_out=len(simulation.first[name]) - len(question))
        for name, (question, _) in chosen.items()
    }
    first = replace(simulation.first, questions=estimates)
    return replace(
        simulation, first=first, runs={name: runs for name, (_, runs) in chosen.items()}
    )


def page(simulation: Simulation) -> str:
    """One HTML page with everything in it: no scripts, nothing fetched from elsewhere.

    Of many values it shows some.
    """
    templates = templates_of(
        "ldp_simulations.simulation",
        chart=chart,
        section=section,
        panel=lambda question: _panel(simulation, question),
        text_table=lambda question: _text_table(simulation, question, MOST_ROWS),
        verdicts=lambda question: filter(None, _verdicts(simulation, question)),
    )
    title = f"{simulation.survey.name}: simulation"
    template = templates.get_template("simulation.html")
    said = summary(simulation)
    return template.render(title=title, style="", summary=said, simulation=simulation)


def summary(simulation: Simulation) -> str:
    """How the numbers came about."""
    respondents = max(holders.respondents for holders in simulation.population.values())
    how = _HOW[simulation.way].format(size=simulation.report_size)
    runs = "1 run"
    if _count(simulation) != 1:
        runs = f"{_count(simulation):,} runs"
    return (
        f"{respondents:,} respondents, {runs}; {how}. Estimates are those of the first "
        "run."
    )


def _choose(
    simulation: Simulation, question: QuestionEstimates, most: int
) -> tuple[QuestionEstimates, Runs]:
    """All values in their order or, of more than `most`, those that most respondents
    hold.

    They are chosen by the truth: estimates that are chosen for being high are too high
    on average.
    """
    runs = simulation.runs[question.name]
    if len(question) <= most:
        return question, runs
    places = np.argsort(-runs.truth[: len(question)], kind="stable")[:most]
    return question.only(places), runs.only(places)


def _left_out(question: QuestionEstimates, most: int) -> list[str]:
    if len(question) <= most:
        return []
    note = f"shown: the {most:,} values of {len(question):,} that most respondents hold"
    return [
        (
            f"{note}; --top all shows every value, and --output writes them all to "
            "estimates.csv"
        )
    ]


def _panel(simulation: Simulation, question: QuestionEstimates) -> Bars:
    """The truth beside the estimates of one run; or, in all runs, that of one value.

    It is the value that most respondents hold or, where there are none, the mean.
    """
    runs = simulation.runs[question.name]
    of_mean = runs.mean is not None and not len(question)
    runs = runs.mean if runs.mean is not None and of_mean else runs
    many = len(runs.frequency)
    if many == 1 or not len(runs.truth):
        return question.bars(_truth(simulation, question))
    place = int(np.nanargmax(runs.truth[: len(question) or 1]))
    truth = float(runs.truth[place])
    lengths, low, high = (
        column[:, place] for column in (runs.frequency, runs.low, runs.high)
    )
    held = int(((low <= truth) & (truth <= high)).sum())
    nothing = np.full(many, np.nan)
    name = MEAN if of_mean else question.label(question.values[place])
    of_shares = not (of_mean or question.is_vector)
    return Bars(
        f"{question.question.text or question.name}: {name}",
        f"{held:,} of {many:,} ranges hold the truth, the line; rings miss it.",
        [f"run {run}" for run in range(1, many + 1)],
        lengths=lengths,
        low=low,
        high=high,
        truth=[truth] * many,
        form=Band(nothing, nothing, nothing),
        unit=PERCENT if of_shares else question.question.domain.unit or "",
    )


def _truth(simulation: Simulation, question: QuestionEstimates) -> list[float]:
    """The truth beside the bars: of the values or, where there are none, of the
    mean.
    """
    runs = simulation.runs[question.name]
    shown = runs if len(question) or runs.mean is None else runs.mean
    truth: list[float] = shown.truth.tolist()
    return truth


def _text_table(
    simulation: Simulation, question: QuestionEstimates, most: int
) -> TextTable:
    """A row for each value and for the mean, if any; the last columns tell of one run
    or many.
    """
    shown, runs = _choose(simulation, question, most)
    many = _count(simulation) > 1
    last: tuple[str, ...] = ("holds the truth",)
    if many:
        last = ("empirical error", "stated error", "coverage")
    value, _, _, error, interval, *_ = question.headings
    rows = []
    for place, (estimate, truth) in enumerate(
        zip(shown, runs.truth.tolist(), strict=False)
    ):
        name, _, *numbers = question.row(estimate)
        ending = _outcome_cells(runs, place, estimate.interval, shown=question.shown)
        rows.append((name, question.shown(truth), *numbers, *ending))
    if question.question.domain.type == BOOLEAN:
        rows.reverse()  # Yes before No
    rows += _rows_of_means(shown, runs)
    mean = question.mean
    if mean is not None and runs.mean is not None:
        ending = _outcome_cells(runs.mean, 0, mean.interval, shown=mean.shown)
        rows.append((MEAN, mean.shown(runs.mean.truth[0]), *mean.cells, *ending))
    headings = (value, "truth", "estimate", error, interval, *last)
    remarks = [*_left_out(question, most), *_verdicts(simulation, question)]
    sentences = [*filter(None, remarks)]
    return TextTable(
        question.name, question.describe(), headings, rows=rows, remarks=sentences
    )


def _rows_of_means(shown: QuestionEstimates, runs: Runs) -> list[tuple[str, ...]]:
    """A row for the mean of each key that is shown, if keys come with numbers."""
    of_keys = means_of_keys(shown)
    if of_keys is None or runs.key_means is None:
        return []
    rows = []
    for place, (key, mean) in enumerate(zip(shown.values, of_keys.means, strict=True)):
        estimate, interval = mean.cells
        ending = _outcome_cells(
            runs.key_means, place, mean.interval, shown=mean.format_number
        )
        truth = mean.format_number(float(runs.key_means.truth[place]))
        numbers = (estimate, mean.format_number(mean.standard_error), interval)
        rows.append((f"{key}: {MEAN}", truth, *numbers, *ending))
    return rows


def _outcome_cells(
    runs: Runs, place: int, interval: tuple[float, float], shown: Callable[[float], str]
) -> tuple[str, ...]:
    """The last cells of a row: whether one run keeps its word, or how well many do."""
    if len(runs.frequency) == 1:
        low, high = interval
        if np.isnan(low):
            return (NOTHING,)
        return ("yes" if low <= runs.truth[place] <= high else "no",)
    empirical, stated = (runs.empirical_error[place], runs.stated_error[place])
    if np.isnan(stated):
        return shown(empirical), NOTHING, NOTHING
    return shown(empirical), shown(stated), f"{runs.coverage[place]:.3f}"


def _verdicts(simulation: Simulation, question: QuestionEstimates) -> list[str]:
    """A sentence each: do the stated errors and intervals of values and mean keep their
    word?
    """
    runs, level = simulation.runs[question.name], question.options.level
    judged = len(runs.truth) and not question.is_shape
    said = [f"{_verdict(runs, level)}." if judged else question.note]
    if runs.key_means is not None and not np.isnan(runs.key_means.coverage).all():
        said.append(f"Of means: {_verdict(runs.key_means, level)}.")
    if runs.mean is not None and _count(simulation) > 1:
        said.append(f"Of the mean: {_verdict(runs.mean, level)}.")
    if runs.distribution is not None:
        said += runs.distribution.sentences
    return said


def _verdict(runs: Runs, level: float) -> str:
    """The coverage and the errors of all estimates together, beside what was stated."""
    if len(runs.frequency) == 1:
        held = int(np.nansum(runs.coverage))
        ranges = int(np.isfinite(runs.coverage).sum())
        return (
            f"{held:,} of {ranges:,} intervals hold the truth; with one run that is "
            "chance"
        )
    covered = float(np.nanmean(runs.coverage))
    inside = f"{covered:.1%} of all intervals hold the truth (stated: {level:.4g})"
    stated = float(np.nansum(runs.stated_error**2))
    # Of means that no run told, there are no errors.
    if not stated:
        return inside
    ratio = float(np.sqrt(np.nansum(runs.empirical_error**2) / stated))
    return f"{inside}; errors are {ratio:.2f} times what was stated"


def _count(simulation: Simulation) -> int:
    return len(next(iter(simulation.runs.values())).frequency)
