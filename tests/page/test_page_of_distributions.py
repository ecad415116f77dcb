"""The page of a service shows distributions: quantiles, a histogram, a curve in its
band.
"""

import re

import numpy as np
import pytest

import ldp
from ldp.errors import EstimateError
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.output.pictures.picture import chart
from ldp_service.analysis.queries import options_of
from ldp_service.page.document import render
from ldp_service.page.views.question import QuestionView
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts


def estimates_of(**keys):
    """Of 20,000 respondents, more of them the higher the number is; seed 15."""
    asked = ldp.survey("s", ldp.question("x", goal="distribution", epsilon=2, **keys))[
        "x"
    ]
    everyone = Holders((), apportion(20_000, np.arange(1.0, asked.domain.size + 1)))
    counts = sample_counts(asked, everyone, np.random.default_rng(15))
    return estimate_question(asked, counts, Options())


class Unasked:
    """A survey without epochs, of which nothing else is asked."""

    class served:  # noqa: N801
        """Its survey."""

        class survey:  # noqa: N801
            """Without epochs."""

            epoch = None


def test_the_section_of_a_distribution():
    """It has the facts of the estimates, the cells in their order, and the curve."""
    question = estimates_of(low=0, high=79, step=1, unit="h")
    text = str(
        render("question", "x", view=QuestionView.of(question), asked=Unasked, notes=())
    )
    for quantile in question.quantiles:
        estimate, _, interval = quantile.cells
        assert f"{estimate} {interval}" in text
    assert "Median" in text
    assert "Mean, in h" in text
    assert 'class="band"' in text
    heads = [text.index(f">{value}<") for value in question.values]
    assert heads == sorted(heads)


def test_a_circle_has_no_curve():
    """Its direction and how much answers agree are facts, its histogram stands as any
    other.
    """
    question = estimates_of(low=0, high=24, bins=24, unit="h", circular=True)
    text = str(
        render("question", "x", view=QuestionView.of(question), asked=Unasked, notes=())
    )
    for name, (estimate, error, interval) in (
        (number.name.capitalize(), number.cells) for number in question.on_circle
    ):
        assert name in text
        assert f"{estimate} ± {error} {interval}" in text
    assert "[22, 24)" in text
    assert "Median" not in text
    assert "Mean, in h" not in text
    assert 'class="band"' not in text


def test_the_curve_goes_from_nothing_to_all():
    """From the left bottom to the right top, rising; the band is around it, and
    closed.
    """
    question = estimates_of(edges=[-5, 0, "2.5", 40], type="number")
    text = str(chart(question.distribution.bars(), "x"))
    (band,) = re.findall(r'class="band" points="([^"]*)"', text)
    (curve,) = re.findall(r'class="curve" points="([^"]*)"', text)
    points = np.array(
        [[float(part) for part in point.split(",")] for point in curve.split()]
    )
    assert points[0].tolist() == [0, 100]
    assert points[-1].tolist() == [100, 0]
    assert (np.diff(points[:, 0]) >= 0).all()
    assert (np.diff(points[:, 1]) <= 0).all()
    # Two points for each of two edges within and of the ends, there and back.
    assert len(band.split()) == 2 * len(points) == 16
    assert "from -5 to 40" in text
    shares = re.findall(r'<text class="tick" x="1%"[^>]*>([^<]*)', text)
    assert shares == ["0 %", "25 %", "50 %", "75 %", "100 % of answers below"]


def test_queries_of_distributions():
    """The options of the command, as the query of a URL has them; what is wrong is
    told.
    """
    asked = options_of(
        {"quantiles": ".1,.9", "ranges": "1:2,3:4.5,22:6", "edges": "1, 2"}
    )
    assert asked.numbers.quantiles == (0.1, 0.9)
    assert asked.numbers.ranges == (("1", "2"), ("3", "4.5"), ("22", "6"))
    assert asked.numbers.edges == ("1", "2")
    for query in (
        {"quantiles": "half"},
        {"quantiles": "2"},
        {"ranges": "1-2"},
        {"edges": "low"},
    ):
        with pytest.raises(EstimateError, match=r"^expected "):
            options_of(query)
