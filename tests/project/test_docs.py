"""Every example of the documentation runs as written: Python blocks, and the README's tour."""

import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from unittest import SkipTest

import pytest
from places import ROOT
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


def commands(page):
    """The lines of a page's console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks(page, monkeypatch):
    """The Python blocks of a page run, in their order, from the project's root.

    Not those whose package is absent.
    """
    monkeypatch.chdir(ROOT)
    document = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], patterns=["*.md"]).parse(page)
    for example in document.examples():
        with suppress(SkipTest):
            example.evaluate()


def test_tour(tmp_path):
    """The README's commands run as written, one by one, and leave what they promise."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    folder = Path(sys.executable).parent
    # `uv run` only prepares the environment that these tests already run in; pytest itself is what
    # is running.
    lines = [line.split("&& ")[-1] for line in commands(ROOT / "README.md")]
    # The service does not end by itself: `test_service_walk` starts it.
    lines = [
        line.removeprefix("uv run ")
        for line in lines
        if line != "uv run pytest" and " ldp serve " not in line
    ]
    assert len(lines) >= 9
    for line in lines:
        program, *words = shlex.split(line)
        done = subprocess.run(
            [folder / program, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        "commute/report.html",
        "commute/picture.svg",
        "affairs.svg",
        "affairs.json",
        "affairs/report.html",
    } <= files


def test_links_lead_somewhere():
    """Every relative link of the documentation points at a file of the project."""
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_readme():
    """Whoever reads the repository finds what the site's menu has."""
    linked = re.findall(r"\]\((docs/[^)#]+\.md)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {str(page.relative_to(ROOT)) for page in ROOT.glob("docs/**/*.md")} == set(linked)


def anchors(page):
    """Those that a page's headings give, as GitHub and others make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_to_headings():
    """Every link to a part of a page names one of its headings."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#:]*\.md)?#([^)]+)\)", text):
            assert anchor in anchors(page.parent / target if target else page), (page, anchor)


def test_every_mechanism_is_in_the_changelog():
    """By the name that a survey file uses."""
    from ldp.mechanisms import MECHANISMS

    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert {name for name in MECHANISMS if f"`{name}`" not in changelog} == set()
