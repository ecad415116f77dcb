"""Which tokens are used: how often since the start, and on which day last.

Whoever hands tokens out wants to know which are used no more, and which someone uses
who should not. A file beside the token file has the last day of each, by name: a day
and nothing finer, as of all time that a service stores. It is written when a day is
new; where it cannot be, the metrics have what is known.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Lock

from ldp_aggregator.output.files import FileError, written_whole
from ldp_service.store.records import DAY

ENDING = "-used"
_MOST_BYTES = 1 << 20

_log = logging.getLogger("ldp.service")


class TokenUse:
    """Use of the tokens of a file."""

    def __init__(self, token_file: Path) -> None:
        self._path = path_of(token_file)
        self._lock = Lock()
        self._days = read_days(token_file)
        self._noted: dict[str, int] = {}
        """The days since 1970 of those that were used since the start."""
        self._trouble = False
        self.times: Counter[str] = Counter()
        """How often each was good for something, since the start."""

    def note(self, name: str, now: float) -> None:
        """A token was used."""
        day = int(now // DAY)
        with self._lock:
            self.times[name] += 1
            if self._noted.get(name) == day:
                return
            self._noted[name] = day
            today = datetime.fromtimestamp(now, UTC).date()
            if self._days.get(name) == today:
                return
            self._days[name] = today
            self._write()

    @property
    def days(self) -> dict[str, date]:
        """The last day of each that was ever used."""
        with self._lock:
            return dict(self._days)

    def _write(self) -> None:
        days = {name: day.isoformat() for name, day in sorted(self._days.items())}
        try:
            with written_whole(self._path, mode=0o600) as file:
                file.write(json.dumps(days, indent=2).encode() + b"\n")
        except FileError as error:
            if not self._trouble:
                _log.warning(
                    "the last use of tokens is in the metrics alone: %s", error
                )
            self._trouble = True


def path_of(token_file: Path) -> Path:
    """Where the days of the tokens of a file are."""
    return token_file.with_name(token_file.name + ENDING)


def read_days(token_file: Path) -> dict[str, date]:
    """The last day of each token, by name; nothing where there is no such file, or no
    sound one.
    """
    days: dict[str, date] = {}
    with suppress(OSError, ValueError, AttributeError, TypeError):
        with path_of(token_file).open("rb") as file:
            content = file.read(_MOST_BYTES)
        days = {
            name: date.fromisoformat(day) for name, day in json.loads(content).items()
        }
    return days
