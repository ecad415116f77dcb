"""Backups in a folder, each named after the moment at which it was made; old ones are
thinned out.

    backup-20261128T051953Z                  a backup, in UTC
    backup-20261128T051953Z-acknowledged     its witness

Rules
- `48h,14d` keeps the newest backup of each of the last 48 hours that have one, and of
  each of the last 14 days that have one. No clock decides what goes: where backups were
  missed for a month, those from before it stay.
- What goes, goes before a new backup is made, so that a full disk has room again. Only
  backups that are there count then: one that fails costs none of those that are kept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ldp_service.store.errors import StoreError
from ldp_service.upkeep.backup import back_up
from ldp_service.upkeep.sizes import Sizes

_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"(backup-(\d{8}T\d{6}Z))(.*)")
_AMOUNT = re.compile(r"([1-9]\d{0,4})([hd])")
_STRETCHES = {"h": "%Y%m%d%H", "d": "%Y%m%d"}
"""How the hour or the day of a backup is written."""


class Keep(NamedTuple):
    """So many backups are kept, one for each hour (`h`) or day (`d`)."""

    number: int
    unit: str


def parse_keep(text: str) -> tuple[Keep, ...]:
    """Parse the rule of backups to keep, written as 48h,14d. Raises `StoreError`."""
    amounts = [_AMOUNT.fullmatch(part.strip()) for part in text.split(",")]
    kept = tuple(
        Keep(int(amount[1]), amount[2]) for amount in amounts if amount is not None
    )
    if len(kept) < len(amounts):
        raise StoreError(
            f"--keep: expected hours and days such as 48h,14d, got {text[:40]!r}"
        )
    return kept


def back_up_into(
    url: str, folder: Path, keep: tuple[Keep, ...]
) -> tuple[Path, Sizes, int]:
    """Thin out the backups in a folder, and write a new one there.

    Where it is, what it holds, and how many old ones have gone. Raises `StoreError`.
    """
    try:
        gone = _thin_out(folder, keep)
    except OSError as error:
        raise StoreError(
            f"expected a folder of backups at {folder}, got {error.strerror}"
        ) from None
    place = folder / f"backup-{datetime.now(UTC):{_STAMP}}"
    return place, back_up(url, place), gone


def _thin_out(folder: Path, keep: tuple[Keep, ...]) -> int:
    """Delete the backups that are not kept, and what is left of some that failed; how
    many.
    """
    files: dict[str, list[Path]] = defaultdict(list)
    moments: dict[str, datetime] = {}
    for path in folder.iterdir():
        if (named := _NAME.fullmatch(path.name)) is not None:
            files[named[1]].append(path)
            if not named[3]:
                moments[named[1]] = datetime.strptime(named[2], _STAMP).replace(
                    tzinfo=UTC
                )
    kept = _backups_to_keep(moments, keep)
    for name in files.keys() - kept:
        for path in files[name]:
            path.unlink(missing_ok=True)
    return len(moments.keys() - kept)


def _backups_to_keep(moments: dict[str, datetime], keep: tuple[Keep, ...]) -> set[str]:
    """The names of the backups that stay."""
    kept = set()
    for number, unit in keep:
        newest = {}
        for name, moment in sorted(moments.items(), key=lambda item: item[1]):
            newest[moment.strftime(_STRETCHES[unit])] = name
        kept.update(sorted(newest.values())[-number:])
    return kept
