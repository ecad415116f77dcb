"""What an association shows: the text, the records and the CSV of given numbers, to the
letter.
"""

import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from ldp import parse_survey
from ldp_aggregator import Options
from ldp_aggregator.analyses.association.result import Association
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.output.checks import Remark

SURVEY = parse_survey(
    '[survey]\nname = "s"\njoint = ["a", "b"]\n'
    + "".join(
        f'[[question]]\nname = "{name}"\ntype = "category"\nvalues = {values}\n'
        f'mechanism = "grr"\nepsilon = 1\n'
        for name, values in (("a", ["x", "y"]), ("b", ["s", "t"]))
    )
)
FREQUENCY = np.array([[0.25, 0.05], [0.1, 0.6]])
ERROR = np.array([[0.02, 0.03], [0.04, 0.0]])
CONDITIONAL = (
    np.array([[0.8, 0.2], [math.nan, 0.9]]),
    np.array([[0.7, 0.1], [0.0, 0.5]]),
    np.array([[0.95, 0.3], [1.0, 0.99]]),
)
TEST = ChiSquare(3.0, 1)
"""Its p-value is 0.083."""


def made(options=None, **changes):
    """An association of two questions with two values each."""
    parts = {
        "frequency": FREQUENCY,
        "standard_error": ERROR,
        "low": FREQUENCY - 0.01,
        "high": FREQUENCY + 0.02,
        "conditional": CONDITIONAL,
        "independence": TEST,
    }
    return Association(
        tuple(SURVEY),
        (("x", "y"), ("s", "t")),
        1234,
        options=options or Options(),
        **parts | changes,
    )


def cells_of(association):
    """The cells of each row of the text."""
    return [list(row) for row in association.text_table().rows]


def test_text():
    """A row for each combination of values; a share without a denominator is a dash."""
    table = made().text_table()
    assert table.title == "a x b"
    assert table.headings == [
        *("a", "b", "frequency", "standard error", "0.95 interval"),
        *("share of b given a", "0.95 interval"),
    ]
    assert cells_of(made()) == [
        [
            "x",
            "s",
            "0.2500",
            "0.0200",
            "[0.2400, 0.2700]",
            "0.8000",
            "[0.7000, 0.9500]",
        ],
        [
            "x",
            "t",
            "0.0500",
            "0.0300",
            "[0.0400, 0.0700]",
            "0.2000",
            "[0.1000, 0.3000]",
        ],
        ["y", "s", "0.1000", "0.0400", "[0.0900, 0.1200]", "-", "[0.0000, 1.0000]"],
        [
            "y",
            "t",
            "0.6000",
            "0.0000",
            "[0.5900, 0.6200]",
            "0.9000",
            "[0.5000, 0.9900]",
        ],
    ]
    assert (
        repr(made(remarks=(Remark("few", "Few reports."),))).splitlines()[-1]
        == "  Few reports."
    )
    assert made()._repr_html_().count("<tr>") == 5


def test_the_last_of_three_is_what_shares_are_of():
    """Given all the others, which are named."""
    three = replace(made(), questions=(*SURVEY, SURVEY["a"]))
    assert three.title == "a x b x a"
    assert three.text_table().headings[6] == "share of a given a and b"


@pytest.mark.parametrize(
    ("least", "shown"),
    [(0.5, "0.2500"), (0.001, "0.2500"), (0.0001, "0.25000"), (0.00003, "0.250000")],
)
def test_decimals(least, shown):
    """As many as the least error needs for two digits, four at least; errors of 0 have
    no say.
    """
    error = np.array([[least, 0.9], [0.0, 0.9]])
    assert cells_of(made(standard_error=error))[0][2] == shown
    assert cells_of(made(standard_error=np.zeros((2, 2))))[0][2] == "0.2500"


@pytest.mark.parametrize(
    ("test", "level", "said"),
    [
        (
            ChiSquare(3.0, 1),
            0.95,
            "not rejected at level 0.05, which does not prove it (chi-square 3.00 with "
            "1 degree of freedom, p-value 0.0833)",
        ),
        (
            ChiSquare(3.0, 1),
            0.9,
            "rejected at level 0.1: the answers go together (chi-square 3.00 with 1 "
            "degree of freedom, p-value 0.0833)",
        ),
        (
            ChiSquare(1234.5, 2),
            0.95,
            "rejected at level 0.05: the answers go together (chi-square 1,234.50 with "
            "2 degrees of freedom, p-value 8.55e-269)",
        ),
        (
            ChiSquare(0.0, 0),
            0.95,
            "not rejected at level 0.05, which does not prove it (chi-square 0.00 with "
            "0 degrees of freedom, p-value 1)",
        ),
    ],
)
def test_verdict(test, level, said):
    """Rejected where the p-value is at most what may be missed; the numbers follow."""
    caption = made(Options(level=level), independence=test).describe()
    assert caption == (
        f"1,234 reports; {level:.4g} score intervals for the population (sampling and "
        f"randomization); test of independence: {said}"
    )


class Quarter(ChiSquare):
    """A test whose p-value is 1/4."""

    p_value = 0.25


def test_the_level_itself_is_rejected():
    """A p-value that is exactly what may be missed is a rejection."""
    said = made(Options(level=0.75), independence=Quarter(3.0, 1)).describe()
    assert "test of independence: rejected at level 0.25" in said


def test_families_are_named():
    """Intervals that hold together say by which rule, and for whom."""
    options = Options(level=0.9, estimand="population", simultaneous="sidak")
    caption = made(options, independence=None).describe()
    assert caption == (
        "1,234 reports; 0.9 score intervals for the population (sampling and "
        "randomization), simultaneous (sidak); too few reports to test for "
        "independence: some value's reports have not varied yet"
    )


def test_record():
    """What is not there is left out; a share without a denominator is null."""
    record = made().to_dict()
    assert list(record) == [
        *(
            "format",
            "questions",
            "reports",
            "level",
            "estimand",
            "interval",
            "simultaneous",
        ),
        *("independence", "cells"),
    ]
    assert record | {"cells": []} == {
        "format": 1,
        "questions": ["a", "b"],
        "reports": 1234,
        "level": 0.95,
        "estimand": "population",
        "interval": "score",
        "simultaneous": False,
        "independence": {"statistic": 3.0, "freedom": 1, "p_value": TEST.p_value},
        "cells": [],
    }
    assert [cell["values"] for cell in record["cells"]] == [
        [first, second] for first in "xy" for second in "st"
    ]
    assert record["cells"][0] == {
        "values": ["x", "s"],
        "frequency": 0.25,
        "standard_error": 0.02,
        "interval": [0.24, 0.27],
        "conditional": {"share": 0.8, "interval": [0.7, 0.95]},
    }
    assert [cell["conditional"]["share"] for cell in record["cells"]] == [
        0.8,
        0.2,
        None,
        0.9,
    ]


def test_results_stay_as_they_are():
    """No field can be set, and arrays are not compared: a result is equal to itself
    alone.
    """
    result = made()
    with pytest.raises(FrozenInstanceError):
        result.reports = 0
    assert result == result
    assert result != made()


def test_what_was_asked_for_is_added():
    """Most likely frequencies, which are marked as biased, the covariance, and
    remarks.
    """
    likely = np.array([[0.3, 0.1], [0.2, 0.4]])
    covariance = np.arange(16.0).reshape(4, 4)
    asked = made(
        Options(simultaneous="bonferroni"),
        independence=None,
        likely=likely,
        covariance=covariance,
        remarks=(Remark("few", "Few reports."),),
    )
    record = asked.to_dict()
    assert (record["simultaneous"], record["independence"]) == (True, None)
    assert record["biased"] == ["most_likely"]
    assert record["remarks"] == [{"name": "few", "text": "Few reports."}]
    assert record["covariance"] == covariance.tolist()
    assert [cell["most_likely"] for cell in record["cells"]] == [0.3, 0.1, 0.2, 0.4]
    assert asked.text_table().headings[-1] == "most likely (biased)"
    assert [row[-1] for row in cells_of(asked)] == [
        "0.3000",
        "0.1000",
        "0.2000",
        "0.4000",
    ]
    assert asked.sheet().warnings == ["a x b: Few reports."]


@pytest.mark.parametrize("likely", [None, np.array([[0.3, 0.1], [0.2, 0.4]])])
def test_csv(likely):
    """A header and a line for each combination; a share without a denominator is
    empty.
    """
    header, first, _, third, _ = made(likely=likely).to_csv().splitlines()
    more, of_first, of_third = (
        ("", "", "") if likely is None else (",most_likely", ",0.3", ",0.2")
    )
    assert header == (
        "a,b,frequency,standard_error,low,high,conditional,conditional_low,conditional_high"
        + more
    )
    assert first == "x,s,0.25,0.02,0.24,0.27,0.8,0.7,0.95" + of_first
    assert (
        third
        == "y,s,0.1,0.04,0.09000000000000001,0.12000000000000001,,0.0,1.0" + of_third
    )
