"""The collector: lives of the shipped service on one disk, and an operator who looks
after it.

    life       a process: its loop, its writer, the upload application in front of it
    operator   starts it again when it ended, and confirms a clock that is right

Rules
- A request that comes while no life is there finds no one. When a life ends, so do its
  connections.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab.world.machines.disk import Disk
from lab.world.machines.fibers import Hub, Process
from lab.world.machines.loop import Loop
from lab.world.network import Answer, Back
from ldp_aggregator.answers.estimates.stop_lists import StopLists
from ldp_service.analysis.analysis import Analysis
from ldp_service.counting.pieces import WAKE
from ldp_service.counting.publication import Publication
from ldp_service.counting.served import Catalogue
from ldp_service.counting.writer import Writer
from ldp_service.http.upload import UploadApp
from ldp_service.store.errors import StoreError, StoreFullError, StoreLostError
from ldp_service.uploads.desk import PATH, UploadDesk

_FIRST_LOOK = 1.0
_HEADERS = [(b"host", b"collector"), (b"content-type", b"application/octet-stream")]


class Collector:
    """A service that is started again and again."""

    def __init__(
        self,
        hub: Hub,
        disk: Disk,
        catalogue: Catalogue,
        publication: Publication,
        *,
        say: Callable[[str], object],
        trouble: Callable[[str], object],
    ) -> None:
        self._hub = hub
        self._say = say
        self._trouble = trouble
        self.disk = disk
        self.catalogue = catalogue
        self.publication = publication
        self.analysis = Analysis(
            catalogue, lambda: publication.view(disk.snapshot()), StopLists()
        )
        self.ahead = 0.0
        """Seconds by which its clock is ahead."""
        self.process: Process | None = None
        self.writer: Writer | None = None
        self._upload: UploadApp | None = None
        self._loop: Loop | None = None
        self._open: dict[int, Back] = {}
        self._requests = 0
        self._is_down_until = 0.0
        self.mistakes = 0
        """How often the service said that a mistake was its own."""

    @property
    def lives(self) -> bool:
        """Whether there is a process that takes requests."""
        return (
            self.process is not None
            and not self.process.dead
            and self._upload is not None
        )

    @property
    def is_gone(self) -> bool:
        """Whether there is no process."""
        return self.process is None or self.process.dead

    def start(self) -> None:
        """Begin a life, unless there is one or it is to stay down."""
        if self.process is not None and not self.process.dead:
            return
        if self._hub.now < self._is_down_until:
            return
        self._end_connections()
        process = Process(
            self._hub, "service", ahead=self.ahead, started=self._hub.now - 1000.0
        )
        self.process, self._upload, self.writer = process, None, None
        process.run(lambda: self._serve(process), "service")

    def stop(self, seconds: float) -> None:
        """End a life in peace, and stay down for a while."""
        self._is_down_until = self._hub.now + seconds
        self._hub.after(seconds + 0.01, self.start)
        process, writer = self.process, self.writer
        if process is None or process.dead or writer is None:
            return
        self._upload = None

        def leave() -> None:
            writer.close()
            self._note(writer)
            process.die()

        process.run(leave, "leaving")

    def watch(self) -> None:
        """What an operator does now and then."""
        if not self.lives:
            self.start()
            return
        assert self.process is not None and self.writer is not None  # noqa: PT018  # `lives`
        if self.writer.failure is not None:
            self.process.kill()
            self.start()
        elif self.writer.clock_trouble is not None and abs(self.ahead) < 1:
            self._say("operator confirms the clock")
            self.writer.confirm_clock()
            self._wake(self.process)

    def turn_clock(self, ahead: float) -> None:
        """Set the clock."""
        self.ahead = ahead
        if self.process is not None:
            self.process.ahead = ahead

    def take(self, body: bytes, announced: int, back: Back) -> None:
        """A request: the bytes of its body that come, and how many were announced."""
        process, upload, loop = self.process, self._upload, self._loop
        if process is None or process.dead or upload is None or loop is None:
            back(None)
            return
        self._requests += 1
        number = self._requests
        self._open[number] = back
        loop.start(self._answer(upload, number, body, announced=announced))

    async def _answer(
        self, upload: UploadApp, number: int, body: bytes, *, announced: int
    ) -> None:
        is_whole = len(body) == announced
        coming: list[dict[str, Any]] = [
            {"type": "http.request", "body": body, "more_body": not is_whole}
        ]
        if not is_whole:
            coming.append({"type": "http.disconnect"})
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return coming.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [*_HEADERS, (b"content-length", b"%d" % announced)]
        await upload(
            {"type": "http", "method": "POST", "path": PATH, "headers": headers},
            receive,
            send,
        )
        head, end = sent
        fields = dict(head["headers"])
        wait = fields.get(b"retry-after")
        back = self._open.pop(number)
        if is_whole:
            answer = Answer(
                head["status"], None if wait is None else wait.decode(), end["body"]
            )
            back(answer)
        else:
            back(None)

    def _serve(self, process: Process) -> None:
        try:
            writer = Writer(
                lambda: self.disk.open(process),
                self.catalogue,
                publication=self.publication,
                clock=process.wall,
                on_failure=lambda _: self._hub.after(1.0, self.watch),
            )
        except StoreError as error:
            self._say(f"service cannot start: {error}")
            if not isinstance(error, StoreFullError | StoreLostError):
                self._trouble(f"service: cannot start: {error}")
            process.dead = True
            return
        self._loop = Loop(process)
        self.writer = writer
        self._upload = UploadApp(UploadDesk(writer, None))
        self._say("service starts")
        self._hub.after(_FIRST_LOOK, self._wake, process)

    def _wake(self, process: Process) -> None:
        """Let the writer look around: it does so each second, but here it may sleep for
        minutes.
        """
        if self.writer is not None and self.process is process and not process.dead:
            self.writer._line._queue.put(WAKE)

    def _end_connections(self) -> None:
        if self.writer is not None:
            self._note(self.writer)
        waiting, self._open = self._open, {}
        for back in waiting.values():
            back(None)

    def _note(self, writer: Writer) -> None:
        counts = writer.lasting.counts
        writer.lasting.counts = type(writer.lasting.counts)()
        self.mistakes += counts["internal"] + counts["due"]
