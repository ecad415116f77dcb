"""What an operator is told: one message a change, with an id by which a repetition is known.

    {"id": "msg_...", "kind": "disk", "state": "begun", "time": "2026-11-23T18:00:00+00:00",
     "service": "ldp.example.org", "subject": "", "summary": "..."}

`state` is `begun` or `over` of an alarm that lasts, `happened` of what only happens, `test` of a
trial. `subject` says which, where there are several: a survey's name, a question's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, NamedTuple

from ldp_aggregator.rendering.safe_cells import printable

BEGUN, OVER, HAPPENED, TEST = STATES = ("begun", "over", "happened", "test")
_LONGEST = 1000


class Message(NamedTuple):
    """One of them."""

    id: str
    kind: str
    state: str
    time: float
    service: str
    subject: str
    summary: str

    @classmethod
    def new(cls, kind: str, state: str, summary: str, **others: Any) -> Message:
        """One with an id of its own; `others` are its time, service and subject."""
        text = printable(summary)[:_LONGEST]
        return cls(f"msg_{token_hex(12)}", kind, state, summary=text, **others)

    @property
    def title(self) -> str:
        """In a few words, on one line."""
        about = f" ({self.subject})" if self.subject else ""
        return printable(f"[{self.service}] {self.kind}{about}: {self.state}")[:200]

    def to_dict(self) -> Mapping[str, str]:
        """Ready for JSON."""
        moment = datetime.fromtimestamp(self.time, UTC).isoformat(timespec="seconds")
        return {**self._asdict(), "time": moment}

    def body(self) -> bytes:
        """What a webhook is sent."""
        return json.dumps(self.to_dict()).encode()
