"""The audit log: who looked at what, who was refused, and who changed tokens.

One JSON object a line, appended, in a file that its owner alone may read:

    {"time": "2026-11-23T18:00:00+00:00", "request": "...", "token": "looks", "method": "GET",
     "path": "/v1/surveys/a/estimates", "query": "by=country", "status": 200}
    {"time": "...", "event": "tokens", "added": ["app-2027"], "removed": [], "by": "root"}

Rules
- Who is the name of a token, never the token, nor an address. `token` is null where
  none was good.
- Uploads, what devices fetch (a survey, its stop list), scrapes of metrics, the page's
  own files and its looks at whether anything changed (304) are not looks at anything.
- Whoever shows no good token cannot fill the disk: of such requests 60 a minute have a
  line, and the next line says how many more there were.
- It can be moved away at any time: each line opens the file anew. Where it cannot be
  written, the log says so, once, and the service goes on.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ldp_aggregator.output.files import opened_private
from ldp_service.logs.events import now

MOST_REFUSED = 60
"""Lines a minute for those who are not known."""

_log = logging.getLogger("ldp.service")


class AuditLog:
    """Appends to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._trouble = False
        self._minute = self._refused = 0

    def refuse(self, **event: Any) -> None:
        """One line for someone who is not known, unless there were many this minute."""
        minute = int(time.time() // 60)
        if minute != self._minute:
            more = self._refused - MOST_REFUSED
            self._minute, self._refused = minute, 0
            if more > 0:
                self.write(event="refused", more=more)
        self._refused += 1
        if self._refused <= MOST_REFUSED:
            self.write(**event)

    def write(self, **event: Any) -> None:
        """One line."""
        line = json.dumps({"time": now(), **event}) + "\n"
        try:
            descriptor = opened_private(self._path, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(descriptor, line.encode())
            finally:
                os.close(descriptor)
            self._trouble = False
        except OSError as error:
            if not self._trouble:
                _log.error("expected to write the audit log, got %s", error.strerror)
            self._trouble = True

    def tokens(
        self, before: Iterable[str], after: Iterable[str], by: str | None = None
    ) -> None:
        """Names of tokens have changed; `by` is the user who did it, where that is
        known.
        """
        old, new = set(before), set(after)
        self.write(
            event="tokens", added=sorted(new - old), removed=sorted(old - new), by=by
        )
