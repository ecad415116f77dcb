"""Post-processing: what it computes, and that no one can take it for an unbiased
estimate.
"""

import json
from itertools import product

import numpy as np
import pytest
from specimens import question

from ldp import Survey
from ldp_aggregator import Options, Tally, estimate
from ldp_aggregator.answers.options import POST, SHAPES
from ldp_aggregator.numerics.postprocessing import base_cut, norm_sub

BESIDE = [
    post_process
    for post_process in POST
    if post_process not in (*SHAPES, "monotone", "shrunk")
]
"""Views that have unbiased frequencies beside them."""

RANDOM = np.random.default_rng(3)
NOISY = [
    RANDOM.normal(1 / size, spread, size)
    for size, spread in product((2, 3, 5, 12), (0.05, 0.3, 2.0))
]
SURVEY = Survey(
    "s",
    (question("grr", 'type = "category"\nvalues = ["a", "b", "c", "d"]\nepsilon = 1'),),
)


def estimated(post_process, counts=(700, 300, 220, 180), level=0.95):
    """Estimates of fixed counts, post-processed."""
    tally = Tally(SURVEY, {"x": np.array([counts])})
    return estimate(tally, options=Options(level=level, post_process=post_process))["x"]


@pytest.mark.parametrize(
    "frequency",
    NOISY,
    ids=lambda noisy: f"{len(noisy)} values, spread {noisy.std():.2f}",
)
def test_norm_sub_is_the_projection_on_the_simplex(frequency):
    """No point of the simplex is closer: a general optimizer ends at the same point."""
    from scipy.optimize import minimize

    projected = norm_sub(frequency)
    size = len(frequency)
    optimum = minimize(
        lambda point: ((point - frequency) ** 2).sum(),
        np.full(size, 1 / size),
        jac=lambda point: 2 * (point - frequency),
        bounds=[(0, 1)] * size,
        constraints={
            "type": "eq",
            "fun": lambda point: point.sum() - 1,
            "jac": lambda point: np.ones_like(point),
        },
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert projected == pytest.approx(optimum.x, abs=1e-5)


@pytest.mark.parametrize("frequency", NOISY)
def test_norm_sub_meets_the_conditions_of_the_projection(frequency):
    """Sum 1, none negative, one number taken from all positive ones, no more from the
    others.
    """
    projected = norm_sub(frequency)
    assert projected.sum() == pytest.approx(1, abs=1e-12)
    assert projected.min() >= 0
    steps = (frequency - projected)[projected > 0]
    assert steps == pytest.approx(np.full(len(steps), steps[0]), abs=1e-12)
    assert (frequency[projected == 0] <= steps[0] + 1e-12).all()


@pytest.mark.parametrize(
    "frequency", [np.array([0.25, 0.75]), np.array([1.0, 0, 0]), np.full(4, 0.25)]
)
def test_norm_sub_leaves_distributions_alone(frequency):
    """A point of the simplex is its own projection."""
    assert norm_sub(frequency) == pytest.approx(frequency, abs=1e-15)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_base_cut_zeroes_what_noise_would_reach(level):
    """Frequencies that chance gives some value more often than stated become 0, others
    stay.
    """
    from scipy.stats import norm

    frequency = np.linspace(-0.2, 0.4, 61)
    threshold = norm.ppf(1 - (1 - level) / 61) * 0.05
    cut = base_cut(frequency, norm.sf(frequency / 0.05), level)
    assert cut.tolist() == [share if share >= threshold else 0.0 for share in frequency]


def test_base_cut_at_the_edge():
    """A p-value that is exactly the level's share of one value is no noise."""
    frequency = np.array([0.2, 0.3])
    chances = np.array([0.125, np.nextafter(0.125, 1)])
    assert base_cut(frequency, chances, level=0.75).tolist() == [0.2, 0.0]


@pytest.mark.parametrize("post_process", BESIDE)
def test_views_say_that_they_are_biased(post_process):
    """The name and the word `biased` are in everything a view prints; the default says
    neither.
    """
    view, plain = estimated(post_process), estimated(None)
    texts = [view.describe(), repr(view), view._repr_html_()]
    assert all(post_process in text and "biased" in text for text in texts)
    assert view.to_dict()["post_process"] == post_process
    assert view.to_dict()["biased"] is True
    assert "biased" not in plain.describe() + repr(plain) + plain._repr_html_()
    assert (plain.to_dict()["post_process"], plain.to_dict()["biased"]) == (None, False)
    tally = Tally(SURVEY, {"x": np.array([[9, 5, 3, 2]])})
    shown = estimate(tally, options=Options(post_process=post_process)).rendered()
    assert f"frequency ({post_process})" in shown
    assert "unbiased" in shown


@pytest.mark.parametrize("post_process", BESIDE)
def test_views_keep_the_unbiased_estimate_beside_them(post_process):
    """A biased frequency has no error of its own.

    The unbiased one with its errors stands beside it, unchanged.
    """
    view = estimated(post_process).to_dict()["values"]
    plain = estimated(None).to_dict()["values"]
    for biased, unbiased in zip(view, plain, strict=True):
        assert (biased["standard_error"], biased["interval"]) == (None, None)
        assert biased["unbiased"] == {
            key: unbiased[key] for key in ("frequency", "standard_error", "interval")
        }
    assert [value["frequency"] for value in view] != [
        value["frequency"] for value in plain
    ]
    json.dumps(view, allow_nan=False)


def test_the_default_is_unbiased():
    """No one asked: negative estimates stay negative, and the sum is what it is."""
    estimates = estimated(None, (900, 60, 20, 20))
    assert estimates.frequency.min() < 0
    assert estimates.frequency.tolist() == estimates.unbiased.tolist()
    assert estimated("norm-sub", (900, 60, 20, 20)).frequency.min() == 0
