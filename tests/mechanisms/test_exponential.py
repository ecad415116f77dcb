"""The exponential mechanism: what it delivers, and which qualities it refuses."""

from fractions import Fraction

import pytest

from ldp import SurveyError, parse_survey
from ldp.mechanisms.matrices.matrix import common_denominator
from ldp.numbers.channel import Channel, has_full_rank, right_inverse
from ldp.numbers.exact import exp_lower, log
from ldp_aggregator.explanations.explanation import explanation

IDENTITY = "quality = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"


def survey_of(keys, epsilon=2):
    return parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "x"\n'
        'type = "category"\nvalues = ["a", "b", "c"]\n'
        f'mechanism = "exponential"\nepsilon = {epsilon}\n{keys}\n'
    )


def test_probabilities_are_proportional_to_the_exponentials():
    """P[y | x] = exp(epsilon q / 2 D) over their sum, to 40 digits.

    Rows have one sum, and no weight is zero.
    """
    randomizer = survey_of(
        'quality = [[3, 1, 0, 2], [0, 2, 0, "1/3"], [1, 0, 4, 0]]\nsensitivity = 5'
    )["x"].randomizer
    for row, quality in zip(
        randomizer.weights,
        ([3, 1, 0, 2], [0, 2, 0, Fraction(1, 3)], [1, 0, 4, 0]),
        strict=True,
    ):
        exact = [exp_lower(Fraction(exponent) / 5) for exponent in quality]
        assert sum(row) == 2**192
        assert all(
            abs(Fraction(weight, 2**192) - share / sum(exact)) < Fraction(1, 10**40)
            for weight, share in zip(row, exact, strict=True)
        )


@pytest.mark.parametrize("epsilon", ['"1/10000"', 1, 40])
def test_less_is_delivered_than_declared(epsilon):
    """With the identity as quality it is half, and `ldp explain` says that the rest is
    not used.
    """
    survey = survey_of(IDENTITY, epsilon)
    question = survey["x"]
    assert question.randomizer.ratio < question.declared.bound
    assert log(question.randomizer.ratio) == pytest.approx(
        log(question.declared.bound) / 2, rel=1e-9
    )
    assert "the rest            is not used" in explanation(survey)


def test_delivered_stays_below_declared_where_it_comes_closest():
    """Many outputs that lose what one gains: the ratio nears e^epsilon and does not
    reach it.
    """
    best, worst = [1] + [0] * 255, [0] + [1] * 255
    question = survey_of(f"quality = {[best, worst, [0, 1] + [0] * 254]}", '"0.001"')[
        "x"
    ]
    assert Fraction(99, 100) < Fraction(log(question.randomizer.ratio)) * 1000 < 1
    assert question.randomizer.ratio < question.declared.bound


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (f"{IDENTITY}\nsensitivity = 0.5", "sensitivity"),
        (f"{IDENTITY}\nsensitivity = 1000001", "sensitivity"),
        ("quality = [[1, 0, 0], [1, 0, 0], [0, 0, 1]]", "quality"),
        ("quality = [[1, 2, 3], [1, 2, 3], [1, 2, 3]]", "quality"),
        ("quality = [[1, 0], [0, 1], [0, 0]]", "quality row 1"),
        ("quality = [[1, 0, 0, 0], [0, 1, 0], [0, 0, 1, 0]]", "quality row 2"),
        ("quality = [[1, 0, 1000], [0, 1, 1000], [0, 0, 1001]]", "quality"),
        ("quality = [[1, 0, 0], [0, 1, 0]]", "quality"),
    ],
)
def test_qualities_that_cannot_serve_are_problems(keys, place):
    """Too small a sensitivity, values alike, too few outputs, ragged or far-apart
    rows.
    """
    with pytest.raises(SurveyError) as refused:
        survey_of(keys)
    assert place in [
        problem.place.rpartition(".")[2] for problem in refused.value.problems
    ]


def test_how_far_apart_qualities_may_be_is_told():
    """50 times what counts as one at this epsilon: 2 x sensitivity / epsilon."""
    with pytest.raises(SurveyError) as refused:
        survey_of(
            "quality = [[1, 0, 1000], [0, 1, 1000], [0, 0, 1001]]\nsensitivity = 2"
        )
    (problem,) = refused.value.problems
    assert problem.expected == "qualities that differ by at most 100 in each row"


def test_right_inverses_invert_exactly():
    """With more reports than values channel times right inverse is the identity.

    Of equal rows there is none.
    """
    channel = Channel(
        tuple(
            tuple(Fraction(eighths, 8) for eighths in row)
            for row in ((4, 2, 1, 1), (1, 1, 2, 4))
        )
    )
    inverse = right_inverse(channel)
    product = [
        [
            sum(a * b for a, b in zip(row, column, strict=True))
            for column in zip(*inverse, strict=True)
        ]
        for row in channel.rows
    ]
    assert product == [[1, 0], [0, 1]]
    assert right_inverse(Channel((channel.rows[0], channel.rows[0]))) is None


def test_ranks():
    """Rows are independent, or not."""
    assert has_full_rank([[1, 2, 3], [4, 5, 6]])
    assert not has_full_rank([[1, 2, 3], [4, 5, 6], [5, 7, 9]])
    assert not has_full_rank([[1, 2], [3, 4], [5, 7]])


def test_the_largest_sensitivity():
    """A million times that of the quality: answers then hardly matter."""
    answers = survey_of(f"{IDENTITY}\nsensitivity = 1000000")["x"].randomizer
    assert 1 < answers.ratio < 1 + Fraction(2, 10**6)


@pytest.mark.parametrize(
    ("entries", "least"), [(("1/3", "2/9"), 9), (("1", "0"), 1), (("1/4", "5/6"), 12)]
)
def test_the_least_common_denominator(entries, least):
    """Of all entries; none where it has more than 256 bits."""
    assert common_denominator((tuple(map(Fraction, entries)),)) == least
    assert common_denominator(((Fraction(1, 1 << 255),),)) == 1 << 255
    assert common_denominator(((Fraction(1, 1 << 256),),)) is None
