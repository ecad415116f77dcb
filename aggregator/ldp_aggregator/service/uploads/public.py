"""What is open to anyone: the pages of surveys, and how many were shown them and began.

Counts are by survey and day, in a file beside the tokens: no address, no time of day, no order.
They are what pages say of themselves, and anyone can say so: a forger can raise them, and learn
nothing.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from ldp_aggregator.files import FileError, written_whole
from ldp_aggregator.service.uploads.invitations import Invitations

SHOWN, STARTED = STEPS = ("shown", "started")
_MOST_BYTES = 1 << 22
_PAUSE = 5.0
"""Seconds between two writes, at least."""

_log = logging.getLogger("ldp.service")

Counts = dict[str, dict[str, dict[str, int]]]
"""By survey, day (UTC) and step."""


class Reach:
    """How many were shown a page and began, by survey and day."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._lock = Lock()
        self._counts = _read(path)
        self._trouble = False
        self._written = float("-inf")

    def count(self, survey: str, step: str) -> None:
        """One more."""
        day = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        with self._lock:
            steps = self._counts.setdefault(survey, {}).setdefault(day, {})
            steps[step] = steps.get(step, 0) + 1
            # Not each time: anyone may count up, and a write is a sync.
            now = time.monotonic()
            if now - self._written >= _PAUSE:
                self._written = now
                self._write()

    def by_day(self, survey: str) -> dict[str, dict[str, int]]:
        """Counts by day and step, from the first day on."""
        with self._lock:
            days = self._counts.get(survey, {})
            return {day: dict(days[day]) for day in sorted(days)}

    def close(self) -> None:
        """Write what was not written yet."""
        with self._lock:
            if self._counts:
                self._write()

    def _write(self) -> None:
        try:
            with written_whole(self._path, mode=0o600) as file:
                file.write(json.dumps(self._counts, indent=1, sort_keys=True).encode() + b"\n")
        except FileError as error:
            if not self._trouble:
                _log.warning("how many were shown a page is not kept: %s", error)
            self._trouble = True


@dataclass(frozen=True)
class Public:
    """The pages of surveys by name, and what a host sends with each; links need an address."""

    files: Mapping[str, Mapping[str, bytes]]
    headers: Mapping[str, Mapping[str, str]]
    reach: Reach
    invitations: Invitations | None = None
    """Who may answer; everyone, if nobody is named."""
    titles: Mapping[str, str] = field(default_factory=dict)


def _read(path: Path) -> Counts:
    """What was counted before; nothing where there is no such file, or no sound one."""
    counts: Counts = {}
    with suppress(OSError, ValueError, AttributeError, TypeError):
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
        counts = {
            survey: {
                day: {step: int(steps.get(step, 0)) for step in STEPS}
                for day, steps in days.items()
            }
            for survey, days in json.loads(content).items()
        }
    return counts
