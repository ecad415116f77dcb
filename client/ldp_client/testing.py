"""For the tests of apps that embed a client: recording transports, and replayed
randomness.

Nothing in the client imports this module, and `EmbeddedClient` takes no randomness: no
setting of a released app leads here.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable

from ldp.numbers.randomness import Replay
from ldp.survey.survey import Survey
from ldp.wire.wire import Batch, FrameReader, decode_batch
from ldp_client.delivery.outcomes import ACCEPTED, Outcome
from ldp_client.delivery.transport import Transport
from ldp_client.embedding.embedded import EmbeddedClient


class RecordingTransport:
    """Keeps every payload, and answers with the given outcomes, then with
    `ACCEPTED`.
    """

    def __init__(self, outcomes: Iterable[Outcome | Exception] = ()) -> None:
        self.payloads: list[bytes] = []
        self._outcomes = deque(outcomes)

    def send(self, payload: bytes) -> Outcome:
        """Keep the payload. Raises what is to be raised."""
        self.payloads.append(payload)
        outcome = self._outcomes.popleft() if self._outcomes else ACCEPTED
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    @property
    def batches(self) -> list[Batch]:
        """The batches that came, each once, however often it was sent."""
        frames = FrameReader().feed(b"".join(self.payloads))
        batches = [decode_batch(frame) for frame in frames if isinstance(frame, bytes)]
        return list({batch.id: batch for batch in batches}.values())

    def reports(self, survey: Survey, name: str) -> list[bytes]:
        """The reports to a question, or to a group that answers `name` among others."""
        envelope = survey.group_of.get(name, survey[name])
        return [
            batch.rows[at : at + envelope.width]
            for batch in self.batches
            if batch.fingerprint == envelope.fingerprint
            for at in range(0, len(batch.rows), envelope.width)
        ]


class ReplayingClient(EmbeddedClient):
    """An embedded client whose randomness is a tape: the same reports at every run.

    It sends at `flush` only.
    """

    def __init__(
        self, survey: Survey, tape: bytes, transport: Transport | None = None
    ) -> None:
        self._draw = Replay(tape)
        super().__init__(
            survey, state=None, transport=transport, strict=True, interval=None
        )


def assert_nothing_told(
    answers: Iterable[str], *places: str | os.PathLike[str]
) -> None:
    """Fail if an answer's text is in a file, in UTF-8, UTF-16 or hexadecimal.

    Or in any file of a folder.
    """
    for answer in answers:
        text = answer.encode()
        forms = (text, answer.encode("utf-16-le"), text.hex().encode())
        for path in _files(places):
            with open(path, "rb") as file:
                content = file.read()
            if any(form in content for form in forms):
                raise AssertionError(f"expected no answer in {path}, found one")


def assert_recorded(client: EmbeddedClient, reports: int) -> None:
    """Fail unless n reports were made since the client was opened, and nothing went
    wrong.
    """
    counts = client.counts()
    if counts.get("recorded", 0) != reports or counts.keys() - {"recorded", "accepted"}:
        raise AssertionError(f"expected {reports} reports and no trouble, got {counts}")


def _files(places: Iterable[str | os.PathLike[str]]) -> Iterable[str]:
    for place in places:
        if os.path.isdir(place):
            yield from (
                os.path.join(folder, name)
                for folder, _, names in os.walk(os.fspath(place))
                for name in names
            )
        else:
            yield os.fspath(place)
