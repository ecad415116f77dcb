"""`ldp plan`, called as people call it."""

import json
import re

import pytest
from calling import ldp, run
from places import ROOT
from surveys import COMMUTE

from ldp import draw, question, survey
from ldp_simulations import plan as planned

DOCUMENTED = re.findall(
    r"^\$ ldp (plan .*)$", (ROOT / "docs" / "planning.md").read_text(), re.MULTILINE
)


def plan(*words, code=0):
    """What `ldp plan` prints."""
    return run("plan", *words, code=code).output


def plans(*words):
    """The plans by name, from JSON."""
    records = json.loads(plan(*words, "--format", "json"))["plans"]
    return {record["name"]: record for record in records}


@pytest.mark.parametrize("line", DOCUMENTED)
def test_documented_calls(line, monkeypatch):
    """Every call that the page shows works as written, and fits a terminal."""
    monkeypatch.chdir(ROOT)
    shown = ldp(line).output
    assert "0.95 interval" in shown
    assert max(map(len, shown.splitlines())) <= 160


def test_table_of_mechanisms():
    """One row for each mechanism that serves, best first; numbers as in the JSON."""
    words = (
        "--values",
        "100",
        "--epsilon",
        "1",
        "--respondents",
        "1e5",
        "--detect",
        "0.05",
    )
    shown, plans_by_name = plan(*words), plans(*words)
    assert {"grr", "sue", "oue"} <= plans_by_name.keys()
    assert "warner" not in plans_by_name
    widths = [value["half_width"] for value in plans_by_name.values()]
    assert widths == sorted(widths)
    oue = plans_by_name["oue"]
    row = next(line for line in shown.splitlines() if line.startswith(" oue")).split()
    assert row[:3] == ["oue", "1", "100,000"]
    assert row[3:9] == [
        *(
            f"{oue[key]:.3g}"
            for key in (
                "rare_error",
                "typical_error",
                "half_width",
                "detectable",
                "chance_to_detect",
            )
        ),
        f"{oue['efficiency']:.3f}",
    ]
    assert row[9] == "13"
    assert oue["forged"]["reports"] == 1000
    assert oue["forged"]["shift"] == pytest.approx(0.0316, abs=5e-5)


def test_respondents_found():
    """As many respondents as were found for a half-width give that half-width."""
    words = ("--values", "20", "--epsilon", "2", "--simultaneous")
    for name, row in plans(*words, "--half-width", "0.01").items():
        again = plans(*words, "--respondents", str(row["respondents"]))[name]
        assert 0.0099 < again["half_width"] <= 0.01


def test_epsilon_found():
    """The epsilon that was found for a detectable frequency makes it detectable."""
    words = ("--values", "20", "--respondents", "5e4", "--detect", "1/50")
    for name, row in plans(*words).items():
        again = plans(*words, "--epsilon", row["epsilon"]["declared"])[name]
        assert again["detectable"] <= 0.02
        assert again["chance_to_detect"] == pytest.approx(row["chance_to_detect"])
        assert again["chance_to_detect"] == pytest.approx(0.8, abs=0.01)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "s.toml").write_text(COMMUTE)
    (tmp_path / "homepages.txt").write_text("a.org\nb.org\nc.org\n")
    open_question = (
        '[[question]]\nname = "open"\ntype = "text"\nmechanism = "rappor"\n'
        "p = 0.2\nq = 0.8\nf = 0.1\nbloom_bits = {}\n"
    )
    (tmp_path / "open.toml").write_text(
        '[survey]\nname = "s"\n' + open_question.format(16)
    )
    crowded = (
        open_question.format(2).rstrip()
        + '\nhashes = 2\ncandidates = "homepages.txt"\n'
    )
    (tmp_path / "crowded.toml").write_text('[survey]\nname = "s"\n' + crowded)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_survey(folder):
    """Each question is planned through its own mechanism, a Bloom filter on its
    candidates.
    """
    plans_by_name = plans("s.toml", "--respondents", "20000", "--frequency", "0.1")
    assert {name: item["mechanism"] for name, item in plans_by_name.items()} == {
        "smoker": "warner",
        "transport": "oue",
        "homepage": "rappor",
    }
    assert [value["values"] for value in plans_by_name.values()] == [2, 4, 3]
    assert plans_by_name["smoker"]["efficiency"] == pytest.approx(1)
    assert plans_by_name["homepage"]["efficiency"] is None
    assert plans_by_name["homepage"]["forged"]["shift"] is None
    assert all(0 < value["rare_error"] < 0.1 for value in plans_by_name.values())
    shown = plan("s.toml", "--half-width", "0.02", "--forged", "7")
    assert "homepage" in shown
    assert "how far 7 reports" in shown


def test_explain_states_the_efficiency(folder):
    """`ldp explain` gives each question the efficiency that its plan has, if it has
    one.
    """
    shown = run("explain", "s.toml").output
    stated = re.findall(
        r"^  efficiency +(\S+) of what is possible with (\d+) values",
        shown,
        re.MULTILINE,
    )
    rows = plans("s.toml", "--respondents", "1000").values()
    assert stated == [
        (f"{row['efficiency']:.3f}", str(row["values"]))
        for row in rows
        if row["efficiency"]
    ]
    assert len(stated) == 2


def test_unreachable_is_a_dash():
    """What no epsilon brings about is said, in table and records, after what can be
    had.
    """
    words = ("--values", "3", "--respondents", "10", "--half-width", "1e-6")
    words = (*words, "--estimand", "respondents")
    shown, plans_by_name = plan(*words), plans(*words)
    assert "cannot be reached" in shown
    assert (
        next(line for line in shown.splitlines() if line.startswith(" oue")).split()[1:]
        == ["-"] * 11
    )
    reachable = [value["reachable"] for value in plans_by_name.values()]
    assert plans_by_name["grr"]["reachable"]
    assert reachable == sorted(reachable, reverse=True)


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        ((), 2, "expected a SURVEY, or --values"),
        (("--epsilon", "1"), 2, "expected a SURVEY, or --values"),
        (("--values", "10"), 2, "expected --epsilon or --respondents"),
        (
            ("--values", "10", "--half-width", ".1"),
            2,
            "expected --epsilon or --respondents",
        ),
        (
            ("--values", "10", "--epsilon", "1"),
            2,
            "expected --respondents, or --half-width",
        ),
        (
            ("--values", "10", "--respondents", "9"),
            2,
            "expected --epsilon, or --half-width",
        ),
        (
            (
                "--values",
                "10",
                "--respondents",
                "9",
                "--epsilon",
                "1",
                "--half-width",
                ".1",
            ),
            2,
            "leave one of them out",
        ),
        (("--values", "1", "--epsilon", "1", "-n", "9"), 2, "expected a number from 2"),
        (
            ("--values", "1e9", "--epsilon", "1", "-n", "9"),
            2,
            "expected a number from 2",
        ),
        (
            ("--values", "10", "--epsilon", "zero", "-n", "9"),
            2,
            "expected a number from 0.0001 to 40, got 'zero'",
        ),
        (
            ("--values", "10", "--epsilon", "0", "-n", "9"),
            2,
            "expected a number from 0.0001 to 40",
        ),
        (
            ("--values", "10", "--epsilon", "1", "-n", "1.5"),
            2,
            "expected a whole number, got '1.5'",
        ),
        (("--values", "10", "--epsilon", "1", "-n", "nan"), 2, "--respondents"),
        (
            ("--values", "10", "--epsilon", "1", "-n", "9" * 400),
            2,
            "expected a number from 1",
        ),
        (
            ("--values", "10", "--epsilon", "1", "-n", "9", "--level", "95"),
            2,
            "--level",
        ),
        (
            ("--values", "10", "--epsilon", "1", "-n", "9", "--detect", "2"),
            2,
            "--detect",
        ),
        (
            ("--values", "10", "--epsilon", "1", "-n", "9", "--forged", "10"),
            2,
            "--forged: expected at most as many as --respondents (9), got 10",
        ),
        (("s.toml", "--values", "10", "-n", "9"), 2, "got both"),
        (("s.toml",), 2, "expected --respondents, or --half-width"),
        (("s.toml", "-n", "9", "--half-width", ".1"), 2, "leave one of them out"),
        (("none.toml", "-n", "9"), 1, "No such file: none.toml"),
        (("homepages.txt", "-n", "9"), 1, "a TOML file"),
        (("open.toml", "-n", "9"), 1, "expected candidates to plan with"),
        (
            ("crowded.toml", "-n", "9"),
            1,
            "question 'open': expected at most 2 candidates",
        ),
    ],
)
def test_bad_calls(folder, words, code, expected):
    """What cannot be planned is said in a sentence, with the exit code of its kind."""
    assert expected in plan(*words, code=code)


@pytest.mark.parametrize(("most", "times"), [(3, None), (12, 1.9)])
def test_drawn_questions_are_advised_where_they_need_fewer_people(most, times, folder):
    """As many times fewer as the plans of both say."""
    switches = [f"switch-{number}" for number in range(12)]
    together = question(
        "on", type="multi", values=switches, most=most, epsilon=2, mechanism="pad-grr"
    )
    alone = [question(name, type="boolean", epsilon=2) for name in switches]
    drawn = survey("drawn", *alone, draws=[draw(*switches)])
    path = folder / "together.toml"
    twice = survey("together", together, {**together, "name": "again"})
    path.write_text(twice.to_toml(), encoding="utf-8")
    _, *all_advice = run("check", path).stderr.split("advice: ")
    advice = "".join(all_advice)
    assert len(all_advice) == (times is not None)
    assert (f" {times} times fewer people" in advice) == (times is not None)
    wanted = {"half_width": 0.02, "frequency": most / 24}
    [both] = planned(survey("together", together), **wanted).records()
    one = planned(drawn, names=("switch-0",), **wanted).records()[0]["drawn"]
    ratio = both["respondents"] / one["asked"]
    assert ratio < 1.25 if times is None else ratio == pytest.approx(times, rel=0.05)


def test_plans_as_pictures(tmp_path):
    """A line with its name for each mechanism, by respondents and by epsilon."""
    path = tmp_path / "plan.svg"
    plan("--values", 16, "--epsilon", 1, "-n", 10000, "--plot", path)
    drawn = path.read_text(encoding="utf-8")
    assert drawn.count("<polyline") == 11
    for words in ("Error by respondents", "Error by epsilon", ">oue, olh<", ">blh<"):
        assert words in drawn
