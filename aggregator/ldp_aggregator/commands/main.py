"""The command `ldp`: subcommands come from the installed packages, each loaded when it
is called.

Rules
- Results go to standard output or a file, untouched by decoration; progress and
  warnings go to standard error.
- A file called - is standard input, or standard output
  (`ldp_aggregator.output.streams`).
- Exit codes: 0 done; 1 the input could not be used, with a message; 2 the command was
  called wrongly; 3 something has changed (`ldp analyze trend --alert`), or is not as
  declared (`ldp client test`); 4 nothing could be tested (`ldp analyze trend --alert`);
  130 interrupted.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from difflib import get_close_matches
from functools import partial
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ldp.errors import LDPError
from ldp_aggregator.output.streams import say_everything
from ldpkit_core import warning

if TYPE_CHECKING:
    from fractions import Fraction

    from _typeshed import DataclassInstance

COMMANDS = "ldp.commands"
SECTIONS = {
    "Ask": {
        "demo": "Answer a question, and see what randomized response does to it.",
        "new": "Write a survey file: six questions, or none with --yes-no.",
        "check": "Check a survey file, or compare it with an older version.",
        "survey": "Make its web page or paper form, register it, stop questions.",
    },
    "Plan": {
        "plan": "Find how many answers a survey needs, and its errors.",
        "simulate": "Try a survey on made-up people whose answers are known.",
    },
    "Run": {
        "serve": "Collect answers, and show the results on a page.",
        "store": "Manage the tokens, backups and surveys of a service.",
        "client": "Test a client, write its code, read its files.",
    },
    "Analyse": {
        "randomize": "Turn a table of answers into randomized reports.",
        "aggregate": "Count reports, or add up tallies, into one small tally.",
        "estimate": "Estimate shares and means, with confidence intervals.",
        "analyze": "Query, compare, follow, weight, regress and publish results.",
    },
    "Privacy": {
        "explain": "Say what a survey reveals, or certify it.",
    },
    "Expert": {
        "relay": "Mix sealed reports on their way to the service.",
        "rappor": "Decode the files of google/rappor.",
    },
}
"""The commands and groups of commands, with a line each."""
_ANY_LENGTH = 10_000

FILE_PATH = click.Path(path_type=Path)
SURVEY = click.argument("survey_path", metavar="SURVEY", type=FILE_PATH)
SURVEY_IF_ANY = click.argument(
    "survey_path", metavar="[SURVEY]", required=False, type=FILE_PATH
)
QUIET = click.option(
    "--quiet", "-q", is_flag=True, help="Print nothing but results and errors."
)


Record = TypeVar("Record", bound="DataclassInstance")
Command = TypeVar("Command", bound=Callable[..., Any])


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """What gives a command these options, which its help lists in their order."""

    def give(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return give


def take(record: type[Record], given: dict[str, Any]) -> Record:
    """Take the fields of a record out of the values of a command's parameters."""
    names = [one.name for one in fields(record) if one.name in given]
    return record(**{name: given.pop(name) for name in names})


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


def number(least: Fraction | int, most: Fraction | int) -> Callable[[str], Fraction]:
    """Reads a number as people write it: 1e6, 0.01, 1/3, or ln(3)."""

    def read(text: str) -> Fraction:
        from ldp.numbers.exact import epsilon_of

        try:
            number = epsilon_of(text)
        except ValueError:
            number = None
        if number is None or not least <= number <= most:
            came = repr(text) if len(text) <= 80 else repr(text[:77] + "...")
            raise click.BadParameter(
                f"expected a number from {float(least):.10g} to {float(most):.10g}, "
                f"got {came}"
            )
        return number

    return read


def whole(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number, however it is written."""
    read_any = number(least, most)

    def read(text: str) -> int:
        number = read_any(text)
        if number.denominator != 1:
            raise click.BadParameter(f"expected a whole number, got {text!r}")
        return int(number)

    return read


class OutputFile(click.Path):
    """A file to write, or `-` for standard output: one that cannot be written is
    refused at once.

    A command that learns at its end that there is no such folder has worked for
    nothing. What was written is said at the end, with its size.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Raises `FileError` for a file that cannot be written."""
        from ldp_aggregator.output.files import check_writable

        path = super().convert(value, param, ctx)
        path = Path(os.fsdecode(path))
        check_writable(path)
        if ctx is not None:
            ctx.call_on_close(partial(_say_written, ctx, path, _stamp(path)))
        return path


OUTPUT_FILE = OutputFile()


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a regular file is written; None where there is no such
    file.
    """
    if not path.is_file():
        return None
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def _say_written(
    ctx: click.Context, path: Path, before: tuple[int, int] | None
) -> None:
    if not ctx.params.get("quiet") and _stamp(path) not in (None, before):
        click.echo(f"{path}: written, {path.stat().st_size:,} bytes", err=True)


class LongHelp(click.Command):
    """A command with many options, whose help lists them under headings.

    headings  the options below each, by spaces
    """

    def __init__(
        self, *words: Any, headings: Mapping[str, str], **settings: Any
    ) -> None:
        super().__init__(*words, **settings)
        self._headings = headings

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the headings; what is under none of them comes last."""
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        rows = {option.opts[0]: option.get_help_record(ctx) for option in options}
        for heading, names in [
            *self._headings.items(),
            ("Other options", " ".join(rows)),
        ]:
            listed = [row for name in names.split() if (row := rows.pop(name, None))]
            if listed:
                with formatter.section(heading):
                    formatter.write_dl(listed)


class CommandGroup(click.Group):
    """A group that lists what its subcommands do in whole sentences, over several
    lines.
    """

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list."""
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first argument; an unknown one is answered with those
        like it.
        """
        name = args[0]
        if self.get_command(ctx, name) is None:
            places = self.places(ctx)
            if near := get_close_matches(name, places, n=2):
                meant = " or ".join(places[one] for one in near)
                raise click.UsageError(
                    f"No such command {name!r}. Did you mean {meant}?"
                )
        return super().resolve_command(ctx, args)

    def places(self, ctx: click.Context) -> dict[str, str]:
        """Return by its last word what can be typed here for each command."""
        return {name: name for name in self.list_commands(ctx)}

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Each subcommand, and in a sentence what it does."""
        names = self.list_commands(ctx)
        commands = [(name, self.get_command(ctx, name)) for name in names]
        return [
            (name, _summary(command))
            for name, command in commands
            if command is not None
        ]


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(_ANY_LENGTH)


class _Subcommands(CommandGroup):
    """A group whose subcommands are entry points: `client test` is `test` of the group
    `client`.
    """

    def __init__(self, *words: Any, way: str = "", **settings: Any) -> None:
        super().__init__(*words, **settings)
        self._way = way

    def _ways(self) -> Iterator[str]:
        for point in entry_points(group=COMMANDS):
            if point.name.startswith(self._way):
                yield point.name.removeprefix(self._way)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted({way.partition(" ")[0] for way in self._ways()})

    def places(self, ctx: click.Context) -> dict[str, str]:
        """Return the commands here and those of the groups here, which people may look
        for here.
        """
        return {way.split(" ")[-1]: way for way in self._ways()} | super().places(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        way = self._way + cmd_name
        for point in entry_points(group=COMMANDS, name=way):
            try:
                command: click.Command = point.load()
            except Exception as error:
                # Whatever a package raises, it must not take the other commands down
                # with it.
                return _broken(way, error)
            return command
        if cmd_name not in self.list_commands(ctx):
            return None
        helps = {
            name: line for lines in SECTIONS.values() for name, line in lines.items()
        }
        settings = _OF_SERVICES if cmd_name in ("store", "relay") else {}
        return _Subcommands(
            cmd_name, way=f"{way} ", help=helps.get(cmd_name), **settings
        )


def _become(user: str | None) -> None:
    """Give up the rights of root for those of a user, by name or number.

    Raises `click.UsageError`.
    """
    if user is None:
        return
    try:
        import pwd

        number = int(user) if user.isdecimal() else pwd.getpwnam(user).pw_uid
        # A service's own user may have no account while it is stopped.
        group = number if user.isdecimal() else pwd.getpwnam(user).pw_gid
        os.setgroups([group])
        os.setgid(group)
        os.setuid(number)
    except (ImportError, KeyError) as error:
        raise click.UsageError(f"--as {user}: there is no such user") from error
    except PermissionError as error:
        raise click.UsageError("--as: only root can act as another user") from error


_OF_SERVICES: dict[str, Any] = {
    "callback": _become,
    "params": [
        click.Option(
            ["--as", "user"],
            metavar="USER",
            help="If you are root: act as this user, by name or number, to whom new "
            "files belong.",
        )
    ],
}


class _Commands(_Subcommands):
    """The command `ldp` itself."""

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the sections. No command is loaded for them: all together take a
        while.
        """
        rest = set(self.list_commands(ctx))
        for heading, lines in SECTIONS.items():
            rows = [(name, line) for name, line in lines.items() if name in rest]
            rest -= lines.keys()
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        if rest:
            with formatter.section("Others"):
                formatter.write_text(", ".join(sorted(rest)))

    def make_context(self, *words: Any, **settings: Any) -> click.Context:
        say_everything()
        # Threads of linear algebra would spin after each small matrix, and keep others
        # waiting.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
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
        raise click.ClickException(
            f"expected files and streams that work, got {error}"
        ) from error
    except MemoryError as error:
        raise click.ClickException(
            "expected less to do than this machine has memory for"
        ) from error


def _broken(name: str, error: Exception) -> click.Command:
    """A command that says why it cannot be loaded."""

    def explain() -> None:
        raise click.ClickException(
            f"ldp {name} cannot be loaded: {type(error).__name__}: {error}"
        )

    return click.Command(
        name, callback=explain, help="(not available: its package is incomplete)"
    )


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(version("ldpkit-core"), prog_name="ldp")
def main() -> None:
    """Collect statistics under local differential privacy."""
    clash = warning()
    if clash is not None:
        click.echo(f"warning: {clash}", err=True)
