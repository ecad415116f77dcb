"""Test bench of all points: a command, its processes, their state, and their
reports.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ldp.errors import LDPError, WireError
from ldp.survey.compiled import compile_survey
from ldp.survey.survey import Survey
from ldp.survey.survey_file import parse_survey
from ldp.wire.wire import Batch, decode_batch
from ldp_simulations.conformance.lines import Answer, Process

ACCEPTED, RETRY = "accepted", "retry"
RECORDED = "recorded"
REASONS = ("answer", "answered", "budget", "not-drawn", "survey", "state", "randomness")
"""Why a client may refuse what it is asked."""
UNKNOWN = "unknown"
COLLECTOR = "https://collect.example/v1/reports"
PLENTY = "1000"
"""What the app lets all surveys together spend, as an epsilon, where that is not what
is tried.
"""

_HEAD = 16
LONGEST_PAUSE = 60.0
"""Seconds for which a client may put off what is to be sent again."""
_NAP = 0.05


class FailedError(LDPError):
    """A point that a client fails; the message says what was expected, and what
    came.
    """


class SkippedError(LDPError):
    """A point that does not concern a client, and why."""


class Bench:
    """A client under test, by its command.

    survey    a survey of which reports and lengths are tried as well
    vectors   the folder of vector files; without one vectors are made for the surveys
              asked
    samples   reports to draw for each value
    kills     how often to kill it
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        survey: Survey | None = None,
        vectors: Path | None = None,
        samples: int = 4000,
        kills: int = 20,
    ) -> None:
        self.command = tuple(command)
        self.survey = survey
        self.vectors = vectors
        self.samples = samples
        self.kills = kills
        self.folder = folder
        self.errors = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  # closed with the bench
        self.mechanisms: tuple[str, ...] = ()
        self.does: frozenset[str] = frozenset()
        self.reads = ""
        self._numbers = count()
        self._process: Process | None = None

    def close(self) -> None:
        """End what runs."""
        if self._process is not None:
            self._process.close()
        self.errors.close()

    def start(self) -> Process:
        """A process of its own, which is the caller's to end."""
        return Process(self.command, self.errors)

    @property
    def process(self) -> Process:
        """The one that points share which need none of their own."""
        if self._process is None:
            self._process = self.start()
        return self._process

    def restart(self) -> None:
        """Let the next point begin with a new one, after one that failed."""
        if self._process is not None:
            self._process.kill()
        self._process = None

    def new_state(self) -> Path:
        """Where a device may keep its state: a file in a folder of its own."""
        folder = self.folder / f"device{next(self._numbers)}"
        folder.mkdir()
        return folder / "state"

    def device(
        self,
        source: str | Survey,
        state: Path | None = None,
        *,
        process: Process | None = None,
        cap: str = PLENTY,
        collector: str | None = None,
    ) -> Device:
        """A device that is asked a survey; without a state it forgets when the next one
        opens.

        With the address of a collector it posts what it sends there.
        """
        survey = parse_survey(source) if isinstance(source, str) else source
        missing = {question.mechanism for question in survey} - set(self.mechanisms)
        if missing:
            raise SkippedError(f"needs the mechanism {', '.join(sorted(missing))}")
        device = Device(process or self.process, survey)
        words = words_of(survey, state, cap)
        if collector is not None:
            words |= {"collector": collector, "posts": True}
        device.opened = expect(device.process.ask("open", **words))
        return device

    @contextmanager
    def own_device(
        self, source: str | Survey, state: Path, *, cap: str = PLENTY
    ) -> Iterator[Device]:
        """A device in a process of its own, which ends by itself."""
        process = self.start()
        try:
            yield self.device(source, state, process=process, cap=cap)
        finally:
            process.close()

    def needs(self, *names: str) -> None:
        """Skip a point for which the client does not do enough."""
        missing = [name for name in names if name not in self.does]
        if missing:
            raise SkippedError(f"the client does not {', '.join(missing)}")


class Device:
    """One device: a process in which a survey is open."""

    opened: Answer

    def __init__(self, process: Process, survey: Survey) -> None:
        self.process = process
        self.survey = survey

    def record(self, name: str, answer: object) -> str:
        """Record an answer: `RECORDED`, or the reason why there is no report."""
        return outcome(self.process.ask("record", question=name, answer=answer))

    def together(self, answers: dict[str, object]) -> str:
        """Record answers to several questions at once."""
        return outcome(self.process.ask("together", answers=answers))

    def send(self, verdict: str = ACCEPTED) -> list[bytes]:
        """The payloads that leave now, each of which gets the same verdict."""
        self.process.tell("send", verdict=verdict)
        payloads = []
        while "payload" in (answer := self.process.answer()):
            payloads.append(bytes.fromhex(answer["payload"]))
        expect(answer)
        return payloads

    def wait_for_payloads(self, verdict: str = ACCEPTED) -> list[bytes]:
        """Return the payloads, waiting as long as a client may pause."""
        until = time.monotonic() + LONGEST_PAUSE
        while not (payloads := self.send(verdict)):
            if time.monotonic() > until:
                raise FailedError(
                    f"expected something to leave within {LONGEST_PAUSE:.0f} s"
                )
            time.sleep(_NAP)
        return payloads

    def post(self) -> Answer:
        """Post the reports; return how many wait afterwards, and for how long."""
        return expect(self.process.ask("send", verdict=ACCEPTED))

    def rows(self, name: str, answer: object) -> list[bytes]:
        """The reports that leave after an answer that has to be recorded."""
        became = self.record(name, answer)
        if became != RECORDED:
            raise FailedError(
                f"expected an answer to {name} to be recorded, got {became}"
            )
        return rows_of(self.wait_for_payloads(), self.survey, name)

    def ledger(self) -> Spent:
        """Return the spending that the device states."""
        answer = expect(self.process.ask("ledger"))
        return Spent(dict(answer["charges"]), Fraction(answer["spent"]))


class Spent(NamedTuple):
    """How often a device was charged, by question, and the ratio that all of it comes
    to.
    """

    charges: dict[str, int]
    ratio: Fraction


def words_of(
    survey: Survey, state: Path | None, cap: str = PLENTY
) -> dict[str, object]:
    """Return the arguments for opening a device."""
    return {
        "survey": compile_survey(survey),
        "text": survey.to_toml(),
        "state": None if state is None else str(state),
        "collector": COLLECTOR,
        "cap": cap,
    }


def outcome(answer: Answer) -> str:
    """Return the outcome of an answer that was recorded, or not."""
    if "refused" not in answer:
        return RECORDED
    reason = answer["refused"]
    if reason == UNKNOWN:
        raise SkippedError("the client does not know what it is asked")
    if reason not in REASONS:
        raise FailedError(
            f"expected one of the reasons {', '.join(REASONS)}, got another"
        )
    return str(reason)


def expect(answer: Answer) -> Answer:
    """An answer that is no refusal."""
    if "refused" in answer:
        reason = outcome(answer)
        raise FailedError(f"expected no refusal, got {reason}")
    return answer


def batches_of(payloads: Sequence[bytes]) -> list[Batch]:
    """The batches in what left, whether or not their checksums are right: `wire` tries
    that.
    """
    batches = []
    for payload in payloads:
        at = 0
        while at < len(payload):
            end = at + _HEAD + int.from_bytes(payload[at + 4 : at + 8], "little")
            try:
                batches.append(decode_batch(payload[at + _HEAD : end]))
            except WireError as error:
                raise FailedError(
                    f"expected whole batches to leave, got {error}"
                ) from None
            at = end
    return batches


def rows_of(payloads: Sequence[bytes], survey: Survey, name: str) -> list[bytes]:
    """The reports to a question in what left."""
    question = survey[name]
    return [
        batch.rows[number * len(batch.rows) // batch.size :][
            : len(batch.rows) // batch.size
        ]
        for batch in batches_of(payloads)
        if batch.fingerprint == question.fingerprint
        for number in range(batch.size)
    ]
