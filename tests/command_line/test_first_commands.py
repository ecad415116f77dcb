"""`ldp demo` and `ldp new`: what people type first."""

import re

import pytest
from calling import run
from click.testing import CliRunner

from ldp.survey.survey_file import parse_survey
from ldp_aggregator.commands.main import main


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_the_demonstration_shows_a_coin_a_crowd_and_a_price(answer):
    """One's own report, five bars whose line is the truth, and three epsilons."""
    shown = CliRunner().invoke(main, ["demo", "--terminal"], input=f"{answer}\n").stdout
    said, coin, sent = re.findall(r"(?:You said|The coin|Sent) +(\w+)", shown)
    assert said == answer.title()
    assert (sent == said) == (coin == "keeps")
    bars = re.findall(
        r"^ +[\d,]+ people  0 (.{51}) 100  \d+ to \d+ %$", shown, re.MULTILINE
    )
    assert len(bars) == 5
    assert all(bar[15] in "│●" and bar.count("●") == 1 for bar in bars)
    flipped = re.findall(
        r"(\d+) % +at most (\d+) % +\d+ to \d+ %$", shown, re.MULTILINE
    )
    assert flipped == [("38", "62"), ("27", "73"), ("12", "88")]


@pytest.mark.parametrize(
    ("lines", "sort", "answers"),
    [
        (None, "boolean", "4,993"),
        (["Smoker?", "yes/no", "habit", "2", "5"], "boolean", "659"),
        (["How?", "choice", "bus, bike, car", "habit", "1", ""], "category", "7,149"),
        (["Hours?", "number", "0, 24", "habit", "2", ""], "number", None),
    ],
)
def test_a_new_survey_can_be_checked_and_simulated(
    lines, sort, answers, tmp_path, monkeypatch
):
    """By six questions, or by none; what it takes is said, and nothing is
    overwritten.
    """
    monkeypatch.chdir(tmp_path)
    words = ["new"] if lines else ["new", "--yes-no", "Habit?", "-o", "habit.toml"]
    typed = "\n".join(lines or []) + "\n"
    done = CliRunner().invoke(main, words, input=typed)
    assert done.exit_code == 0, done.output
    text = (tmp_path / "habit.toml").read_text(encoding="utf-8")
    [question] = parse_survey(text)
    assert (question.name, question.domain.type) == ("habit", sort)
    assert f"You need {answers or ''}" in done.output
    run("check", "habit.toml")
    command = re.search(r"ldp (simulate .*)", done.output)[1]
    run(*command.split())
    assert "exists already" in CliRunner().invoke(main, words, input=typed).output
    assert (tmp_path / "habit.toml").read_text(encoding="utf-8") == text
