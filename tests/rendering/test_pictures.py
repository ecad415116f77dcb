"""Pictures: the same in pages, notebooks and files, in percent, with no digits that say
nothing.
"""

from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from surveys import survey_of

from ldp_aggregator import Options
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.output.people import POINTS, reading
from ldp_aggregator.output.pictures.parts import STYLE
from ldp_aggregator.output.pictures.picture import chart

GOLDEN = Path(__file__).with_name("affair.svg")
ASKED = (
    'name = "affair"\ntext = "Have you had an affair?"\ntype = '
    '"boolean"\nmechanism = "warner"'
)


def test_the_picture_is_the_same_everywhere():
    """A file is the golden one, without its style; notebooks hold it, pages have its
    drawing.
    """
    asked = survey_of(f"{ASKED}\nepsilon = 1")["affair"]
    question = estimate_question(asked, np.array([[1100, 900]]), Options())
    file = SurveyEstimates("life", "", {"affair": question}).picture()
    assert (
        file.decode().replace(STYLE.read_text(encoding="utf-8"), "")
        == GOLDEN.read_text()
    )
    notebook = SurveyEstimates("life", "", {"affair": question})._repr_html_()
    assert b64encode(file).decode() in notebook
    assert chart(question.bars(), "panel-0") in file.decode()


@pytest.mark.parametrize(
    ("three", "unit", "value", "range_"),
    [
        ((0.312, 0.29, 0.334), "%", "31 %", "29 to 33 %"),
        ((0.3123, 0.3101, 0.3145), "%", "31.2 %", "31.0 to 31.4 %"),
        ((-0.0294, 0.0, 0.0204), "%", "", "0 to 2 %"),
        ((0.001, 0.0, 0.02), "%", "", "0 to 2 %"),
        ((1.01, 0.982, 1.0), "%", "", "98 to 100 %"),
        ((0.4, 0.1, 0.9), "%", "", "too few answers yet"),
        ((0.25, np.nan, np.nan), "%", "25 %", ""),
        ((np.nan, np.nan, np.nan), "%", "", ""),
        ((-0.03, -0.05, -0.01), POINTS, "-3 points", "-5 to -1 points"),
        ((39.1, 38.0, 40.0), "h", "39 h", "38 to 40 h"),
        ((40.0, 40.0, 40.0), "h", "40 h", ""),
        ((0.26875, 0.1511, 0.3908), "%", "30 %", "10 to 40 %"),
        ((0.2, 0.1, 0.3), "%", "20 %", "10 to 30 %"),
        ((41_234.0, 40_700.0, 41_800.0), "", "41,200", "40,700 to 41,800"),
    ],
)
def test_estimates_are_read_in_a_range(three, unit, value, range_):
    """No digit is less than an eighth of half the range, of which tens take no part
    away.

    What noise made impossible is not said.
    """
    assert reading(*three, unit) == (value, range_)


def test_the_truth_of_runs_is_in_files_of_pixels():
    """A line for it, and rings for the ranges that miss it, as in SVG."""
    from matplotlib.figure import Figure

    from ldp_aggregator.output.pictures.over_time import draw_band
    from ldp_aggregator.output.sheet import Band, Bars

    lengths = np.array([0.2, 0.4])
    band = Band(*np.full((3, 2), np.nan))
    panel = Bars(
        "",
        "",
        ["1", "2"],
        lengths=lengths,
        low=lengths - 0.1,
        high=lengths + 0.1,
        truth=[0.25] * 2,
    )
    axis = Figure().subplots()
    draw_band(axis, panel, band)
    drawn = {line.get_label(): line.get_ydata() for line in axis.get_lines()}
    assert list(drawn["truth"]) == [0.25, 0.25]
    assert list(drawn["misses the truth"]) == [0.4]
