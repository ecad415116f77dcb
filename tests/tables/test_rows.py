"""Tables of answers that were randomized before: their codes, and what becomes of every
row.
"""

import json

import numpy as np
import pytest
from calling import run

import ldp
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator import estimate, read_rows, tally_of_rows
from ldp_client import Client

SURVEY = ldp.survey(
    "exam",
    ldp.question("copied", type="boolean", mechanism="warner", truth="0.7"),
    ldp.question(
        "often", ["never", "Sometimes", "daily"], mechanism="grr", epsilon="2"
    ),
)
CODINGS = {
    "booleans": ([True, False, None], None),
    "numbers with gaps": ([1.0, 0.0, float("nan")], None),
    "text of numbers": (["1.0", "0", "NA"], None),
    "words": (["YES", "no", " "], None),
    "1 and 2": ([1, 2, ""], {"yes": 1, "no": 2}),
    "German": (["ja", "nein", "."], {"true": "ja", "false": "nein"}),
}


@pytest.mark.parametrize("name", CODINGS)
def test_codes_that_people_use(name):
    """Yes, no and nothing, whatever they are called."""
    cells, codes = CODINGS[name]
    rows = read_rows(SURVEY, {"z": cells}, "z", codes=codes, questions=["copied"])
    assert rows["copied"].reports.tolist() == [[1], [0]]
    assert rows["copied"].rows.tolist() == [0, 1]
    [left_out] = rows["copied"].left_out
    assert left_out == ("no answer", (3,))


def test_what_is_lost_is_counted_and_nothing_else():
    """By reason and row; a row that lacks one answer counts for the other."""
    table = {
        "copied": ["yes", "no", "don't know", "", "yes"],
        "often": ["NEVER", "", "sometimes", "Sometimes", "daily"],
    }
    rows = read_rows(SURVEY, table)
    assert rows.said() == (
        "copied, from column copied: false (no) 1, true (yes) 2; left out: 1 no answer "
        "(row 4); "
        '1 unknown code "don\'t know" (row 3)',
        "often, from column often: never (NEVER) 1, Sometimes 1, Sometimes (sometimes) "
        "1, daily 1; left out: 1 no answer (row 2)",
    )
    tally = tally_of_rows(rows)
    assert [tally.counts[name].tolist() for name in table] == [[[1, 2]], [[1, 2, 1]]]
    both = tally_of_rows(rows, together=["copied", "often"])
    assert both.counts["copied+often"].tolist() == [[0, 0, 0], [1, 0, 1]]


@pytest.mark.parametrize(
    ("cells", "codes", "message"),
    [
        ([1, 2], None, "which of 1 and 2 is yes"),
        (["a", "b"], None, "expected answers such as false, true, got 'a', 'b'; say"),
        (["ja"], {"maybe": "ja"}, "maybe"),
        (["ja"], {"yes": "ja", "no": "ja"}, "a code of its own"),
    ],
)
def test_codes_that_say_too_little(cells, codes, message):
    """A guess would be wrong for every row."""
    with pytest.raises((EstimateError, UnknownNameError), match=message):
        read_rows(SURVEY, {"z": cells}, "z", codes=codes, questions=["copied"])


def test_groups_by_columns():
    """Each group is estimated from its rows; those of no group are told as unknown."""
    frame = {
        "z": ["yes"] * 6 + ["no"] * 5,
        "sex": ["f"] * 4 + ["m"] * 6 + [""],
        "age": [30] * 11,
    }
    groups = estimate(SURVEY, frame, answers="z", by="sex", names=["copied"])
    reports = {group.name: group["copied"].reports for group in groups}
    assert reports == {"sex unknown": 1, "f": 4, "m": 6}
    assert groups["f"]["copied"]["true"].frequency == pytest.approx((1 - 0.3) / 0.4)
    assert groups.suppressed == ()
    named = {"copied": frame["z"]}
    assert estimate(SURVEY, named, answers={"copied": "copied"})["copied"].reports == 11
    one = estimate(
        SURVEY, frame, answers="z", by="sex", where={"age": "30"}, names=["copied"]
    )
    assert one["m"]["copied"].reports == 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A survey and a table, with a German spreadsheet's semicolons."""
    path = tmp_path_factory.mktemp("rows")
    (path / "s.toml").write_text(SURVEY.to_toml(), encoding="utf-8")
    generator = np.random.default_rng(1)
    lines = ["z;often;sex;year"]
    lines += [
        f"{z};{often};{'fm'[sex]};{2020 + year}"
        for z, often, sex, year in generator.integers(
            0, (2, 3, 2, 4), (400, 4)
        ).tolist()
    ]
    text = "\n".join(lines).replace(";0;", ";never;").replace(";1;", ";sometimes;")
    (path / "rows.csv").write_text(text.replace(";2;", ";daily;"), encoding="utf-8")
    return path


def said(folder, command, *words, code=0):
    """What a command makes of the table."""
    rows = (
        "--rows",
        folder / "rows.csv",
        "--answer",
        "copied=z",
        "--answer",
        "often=often",
    )
    return run(*command.split(), folder / "s.toml", *rows, *words, code=code)


def test_estimates_by_the_command(folder):
    """Results on standard output, what became of rows on standard error."""
    result = said(
        folder, "estimate", "--by", "sex", "--where", "year=2021", "--format", "json"
    )
    groups = json.loads(result.stdout)["groups"]
    assert [group["group"].get("sex") for group in groups] == [None, "f", "m"]
    assert "copied, from column z: false (0)" in result.stderr
    assert result.stderr.count("\n") == 2


COMMANDS = {
    "analyze query": (
        "share(copied = true)",
        "share(often = daily) - share(often = never)",
    ),
    "analyze compare": ("--question", "often", "--by", "sex", "--where", "year=2021"),
    "analyze associate": ("--questions", "copied,often"),
    "analyze trend": ("--question", "copied", "--epoch", "year"),
    "analyze publish": ("--output", "-"),
    "analyze regress": ("--formula", "copied ~ sex"),
    "analyze weight": ("--question", "often", "--weight", "year"),
}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_takes_rows(folder, command):
    """Wherever tallies or reports go."""
    result = said(folder, command, *COMMANDS[command])
    assert len(result.stdout) > 200
    assert ", from column " in result.stderr


TAKES_COUNTS = {
    "estimate": (1, ()),
    "analyze query": (1, ("share(copied = true)",)),
    "analyze publish": (1, ("--output", "-")),
    "analyze trend": (2, ()),
    "analyze compare": (2, ()),
}
"""How many counts, and what else is said."""


@pytest.mark.parametrize("command", TAKES_COUNTS)
def test_every_command_takes_counts(folder, command):
    """In words; of two, one for each side or epoch."""
    survey = folder / "one.toml"
    survey.write_text(ldp.survey("exam", SURVEY["copied"]).to_toml(), encoding="utf-8")
    sides, words = TAKES_COUNTS[command]
    counts = ("--counts", "yes=13,no=17", "--counts", "yes=20,no=11")[: 2 * sides]
    assert len(run(*command.split(), survey, *counts, *words).stdout) > 200


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "one of these"),
        (("x.tally", "--rows", "rows.csv"), "one of these"),
        (("x.tally", "--answer", "z"), "are for --rows"),
        (("x.tally", "--reports", "5"), "is for --counts"),
    ],
)
def test_one_source(folder, words, message):
    """Tallies, rows or counts."""
    assert message in run("estimate", folder / "s.toml", *words, code=2).output


def test_a_table_is_no_report_file(folder):
    """Who gives it as one is told what to write."""
    words = (folder / "s.toml", folder / "rows.csv")
    for command in ("estimate", "aggregate"):
        extra = ("-o", folder / "x.tally") if command == "aggregate" else ()
        shown = " ".join(run(command, *words, *extra, code=1).output.split())
        assert "is a table, not a report file" in shown
        assert "--rows" in shown


ONE_COIN = """
[survey]
name = "coin"
[[question]]
name = "took"
type = "boolean"
mechanism = "forced"
forced_true = "1/2"
forced_false = "0"
"""


def test_laws_without_an_epsilon_are_for_analysis_alone(tmp_path):
    """One coin, heads: say yes; 18 of 30. Nobody may collect by it; its answers can be
    analysed.
    """
    path = tmp_path / "coin.toml"
    path.write_text(ONE_COIN)
    for command in ("check", "explain"):
        assert "answers that exist can be analysed" in run(command, path, code=1).output
    counts = ("--counts", "yes=18,no=12", "--estimand", "population")
    record = json.loads(run("estimate", path, *counts, "--format", "json").stdout)
    share = record["questions"]["took"]["values"][1]
    assert share["frequency"] == pytest.approx(0.2)
    assert share["standard_error"] == pytest.approx(2 * (0.6 * 0.4 / 30) ** 0.5)
    said = "for analysis only: the answer 'No' rules out 'Yes' (posterior odds 0)"
    assert said in run("estimate", path, *counts).stdout
    (tmp_path / "rows.csv").write_text("took,sex\n" + "1,f\n0,m\n1,m\n" * 30)
    rows = ("--rows", tmp_path / "rows.csv")
    for command, words in (
        ("weight", "--question took"),
        ("regress", "--formula took~sex"),
    ):
        assert said in run("analyze", command, path, *rows, *words.split()).stdout
    run("analyze", "publish", path, *rows, "--output", tmp_path / "page.html")
    assert "no finite epsilon" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_no_device_answers_a_survey_for_analysis():
    """Before anything is drawn."""
    client = Client(ldp.parse_survey(ONE_COIN, for_analysis=True))
    for answer in (True, False):
        with pytest.raises(ValueError, match="no device may answer"):
            client.record("took", answer)
