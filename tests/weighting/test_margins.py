"""Margins: files and mappings that are sound, and what is said of those that are
not.
"""

import pytest

from ldp.errors import EstimateError, LDPError
from ldp_aggregator.analyses.weighting.margins import margins_of


def written(tmp_path, text):
    path = tmp_path / "margins.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file(tmp_path):
    """Attributes in the order in which they come; rounded shares are scaled to sum to
    1.
    """
    path = written(
        tmp_path,
        "attribute,value,share\nsex,female,.51\nage,young,.333\nsex,male,.49\n"
        "age,middle,.333\nage,old,.333\n",
    )
    sex, age = margins_of(path)
    assert (sex.name, sex.values, sex.shares) == (
        "sex",
        (("female",), ("male",)),
        (0.51, 0.49),
    )
    assert age.shares == pytest.approx((1 / 3,) * 3)
    assert sex.people is None


def test_counts_and_joint_margins(tmp_path):
    """Counts say how many there are; names joined by & are known together."""
    path = written(
        tmp_path,
        "attribute,value,count\nage & sex,young & female,30\nage & sex,old & male,10\n",
    )
    (margin,) = margins_of(path)
    assert margin.attributes == ("age", "sex")
    assert margin.values == (("young", "female"), ("old", "male"))
    assert margin.shares == (0.75, 0.25)
    assert margin.people == 40


def test_a_mapping():
    """Numbers that sum to more than 1 are counts of people."""
    shares, counts = margins_of({"a": {"x": 0.2, "y": 0.8}, "b": {"x": 20, "y": 60}})
    assert (shares.shares, shares.people) == ((0.2, 0.8), None)
    assert (counts.shares, counts.people) == ((0.25, 0.75), 80)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header attribute,value,share"),
        ("attribute,value\nsex,female\n", "header"),
        ("attribute,value,share\n", "a line for each value"),
        ("attribute,value,share\nsex,female\n", "line 2: expected three cells"),
        (
            "attribute,value,share\nsex,female,half\n",
            "line 2: expected a number, got 'half'",
        ),
        ("attribute,value,share\nsex,female,.5\nsex,male,.4\n", "sum to 1, got 0.9"),
        (
            "attribute,value,share\nsex,female,-.5\nsex,male,1.5\n",
            "0 or more for 'female'",
        ),
        (
            "attribute,value,share\nsex,female,nan\nsex,male,.5\n",
            "0 or more for 'female'",
        ),
        (
            "attribute,value,share\nsex,male,.5\nsex,male,.5\n",
            "each value once, got 'male'",
        ),
        ("attribute,value,share\nage & sex,young,1\n", "2 values joined by"),
        ("attribute,value,count\nsex,female,0\n", "more than nobody"),
    ],
)
def test_mistakes(tmp_path, text, message):
    """Each says what was expected, what came, and where."""
    with pytest.raises(LDPError, match=message):
        margins_of(written(tmp_path, text))


def test_stray_bytes(tmp_path):
    """A file that is no text."""
    path = tmp_path / "margins.csv"
    path.write_bytes(b"attribute,value,share\n\xff")
    with pytest.raises(LDPError, match="UTF-8"):
        margins_of(path)


def test_shares_that_are_no_numbers():
    """In a mapping as well."""
    with pytest.raises(EstimateError, match="0 or more"):
        margins_of({"sex": {"female": "half", "male": "half"}})
