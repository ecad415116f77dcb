"""What has to be true of a world, as dictionaries know it that watch from outside.

For someone new to it: the oracle sees what devices hand to the network, what they are
told, and what the disk says was ever claimed for good. It shares no code with what it
judges, but for the wire format. Everything that is not as it should be is a sentence in
`wrong`.

While the world lives
    pause        a device that was told to wait waits as long, restarts or not
    late         is said of no batch before its epoch and grace are over, by a clock
                 that was right, or wrong by less than can be noticed
    reports      all that a device sends of a question that is answered once is the same
                 report
    shown        what may be looked at of an epoch grows by at least `least` reports,
                 and is no more than what was counted

Once it is calm (`recount`)
    counted      every batch once, in its epoch, of its survey; every acknowledged one
    accounts     received = accepted + duplicate + rejected + quarantined
    ledgers      what devices were charged for is what they randomized
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol

from lab.world.scenario import EPOCH, GRACE
from ldp.numbers.epochs import epoch_of
from ldp.survey.survey import Survey
from ldp.wire.wire import Batch, Damage, decode_batch, read_frames
from ldp_client.delivery.outcomes import Outcome

_UNNOTICED = 2 * EPOCH + 1200
"""Seconds by which a clock may be ahead, and not be noticed: some ten minutes and two
epochs.
"""
_LOOKS = 1.0


class Sending(Protocol):
    """A device, as far as the oracle knows it."""

    number: int
    survey: Survey
    ahead: float


class Frame(NamedTuple):
    """A batch that some device handed to the network."""

    id: bytes
    survey: str
    question: str
    epoch: int | None
    symbols: tuple[int, ...]
    device: int


class Pause(NamedTuple):
    """Until when a device may not send."""

    until: float
    seconds: float


class Oracle:
    """Watches one world."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.wrong: list[str] = []
        self.most_ahead = 0.0
        """Seconds by which the service's clock was ahead at most, where that cannot be noticed."""
        self.frames: dict[bytes, Frame] = {}
        self.acknowledged: set[bytes] = set()
        self.charged: dict[tuple[int, str], set[str]] = {}
        """Answers that were recorded for good, by device and question."""
        self.tried: dict[tuple[int, str], set[str]] = {}
        """Those that were tried."""
        self.restored: set[int] = set()
        self.vague: set[int] = set()
        """Devices that lost power: what they were told was recorded may be gone."""
        self._pauses: dict[int, Pause] = {}
        self._once: dict[tuple[int, str], tuple[int, ...]] = {}
        self.shown: dict[tuple[str, str], Counter[int]] = {}

    @property
    def now(self) -> float:
        """The right time."""
        return self._clock()

    def asked(self, device: Sending, question: str, value: str) -> None:
        """A person answers."""
        self.tried.setdefault((device.number, question), set()).add(value)

    def recorded(self, device: Sending, question: str, value: str) -> None:
        """The client says that there is a report."""
        self.charged.setdefault((device.number, question), set()).add(value)

    def lost_track(self, device: Sending) -> None:
        """Its clocks are not what they were, or it could not note what it was told."""
        self._pauses.pop(device.number, None)

    def lost_memory(self, device: Sending, *, restored: bool) -> None:
        """What it remembers is not what it did: of a backup, or of before it lost
        power.
        """
        self.lost_track(device)
        (self.restored if restored else self.vague).add(device.number)

    def sends(self, device: Sending, payload: bytes) -> bytes:
        """A device hands bytes to the network: the id of their batch."""
        pause = self._pauses.get(device.number)
        if pause is not None and self.now < pause.until - _LOOKS:
            self.wrong.append(
                f"pause: device {device.number} was to wait {pause.seconds:g} s, and "
                f"sent {pause.until - self.now:.0f} s too early"
            )
        frame = _read(device, payload)
        before = self.frames.setdefault(frame.id, frame)
        if before != frame:
            self.wrong.append(f"id: {frame.id.hex()} is of two batches")
        if frame.question and not _repeats(device.survey, frame.question):
            key = device.number, frame.question
            if self._once.setdefault(key, frame.symbols) != frame.symbols:
                self.wrong.append(
                    f"reports: device {device.number} answered {key[1]} twice"
                )
        return frame.id

    def told(self, device: Sending, payload: bytes, outcome: Outcome) -> None:
        """It is told what became of them."""
        frame = _read(device, payload)
        self._pauses.pop(device.number, None)
        if outcome.verdict == "retry" and outcome.wait:
            self._pauses[device.number] = Pause(self.now + outcome.wait, outcome.wait)
        elif outcome.verdict in ("accepted", "duplicate"):
            self.acknowledged.add(frame.id)
        elif outcome.verdict == "late":
            self._judge_late(frame)
        elif outcome.verdict not in ("retry", "offline"):
            self.wrong.append(
                f"told: {frame.id.hex()} is {outcome.verdict} ({outcome.reason})"
            )

    def clock(self, ahead: float) -> None:
        """The service's clock is set."""
        if ahead <= _UNNOTICED:
            self.most_ahead = max(self.most_ahead, ahead)

    def _judge_late(self, frame: Frame) -> None:
        assert frame.epoch is not None  # without epochs nothing is late
        over = (frame.epoch + 1) * EPOCH + GRACE
        if self.now + self.most_ahead < over:
            self.wrong.append(
                f"late: a batch of epoch {frame.epoch} is late {over - self.now:.0f} s "
                "before its grace is over"
            )


def _repeats(survey: Survey, question: str) -> bool:
    return survey[question].memoizes


def _read(device: Sending, payload: bytes) -> Frame:
    (content,) = read_frames(payload)
    assert not isinstance(content, Damage)  # the device made it a moment ago
    batch: Batch = decode_batch(content)
    names = {question.fingerprint: question.name for question in device.survey}
    width = len(batch.rows) // batch.size
    symbols = tuple(
        int.from_bytes(batch.rows[at : at + width], "little")
        for at in range(0, len(batch.rows), width)
    )
    return Frame(
        batch.id,
        device.survey.name,
        names[batch.fingerprint],
        epoch=None if device.survey.epoch is None else epoch_of(batch.id),
        symbols=symbols,
        device=device.number,
    )
