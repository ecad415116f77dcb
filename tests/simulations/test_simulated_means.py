"""Means of whole numbers beside the truth, in simulations and all that they write."""

import csv
import io
import json

import numpy as np
import pytest

from ldp import parse_survey
from ldp_aggregator.output.formats.formats import render_sheet
from ldp_simulations import from_table, simulate
from ldp_simulations.simulation import report
from ldp_simulations.simulation.simulation import CLIENTS, LAW, REPORTS

MECHANISMS = ("one-bit", "geometric", "laplace", "grr", "olh")
OF_FREQUENCIES = ("geometric", "laplace", "grr", "olh")
SURVEY = parse_survey(
    '[survey]\nname = "small"\n'
    + "\n".join(
        f'[[question]]\nname = "{name}"\ntype = "integer"\nlow = -2\nhigh = 6\n'
        f'mechanism = "{name}"\nepsilon = "1"'
        for name in MECHANISMS
    )
)
ANSWERS = [-2] * 200 + [1] * 100 + [6] * 200
TRUTH = (-400 + 100 + 1200) / 500
"""Written out: what the respondents hold on average."""


def simulated(**options):
    return simulate(
        SURVEY, from_table(SURVEY, dict.fromkeys(MECHANISMS, ANSWERS)), **options
    )


@pytest.mark.parametrize("way", [CLIENTS, REPORTS, LAW])
def test_means_meet_the_truth(way):
    """Whichever way reports come about, a run has its estimates' mean, and the table's
    truth.
    """
    result = simulated(way=way, seed=1, runs=2)
    assert {name for name, runs in result.runs.items() if runs.mean is None} == set()
    for name in (*OF_FREQUENCIES, "one-bit"):
        runs, first = result.runs[name].mean, result.first[name].mean
        assert runs.truth.tolist() == [pytest.approx(TRUTH)]
        assert runs.frequency.shape == (2, 1)
        columns = (runs.frequency, runs.standard_error, runs.low, runs.high)
        numbers = (first.estimate, first.standard_error, *first.interval)
        assert tuple(column[0, 0] for column in columns) == numbers
        assert runs.frequency[0, 0] != runs.frequency[1, 0]


def test_means_are_calibrated():
    """Over 500 runs a mean is unbiased, and its error what is stated.

    Of each of five means: a bias of 0.5 stated errors is found (sampling error 0.045,
    bound 5.5 of them), and so is a stated error that is 30 % too small (sampling error
    of the ratio 3.2 %, bound 5.5 of them); false alarms are rarer than 1e-6. `one-bit`
    states its error too large for those who hold the ends, and never too small.
    """
    result = simulated(runs=500, seed=4)
    for name in (*OF_FREQUENCIES, "one-bit"):
        runs = result.runs[name].mean
        bias = (runs.frequency.mean() - TRUTH) / runs.stated_error[0]
        assert abs(bias) < 5.5 * 0.0447, name
        ratio = runs.empirical_error[0] / runs.stated_error[0]
        assert ratio < 1 + 5.5 * 0.0316, name
        assert ratio > 1 - 5.5 * 0.0316 or name == "one-bit"
        assert runs.coverage[0] > 0.95 - 5.5 * 0.0098, name


@pytest.mark.parametrize("name", [*OF_FREQUENCIES, "one-bit"])
@pytest.mark.parametrize("runs", [1, 3])
def test_tables_have_a_row_for_the_mean(name, runs):
    """The last row is the mean with its truth, in the cells that a value's has."""
    result = simulated(seed=1, runs=runs)
    (cells,) = report.sheet(result.only([name])).tables()
    assert len(cells.rows) == (1 if name == "one-bit" else 10)
    assert [row[0] for row in cells.rows].count("mean") == 1
    row_of_mean = dict(zip(cells.headings, cells.rows[-1], strict=True))
    mean = result.first[name].mean
    estimate, error, interval = mean.cells
    assert row_of_mean["value"] == "mean"
    assert float(row_of_mean["truth"]) == pytest.approx(TRUTH, abs=mean.standard_error)
    assert (row_of_mean["estimate"], row_of_mean["standard error"]) == (estimate, error)
    assert row_of_mean["0.95 interval"] == interval
    covered = result.runs[name].mean.coverage[0]
    if runs == 1:
        assert row_of_mean["holds the truth"] == ("yes" if covered else "no")
    else:
        assert row_of_mean["coverage"] == f"{covered:.3f}"
        assert cells.remarks[-1].startswith(
            f"Of the mean: {covered:.1%} of all intervals"
        )


@pytest.mark.parametrize("form", ["table", "markdown", "html", "csv", "json"])
def test_every_format_has_the_mean(form):
    """A question without frequencies shows its mean wherever the frequencies of others
    are.
    """
    sheet = report.sheet(simulated(seed=1, runs=3).only(["one-bit"]))
    text = render_sheet(sheet, form)
    assert "mean" in text
    assert f"{TRUTH:.1f}" in text


def test_records_have_the_mean():
    """JSON and flat records hold the truth and the errors of all runs beside the
    mean.
    """
    result = simulated(seed=1, runs=3)
    record = json.loads(render_sheet(report.sheet(result), "json"))
    flat = list(csv.DictReader(io.StringIO(render_sheet(report.sheet(result), "csv"))))
    assert "mean" in record["questions"]["olh"]
    for name in (*OF_FREQUENCIES, "one-bit"):
        runs, mean = result.runs[name].mean, record["questions"][name]["mean"]
        (row,) = (
            row for row in flat if (row["question"], row["value"]) == (name, "mean")
        )
        assert mean["estimate"] == float(row["frequency"]) == runs.frequency[0, 0]
        assert mean["truth"] == float(row["truth"]) == pytest.approx(TRUTH)
        assert mean["covered"] == float(row["covered"]) == runs.coverage[0]
        assert mean["empirical_error"] == float(row["empirical_error"])
        assert (
            mean["stated_error"] == float(row["stated_error"]) == runs.stated_error[0]
        )


def test_pictures_have_the_mean():
    """The panel of a question without frequencies has one bar, that of the mean, and
    its truth.

    Panels of frequencies have none, as it is on another scale.
    """
    result = simulated(seed=1)
    panels = {panel.title: panel for panel in report.sheet(result).bars()}
    panel, mean = panels["one-bit"], result.first["one-bit"].mean
    assert (panel.labels, panel.truth) == (("mean",), [pytest.approx(TRUTH)])
    numbers = np.concatenate([panel.lengths, panel.low, panel.high])
    assert numbers.tolist() == [mean.estimate, *mean.interval]
    assert "mean" not in panels["grr"].labels
    assert render_sheet(report.sheet(result.only(["one-bit"])), "svg")


def test_shown_values_leave_the_mean_of_all():
    """Of fewer values than there are, the mean is still that of all respondents."""
    result = simulated(seed=1)
    shown = report.top(result, 2)
    assert len(shown.runs["grr"].truth) == 2
    assert shown.runs["grr"].mean is result.runs["grr"].mean
    assert "mean: error" in repr(shown)
