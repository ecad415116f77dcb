"""The Python client, asked over its standard input: an adapter, and a model for others.

    ldp client test --depth device -- python -m ldp_simulations.conformance.python_client

What is recorded and sent is recorded and sent by `EmbeddedClient`, as in an app; what
is drawn from a tape, by the randomizers that it uses.
"""

from __future__ import annotations

import logging
from collections import Counter

from ldp.errors import NotDrawnError, StateError
from ldp.mechanisms import MECHANISMS
from ldp.numbers.randomness import Replay
from ldp_client import (
    ACCEPTED,
    Client,
    EmbeddedClient,
    HTTPTransport,
    Outcome,
    parse_survey,
    retry,
)
from ldp_simulations.conformance.serving import Answer, say, serve

DOES = (
    "randomize",
    "sample",
    "record",
    "together",
    "send",
    "http",
    "ledger",
    "state",
    "draw",
)
_FLUSH = 10.0
"""Seconds."""


class _Collector:
    """A transport that tells what leaves at the moment when it does, and says what it
    is told.
    """

    def __init__(self, destination: str) -> None:
        self.destination = destination
        self.verdict = ACCEPTED

    def send(self, payload: bytes) -> Outcome:
        """Tell of a payload."""
        say({"payload": payload.hex()})
        return self.verdict


class Adapter:
    """Adapter: a method for each request."""

    def __init__(self) -> None:
        self._client: EmbeddedClient | None = None
        self._posts = False
        self._collector = _Collector("")

    def hello(self) -> Answer:
        """Which client this is, and what it does."""
        return {
            "client": "ldp_client",
            "mechanisms": [*MECHANISMS],
            "does": DOES,
            "reads": "text",
        }

    def open(
        self,
        text: str,
        state: str | None,
        collector: str,
        cap: str,
        *,
        posts: bool = False,
        **_: object,
    ) -> Answer:
        """Begin as a device; what was open before is closed."""
        self.close()
        self._survey = parse_survey(text)
        self._posts = posts
        self._collector = _Collector(collector)
        self._client = EmbeddedClient(
            self._survey,
            state=state,
            transport=HTTPTransport(collector) if posts else self._collector,
            lifetime_cap=cap,
            strict=True,
            interval=None,
        )
        fingerprints = {
            question.name: question.fingerprint.hex() for question in self._survey
        }
        return {"fingerprints": fingerprints, "terms": self._survey.terms.hex()}

    def randomize(self, question: str, answer: object, tape: str) -> Answer:
        """The report that a tape makes of an answer; nothing is charged or kept."""
        asked = self._survey[question]
        source = Replay(bytes.fromhex(tape))
        report = asked.randomizer.randomize(asked.value(answer, source), source)
        return {
            "report": report.to_bytes(asked.width, "little").hex(),
            "used": source.used,
        }

    def sample(self, question: str, answers: list[object]) -> Answer:
        """Reports, each by a device of its own, with the client's own randomness."""
        reports = (Client(self._survey).record(question, answer) for answer in answers)
        return {"reports": [report.row.hex() for report in reports]}

    def record(self, question: str, answer: object) -> Answer:
        """Let a report of an answer wait to be sent."""
        if not self._open.record(question, answer):
            raise NotDrawnError("expected an answer to a question that was drawn")
        return {"recorded": True}

    def together(self, answers: dict[str, object]) -> Answer:
        """Answer the questions of a group."""
        self._open.record_together(answers)
        return {"recorded": True}

    def send(self, verdict: str) -> Answer:
        """Send what waits, all of which becomes of what is said."""
        self._collector.verdict = ACCEPTED if verdict == "accepted" else retry()
        self._open.flush(_FLUSH)
        status = self._open.status()
        if self._posts:
            return {"waiting": status.waiting, "pause": status.pause}
        return {}

    def ledger(self) -> Answer:
        """Return the spending."""
        ledger = self._open.ledger()
        charges = Counter(charge.question for charge in ledger.charges)
        return {"charges": charges, "spent": str(ledger.ratio() * ledger.aside)}

    def close(self) -> None:
        """Come to an end."""
        if self._client is not None:
            self._client.close()

    @property
    def _open(self) -> EmbeddedClient:
        if self._client is None:
            raise StateError("expected a survey to be opened first")
        return self._client


if __name__ == "__main__":
    logging.basicConfig()
    serve(Adapter())
