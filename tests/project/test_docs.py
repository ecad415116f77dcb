"""Every example of the documentation runs as written: Python blocks, and commands."""

import re
import runpy
import shlex
import subprocess
from contextlib import suppress
from pathlib import Path
from unittest import SkipTest

import pytest
from calling import run
from places import ROOT
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[!.]*/README.md")]
)


def commands(text):
    """The lines of the console blocks of a page, or of a part of it."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks(page, monkeypatch):
    """The Python blocks of a page run, in their order, from the project's root.

    Not those whose package is absent.
    """
    monkeypatch.chdir(ROOT)
    evaluate(page)


def evaluate(page):
    """Run the Python blocks of a page."""
    document = Sybil(
        parsers=[PythonCodeBlockParser(), SkipParser()], patterns=["*.md"]
    ).parse(page)
    for example in document.examples():
        with suppress(SkipTest):
            example.evaluate()


def test_the_readme_shows_what_its_python_prints(capsys):
    """Its ten lines print the table below them, and its picture is drawn from the same
    people.
    """
    from lab.readme_picture import picture

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    evaluate(ROOT / "README.md")
    assert f"```text\n{capsys.readouterr().out.rstrip()}\n```" in readme
    drawn = (ROOT / "docs" / "readme.svg").read_text(encoding="utf-8")
    assert drawn == picture()
    assert "Beside it a result: 28 % smoke, 24 to 33 %" in readme
    assert ">28 %<" in drawn
    assert ">smoke, 24 to 33 %<" in drawn


def typed(line, monkeypatch):
    """Do what a line of a page does, in this process, which has loaded what commands
    need.
    """
    program, *words = shlex.split(line.rpartition("&& ")[2].removeprefix("uv run "))
    if program == "ldp":
        run(*words)
    else:
        assert program == "python", line
        monkeypatch.setattr("sys.argv", words)
        monkeypatch.syspath_prepend(Path(words[0]).parent)
        with suppress(
            SystemExit
        ):  # a failure leaves without the file that is looked for
            runpy.run_path(words[0], run_name="__main__")


PRINTED = 'ldp() { echo "ldp ${@@Q}"; }; python() { echo "python ${@@Q}"; }; '
"""Before a line of a shell: it prints the commands in place of running them."""


@pytest.mark.fast("the README's commands")
def test_the_readmes_commands_run(tmp_path, monkeypatch):
    """One by one, as written, but for the tests themselves, and leave what they promise."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for line in commands((ROOT / "README.md").read_text(encoding="utf-8")):
        if line != "uv run pytest":
            typed(line, monkeypatch)
    for name in ("report.html", "picture.svg"):
        assert (tmp_path / "commute" / name).is_file()


@pytest.mark.needs("bash")
def test_the_study_runs_from_files(tmp_path, monkeypatch):
    """Every command of the page on analysis runs, with the words that a shell makes of
    it.
    """
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    lines = commands((ROOT / "docs" / "analysis.md").read_text(encoding="utf-8"))
    assert len(lines) >= 12
    for line in lines:
        words = subprocess.check_output(["bash", "-c", PRINTED + line], text=True)
        for command in words.splitlines():
            typed(command, monkeypatch)
    files = {path.name for path in (tmp_path / "study").iterdir()}
    assert {"children.svg", "weeks.svg", "report.html", "people.tally"} <= files


def test_links_lead_somewhere():
    """Every relative link of the documentation points at a file of the project."""
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_a_picture_has_one_caption():
    """What a picture shows does not depend on the page that shows it."""
    captions = {}
    for page in PAGES:
        for said, path in re.findall(
            r"!\[([^]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")
        ):
            if not path.startswith("http"):
                captions.setdefault((page.parent / path).resolve(), set()).add(said)
    assert {path.name: said for path, said in captions.items() if len(said) > 1} == {}


def test_every_page_is_listed():
    """Readers of the repository find what the site's menu has."""
    docs = ROOT / "docs"
    linked = re.findall(
        r"\]\(([^.)#]+\.md)", (docs / "pages.md").read_text(encoding="utf-8")
    )
    assert {str(page.relative_to(docs)) for page in docs.glob("**/*.md")} == {
        *linked,
        "pages.md",
    }


def test_the_first_page_is_the_readme():
    """The site begins with the README, whose links lead to the same places."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    twin = re.sub(
        r"\]\((?!http)(docs/)?", lambda link: "](" if link[1] else "](../", readme
    )
    assert (ROOT / "docs" / "index.md").read_text(encoding="utf-8") == twin


def anchors(page):
    """Those that a page's headings give, as GitHub and others make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


def test_links_lead_to_headings():
    """Every link to a part of a page names one of its headings."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#:]*\.md)?#([^)]+)\)", text):
            assert anchor in anchors(page.parent / target if target else page), (
                page,
                anchor,
            )


@pytest.mark.parametrize(("page", "most"), [("ARCHITECTURE", 700), ("CHANGELOG", 660)])
def test_pages_for_newcomers_are_short(page, most):
    """A page each, in words."""
    assert len((ROOT / f"{page}.md").read_text(encoding="utf-8").split()) <= most


def test_every_mechanism_is_in_the_changelog():
    """By the name that a survey file uses."""
    from ldp.mechanisms import MECHANISMS

    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert {name for name in MECHANISMS if f"`{name}`" not in changelog} == set()
