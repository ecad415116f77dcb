"""The client for apps with an event loop: what waits for a disk or a network does not hold it up.

Rules
- What takes a transaction is done in a thread. Whoever is cancelled while waiting for it goes on at
  once; the transaction is made, whole, all the same.
- `flush` has a thread of its own, which no loop that ends waits for: an upload may take its time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread

from ldp_client.embedded import EmbeddedClient
from ldp_client.status import Status


class AsyncClient:
    """An `EmbeddedClient` whose methods are awaited; they raise what its methods raise.

    `embedded` is the client itself, for what takes no time, such as `counts()` and `preview()`.

    >>> import asyncio, ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> async def answer():
    ...     async with ldp_client.AsyncClient(
    ...         ldp_client.EmbeddedClient(survey, state=None)
    ...     ) as client:
    ...         return await client.record("mode", "bus"), await client.waiting()
    >>> asyncio.run(answer())
    (True, 1)
    """

    def __init__(self, embedded: EmbeddedClient) -> None:
        self.embedded = embedded

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def record(self, name: str, answer: object) -> bool:
        """Randomize an answer now. Whether there is a report, which waits to be sent."""
        return await asyncio.to_thread(self.embedded.record, name, answer)

    async def record_daily(self, name: str, answer: object) -> bool:
        """The same, at most once a day."""
        return await asyncio.to_thread(self.embedded.record_daily, name, answer)

    async def record_together(self, answers: Mapping[str, object]) -> bool:
        """The same for the answers to all questions of a group, by question name."""
        return await asyncio.to_thread(self.embedded.record_together, answers)

    async def flush(self, timeout: float = 2.0) -> bool:
        """Send what waits, for at most `timeout` seconds. Whether all of it has arrived."""
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
            except Exception as error:  # that of a strict client, raised where it is awaited
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

    async def set_consent(self, said: str) -> None:
        """Note what the person says: `on`, `off` or `forget`."""
        await asyncio.to_thread(self.embedded.set_consent, said)

    async def close(self) -> None:
        """Stop sending, within moments, and close the state."""
        await asyncio.to_thread(self.embedded.close)
