"""`ldp analyze weight` and `regress`: three sources of reports, every format, errors in
words.
"""

import csv
import io
import json
import re

import numpy as np
import pytest
from calling import run

import ldp
from ldp.errors import EstimateError
from ldp_aggregator import aggregate, encode_tally
from ldp_aggregator.analyses.weighting.margins import margins_of
from ldp_client import Client, report_bytes

AGES = ("young", "old")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A survey, a tally for each age, all reports as rows, and known shares."""
    path = tmp_path_factory.mktemp("weigh")
    survey = ldp.survey(
        "commands",
        ldp.question("smokes", type="boolean", mechanism="grr", epsilon="3"),
        ldp.question(
            "life",
            fields=[
                ldp.field("drinks", type="boolean"),
                ldp.field("sex", ["female", "male"]),
            ],
            mechanism="grr",
            epsilon="3",
        ),
    )
    (path / "survey.toml").write_text(survey.to_toml(), encoding="utf-8")
    generator = np.random.default_rng(1)
    lines, strata, lives = ["age,weight,smokes"], ["age,weight,reports"], []
    for age, chance, people in zip(AGES, (0.6, 0.2), (500, 200), strict=True):
        reports = []
        for says in (generator.random(people) < chance).tolist():
            client = Client(survey)
            reports.append(report_bytes([client.record("smokes", says)]))
            life = {
                "drinks": says,
                "sex": "male" if generator.random() < 0.4 else "female",
            }
            lives.append(report_bytes([client.record("life", life)]))
        lines += [f"{age},1,{report.hex()}" for report in reports]
        (path / f"{age}.tally").write_bytes(encode_tally(aggregate(survey, reports)))
        strata.append(f"{age},1,{age}.tally")
    (path / "life.reports").write_bytes(b"".join(lives))
    (path / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (path / "strata.csv").write_text("\n".join(strata) + "\n", encoding="utf-8")
    (path / "margins.csv").write_text(
        "attribute,value,count\nage,young,1000\nage,old,3000\n", encoding="utf-8"
    )
    (path / "sexes.csv").write_text(
        "attribute,value,share\nsex,female,.5\nsex,male,.5\n", encoding="utf-8"
    )
    return path


def weigh(folder, *words, code=0):
    return run("analyze", "weight", folder / "survey.toml", *words, "-q", code=code)


def regress(folder, *words, code=0):
    return run("analyze", "regress", folder / "survey.toml", *words, "-q", code=code)


def test_strata_and_rows_agree(folder):
    """The same reports, as tallies by age and one by one."""
    words = (
        "--question",
        "smokes",
        "--margins",
        folder / "margins.csv",
        "--format",
        "json",
    )
    strata, rows = (
        json.loads(weigh(folder, *source, *words).stdout)
        for source in (
            ("--strata", folder / "strata.csv"),
            ("--rows", folder / "rows.csv", "--weight", "weight"),
        )
    )
    for one, other in zip(strata["estimates"], rows["estimates"], strict=True):
        assert one["weighted"] == pytest.approx(other["weighted"], rel=1e-9)
        assert one["standard_error"] == pytest.approx(other["standard_error"], rel=1e-9)
    assert strata["weighted_by"] == ["age"]
    assert strata["margins"][0]["responded"] == pytest.approx(0.5)
    share = strata["estimates"][1]
    # Reports are drawn anew: six standard errors.
    assert share["unweighted"] > share["weighted"]
    assert abs(share["weighted"] - 0.3) < 6 * share["standard_error"]


def test_what_people_see(folder):
    """The cost first, then the shares, then the margins with who answered."""
    words = ("--question", "smokes", "--strata", folder / "strata.csv")
    shown = weigh(
        folder, *words, "--margins", folder / "margins.csv", "--replicates", "jackknife"
    )
    lines = shown.stdout.strip().splitlines()
    assert "spent epsilon 3" in " ".join(lines[:3])
    assert "weighted by age (raking)" in shown.stdout
    assert "50.0%" in shown.stdout
    assert "old: true" in weigh(folder, *words, "--by", "age").stdout
    assert "age = old: true" in weigh(folder, *words, "--where", "age=old").stdout
    assert "jackknife" in shown.stdout


def test_randomized_margins(folder):
    """Of a field of the question itself; a picture and rows for machines."""
    words = (folder / "life.reports", "--question", "life", "--of", "drinks")
    words = (*words, "--margins", folder / "sexes.csv")
    rows = list(
        csv.DictReader(io.StringIO(weigh(folder, *words, "--format", "csv").stdout))
    )
    assert [row["value"] for row in rows] == ["false", "true"]
    assert float(rows[0]["weighted"]) + float(rows[1]["weighted"]) == pytest.approx(
        1, abs=1e-9
    )
    weigh(folder, *words, "--output", folder / "picture.svg")
    assert (folder / "picture.svg").read_bytes().startswith(b"<svg")


def test_without_margins(folder):
    """Design weights where there are any, and where there are none, it is said."""
    words = ("--question", "smokes", "--strata")
    plain = weigh(folder, *words, folder / "strata.csv").stdout
    assert "not weighted: no margins, no design weights" in plain
    text = (folder / "strata.csv").read_text(encoding="utf-8")
    (folder / "design.csv").write_text(
        text.replace("old,1,", "old,7.5,"), encoding="utf-8"
    )
    assert (
        ": design weights; 700 reports"
        in weigh(folder, *words, folder / "design.csv").stdout
    )
    both = weigh(
        folder, *words, folder / "design.csv", "--margins", folder / "margins.csv"
    ).stdout
    assert "weighted by age (raking) on design weights" in both


@pytest.mark.parametrize("form", ["json", "csv", "table", "markdown", "html"])
def test_regressions(folder, form):
    """On a public attribute, from strata and rows."""
    words = ("--formula", "smokes ~ age", "--format", form)
    strata = regress(folder, "--strata", folder / "strata.csv", *words).stdout
    rows = regress(folder, "--rows", folder / "rows.csv", *words).stdout
    if form in ("table", "markdown", "html"):
        # To the digits that people see; of reports that are drawn anew, one may take a
        # step more.
        alike = [re.sub(r"converged in \d+", "", shown) for shown in (strata, rows)]
        assert alike[0] == alike[1]
    assert "age=young" in strata


def test_regression_on_a_field(folder):
    """From reports alone, whose fields are outcome and predictor; the cost comes
    first.
    """
    words = (folder / "life.reports", "--question", "life", "--formula", "drinks ~ sex")
    record = json.loads(regress(folder, *words, "--format", "json").stdout)
    assert record["method"] == "equations"
    assert "tells of drinks and sex together" in record["privacy"][0]
    assert [row["name"] for row in record["coefficients"]] == [
        "(intercept)",
        "sex=male",
    ]
    table = regress(folder, *words).stdout
    assert table.index("privacy") < table.index("coefficient")


def test_profile_and_level(folder):
    """What is asked for is what is shown."""
    words = (
        "--formula",
        "smokes ~ age",
        "--rows",
        folder / "rows.csv",
        "--format",
        "json",
    )
    narrow, wide = (
        json.loads(
            regress(folder, *words, "--interval", "profile", "--level", level).stdout
        )
        for level in ("0.5", "0.99")
    )
    assert narrow["interval"] == "profile"
    low, high = narrow["coefficients"][1]["interval"]
    lower, higher = wide["coefficients"][1]["interval"]
    assert lower < low < high < higher


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--question", "smokes"), "one of it"),
        (("--question", "smokes", "x.tally", "--rows", "rows.csv"), "one of it"),
        (("--question", "smokes", "x.tally", "--weight", "w"), "go with --rows"),
    ],
)
def test_sources(folder, words, message):
    """One source of reports."""
    assert message in weigh(folder, *words, code=2).output


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("smokes ~ ", "place"),
        ("smokes ~ height", "height"),
        ("nobody ~ age", "nobody"),
    ],
)
def test_mistakes_in_formulas(folder, formula, message):
    """Told in words, without a traceback."""
    result = regress(
        folder, "--formula", formula, "--rows", folder / "rows.csv", code=1
    )
    assert message in result.output


def test_counts_that_contradict_each_other(folder):
    """Are refused with both totals; a rounding apart they are the same."""
    header = "attribute,value,count\n"
    sexes = "sex,female,1600\nsex,male,{male}\n"
    ages = "age,young,1000\nage,old,3000\n"
    words = (
        "--question",
        "life",
        "--of",
        "drinks",
        folder / "life.reports",
        "--margins",
    )
    (folder / "both.csv").write_text(
        header + ages + sexes.format(male=1400), encoding="utf-8"
    )
    result = " ".join(weigh(folder, *words, folder / "both.csv", code=1).output.split())
    assert "got 4,000 in all by 'age' and 3,000 by 'sex'" in result
    with pytest.raises(
        EstimateError, match="got 4,000 in all by 'age' and 3,000 by 'sex'"
    ):
        margins_of(
            {"age": {"young": 1000, "old": 3000}, "sex": {"female": 1600, "male": 1400}}
        )
    same = {"age": {"young": 1000, "old": 3000}, "sex": {"female": 1600, "male": 2403}}
    assert len(margins_of(same)) == 2


def test_mistakes_in_strata(folder):
    """Files that hold no strata."""
    for name, text, message in (
        ("a.csv", "age,file\nyoung,young.tally\n", "column 'reports'"),
        ("b.csv", "reports\nyoung.tally\n", "public attribute"),
        ("c.csv", "age,weight,reports\nyoung,x,young.tally\n", "expected a weight"),
        ("d.csv", "age,reports\nyoung,none.tally\n", "none.tally"),
        ("e.csv", "age,reports\nyoung\n", "line 2: expected 2 cells"),
        (
            "f.csv",
            "age,reports\nyoung,young.tally\nyoung,old.tally\n",
            "line 3: expected each",
        ),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        result = weigh(
            folder, "--question", "smokes", "--strata", folder / name, code=1
        )
        assert message in result.output
