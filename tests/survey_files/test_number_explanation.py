"""What `ldp explain` says of numbers: how they are counted, and what a mean is then
of.
"""

import pytest

import ldp
from ldp_aggregator.explanations.explanation import explanation


def explained(**keys):
    """The lines about a question of type number."""
    return explanation(ldp.survey("s", ldp.question("x", **{"type": "number", **keys})))


HOURS = {
    "low": 0,
    "high": 60,
    "step": "0.5",
    "unit": "hours",
    "goal": "mean",
    "epsilon": 1,
}
GRR = {"low": 0, "high": 3, "step": 1, "mechanism": "grr", "epsilon": 1}

COUNT = {"type": "integer", "low": 0, "high": 3, "mechanism": "grr", "epsilon": 1}


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (HOURS, "x: dithered, numbers from 0 to 60 hours in steps of 0.5"),
        (
            HOURS,
            (
                "counted in          steps of 0.5 hours; a number between two of them "
                "goes to"
            ),
        ),
        (HOURS, "error of a mean     at most 60.12 hours / sqrt(respondents)"),
        (
            HOURS,
            "outside             numbers outside [0, 60] are refused: nothing is sent",
        ),
        (
            HOURS | {"outside": "clip"},
            "numbers are clipped to [0, 60]: the mean is that of the clipped numbers",
        ),
        (
            HOURS | {"outside": 12},
            (
                "numbers outside [0, 60] count as 12: the mean is that of the numbers "
                "as they count"
            ),
        ),
        (HOURS | {"missing": ["NA", "?"]}, "no answer           'NA', '?' in a table"),
        (COUNT | {"missing": ["NA"]}, "no answer           'NA' in a table"),
        (
            GRR | {"outside": "clip"},
            "[0, 3]: estimates are those of the clipped numbers",
        ),
        (
            COUNT,
            "outside             numbers outside [0, 3] are refused: nothing is sent",
        ),
        (
            COUNT | {"outside": "clip"},
            "[0, 3]: estimates are those of the clipped numbers",
        ),
        (GRR, "x: grr, numbers from 0 to 3 in steps of 1"),
        (
            {"edges": [0, 18, 120], "mechanism": "grr", "epsilon": 1},
            "counted in          2 cells; each number in the one that it lies in",
        ),
        (
            {"low": 0, "high": 3, "step": 1, "mechanism": "l-grr"}
            | {"epsilon_first": 1, "epsilon_lifetime": 2},
            "steps of 1; a number between two of them is refused",
        ),
    ],
)
def test_lines(keys, line):
    """In words, with the unit."""
    assert line in explained(**keys)


def test_what_does_not_apply_is_not_said():
    """Nor of other types."""
    assert "no answer" not in explained(**HOURS)
    whole = ldp.question("x", type="integer", low=0, high=9, goal="mean", epsilon=1)
    others = explanation(ldp.survey("s", whole))
    assert "counted in" not in others
    assert "in steps" not in others
    assert "x: dithered, 10 values" in others
