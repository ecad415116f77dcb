"""The help of every command and every option: whole sentences, and none left out."""

import click
import pytest
from click.testing import CliRunner

from ldp_aggregator.commands.main import main


def walk(command, words=()):
    """All commands and groups below this one, by the words that call them."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), (*words, name))


COMMANDS = dict(walk(main))


def test_commands_are_found():
    """Those of all packages, those of groups among them."""
    assert {"estimate", "rappor import", "serve", "simulate", "token new"} <= COMMANDS.keys()


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_has_help(words):
    """A sentence for each, which may be followed by its default."""
    options = [
        parameter for parameter in COMMANDS[words].params if isinstance(parameter, click.Option)
    ]
    sentences = {
        option.opts[0]: (option.help or "").partition("  [default:")[0] for option in options
    }
    assert [name for name, sentence in sentences.items() if not sentence.endswith((".", ")"))] == []


@pytest.mark.parametrize(
    "words", [words for words, command in COMMANDS.items() if isinstance(command, click.Group)]
)
def test_lists_of_commands_are_whole_sentences(words):
    """What a subcommand does is said to the end of its first sentence, on any terminal."""
    shown = CliRunner().invoke(main, [*words.split(), "--help"]).output
    listed = " ".join(shown.partition("Commands:")[2].split())
    assert "..." not in listed
    group = COMMANDS[words]
    for name in group.list_commands(click.Context(group)):
        help_text = " ".join(COMMANDS[f"{words} {name}".strip()].help.split())
        sentence = help_text.split(". ")[0].rstrip(".")
        assert f"{name} {sentence}" in listed
