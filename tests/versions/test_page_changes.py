"""What `ldp check` says of page files: reworded translations, and ways to refuse."""

import shutil
from datetime import date

import pytest
from calling import ldp, run
from places import EXAMPLES
from test_register_command import committed, git, hook_environment
from version_cases import file_of

from ldp.transparency.entries import parse_register
from ldp_aggregator.versions.pages import page_changes, parse_page

PAGE = (
    '[page]\ntitle = "Ways"\none_by_one = true\n[question.mode]\nhelp = "Today"\n'
    'labels = {bus = "By bus"}\n[language.de.question.mode]\ntext = "Wie kommen Sie?"\n'
)
REWORDED = PAGE.replace("Wie kommen Sie?", "Wie kamen Sie?")
WORDS = "0" * 64
LINE = "page language.de.question.mode.text: words: Wie kommen Sie? -> Wie kamen Sie?"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A survey with a page, an older version with the same, and a repository that has
    both.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    for name in ("survey", "old/survey"):
        (tmp_path / f"{name}.toml").write_text(file_of())
        (tmp_path / f"{name}.page.toml").write_text(PAGE)
    assert git("init", "-q", "-b", "main")[0] == 0
    committed("first")
    return tmp_path


def judged(new, old=PAGE):
    """What changed, as a dictionary of verdicts."""
    changes = page_changes(
        parse_page(new.encode(), "new"), parse_page(old.encode(), "old")
    )
    return {change.line: change.verdict for change in changes}


def test_every_text_in_every_language_is_compared():
    """Changed, gone and new ones; a label; not the way in which a page looks."""
    assert judged(PAGE) == {}
    assert judged(REWORDED) == {LINE: "worse"}
    assert judged(PAGE, REWORDED).keys() == {
        "page language.de.question.mode.text: words: Wie kamen Sie? -> Wie kommen Sie?"
    }
    assert judged(PAGE.replace("By bus", "By coach")) == {
        "page question.mode.labels.bus: words: By bus -> By coach": "worse"
    }
    assert judged(PAGE.replace("one_by_one = true\n", "")) == {
        "page page.one_by_one: parameters: True -> none": "same"
    }
    gone = judged('[page]\ntitle = "Ways"\none_by_one = true\n')
    assert len(gone) == 3
    assert set(gone.values()) == {"worse"}


@pytest.mark.parametrize(
    ("line", "aspect"),
    [
        ('refusal = "bus"', "ways to refuse"),
        ('skip = "visible"', "ways to refuse"),
        ('parents = ["https://a.example"]', "who may frame the page"),
        ('unheard = "of"', "parameters"),
    ],
)
def test_what_else_may_get_worse(line, aspect):
    """A way to refuse, a frame, and what no one has thought about."""
    ((said, verdict),) = judged(PAGE + f"[question.way]\n{line}\n").items()
    assert f": {aspect}: none -> " in said
    assert verdict == "worse"


@pytest.mark.parametrize(
    "against", ["old/survey.toml", "old", "HEAD", "HEAD:old/survey.toml"]
)
def test_a_reworded_translation_needs_a_reason(folder, against):
    """Beside a file, in a folder of versions, and in a revision; accepted, the check
    passes.
    """
    assert "nothing changed" in run("check", "survey.toml", "--against", against).output
    (folder / "survey.page.toml").write_text(REWORDED)
    assert (
        f"worse   {LINE}"
        in run("check", "survey.toml", "--against", against, code=1).output
    )
    words = ("check", "survey.toml", "--against", against, "--register", "log")
    run(*words, "--accept", "it was about yesterday")
    assert parse_register((folder / "log").read_bytes()).entries[0].worse == (LINE,)
    assert "was accepted" in run(*words).output
    ldp("survey register verify log survey.toml")
    (folder / "survey.page.toml").unlink()
    assert "-> none" in run(*words, code=1).output


def test_a_register_binds_the_page_file(folder):
    """By its hash: other words need a reason, are not proved to be in it, and are not
    served.
    """
    ldp("survey register add log survey.toml")
    against = ("check", "survey.toml", "--against", "log")
    assert "nothing changed" in run(*against).output
    (folder / "survey.page.toml").write_text(REWORDED)
    assert "worse   page file: words: " in run(*against, code=1).output
    verified = ("survey", "register", "verify", "log", "survey.toml")
    proved = (
        "survey",
        "register",
        "prove",
        "inclusion",
        "log",
        "survey.toml",
        "--output",
        "proof.json",
    )
    served = ("serve", "survey.toml", "--register", "log", "--store", "s.db")
    for words in (verified, proved, served):
        said = run(*words, code=1).output
        assert "expected the page file that is registered with trip" in said
    assert (
        "expected a reason" in ldp("survey register add log survey.toml", code=1).output
    )
    run("survey", "register", "add", "log", "survey.toml", "--accept", "clearer words")
    for words in (verified, proved):
        run(*words)
    head = ldp("survey register head log").output.strip()
    assert (
        "clearer words"
        in run("survey", "register", "check-proof", "proof.json", "--head", head).output
    )
    (folder / "survey.page.toml").unlink()
    assert "page file: words: " in run(*against, code=1).output
    register = parse_register((folder / "log").read_bytes())
    silent = register.follow(
        register.entries[0].survey(), date(2026, 11, 28), (), reason=None, page=WORDS
    )
    with (folder / "log").open("a") as log:
        log.write(silent)
    assert (
        "got none for: page file: words: "
        in ldp("survey register verify log", code=1).output
    )
    (folder / "survey.page.toml").write_text("[page")
    said = ldp("check survey.toml --against HEAD", code=1).output
    assert "expected TOML in UTF-8" in said


def test_the_hook_refuses_other_words(folder, monkeypatch):
    """A commit of a page file alone."""
    monkeypatch.setenv("PATH", hook_environment()["PATH"])
    shutil.copy(
        EXAMPLES / "register" / "pre-commit", folder / ".git" / "hooks" / "pre-commit"
    )
    (folder / "survey.page.toml").write_text(REWORDED)
    git("add", "-A")
    code, said = git("commit", "-m", "other words")
    assert code != 0
    assert LINE in said
