"""Events in the log: one line each, as text or as JSON, with the request that it
belongs to.

Rules
- A line is a line, whatever a file's name or a peer's bytes say: control characters are
  escaped, and what continues a message is indented. In JSON an event is one object on
  one line.
- No address, no token and no answer is in it.
- A request carries an id, its own `X-Request-Id` or a random one; it is in the answer,
  in each line that is logged while it is answered, and in the audit log. Uploads carry
  none: nothing should link them.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from secrets import token_hex

import click

from ldp_aggregator.output.safe_cells import printable

FORMATS = TEXT, JSON = "text", "json"
LEVELS = ("debug", "info", "warning", "error")
HEADER = b"x-request-id"
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


def set_up(form: str, level: str) -> None:
    """Log to standard error in a format, from a level on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if form == JSON else _Text())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    # It warns of every request that it refuses, and anyone could fill the disk so.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def say(words: str) -> None:
    """A line for whoever starts a service; a log on a full disk does not take it, and
    is no end.
    """
    with suppress(OSError):
        click.echo(words, err=True)


def id_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The id that a request carries, if that is one, or else a new one."""
    given = next((value for name, value in headers if name == HEADER), b"")
    if _ID.fullmatch(given):
        return given.decode()
    return token_hex(8)


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class _Text(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """One event, whose lines but the first are indented."""
        first, *others = super().format(record).split("\n")
        asked = request_id.get()
        lines = [first if asked is None else f"{first} [{asked}]", *others]
        return "\n    ".join(map(printable, lines))


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """One event, as an object."""
        event = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (asked := request_id.get()) is not None:
            event["request"] = asked
        if record.exc_info:
            event["traceback"] = self.formatException(record.exc_info)
        return json.dumps(event)
