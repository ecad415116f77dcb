"""`ldp check --against` and `ldp survey register`, in folders, git and jobs."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest
import yaml
from calling import LDP, ldp, run
from places import EXAMPLES
from version_cases import MODE, SECOND, file_of, with_second

from ldp import parse_survey
from ldp.transparency.entries import parse_register
from ldp_aggregator.versions.register_file import add_version

DEARER = MODE.replace('"1"', '"2"')
WORSE_LINE = "question mode: epsilon of a report: 1 -> 2"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with one survey."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(file_of())
    return tmp_path


def git(*words):
    """A call of git, by no one in particular."""
    who = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "commit.gpgsign=false",
    )
    done = subprocess.run(["git", *who, *words], capture_output=True, check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


@pytest.fixture
def repository(folder):
    """The folder as a repository, with one commit."""
    assert git("init", "-q", "-b", "main")[0] == 0
    committed("first")
    return folder


def committed(message):
    """All files, in one more commit."""
    git("add", "-A")
    code, said = git("commit", "-q", "-m", message)
    assert code == 0, said


def test_against_a_file(folder):
    """0 where nothing gets worse, 1 where something does, 2 for what is called
    wrongly.
    """
    (folder / "old.toml").write_text(file_of())
    assert "nothing changed" in ldp("check survey.toml --against old.toml").output
    (folder / "survey.toml").write_text(file_of(DEARER))
    said = ldp("check survey.toml --against old.toml", code=1).output
    assert f"worse   {WORSE_LINE}" in said
    assert "take them back, or accept them" in said
    form = ("check", "survey.toml", "--against", "old.toml", "--format", "json")
    done = subprocess.run([*LDP, *form], capture_output=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["worse"] == 3
    # The other way round, the report costs less; that it is asked again has to be
    # accepted.
    ldp("check old.toml --against survey.toml", code=1)


@pytest.mark.parametrize(
    "words",
    [
        ("--against", "nothing-there"),
        ("--against", "--output=x"),
        ("--against", "HEAD"),
        ("--against", "old.toml", "--accept", "for science"),
        ("--accept", "for science", "--register", "log"),
        ("--register", "log"),
        ("--format", "json"),
    ],
)
def test_called_wrongly(folder, words):
    """Says what was expected, and exits with 2."""
    (folder / "old.toml").write_text(file_of())
    said = run("check", "survey.toml", *words, code=2).output
    assert "expected" in said or "No such option" in said


def test_against_a_folder(folder):
    """Versions in the order of their numbers; other surveys and the file itself are
    passed over.
    """
    versions = folder / "versions"
    versions.mkdir()
    for number, text in ((2, with_second()), (10, file_of()), (1, file_of())):
        (versions / f"v{number}.toml").write_text(text)
    (versions / "v11.toml").write_text(file_of(name="other"))
    newest = versions / "v12.toml"
    newest.write_text(with_second().replace(SECOND, SECOND.replace('"1"', '"2"')))
    said = run("check", newest, "--against", versions, code=1).output
    assert "it comes back otherwise than in version 2" in said
    (folder / "empty").mkdir()
    assert (
        "expected versions of"
        in run("check", newest, "--against", "empty", code=2).output
    )


def test_against_git(repository):
    """As it was in a revision: under its path, under another one, or where it was moved
    from.
    """
    assert "nothing changed" in ldp("check survey.toml --against HEAD").output
    (repository / "survey.toml").write_text(file_of(DEARER))
    assert WORSE_LINE in ldp("check survey.toml --against HEAD", code=1).output
    committed("dearer")
    assert "nothing changed" in ldp("check survey.toml --against HEAD").output
    assert (
        WORSE_LINE in run("check", "survey.toml", "--against", "HEAD~1", code=1).output
    )
    assert (
        WORSE_LINE
        in run(
            "check", "survey.toml", "--against", "HEAD~1:./survey.toml", code=1
        ).output
    )
    (repository / "deep").mkdir()
    (repository / "survey.toml").rename(repository / "deep" / "new.toml")
    moved = run("check", "deep/new.toml", "--against", "HEAD~1", code=1).output
    assert WORSE_LINE in moved
    (repository / "deep" / "other.toml").write_text(file_of(name="other"))
    first = ldp("check deep/other.toml --against HEAD").output
    assert "other: a first version" in first
    ldp("check deep/other.toml --against HEAD:nothing.toml", code=2)
    ldp("check deep/other.toml --against no-such-branch", code=2)


def test_files_of_a_revision(repository):
    """What a survey names is read from the same revision as the survey."""
    tree = (
        'name = "where"\ntype = "category"\nfile = "tree.csv"\nmechanism = '
        '"auto"\nepsilon = "1"'
    )
    (repository / "tree.csv").write_text("child,parent\na,x\nb,x\nc,y\nd,y\n")
    (repository / "survey.toml").write_text(file_of(tree))
    committed("a tree")
    (repository / "tree.csv").write_text("child,parent\na,x\nb,x\nc,y\nd,y\ne,y\n")
    said = ldp("check survey.toml --against HEAD", code=1).output
    assert "values: without them -> values: with e" in said


def test_accepted_reasons(repository):
    """They are kept in the register, and hold for this step and for no other."""
    (repository / "survey.toml").write_text(file_of(DEARER))
    words = ("check", "survey.toml", "--against", "HEAD", "--register", "log")
    run(*words, code=1)
    run(*words, "--accept", "the first wave was too small")
    assert "the first wave was too small" in run(*words).output
    assert (
        "entry 0 of log: there already" in run(*words, "--accept", "once more").output
    )
    (repository / "survey.toml").write_text(file_of(DEARER.replace('"2"', '"2.5"')))
    assert "1 -> 2.5" in run(*words, code=1).output
    ldp("survey register verify log")
    assert "the first wave was too small" in ldp("survey register show log").output
    committed("accepted")
    assert "2 -> 2.5" in ldp("check survey.toml --against HEAD:log", code=1).output
    run(*words, "--accept", " ", code=1)


def test_a_register_by_its_commands(folder):
    """Added to, verified, proved and shown; what gets worse without a reason is
    refused.
    """
    ldp("survey register add log survey.toml")
    head = ldp("survey register head log").output.strip()
    assert head.startswith("1:")
    assert "there already" in ldp("survey register add log survey.toml").output
    (folder / "survey.toml").write_text(file_of(DEARER))
    assert WORSE_LINE in ldp("survey register add log survey.toml", code=1).output
    ldp("survey register verify log survey.toml", code=1)
    run(
        "survey",
        "register",
        "add",
        "log",
        "survey.toml",
        "--accept",
        "more precise <b>",
    )
    run("survey", "register", "verify", "log", "survey.toml", "--since", head)
    ldp("survey register prove inclusion log survey.toml --since 1 -o proof.json")
    for known in (head, ldp("survey register head log").output.strip()):
        said = run(
            "survey",
            "register",
            "check-proof",
            "proof.json",
            "--head",
            known,
            "--survey",
            "survey.toml",
        ).output
        assert "accepted because: more precise" in said
    ldp("survey register prove consistency log --since 1 -o grown.json")
    assert (
        f"goes on from {head}"
        in run("survey", "register", "check-proof", "grown.json", "--head", head).output
    )
    other = head[:-1] + ("0" if head[-1] != "0" else "1")
    run("survey", "register", "check-proof", "grown.json", "--head", other, code=1)
    run("survey", "register", "verify", "log", "--since", other, code=1)
    run("survey", "register", "check-proof", "survey.toml", "--head", head, code=1)
    ldp("survey register prove inclusion log", code=2)
    ldp("survey register show log --html -o log.html")
    page = (folder / "log.html").read_text(encoding="utf-8")
    assert "more precise &lt;b&gt;" in page
    assert "<script" not in page
    assert json.loads(ldp("survey register show log --format json").output)["head"]
    assert "nothing changed" in ldp("check survey.toml --against log").output
    (folder / "survey.toml").write_text(file_of(DEARER.replace('"2"', '"3"')))
    assert "2 -> 3" in ldp("check survey.toml --against log", code=1).output


def test_a_register_that_was_cut(folder):
    """Its entries are gone: who kept a copy or a head sees it."""
    ldp("survey register add log survey.toml")
    (folder / "survey.toml").write_text(file_of(DEARER))
    run("survey", "register", "add", "log", "survey.toml", "--accept", "why not")
    shutil.copy("log", "kept")
    (folder / "log").write_bytes(
        (folder / "log").read_bytes().splitlines(keepends=True)[0]
    )
    ldp("survey register verify log")
    said = ldp("survey register verify log --since kept", code=1).output
    assert "expected 2 entries or more" in said


def test_silent_entries(folder):
    """An entry that someone wrote by hand, without the reason that the command asks
    for.
    """
    content = b""
    for text in (file_of(), file_of(DEARER)):
        survey = parse_survey(text)
        content += (
            parse_register(content)
            .follow(survey, date(2026, 11, 24), (), reason=None)
            .encode()
        )
    (folder / "log").write_bytes(content)
    said = ldp("survey register verify log", code=1).output
    assert "entry 1: expected a reason for all that got worse" in said


def test_there_and_back_and_there_again(folder):
    """A reason is for one step: going back and taking it again needs another."""
    words = ("survey", "register", "add", "log", "survey.toml")
    run(*words)
    for text, reason in ((DEARER, "too small a sample"), (MODE, "enough by now")):
        (folder / "survey.toml").write_text(file_of(text))
        run(*words, "--accept", reason)
    (folder / "survey.toml").write_text(file_of(DEARER))
    assert WORSE_LINE in run(*words, code=1).output
    (folder / "before.toml").write_text(file_of())
    check = ("check", "survey.toml", "--against", "before.toml", "--register", "log")
    assert WORSE_LINE in run(*check, code=1).output
    run(*words, "--accept", "a third wave")
    ldp("survey register verify log")
    run(*check)


@pytest.mark.parametrize("reason", ["", " ", "x" * 1001])
def test_reasons_that_are_none(folder, reason):
    """An entry whose reason says nothing, as someone could write it by hand."""
    ldp("survey register add log survey.toml")
    (folder / "survey.toml").write_text(file_of(DEARER))
    run("survey", "register", "add", "log", "survey.toml", "--accept", "a reason")
    first, second = (folder / "log").read_bytes().splitlines(keepends=True)
    silent = second.replace(b'"a reason"', json.dumps(reason).encode())
    (folder / "log").write_bytes(first + silent)
    said = ldp("survey register verify log", code=1).output
    assert "entry 1: expected a reason of one line" in said


def test_torn_registers_are_mended_on_request(folder):
    """Nothing is added to one before; the old bytes are kept."""
    ldp("survey register add log survey.toml")
    whole = (folder / "log").read_bytes()
    (folder / "log").write_bytes(whole + whole[:100])
    (folder / "survey.toml").write_text(file_of(DEARER))
    assert (
        "ldp survey register verify --mend"
        in ldp("survey register add log survey.toml --accept x", code=1).output
    )
    ldp("survey register verify log", code=1)
    ldp("survey register verify log --mend")
    assert (folder / "log").read_bytes() == whole
    assert (folder / "log.before-mending").read_bytes() == whole + whole[:100]
    assert "nothing to mend" in ldp("survey register verify log --mend").output
    (folder / "log").write_bytes(b"\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n"))
    ldp("survey register verify log", code=1)
    ldp("survey register verify log --mend")
    assert (folder / "log").read_bytes() == whole


def test_many_add_at_once(folder):
    """Threads with a file of their own each: one line for each version, in one
    chain.
    """
    names = [f"survey{number}" for number in range(20)]

    def adding(name):
        return add_version(
            folder / "log", parse_survey(file_of(name=name)), None
        ).entry.number

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(adding, names))
    assert sorted(numbers) == list(range(20))
    register = parse_register((folder / "log").read_bytes())
    assert {entry.name for entry in register.entries} == {*names}
    assert [register.entries[number].name for number in numbers] == names


def test_two_processes_add_at_once(folder):
    """The same of processes, as continuous integration may start them."""
    (folder / "other.toml").write_text(file_of(name="other"))
    calls = [
        subprocess.Popen(
            [*LDP, "survey", "register", "add", "log", name], stderr=subprocess.DEVNULL
        )
        for name in ("survey.toml", "other.toml")
    ]
    assert [call.wait(60) for call in calls] == [0, 0]
    assert len(parse_register((folder / "log").read_bytes()).entries) == 2


def test_a_full_disk(folder, monkeypatch):
    """A line that cannot be written whole is taken back."""
    ldp("survey register add log survey.toml")
    whole = (folder / "log").read_bytes()
    writes = os.write

    def half(file, content):
        if len(content) > 100:
            writes(file, bytes(content[:50]))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    (folder / "other.toml").write_text(file_of(name="other"))
    said = ldp("survey register add log other.toml", code=1).output
    assert "No space left on device" in said
    assert (folder / "log").read_bytes() == whole


def hook_environment():
    """The command `ldp` on the path, as it is where it was installed."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def test_the_hook_of_the_examples(repository, monkeypatch):
    """In a real repository: a commit that raises an epsilon is refused until it has a
    reason.
    """
    monkeypatch.setenv("PATH", hook_environment()["PATH"])
    shutil.copy(
        EXAMPLES / "register" / "pre-commit",
        repository / ".git" / "hooks" / "pre-commit",
    )
    (repository / "survey.toml").write_text(file_of(DEARER))
    git("add", "-A")
    code, said = git("commit", "-m", "more")
    assert code != 0
    assert WORSE_LINE in said
    run(
        "check",
        "survey.toml",
        "--against",
        "HEAD",
        "--register",
        "surveys.register",
        "--accept",
        "agreed with the board",
    )
    git("add", "-A")
    code, said = git("commit", "-m", "more")
    assert code == 0, said
    register = repository / "surveys.register"
    register.write_text(register.read_text().replace("agreed", "quarrelled"))
    git("add", "-A")
    code, said = git("commit", "-m", "less")
    assert code != 0
    assert (
        "expected the hash of the line before it" in said or "expected a proof" in said
    )


UNSEEN = {
    "a header that is spelled otherwise": lambda: edited(
        "survey.toml", ("[survey]", "[ survey ]"), ('"1"', '"2"')
    ),
    "a name with spaces": lambda: edited("wëb survey.toml", ('"1"', '"2"')),
    "values in a file beside": lambda: edited("tree.csv", ("d,y\n", "d,y\ne,y\n")),
    "a register that is gone": lambda: Path("surveys.register").unlink(),
    "an empty register": lambda: Path("surveys.register").write_text(""),
    "another name in another file": lambda: (
        edited("survey.toml", ('"trip"', '"travel"')),
        Path("survey.toml").rename("travel.toml"),
    ),
    "a later version in a file beside": lambda: Path("v3.toml").write_text(
        file_of(DEARER, name="wave")
    ),
}
"""Changes for the worse, each of which is in no file that a glance at the change shows.
"""


def edited(name, *replaced):
    """A file in which texts are replaced."""
    text = Path(name).read_text(encoding="utf-8")
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def many_surveys(repository):
    """A repository with several surveys, a register, and a file of TOML that is no
    survey.
    """
    tree = (
        'name = "where"\ntype = "category"\nfile = "tree.csv"\nmechanism = '
        '"auto"\nepsilon = "1"'
    )
    (repository / "tree.csv").write_text("child,parent\na,x\nb,x\nc,y\nd,y\n")
    (repository / "tree.toml").write_text(file_of(tree, name="tree"))
    (repository / "wëb survey.toml").write_text(file_of(name="web"))
    (repository / "v1.toml").write_text(file_of(DEARER, name="wave"))
    (repository / "v2.toml").write_text(file_of(name="wave"))
    (repository / "pyproject.toml").write_text('[project]\nname = "x"\n')
    ldp("survey register add surveys.register survey.toml")
    committed("many")
    return repository


@pytest.mark.parametrize("what", UNSEEN)
def test_nothing_passes_unseen(many_surveys, what):
    """As the hook and the job call it: all surveys of a folder, and its register."""
    UNSEEN[what]()
    ldp("check . --against HEAD --register surveys.register", code=1)


def test_a_folder_of_surveys(many_surveys):
    """What is not worse passes, and is said; a folder has no reason, and no files of
    its own.
    """
    words = ("check", ".", "--against", "HEAD", "--register", "surveys.register")
    assert "5 surveys in ." in run(*words).output
    Path("survey.toml").unlink()
    assert "trip: gone, as it stood in HEAD:survey.toml" in run(*words).output
    for wrong in ((*words, "--accept", "why"), (*words, "--format", "json")):
        assert (
            "no other option than --against and --register"
            in run(*wrong, code=2).output
        )
    assert "directory" in run(*words[:2], code=1).output


def test_the_same_question_in_a_new_survey(many_surveys):
    """Beside the old one, which stays: it would be answered twice, under two names."""
    words = ("check", ".", "--against", "HEAD")
    Path("again.toml").write_text(file_of(name="again"))
    said = run(*words, code=1).output
    assert "again: compared with HEAD:" in said
    assert "a question of which it asks as well" in said
    other = (
        MODE.replace('"mode"', '"shoe"')
        .replace("How?", "Which?")
        .replace("car", "boot")
    )
    Path("again.toml").write_text(file_of(other, name="again"))
    assert "again: a first version" in run(*words).output


def test_a_name_that_is_spelled_otherwise(many_surveys):
    """A survey that was moved is found by its name, and not by how that is written."""
    edited("survey.toml", ('"trip"', '"tr\\u0069p"'))
    committed("spelled otherwise")
    Path("survey.toml").unlink()
    Path("moved.toml").write_text(file_of(DEARER))
    assert WORSE_LINE in ldp("check moved.toml --against HEAD", code=1).output


def test_the_hook_looks_at_what_is_committed(repository, monkeypatch):
    """And not at what lies there, which may be other than what was added."""
    monkeypatch.setenv("PATH", hook_environment()["PATH"])
    shutil.copy(
        EXAMPLES / "register" / "pre-commit",
        repository / ".git" / "hooks" / "pre-commit",
    )
    (repository / "survey.toml").write_text(file_of(DEARER))
    git("add", "-A")
    (repository / "survey.toml").write_text(file_of())
    code, said = git("commit", "-m", "more")
    assert code != 0
    assert WORSE_LINE in said
    git("add", "-A")
    assert git("commit", "--allow-empty", "-m", "nothing")[0] == 0


def test_the_job_of_the_examples(repository, monkeypatch):
    """Its steps, run by a shell: refused as long as the reason is missing."""
    monkeypatch.setenv("PATH", hook_environment()["PATH"])
    job = yaml.safe_load((EXAMPLES / "register" / "surveys.yaml").read_text())
    steps = job["jobs"]["surveys"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    script = steps[-1]["run"]
    git("checkout", "-q", "-b", "change")
    (repository / "survey.toml").write_text(file_of(DEARER))
    committed("dearer")

    def called():
        return subprocess.run(
            ["bash", "-e", "-c", script],
            env={**os.environ, "BASE": "main"},
            capture_output=True,
            check=False,
        )

    assert called().returncode == 1
    assert WORSE_LINE.encode() in called().stdout
    run(
        "check",
        "survey.toml",
        "--against",
        "main",
        "--register",
        "surveys.register",
        "--accept",
        "agreed with the board",
    )
    committed("accepted")
    done = called()
    assert done.returncode == 0, done.stderr
