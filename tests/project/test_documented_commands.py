"""Commands that the documentation shows are commands that there are, with options that
they have.

What they do is tried elsewhere; this is against pages that lag behind.
"""

import re
import shlex

import click
import pytest
from places import ROOT

from ldp_aggregator.commands.main import main

PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")]
)
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_PYTHON = re.compile(
    r"python ((?:tests|examples)/[\w/]+\.py"
    r"|-m (?:lab|release|ldp_simulations)(?:\.\w+)*)"
)
_NO_COMMANDS = ("ldp tally key", "ldp tally check")
"""What personalizes a hash (`docs/wire.md`)."""
_SPAN = re.compile(r"(?<!`)`(ldp [^`\n]+)`(?!`)")


def shown(text):
    """The lines that begin with `ldp`: in blocks, without what comes before, and in
    sentences.
    """
    for block in _BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if command := re.search(r"(?:^\$ |&& |uv run |engines )(ldp .*)", line):
                yield command[1]
    yield from (
        span for span in _SPAN.findall(_BLOCK.sub("", text)) if span not in _NO_COMMANDS
    )


def trouble(line):
    """What is wrong with a command as it is written; nothing, if it could be called
    so.
    """
    try:
        words = shlex.split(line, comments=True)[1:]
    except ValueError:
        return f"{line}: quotes"
    command, context = main, click.Context(main)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        names = words.pop(0).rstrip(",").split("|")
        known = [command.get_command(context, name) for name in names]
        if None in known:
            return f"{line}: no command {names}"
        command = known[0]
    parameters = command.get_params(context)
    options = {
        one for known in parameters for one in (*known.opts, *known.secondary_opts)
    }
    # A cut-out such as `...` or `[--quiet]` is no option, and a negative number none
    # either.
    asked = [re.match(r"-[-a-zA-Z][-a-z0-9]*", word) for word in _own(words)]
    unknown = [one[0] for one in asked if one and one[0] not in options]
    return f"{line}: no option {unknown}" if unknown else ""


def _own(words):
    """Those before `--`, behind which another program's begin."""
    return words[: words.index("--")] if "--" in words else words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_documentation_exist(page):
    """Every one, by name and by option."""
    troubles = [trouble(line) for line in shown(page.read_text(encoding="utf-8"))]
    assert [one for one in troubles if one] == []


def program_of(words):
    """The file that `python WORDS` runs, if it is one of ours."""
    module = re.fullmatch(r"-m ((?:lab|release|ldp_simulations)(?:\.\w+)*)", words)
    if not module:
        return ROOT / words
    inner = ROOT / "simulations" if words.startswith("-m ldp_") else ROOT
    place = inner.joinpath(*module[1].split("."))
    return place / "__main__.py" if place.is_dir() else place.with_suffix(".py")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_in_the_documentation_run(page):
    """Whatever is called by `python` is a file that does something when it is
    called.
    """
    for words in set(_PYTHON.findall(page.read_text(encoding="utf-8"))):
        program = program_of(words)
        assert program.exists(), words
        is_run = program.name == "__main__.py" or "__main__" in program.read_text(
            encoding="utf-8"
        )
        assert is_run, f"{words}: does nothing when it is called"


def test_every_command_is_on_the_page_of_what_to_install():
    """In the tables that say which distribution or extra brings it."""
    page = (
        (ROOT / "docs" / "install.md")
        .read_text(encoding="utf-8")
        .partition("## What is where")
    )
    rows = [line for line in page[2].splitlines() if line.startswith("|")]
    named = set(re.findall(r"`(?:ldp )?([a-z]+)`", "".join(rows)))
    assert set(main.list_commands(click.Context(main))) - named == set()


def test_what_is_missing_is_seen():
    """A command, a command of a group, an option; in a block and in a sentence."""
    page = (
        "`ldp nothing` and\n```console\n$ pip install uv && uv run ldp plan "
        "--oracle\n```\n"
    )
    lines = [
        *shown(page),
        "ldp store tokens nobody",
        "ldp relay keys --output x",
        "ldp check a --compiled b",
    ]
    assert [bool(trouble(line)) for line in lines] == [True, True, True, True, False]
