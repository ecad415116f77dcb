"""Counts that others collected are estimated as if they had been counted here."""

import json
import re

import pytest
from calling import run
from places import ROOT
from surveys import survey_of

from ldp.errors import EstimateError
from ldp_aggregator.exchange.counts import read_counts
from ldp_aggregator.exchange.layouts import parse_counts

SURVEY = survey_of(
    *(
        f'name = "{name}"\ntype = "category"\nvalues = ["car", "bus", "walk"]\nepsilon '
        '= "1"\n'
        f'mechanism = "{name}"'
        for name in ("grr", "oue", "hr")
    ),
    'name = "site"\ntype = "text"\nbloom_bits = 64\nhashes = 2\ncohorts = 4\nmechanism '
    '= "rappor"\n'
    'p = "1/4"\nq = "3/4"\nf = "1/2"',
)
CELLS = [31, 97, 72]
TABLES = {
    "warehouse": "value,count,day\ncar,30,1\nbus,97,1\nwalk,72,1\ncar,1.0,2\n",
    "cells": "cell,count\n0,31\n1,97\n2,72\n",
    "cobalt": json.dumps(
        [
            {"date": "2026-11-01", "event_codes": [code], "count": str(count)}
            for code, count in enumerate(CELLS)
        ]
    ),
    "dap": json.dumps({"report_count": 200, "aggregate_result": CELLS}),
    "dap printed": (
        f"Number of reports: 200\nSpanned: a day\nAggregation result: {CELLS}\n"
    ),
    "opendp": json.dumps(["car"] * 31 + ["bus"] * 97 + ["walk"] * 72),
    "in words": "car = 31, bus=97,walk=72\n",
    "by name": json.dumps(dict(zip(("car", "bus", "walk"), CELLS, strict=True))),
}


@pytest.mark.parametrize("name", TABLES)
def test_symbols(name):
    """Every layout gives the tally that our own counting would."""
    assert read_counts(SURVEY, "grr", TABLES[name].encode()).counts["grr"].tolist() == [
        CELLS
    ]


@pytest.mark.parametrize(
    ("content", "reports"),
    [
        ("bit,count\n0,31\n1,97\n2,72\n", 150),
        ("value,count\nbus,97\nwalk,72\ncar,31\n", 150),
        ("cell,count\n0,150\n1,31\n2,97\n3,72\n", None),
        (json.dumps({"report_count": "150", "aggregate_result": CELLS}), None),
        (
            json.dumps({"reports": 150, "counts": {"car": 31, "bus": 97, "walk": 72}}),
            150,
        ),
    ],
)
def test_bits(content, reports):
    """How many reports there were is said besides, as sums of bits do not tell it."""
    tally = read_counts(SURVEY, "oue", content.encode(), reports=reports)
    assert tally.counts["oue"].tolist() == [[150, *CELLS]]


SCALE = survey_of(
    *(
        (
            f'name = "{name}"\ntype = "integer"\nlow = 1\nhigh = 3\nepsilon = '
            f'"1"\nmechanism = "{name}"'
        )
        for name in ("grr", "oue")
    )
)


@pytest.mark.parametrize(
    "layout", ["symbol", "bit", "event_code", "sums", "cobalt", "value"]
)
@pytest.mark.parametrize("name", ["grr", "oue"])
def test_numbers_of_symbols_are_no_values(name, layout):
    """On a scale from 1 to 3 the symbols are 0 to 2: what a file calls 1 is the second
    of them.
    """
    numbers = range(1, 4) if layout == "value" else range(3)
    content = {
        "sums": json.dumps({"sums": CELLS}),
        "cobalt": TABLES["cobalt"],
    }.get(layout) or f"{layout},count\n" + "".join(
        f"{number},{count}\n" for number, count in zip(numbers, CELLS, strict=True)
    )
    tally = read_counts(SCALE, name, content.encode(), reports=sum(CELLS))
    assert tally.counts[name][0, -3:].tolist() == CELLS


def test_no_value_of_a_scale_is_taken_for_a_number():
    """0 is none of 1, 2 and 3, and not the first of them."""
    with pytest.raises(EstimateError, match="expected one of '1', '2', '3', got '0'"):
        read_counts(SCALE, "grr", b"value,count\n0,5\n1,7\n2,9\n")


@pytest.mark.parametrize(
    ("question", "content", "said"),
    [
        ("oue", "bit,count\n0,31\n", "expected the number of reports"),
        (
            "oue",
            json.dumps({"report_count": 50, "sums": CELLS}),
            "at most 50 reports, got 97",
        ),
        (
            "grr",
            json.dumps({"report_count": 50, "sums": CELLS}),
            "add up to 50 reports",
        ),
        (
            "grr",
            "value,count\ntrain,3\n",
            "'car', 'bus', 'walk', or a number from 0 to 2",
        ),
        ("grr", "cell,count\n3,3\n", "a number from 0 to 2, got '3'"),
        ("hr", "value,count\ncar,3\n", "expected a number from 0 to [0-9]+, got 'car'"),
        ("grr", "value,count\ncar,-3\n", "expected whole counts, got '-3'"),
        ("grr", "value,count\ncar,2.5\n", "expected whole counts, got '2.5'"),
        ("grr", "value,count\ncar,9007199254740993\n", "below 2\\^53"),
        ("grr", "value,count\n" + "car,9007199254740991\n" * 2, "below 2\\^53 in all"),
        (
            "oue",
            "cell,count\n0,9\n" + "1,9007199254740991\n" * 2000,
            "below 2\\^53 in all",
        ),
        (
            "oue",
            json.dumps({"report_count": 2**53, "sums": CELLS}),
            "below 2\\^53, got",
        ),
        (
            "grr",
            f"value,count\n{'c' * 200_000},3\n",
            "line 2: expected comma-separated cells",
        ),
        ("grr", "value,count,count\ncar,3,4\n", "names that differ"),
        (
            "grr",
            "name,count\ncar,3\n",
            "expected a header with count and one of cell, value",
        ),
        ("grr", "value,count\n,3\n", "expected rows with count and one of cell, value"),
        (
            "grr",
            '[{"value": "car", "count": 1}, {"bit": 1, "count": 1}]',
            "in all rows",
        ),
        ("grr", '{"a": ', "damaged"),
        (
            "grr",
            "Number of reports: 3\nAggregation result: [1,, 2]\n",
            "sums .*, got \\[1,, 2\\]",
        ),
        (
            "grr",
            "Number of reports: 3\nAggregation result: [01, 2]\n",
            "sums .*, got \\[01, 2\\]",
        ),
        ("grr", "5\n", "expected a header with count and one of cell, value"),
        (
            "grr",
            "value,number\n",
            "expected a header with count .*, got 'value,number'",
        ),
        ("grr", "\x1b[31m,count\n", r"header with count .*, got '\\x1b\[31m,count'"),
        (
            "grr",
            json.dumps({"sums": CELLS[:2]}),
            "expected 3 sums, one for each symbol, got 2",
        ),
        (
            "oue",
            json.dumps({"report_count": 150, "sums": [*CELLS, 1]}),
            "3 sums, .* bit, got 4",
        ),
        ("grr", '{"car": 1, "bus": 2, "car": 3}', "names that differ, got 'car' twice"),
        ("grr", "[[1, 2]]", "the name or number"),
        ("grr", b"\xff\xfe", "stray byte at position 0"),
        ("site", "bit,count\n0,31\n", "one row of counts, got 4 rows of rappor"),
    ],
)
def test_what_is_refused(question, content, said):
    """With what was expected, and by which question."""
    content = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(EstimateError, match=f"question '{question}': .*{said}"):
        read_counts(SURVEY, question, content)


def test_more_reports_than_a_tally_can_hold():
    """What an analyst says is no less checked than what a file says."""
    with pytest.raises(
        EstimateError, match=r"below 2\^53 in all, got 18446744073709551616"
    ):
        read_counts(SURVEY, "oue", b"bit,count\n0,31\n", reports=1 << 64)


def test_the_command(tmp_path):
    """`--counts` in place of a tally; of the only question, or of one that is named."""
    survey, counts = tmp_path / "survey.toml", tmp_path / "counts.csv"
    survey.write_text(SURVEY.to_toml())
    counts.write_text("bit,count\n0,31\n1,97\n2,72\n")
    words = (
        "estimate",
        survey,
        "--counts",
        counts,
        "--question",
        "oue",
        "--format",
        "json",
    )
    shown = json.loads(run(*words, "--reports", "150").stdout)
    assert list(shown["questions"]) == ["oue"]
    assert shown["questions"]["oue"]["reports"] == 150
    assert "expected the number of reports" in run(*words, code=1).stderr
    assert "one of these" in run("estimate", survey, code=2).stderr
    assert "one of these" in run(*words, "a.tally", code=2).stderr
    assert "got none" in run("estimate", survey, "--counts", counts, code=1).stderr
    in_words = (
        "estimate",
        survey,
        "--counts",
        "car=31,Bus=97,walk=72",
        "--question",
        "grr",
    )
    assert "grr: grr, epsilon 1, 200 reports" in run(*in_words).stdout
    assert "got none" in run(*in_words, "--question", "oue", code=1).stderr


def test_examples_of_the_documentation():
    """Each layout that the page shows is read."""
    page = (ROOT / "docs" / "exchange.md").read_text(encoding="utf-8")
    part = page.partition("## Counts that others collected")[2].partition("\n## ")[0]
    blocks = re.findall(r"```(?:csv|json|text)\n(.*?)```", part, re.DOTALL)
    assert len(blocks) == 6
    assert all(parse_counts(block.encode()).counts for block in blocks)
