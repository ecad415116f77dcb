"""How many were shown a page and began, by survey and day, and how far its count had
come.

    respondents.json     {SURVEY: {DAY: {"shown": n, "started": n, "counted": {QUESTION:
                         n}}}}

Rules
- No address, no time of day, no order: days are all there is of time.
- Shown and begun are what pages say of themselves, and anyone can say so: a forger can
  raise them, and learn nothing.
- `counted` are the batches of a question or group that the store had when it was last
  looked at on the day, in all. The day `""` has those that were there before anyone
  looked.
- Several processes share the file: each adds what it was told since, under a lock,
  within seconds. One that is killed loses these seconds.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from ldp_aggregator.output.files import FileError, opened_private, written_whole

SHOWN, STARTED = STEPS = ("shown", "started")
COUNTED = "counted"
BEFORE = ""
"""The day of what was counted before days were."""
_MOST_BYTES = 1 << 22
_PAUSE = 5.0
"""Seconds between what is told and its being written: a write is a sync, and anyone may
tell.
"""

_log = logging.getLogger("ldp.service")

Days = dict[str, dict[str, Any]]
"""What is known of a survey, by day."""


class PageVisits:
    """How many were shown pages and began, by survey and day."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._lock = Lock()
        self._told: Counter[tuple[str, str, str]] = Counter()
        self._counted: dict[tuple[str, str], dict[str, int]] = {}
        self._first: dict[str, dict[str, int]] = {}
        self._timer: Timer | None = None
        self._trouble = False

    def count(self, survey: str, step: str) -> None:
        """One more; it is written within seconds."""
        with self._lock:
            self._told[survey, self._today(), step] += 1
            self._soon()

    def note(self, survey: str, counted: Mapping[str, int]) -> None:
        """How many batches were counted in all until now, by question or group."""
        with self._lock:
            self._counted[survey, self._today()] = dict(counted)
            self._first.setdefault(survey, dict(counted))
            self._soon()

    def by_day(self, survey: str) -> Days:
        """Return the counts by day, from the first one on, of all processes."""
        with self._lock:
            days = self._write().get(survey, {})
        return {day: days[day] for day in sorted(days)}

    def close(self) -> None:
        """Write what was not written yet."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._write()

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).date().isoformat()

    def _soon(self) -> None:
        if self._timer is None:
            self._timer = Timer(_PAUSE, self._in_time)
            self._timer.daemon = True
            self._timer.start()

    def _in_time(self) -> None:
        with self._lock:
            self._timer = None
            self._write()

    def _write(self) -> dict[str, Days]:
        """Add what was told to what the file has, and all there is then."""
        if not self._told and not self._counted:
            return _read(self._path)
        try:
            with _alone(self._path):
                counts = _read(self._path)
                self._add_to(counts)
                with written_whole(self._path, mode=0o600) as file:
                    file.write(
                        json.dumps(counts, indent=1, sort_keys=True).encode() + b"\n"
                    )
        except (FileError, OSError) as error:
            if not self._trouble:
                _log.warning("how many were shown a page is not kept: %s", error)
            self._trouble = True
            counts = _read(self._path)
            self._add_to(counts)
            return counts
        self._told.clear()
        self._counted.clear()
        return counts

    def _add_to(self, counts: dict[str, Days]) -> None:
        for (survey, day, step), more in self._told.items():
            steps = counts.setdefault(survey, {}).setdefault(day, {})
            steps[step] = steps.get(step, 0) + more
        for (survey, day), counted in self._counted.items():
            days = counts.setdefault(survey, {})
            if not any(COUNTED in steps for steps in days.values()):
                days[BEFORE] = {COUNTED: self._first[survey]}
            days.setdefault(day, {})[COUNTED] = counted


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """No other process writes meanwhile."""
    place = path.with_name(f"{path.name}-lock")
    descriptor = opened_private(place, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read(path: Path) -> dict[str, Days]:
    """Read earlier counts; empty where there is no such file, or no sound one."""
    with suppress(OSError, ValueError, AttributeError, TypeError):
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
        return {
            survey: {day: _steps(steps) for day, steps in days.items()}
            for survey, days in json.loads(content).items()
        }
    return {}


def _steps(known: Mapping[str, Any]) -> dict[str, Any]:
    """Read the counts of a day; raises one of the errors that `_read` expects."""
    steps: dict[str, Any] = {step: int(known[step]) for step in STEPS if step in known}
    if COUNTED in known:
        steps[COUNTED] = {
            str(name): int(batches) for name, batches in known[COUNTED].items()
        }
    return steps
