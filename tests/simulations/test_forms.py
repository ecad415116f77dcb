"""What a form leaves out is refused, or there is nothing to it."""

import numpy as np
import pytest

from ldp import EstimateError, parse_survey
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.survey.survey import Question
from ldp_simulations import Holders
from ldp_simulations.sampling.table import form_of, repeated_counts

KEYS = {
    "grr": 'epsilon = "1"',
    "oue": 'epsilon = "1"',
    "l-grr": 'epsilon_lifetime = "2"\nepsilon_first = "1"',
    "l-sue": 'epsilon_lifetime = "2"\nepsilon_first = "1"',
    "cms": 'epsilon = "2"\nhashes = 4\nwidth = 16',
    "hcms": 'epsilon = "2"\nhashes = 4\nwidth = 16',
}


def question_of(mechanism: str) -> Question:
    """Of four values."""
    return parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "x"\ntype = "category"\n'
        f'values = ["a", "b", "c", "d"]\nmechanism = "{mechanism}"\n{KEYS[mechanism]}'
    )["x"]


HOLDERS = Holders(("a", "b", "c", "d"), np.array([400, 100, 0, 0]))


@pytest.mark.parametrize("mechanism", ["l-grr", "l-sue"])
def test_several_reports_of_a_permanent_response(mechanism):
    """Of each holder three; one alone is drawn as one report is."""
    question = question_of(mechanism)
    three = repeated_counts(question, HOLDERS, 3, generator=np.random.default_rng(1))
    total = three[0, 0] if question.layout.counters else three.sum()
    assert total == 1500
    one = form_of(question.randomizer).sample(
        question.randomizer, HOLDERS, np.random.default_rng(1)
    )
    again = repeated_counts(question, HOLDERS, 1, generator=np.random.default_rng(1))
    assert (again == one).all()


def test_what_keeps_nothing_is_not_repeated():
    """Several reports of fresh noise on an answer are none of one permanent
    response.
    """
    with pytest.raises(EstimateError, match="expected a memoized mechanism"):
        repeated_counts(
            question_of("grr"), HOLDERS, 3, generator=np.random.default_rng(1)
        )


@pytest.mark.parametrize(
    ("mechanism", "shared"), [("cms", True), ("hcms", True), ("grr", False)]
)
def test_other_hash_functions(mechanism, shared):
    """Where all respondents share hash functions there are others, and nothing else
    changes.
    """
    randomizer = question_of(mechanism).randomizer
    other = form_of(randomizer).with_hashes(randomizer, 7)
    assert (other != randomizer) is shared
    assert not shared or other == randomizer._replace(hash_seed=7)


@pytest.mark.parametrize(
    ("law", "mechanism"), [(RandomizedResponse, "grr"), (UnaryEncoding, "oue")]
)
def test_a_class_without_a_row_goes_by_its_law(law, mechanism):
    """Reports that name one value, or have a bit for each, are drawn as those of known
    classes.
    """
    known = question_of(mechanism).randomizer
    assert form_of(type("Other", (law,), {})(*known)) is form_of(known)


def test_a_class_whose_law_is_not_known_is_named():
    """It has to have a row."""
    with pytest.raises(TypeError, match="Other needs a row"):
        form_of(type("Other", (SubsetSelection,), {})(4, 2, 3, 1))
