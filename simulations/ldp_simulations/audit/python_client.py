"""The Python client as a command that can be audited: answers in, frames out.

    ldp client test SURVEY -- python -m ldp_simulations.audit.python_client

is what `ldp client test SURVEY` does. A device without state is a `Client`; one that
keeps state is an `EmbeddedClient`, as in an app.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from ldp.errors import AlreadyAnsweredError, BudgetError, NotDrawnError
from ldp.survey.survey import Survey
from ldp_client import ACCEPTED, OFFLINE, Client, EmbeddedClient, Outcome, parse_survey
from ldp_client.answering.reports import Report, report_bytes

_UNKNOWN = 64
"""The exit code that says: not here."""
_PLENTY = "1000"
_PATIENCE = 60.0
_NAP = 0.05
_SILENT = (AlreadyAnsweredError, BudgetError, NotDrawnError)
"""Why there is no report, and nothing is wrong."""


class AuditAdapter:
    """How devices answer; one that differs in a method is another client."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey

    def device(self) -> Client:
        """A device that forgets."""
        return Client(self.survey)

    def reports_of(
        self, device: Client, answers: Mapping[str, Any]
    ) -> Iterator[Report]:
        """Its reports of answers by question."""
        for record in self.records(device, answers):
            yield from _unless_silent(record)

    def records(
        self, device: Client | EmbeddedClient, answers: Mapping[str, Any]
    ) -> Iterator[Callable[[], Any]]:
        """Calls that record answers; groups that are there as a whole together."""
        rest = dict(answers)
        for group in self.survey.groups:
            names = [question.name for question in group.members]
            if all(name in rest for name in names):
                together = {name: rest.pop(name) for name in names}
                yield partial(device.record_together, together)
        for name, answer in rest.items():
            yield partial(device.record, name, answer)

    def frame(self, report: Report) -> bytes:
        """The bytes that leave for a report."""
        return report_bytes([report])

    def answer(self, lines: Iterable[bytes], out: BinaryIO) -> None:
        """Each line by a device of its own."""
        for line in lines:
            life = json.loads(line)
            device = self.device()
            for answers in life if isinstance(life, list) else [life]:
                out.writelines(
                    self.frame(report) for report in self.reports_of(device, answers)
                )

    def answer_with_fork(self, lines: Iterable[bytes], out: BinaryIO) -> None:
        """Each line in two processes, one forked from the other once it has answered
        before.
        """
        asked = list(lines)
        self.answer(asked[:1], BytesIO())
        child = os.fork()
        if child and os.waitpid(child, 0)[1]:
            sys.exit("the forked process failed")
        self.answer(asked, out)
        out.flush()
        if not child:
            os._exit(0)

    def answer_one_each(
        self, lines: Iterable[bytes], out: BinaryIO, state: Path, *, is_accepted: bool
    ) -> None:
        """Each line by a new device, which keeps its state in a folder of its own."""
        for number, line in enumerate(lines):
            folder = state / str(number)
            folder.mkdir()
            self.answer_as_one([line], out, folder, is_accepted=is_accepted)

    def answer_as_one(
        self, lines: Iterable[bytes], out: BinaryIO, state: Path, *, is_accepted: bool
    ) -> None:
        """All lines by one device, which keeps its state."""
        sent = _Sent(out, ACCEPTED if is_accepted else OFFLINE)
        with EmbeddedClient(
            self.survey,
            state=state / "device",
            transport=sent,
            lifetime_cap=_PLENTY,
            interval=None,
        ) as client:
            for line in lines:
                life = json.loads(line)
                for answers in life if isinstance(life, list) else [life]:
                    for record in self.records(client, answers):
                        record()
                    if is_accepted:
                        _send(client, sent, is_accepted=True)
            _send(client, sent, is_accepted=is_accepted)


class _Sent:
    """A transport that writes what leaves."""

    destination = "https://collect.example/v1/reports"

    def __init__(self, out: BinaryIO, outcome: Outcome) -> None:
        self._out = out
        self._outcome = outcome
        self.payloads = 0

    def send(self, payload: bytes) -> Outcome:
        """Write a payload."""
        self._out.write(payload)
        self.payloads += 1
        return self._outcome


def _send(client: EmbeddedClient, sent: _Sent, *, is_accepted: bool) -> None:
    """Send all that waits; what is not accepted, once at least."""
    until = time.monotonic() + _PATIENCE
    while client.status().waiting and time.monotonic() < until:
        client.flush(_PATIENCE if is_accepted else _NAP)
        if sent.payloads and not is_accepted:
            return
        if client.status().waiting:
            time.sleep(_NAP)


def _unless_silent(record: Any) -> Iterator[Report]:
    try:
        yield record()
    except _SILENT:
        return


def serve(kind: type[AuditAdapter] = AuditAdapter) -> None:
    """Answer what is asked on standard input."""
    survey = parse_survey(
        Path(os.environ["LDP_AUDIT_SURVEY"]).read_text(encoding="utf-8")
    )
    adapter = kind(survey)
    state = os.environ.get("LDP_AUDIT_STATE")
    out = sys.stdout.buffer
    if "LDP_AUDIT_FORK" in os.environ:
        if not hasattr(os, "fork"):
            sys.exit(_UNKNOWN)
        adapter.answer_with_fork(sys.stdin.buffer, out)
    elif state is None:
        adapter.answer(sys.stdin.buffer, out)
    else:
        is_accepted = os.environ.get("LDP_AUDIT_VERDICT") != "retry"
        is_one = "LDP_AUDIT_EACH" not in os.environ
        answer = adapter.answer_as_one if is_one else adapter.answer_one_each
        answer(sys.stdin.buffer, out, Path(state), is_accepted=is_accepted)
    out.flush()


if __name__ == "__main__":
    serve()
