"""What commands let people ask for of groups by public attributes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ldp.errors import EstimateError
from ldp_aggregator.groups.asking import by_of, where_of

Command = TypeVar("Command", bound=Callable[..., Any])


def _read_by(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for text in given for name in by_of(text))


def _read_where(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    try:
        return tuple(pair for text in given for pair in where_of(text))
    except EstimateError as error:
        raise click.BadParameter(str(error)) from None


_OPTIONS = (
    click.option(
        "--by",
        multiple=True,
        metavar="ATTRIBUTES",
        callback=_read_by,
        help="Estimate groups apart, by public attributes of the survey such as platform,country.",
    ),
    click.option(
        "--where",
        multiple=True,
        metavar="ATTRIBUTE=VALUE",
        callback=_read_where,
        help="Only those who have this value of an attribute; may be repeated.",
    ),
    click.option(
        "--least-group",
        type=click.IntRange(1),
        metavar="N",
        help="Suppress groups of fewer reports.  [default: least_group of the survey, or more]",
    ),
    click.option(
        "--released",
        "earlier",
        multiple=True,
        metavar="TALLY",
        type=click.Path(path_type=Path),
        help="An earlier tally of the same reports whose groups were shown, so that differences "
        "are no small groups either; may be repeated, the first in front.",
    ),
)


def with_group_options(command: Command) -> Command:
    """Give a command the options that say which groups are asked for."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
