"""The help of every command and every option: whole sentences, and none left out."""

import re
from functools import cache

import click
from click.testing import CliRunner

from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import SECTIONS, LongHelp, main


def walk(command, words=()):
    """All commands and groups below this one, by the words that call them."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), (*words, name))


@cache
def commands():
    """All of them, by their words."""
    return dict(walk(main))


def test_commands_are_found():
    """Those of all packages, those of groups among them."""
    assert {
        "estimate",
        "rappor import",
        "serve",
        "simulate",
        "store tokens new",
    } <= commands().keys()


def test_every_option_has_help():
    """A sentence for each, which may be followed by its default."""
    without = [
        (words, option.opts[0])
        for words, command in commands().items()
        for option in command.params
        if isinstance(option, click.Option)
        and not (option.help or "").partition("  [default:")[0].endswith((".", ")"))
    ]
    assert without == []


def test_long_helps_have_headings():
    """Every option of a long help is under one, but for those of few commands."""
    assert {
        words: len(command.params)
        for words, command in commands().items()
        if len(command.params) > 18 and not isinstance(command, LongHelp)
    } == {}
    shown = CliRunner().invoke(main, ["estimate", "--help"]).output
    assert re.findall(r"^(\w[\w ]*):$", shown, re.MULTILINE) == [
        *(heading for heading in HEADINGS if heading != "Model"),
        "Other options",
    ]
    assert re.findall(r"--\w+", shown.partition("Other options")[2]) == ["--help"]


def test_lists_of_commands_are_whole_sentences():
    """What a subcommand does is said to the end of its first sentence, on any
    terminal.
    """
    for words, group in commands().items():
        if not isinstance(group, click.Group) or group is main:
            continue
        shown = CliRunner().invoke(main, [*words.split(), "--help"]).output
        listed = " ".join(shown.partition("Commands:")[2].split())
        assert "..." not in listed, words
        for name in group.list_commands(click.Context(group)):
            help_text = " ".join(commands()[f"{words} {name}".strip()].help.split())
            sentence = help_text.split(". ")[0].rstrip(".")
            assert f"{name} {sentence}" in listed, words


def test_the_first_help_fits_one_screen():
    """All commands, in six sections, on 40 lines of 80 columns."""
    shown = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    assert len(shown.splitlines()) <= 40
    headings = re.findall(r"^(\w+):$", shown, re.MULTILINE)
    assert headings == ["Options", "Ask", "Plan", "Run", "Analyse", "Privacy", "Expert"]
    names = main.list_commands(click.Context(main))
    assert [name for name in names if not re.search(rf"\b{name}\b", shown)] == []
    assert {name for lines in SECTIONS.values() for name in lines} <= {*names}
