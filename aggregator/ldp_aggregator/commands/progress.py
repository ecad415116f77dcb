"""Progress bars: on a terminal only, on standard error, and never when asked to be quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def progress(
    items: Sequence[Item] | Iterable[Item], what: str, quiet: bool, total: int | None = None
) -> Iterator[Item]:
    """The items, one by one, behind a bar that says how far along they are."""
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)
