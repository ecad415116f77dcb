"""How far long work is: a bar on a terminal, elsewhere a line each ten seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import click

Item = TypeVar("Item")
_SECONDS = 10.0


def progress(
    items: Sequence[Item] | Iterable[Item],
    what: str,
    quiet: bool,
    total: int | None = None,
) -> Iterator[Item]:
    """Yield the items, and say how far along they are unless asked to be quiet."""
    if quiet:
        yield from items
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track

        yield from track(
            items, what, total=total, console=Console(stderr=True), transient=True
        )
    else:
        if total is None and isinstance(items, Sequence):
            total = len(items)
        yield from _with_lines(items, what, "" if total is None else f" of {total:,}")


def _with_lines(items: Iterable[Item], what: str, of_all: str) -> Iterator[Item]:
    began = said = time.monotonic()
    for number, item in enumerate(items):
        now = time.monotonic()
        if now - said >= _SECONDS:
            click.echo(
                f"{what}: {number:,}{of_all} after {now - began:.0f} s", err=True
            )
            said = now
        yield item
