"""Formulas: what they mean, and errors that point at the place."""

import pytest

from ldp.errors import EstimateError
from ldp_aggregator.analyses.regression.formula import Factor, formula_of, text_of


def terms(text):
    return [text_of(term) for term in formula_of(text).terms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y ~ 1", []),
        ("y ~ a", ["a"]),
        ("y~a+b", ["a", "b"]),
        ("y ~ a:b + a", ["a", "a:b"]),
        ("y ~ a * b", ["a", "b", "a:b"]),
        ("y ~ a * b * c", ["a", "b", "c", "a:b", "a:c", "b:c", "a:b:c"]),
        ("y ~ a + a + b:a + a:b", ["a", "b:a"]),
        ("y ~ `hours per week` + C(age)", ["hours per week", "age"]),
        ("y ~ größe + x.1", ["größe", "x.1"]),
        ("y ~ a + I(a^2) + I(a ^ 3):b", ["a", "I(a^2)", "I(a^3):b"]),
    ],
)
def test_terms(text, expected):
    """Main effects first; each term once, whatever the order of its factors."""
    assert sorted(terms(text)) == sorted(expected)
    lengths = [len(term) for term in formula_of(text).terms]
    assert lengths == sorted(lengths)


def test_parts():
    """The outcome, the names that are explained by, and which are categories."""
    formula = formula_of(" smokes ~ C(age) + sex ")
    assert formula.outcome == "smokes"
    assert formula.names == ("age", "sex")
    assert formula.terms == ((Factor("age", True),), (Factor("sex", False),))
    assert formula.text == "smokes ~ C(age) + sex"


@pytest.mark.parametrize(
    ("text", "place", "got"),
    [
        ("", 1, "its end"),
        ("y", 2, "its end"),
        ("~ a", 1, "'~'"),
        ("y ~", 4, "its end"),
        ("y ~ a +", 8, "its end"),
        ("y ~ a b", 7, "'b'"),
        ("y ~ a - b", 7, "'- b'"),
        ("y ~ a ^ 2", 7, "'^ 2'"),
        ("y ~ C(a", 8, "its end"),
        ("y ~ C()", 7, "')'"),
        ("y ~ a ~ b", 7, "'~'"),
        ("y ~ 0", 5, "'0'"),
        ("y ~ I(a)", 8, "')'"),
        ("y ~ I(a^b)", 8, "'^b)'"),
    ],
)
def test_places_of_mistakes(text, place, got):
    """An error says where, what was expected and what came."""
    with pytest.raises(EstimateError, match=f"place {place}: expected") as error:
        formula_of(text)
    assert got.strip("'") in str(error.value)


@pytest.mark.parametrize(
    "text", ["y ~ a:a", "y ~ a + a:a", "y ~ a * a", "y ~ a:I(a^2)"]
)
def test_a_name_twice_in_a_product(text):
    """It was left out in silence, while the printed formula kept it."""
    with pytest.raises(EstimateError, match=r"write I\(a\^2\) for its square"):
        formula_of(text)


def test_outcome_on_both_sides():
    """Nothing explains itself."""
    with pytest.raises(EstimateError, match="on both"):
        formula_of("y ~ a + a:y")
