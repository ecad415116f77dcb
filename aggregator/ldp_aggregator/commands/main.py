"""The command `ldp`: subcommands come from the installed packages, each loaded when it is called.

Rules
- Results go to standard output or a file, untouched by decoration; progress and warnings go to
  standard error.
- A file called - is standard input, or standard output (`ldp_aggregator.streams`).
- Exit codes: 0 done; 1 the input could not be used, with a message; 2 the command was called
  wrongly; 3 something has changed (`ldp trend --alert`), or is not as declared (`ldp audit`); 130
  interrupted.
"""

from __future__ import annotations

import errno
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any, TypeVar

import click

from ldp.errors import LDPError
from ldp_aggregator.other_ldp import warning
from ldp_aggregator.streams import say_everything

COMMANDS = "ldp.commands"
_ANY_LENGTH = 10_000

SURVEY = click.argument("survey_path", metavar="SURVEY", type=click.Path(path_type=Path))
QUIET = click.option("--quiet", "-q", is_flag=True, help="Print nothing but results and errors.")


Command = TypeVar("Command", bound=Callable[..., Any])


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """What gives a command these options, which its help lists in their order."""

    def give(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return give


class FiniteRange(click.FloatRange):
    """A range of numbers, among which "nan" is none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | int:
        """Raises `click.BadParameter` for what is out of range, or no number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"expected a number, got {value}", param, ctx)
        return number


class Group(click.Group):
    """A group that lists what its subcommands do in whole sentences, over several lines."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list."""
        names = self.list_commands(ctx)
        commands = [(name, self.get_command(ctx, name)) for name in names]
        rows = [
            (name, command.get_short_help_str(_ANY_LENGTH))
            for name, command in commands
            if command is not None
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class _Commands(Group):
    """A group whose subcommands are entry points."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(point.name for point in entry_points(group=COMMANDS))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        for point in entry_points(group=COMMANDS, name=cmd_name):
            try:
                command: click.Command = point.load()
            except Exception as error:
                # Whatever a package raises, it must not take the other commands down with it.
                return _broken(cmd_name, error)
            return command
        return None

    def make_context(self, *words: Any, **settings: Any) -> click.Context:
        say_everything()
        with _told_in_a_line():  # our own --help and --version are printed here
            return super().make_context(*words, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _told_in_a_line():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(130)


@contextmanager
def _told_in_a_line() -> Iterator[None]:
    """What goes wrong as messages, which click prints."""
    try:
        yield
    except LDPError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # click ends quietly: the reader has enough
        raise click.ClickException(f"expected files and streams that work, got {error}") from error
    except MemoryError as error:
        raise click.ClickException(
            "expected less to do than this machine has memory for"
        ) from error


def _broken(name: str, error: Exception) -> click.Command:
    """A command that says why it cannot be loaded."""

    def explain() -> None:
        raise click.ClickException(f"ldp {name} cannot be loaded: {type(error).__name__}: {error}")

    return click.Command(name, callback=explain, help="(not available: its package is incomplete)")


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(version("ldpkit-core"), prog_name="ldp")
def main() -> None:
    """Collect statistics under local differential privacy: plan, randomize, aggregate, estimate."""
    clash = warning()
    if clash is not None:
        click.echo(f"warning: {clash}", err=True)
