"""Options of commands for groups by public attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp.errors import EstimateError
from ldp_aggregator.commands.main import FILE_PATH, with_options

if TYPE_CHECKING:
    from ldp_aggregator.analyses.groups.asking import GroupRequest
    from ldp_aggregator.tallies.tally import Tally


def _read_by(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    if not given:
        return ()
    from ldp_aggregator.analyses.groups.asking import by_of

    return tuple(name for text in given for name in by_of(text))


def _read_where(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    if not given:
        return ()
    from ldp_aggregator.analyses.groups.asking import where_of

    try:
        return tuple(pair for text in given for pair in where_of(text))
    except EstimateError as error:
        raise click.BadParameter(str(error)) from None


_GROUPS = (
    click.option(
        "--by",
        multiple=True,
        metavar="ATTRIBUTES",
        callback=_read_by,
        help=(
            "Groups apart, by public attributes of the survey such as platform,country."
        ),
    ),
    click.option(
        "--where",
        multiple=True,
        metavar="ATTRIBUTE=VALUE",
        callback=_read_where,
        help="Only those who have this value of an attribute; may be repeated.",
    ),
)
_OPTIONS = (
    *_GROUPS,
    click.option(
        "--least-group",
        type=click.IntRange(1),
        metavar="N",
        help=(
            "Suppress groups of fewer reports.  [default: least_group of the survey, "
            "or more]"
        ),
    ),
)
_RELEASED = click.option(
    "--released",
    "earlier",
    multiple=True,
    metavar="TALLY",
    type=FILE_PATH,
    help="An earlier tally of the same reports whose groups were shown, so that "
    "differences are no small groups either; may be repeated, the first in front.",
)


with_groups = with_options(*_GROUPS)
"""Gives a command of rows --by and --where alone."""

with_group_options = with_options(*_OPTIONS, _RELEASED)
"""Gives a command of one tally the options that `GroupOptions` is made of."""

with_groups_of_several = with_options(*_OPTIONS)
"""The same of a command of several tallies, none of which is an earlier one of another.
"""


@dataclass(frozen=True)
class GroupOptions:
    """Which groups were asked for. Raises `click.UsageError` for what goes with
    none.
    """

    by: tuple[str, ...]
    where: tuple[tuple[str, str], ...]
    least_group: int | None
    earlier: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if not self and self.least_group is not None:
            raise click.UsageError("--least-group is for --by and --where")
        if not self and self.earlier:
            raise click.UsageError("--released is for --by and --where")

    def __bool__(self) -> bool:
        return bool(self.by or self.where)

    @property
    def groups(self) -> GroupRequest:
        """The groups."""
        from ldp_aggregator.analyses.groups.asking import GroupRequest

        return GroupRequest(self.by, self.where)

    def arguments(self, earlier: Sequence[Tally] = ()) -> dict[str, Any]:
        """What functions of one tally take, with earlier tallies if there are any."""
        given = {
            "by": self.by,
            "where": dict(self.where),
            "least_group": self.least_group,
        }
        return given | ({"earlier": earlier} if earlier else {})
