"""Mistakes that people make: each is answered by what to type instead."""

import pytest
from calling import ldp, run

SURVEY = '[survey]\nname = "habits"\n[[question]]\nname = "sleep"\n'
GOOD = f'{SURVEY}values = ["good", "bad"]\nepsilon = 1\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "habits.toml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "other.toml").write_text(
        GOOD.replace("habits", "diet"), encoding="utf-8"
    )
    (tmp_path / "answers.csv").write_text("sleep\ngood\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.csv").write_text("Sleep\ngood\n", encoding="utf-8")
    ldp("randomize habits.toml -i answers.csv -o reports -q")
    ldp("aggregate habits.toml reports -o tally -q")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("estimate tally habits.toml", "tally is a tally. SURVEY comes first"),
        ("check reports", "reports is a report file. SURVEY comes first"),
        ("estimate other.toml tally", "this tally is of survey habits, not diet"),
        (
            "aggregate other.toml tally -o sum",
            "this tally is of survey habits, not diet",
        ),
        ("check habit.toml", "No such file: habit.toml. Did you mean habits.toml?"),
        ("estimate habits.toml taly", "No such file: taly. Did you mean tally?"),
        ("randomize habits.toml -i answer.csv -o x", "Did you mean answers.csv?"),
        ("check nowhere/habits.toml", "There is no folder nowhere"),
        ("estimate habits.toml tally --question SLEEP", "did you mean 'sleep'?"),
        ("client test habits.toml --question slep", "did you mean 'sleep'?"),
        ("randomize habits.toml -i case.csv -o x", "rename the column Sleep"),
    ],
)
def test_files_in_each_others_place(line, said, folder):
    """Swapped, of another survey, or mistyped."""
    assert said in run(*line.split(), code=1).stderr


def test_commands_are_named_that_may_be_meant():
    """At each level, also of groups below it."""
    assert "Did you mean analyze query?" in run("query", code=2).stderr
    assert "Did you mean estimate or simulate?" in run("estimte", code=2).stderr
    assert "Did you mean new?" in ldp("store tokens nwe", code=2).stderr


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('type = "bool"', 'type: expected "boolean", got'),
        ('type = "Boolean"', 'type: expected "boolean", got'),
        ('type = "choice"\nvalues = ["a", "b"]', 'type: expected "category", got'),
        ('type = "categori"\nvalues = ["a", "b"]', 'type: expected "category", got'),
        ('type = "boolean"\nmechanism = "OUE"', 'mechanism: expected "oue", got'),
        (
            'type = "boolean"\nmechanism = "random-response"',
            'expected "grr", or "warner"',
        ),
        ("values = [1, 2, 3]", 'or type = "integer" with low and high, got [1, 2, 3]'),
        ('options = ["a", "b"]', 'options: expected "values", got'),
    ],
)
def test_words_of_other_programs(keys, said, folder, tmp_path):
    """One problem for each, which names our word."""
    (tmp_path / "wrong.toml").write_text(
        f"{SURVEY}{keys}\nepsilon = 1\n", encoding="utf-8"
    )
    assert said in run("check", "wrong.toml", code=1).stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "analyze query yes.toml --counts true=60,false=40 share(sleep=yes)",
            "share(sleep=yes)",
        ),
        (
            "analyze query yes.toml --counts yes=60,no=40 share(sleep=No)",
            "share(sleep=No)",
        ),
        ("plan yes.toml --experiment yes=0.2,0.3", "true"),
        ("survey simulate-attacks yes.toml --targets yes -n 100", "true"),
        ("analyze compare yes.toml --counts yes=60,no=40 --direct yes=30/100", "true"),
        (
            (
                "analyze trend yes.toml --counts yes=60,no=40 --counts yes=70,no=30 "
                "--value yes"
            ),
            "true",
        ),
    ],
)
def test_yes_and_no_are_true_and_false(line, said, tmp_path, monkeypatch):
    """Wherever a value of a boolean is named."""
    monkeypatch.chdir(tmp_path)
    text = f'{SURVEY}type = "boolean"\nepsilon = 1\n'
    (tmp_path / "yes.toml").write_text(text, encoding="utf-8")
    assert said in run(*line.split()).stdout


def test_a_short_survey_is_a_whole_one(folder, tmp_path):
    """Values without a type are a category, also of a field; without a mechanism it is
    `auto`.
    """
    fields = "".join(
        f'[[question.field]]\nname = "{name}"\nvalues = ["x", "y"]\n' for name in "ab"
    )
    text = f'{SURVEY}type = "table"\nepsilon = 1\n{fields}'
    (tmp_path / "fields.toml").write_text(text, encoding="utf-8")
    assert "sleep (grr)" in run("check", "habits.toml").stdout
    run("check", "fields.toml")
