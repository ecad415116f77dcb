"""Options of commands that say what a batch of reports was worth, if a relay mixed
them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click

from ldp.numbers.exact import fraction


def exact_from(low: Fraction | int) -> Callable[..., Fraction | None]:
    """What reads an option as an exact number from `low` on, below 1."""

    def read(
        _: click.Context, __: click.Parameter, text: str | None
    ) -> Fraction | None:
        if text is None:
            return None
        try:
            number = fraction(text)
        except ValueError as error:
            raise click.BadParameter(f"{error}, got {text!r}") from None
        if not low <= number < 1:
            raise click.BadParameter(
                f"expected a number from {low} to below 1, got {text}"
            )
        return number

    return read


DELTA: Callable[[Any], Any] = click.option(
    "--delta",
    metavar="D",
    default="1e-8",
    show_default=True,
    callback=exact_from(Fraction(1, 10**12)),
    help="With what chance a batch may reveal more than its epsilon.",
)
COLLUDING: Callable[[Any], Any] = click.option(
    "--colluding-share",
    "colluding",
    metavar="S",
    default="0",
    show_default=True,
    callback=exact_from(0),
    help=(
        "The share of the reports of a batch that are no cover: colluders', forged "
        "ones."
    ),
)
