"""The client for apps with an event loop: what waits for a disk or a network does not
hold it up.

Rules
- What takes a transaction is done in a thread. Whoever is cancelled while waiting for
  it goes on at once; the transaction is made, whole, all the same.
- `flush` has a thread of its own, which no loop that ends waits for: an upload may take
  its time.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import Any

from ldp.survey.survey import Survey
from ldp_client.answering.ledger import Ledger
from ldp_client.delivery.counts import RecordOutcome
from ldp_client.embedding.embedded import EmbeddedClient
from ldp_client.embedding.preview import Preview
from ldp_client.embedding.status import Status
from ldp_client.keeping.hidden_answer import HiddenAnswer


class AsyncClient:
    """An `EmbeddedClient` whose methods are awaited; they raise what its methods raise.

    `AsyncClient.open` takes the settings of an `EmbeddedClient`. It makes the state
    file without holding up the loop. `embedded` is the client within.

    >>> import asyncio, ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> async def answer():
    ...     async with await ldp_client.AsyncClient.open(survey, state=None) as client:
    ...         return bool(await client.record("mode", "bus")), await client.waiting()
    >>> asyncio.run(answer())
    (True, 1)
    """

    def __init__(self, embedded: EmbeddedClient) -> None:
        self.embedded = embedded

    @classmethod
    async def open(
        cls, source: str | os.PathLike[str] | Survey, **settings: Any
    ) -> AsyncClient:
        """Open an `EmbeddedClient` with these settings. Raises what that raises."""
        return cls(await asyncio.to_thread(EmbeddedClient, source, **settings))

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def record(self, name: str, answer: object) -> RecordOutcome:
        """Randomize an answer now and let its report wait to be sent."""
        answer = HiddenAnswer(answer)
        return await asyncio.to_thread(lambda: self.embedded.record(name, answer.value))

    async def record_daily(self, name: str, answer: object) -> RecordOutcome:
        """Record an answer at most once a day."""
        answer = HiddenAnswer(answer)
        return await asyncio.to_thread(
            lambda: self.embedded.record_daily(name, answer.value)
        )

    async def record_together(self, answers: Mapping[str, object]) -> RecordOutcome:
        """Record the answers to all questions of a group, by question name."""
        hidden = HiddenAnswer(answers)
        del answers
        return await asyncio.to_thread(
            lambda: self.embedded.record_together(hidden.value)
        )

    async def flush(self, timeout: float = 2.0) -> bool:
        """Send what waits, for at most `timeout` seconds. Whether all of it has
        arrived.
        """
        loop = asyncio.get_running_loop()
        over: asyncio.Future[bool] = loop.create_future()

        def end(arrived: bool | None, error: Exception | None) -> None:
            if over.done():  # cancelled
                return
            if error is not None:
                over.set_exception(error)
            else:
                over.set_result(bool(arrived))

        def work() -> None:
            arrived = problem = None
            try:
                arrived = self.embedded.flush(timeout)
            except (
                Exception
            ) as error:  # that of a strict client, raised where it is awaited
                problem = error
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(end, arrived, problem)

        Thread(target=work, name="ldp_client flush", daemon=True).start()
        return await over

    async def waiting(self) -> int:
        """The number of reports that wait to be sent."""
        return await asyncio.to_thread(self.embedded.waiting)

    async def status(self) -> Status:
        """How things stand, and what there is to do."""
        return await asyncio.to_thread(self.embedded.status)

    async def counts(self) -> dict[str, int]:
        """Return the counts since this client was opened, by reason (`REASONS`)."""
        return await asyncio.to_thread(self.embedded.counts)

    async def ledger(self) -> Ledger:
        """Return all spending of this device, on all surveys in its state file."""
        return await asyncio.to_thread(self.embedded.ledger)

    async def preview(self, name: str, answer: object) -> Preview:
        """Show the report of an answer, and what it could reveal, without spending."""
        answer = HiddenAnswer(answer)
        return await asyncio.to_thread(
            lambda: self.embedded.preview(name, answer.value)
        )

    async def consent(self) -> str:
        """Whether answers are recorded now, `on` or `off`."""
        return await asyncio.to_thread(lambda: self.embedded.consent)

    async def said(self) -> str:
        """Return the consent of the person to this version of the survey: one of
        `SAID`.
        """
        return await asyncio.to_thread(lambda: self.embedded.said)

    async def set_consent(self, said: str) -> bool:
        """Note what the person says: `on`, `off` or `forget`. Whether that is on
        disk.
        """
        return await asyncio.to_thread(self.embedded.set_consent, said)

    async def rotate(self) -> bool:
        """Draw a new secret and new permanent responses from now on. Whether that is on
        disk.
        """
        return await asyncio.to_thread(self.embedded.rotate)

    async def close(self) -> None:
        """Stop sending, within moments, and close the state."""
        await asyncio.to_thread(self.embedded.close)
