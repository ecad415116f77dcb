"""An audit: draws until a budget is spent, what devices do besides, and the verdict on
all of it.

Draws go in runs: each is a process that answers for many devices, all of which give one
answer to one question (each envelope has its own). After half of the budget events are
learned, which are tried on the rest. What is kept of it are counts, which a file can
hold, so that an audit goes on where it was left.

A verdict is a look. Who looks again after more draws has more chances of a false alarm,
so that look number k has alpha / (k (k + 1)), and all looks together no more than
alpha.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import LDPError
from ldp.numbers.epochs import ID_SIZE
from ldp.numbers.exact import log_upper
from ldp.numbers.randomness import system
from ldp.survey.survey import Envelope, Question
from ldp_aggregator.numerics.arrays import Rows
from ldp_aggregator.output.files import write_whole
from ldp_simulations.audit import learning
from ldp_simulations.audit.bench import AuditBench
from ldp_simulations.audit.bounds import FALSE_ALARMS, binomial_chances
from ldp_simulations.audit.clients.client import Audited, CommandError, UnknownError
from ldp_simulations.audit.clients.frames import Left
from ldp_simulations.audit.counting import (
    Arrays,
    ReportRuns,
    add,
    as_json,
    count,
    drawn_rows,
    least_surprise,
    read,
)
from ldp_simulations.audit.ids import (
    count_ids,
    first_random,
    id_bounds,
    id_tests,
    of_other_epochs,
)
from ldp_simulations.audit.lives import POINTS
from ldp_simulations.audit.parts import FEW, EnvelopePart, envelopes_of, parts_of
from ldp_simulations.audit.statistical_tests import (
    Bound,
    CountTest,
    bounds_of,
    certain,
    law_tests,
)
from ldp_simulations.audit.tapes.exact import prove
from ldp_simulations.audit.verdicts import (
    FAILED,
    PASSED,
    SKIPPED,
    PointVerdict,
    Verdict,
    verdict_of,
)

FORMAT = 4
PROBE = 64
"""Devices in the first run, which says what is wrong before much was drawn."""
MOST_IN_A_RUN = 100_000
MOST_DEVICES = 2_000
"""Of each point."""
_RUN_TIME = 10.0
"""Seconds that a run may take, by the speed of those before."""


class AuditError(LDPError):
    """An audit that cannot be made, or not be taken up again."""


class AuditEffort(NamedTuple):
    """How many draws of each answer, or for how many seconds; the other is 0."""

    draws: int = 0
    seconds: float = 0.0


class Audit:
    """The counts of one client, and what makes more of them.

    budget  how many draws, or how long
    names   the questions to audit; all, if there are none
    answers how many answers to each are tried, of those that are listed
    saved   the file that keeps the counts
    """

    def __init__(
        self,
        client: Audited,
        budget: AuditEffort,
        *,
        names: Sequence[str] = (),
        answers: int = FEW,
        saved: Path | None = None,
    ) -> None:
        self.client = client
        self.budget = budget
        self.saved = saved
        meant = budget.draws or MOST_IN_A_RUN
        self.envelopes: dict[bytes, Envelope] = {
            envelope.fingerprint: envelope
            for envelope in envelopes_of(client.survey, names)
        }
        if not self.envelopes:
            known = ", ".join(question.name for question in client.survey)
            raise AuditError(
                f"expected --question to be one of {known}, got "
                f"{', '.join(map(repr, names))}"
            )
        self.parts = {
            fingerprint: parts_of(envelope, meant, answers)
            for fingerprint, envelope in self.envelopes.items()
        }
        self.counts: dict[str, dict[int, Arrays]] = {}
        self.core: dict[str, dict[int, Arrays]] = {}
        self.sent: dict[str, dict[int, Arrays]] = {}
        self.learned: dict[str, list[learning.Learned]] | None = None
        self.equal_runs = 0
        self.equal_ids = 0
        self.other_epochs = 0
        self.unasked = 0
        self.looks = 0
        self._runs = ReportRuns()
        self._ids: set[bytes] = set()
        if saved is not None and saved.exists():
            self._take_up(saved)

    @property
    def draws(self) -> int:
        """How many devices were asked for each answer, so far."""
        asked = [
            int(arrays["asked"][0])
            for rows in self.sent.values()
            for arrays in rows.values()
        ]
        return min(asked, default=0)

    def steps(self) -> Iterator[int]:
        """Draw until the budget is spent; after each step, the draws of each answer so
        far.

        Raises `CommandError` or `FramesError` where the command is no client to be
        audited.
        """
        began = time.monotonic()
        size = PROBE
        while size:
            started = time.monotonic()
            for number in range(self._most_answers()):
                self._run(number, size)
            took = max(time.monotonic() - started, 1e-3)
            spent = time.monotonic() - began
            if self.learned is None and self._is_half(spent):
                self._learn()
            self.save()
            yield self.draws
            quick = int(size * _RUN_TIME * self._most_answers() / took)
            size = min(max(quick, PROBE), MOST_IN_A_RUN, self._left(spent, took / size))

    def _left(self, spent: float, each: float) -> int:
        """How many draws the budget has left, up to where events are learned."""
        if self.budget.draws:
            half = (self.budget.draws + 1) // 2
            first = 0
            if self.learned is None:
                first = half - self.draws
            if first > 0:
                return first
            return max(self.budget.draws - self.draws, 0)
        return max(int((self.budget.seconds - spent) / each), 0)

    def _is_half(self, spent: float) -> bool:
        if self.budget.draws:
            return 2 * self.draws >= self.budget.draws
        return 2 * spent >= self.budget.seconds

    def _most_answers(self) -> int:
        return max(len(part.answers) for parts in self.parts.values() for part in parts)

    def _run(self, number: int, size: int) -> None:
        """One process: for each envelope, so many devices that give one answer."""
        asked = {
            fingerprint: parts
            for fingerprint, parts in self.parts.items()
            if number < max(len(part.answers) for part in parts)
        }
        lines: list[dict[str, Any]] = []
        for parts in asked.values():
            # The same object, which is written down once.
            line = {
                part.name: part.answers[number % len(part.answers)] for part in parts
            }
            lines += [line] * size
        began = time.time()
        left = self.client.ask(lines)
        ended = time.time()
        # Who is silent about one answer alone is no error, but an alarm.
        if not left and not self.counts:
            raise CommandError(
                f"expected a frame for each of {len(lines):,} lines, got no output: "
                "see docs/audit.md for what a client is asked"
            )
        self.unasked += sum(
            len(those.ids)
            for fingerprint, those in left.items()
            if fingerprint not in asked
        )
        for fingerprint, parts in asked.items():
            of_envelope = left.get(fingerprint, _nothing(self.envelopes[fingerprint]))
            self._count(fingerprint, parts, number, left=of_envelope, asked=size)
            self.other_epochs += of_other_epochs(
                self.envelopes[fingerprint], of_envelope.ids, began, ended=ended
            )

    def _count(
        self,
        fingerprint: bytes,
        parts: Sequence[EnvelopePart],
        number: int,
        left: Left,
        *,
        asked: int,
    ) -> None:
        envelope = self.envelopes[fingerprint]
        arrays = count_ids(left.ids, left.rows, asked)
        if len(parts) > 1:
            arrays["rows"] = _row_events(parts, left.rows)
        add(self.sent.setdefault(envelope.name, {}).setdefault(number, {}), arrays)
        self._note_ids(left.ids)
        for part in parts:
            place = number % len(part.answers)
            rows = np.ascontiguousarray(
                left.rows[:, part.start : part.start + part.width]
            )
            learned = () if self.learned is None else self.learned.get(part.name, ())
            tally = self.counts.setdefault(part.name, {}).setdefault(place, {})
            add(tally, count(part, rows, learned))
            if part.bits is None:
                ours = self.core.setdefault(part.name, {}).setdefault(place, {})
                of_core = drawn_rows(
                    part.question, part.answers[place], len(rows), random=system
                )
                add(ours, count(part, of_core))
        if len(parts) == 1:
            before = self._runs.equal
            place = number % len(parts[0].answers)
            self._runs.add(left.rows, least_surprise(parts[0], place))
            self.equal_runs += self._runs.equal - before

    def _note_ids(self, ids: Rows) -> None:
        keys = [row.tobytes() for row in ids]
        new = set(keys)
        self.equal_ids += len(keys) - len(new) + len(new & self._ids)
        if len(self._ids) <= MOST_IN_A_RUN:
            self._ids |= new

    def _learn(self) -> None:
        self.learned = {
            part.name: learning.learn(part, self.counts.get(part.name, {}))
            for parts in self.parts.values()
            for part in parts
        }

    def verdict(self) -> Verdict:
        """Return the verdict on all counts so far. It is a look, and counted."""
        self.looks += 1
        self.save()
        points = [*self._points()]
        tests = [*self._tests(), *(test for point in points for test in point.tests)]
        bounds = list(self._bounds())
        proofs = [
            prove(part.question) for parts in self.parts.values() for part in parts
        ]
        return verdict_of(
            self.client.survey,
            [part for parts in self.parts.values() for part in parts],
            self.draws,
            tests=tests,
            bounds=bounds,
            points=points,
            proofs=proofs,
            alpha=FALSE_ALARMS / (self.looks * (self.looks + 1)),
            look=self.looks,
        )

    def _tests(self) -> Iterator[CountTest]:
        for fingerprint, parts in self.parts.items():
            envelope = self.envelopes[fingerprint]
            first = first_random(envelope)
            for number, arrays in self.sent[envelope.name].items():
                yield from self._arrivals(envelope, number, arrays)
                yield from id_tests(envelope.name, number, arrays, first=first)
            for part in parts:
                for number, arrays in self.counts[part.name].items():
                    core = self.core.get(part.name, {}).get(number)
                    yield from law_tests(part, number, arrays, core=core)
        if self.equal_runs:
            yield certain(
                "devices", f"{self.equal_runs} runs of reports that came before"
            )
        if self.equal_ids:
            yield certain("devices", f"{self.equal_ids} ids that came before")
        if self.unasked:
            yield certain(
                "devices", f"{self.unasked} reports to questions that were not asked"
            )
        if self.other_epochs:
            what = (
                f"{self.other_epochs} ids of another epoch than the one in which they "
                "were made"
            )
            yield certain("devices", what)

    def _arrivals(
        self, envelope: Envelope, number: int, arrays: Arrays
    ) -> Iterator[CountTest]:
        """Whether as many reports came as had to, whatever the answer."""
        came, asked = int(arrays["batches"][0]), int(arrays["asked"][0])
        where = f"{envelope.name}, answer {number + 1}"
        share = envelope.share if isinstance(envelope, Question) else 1
        if share != 1:
            p_value = float(binomial_chances(came, asked, float(share)))
            yield CountTest(where, f"{came:,} reports of {asked:,} devices", p_value)
        elif came != asked:
            yield certain(where, f"{came:,} reports of {asked:,} devices")
        reports = int(arrays["reports"][0])
        if reports != came:
            yield certain(
                where, f"{reports:,} reports in {came:,} batches of a device each"
            )

    def _bounds(self) -> Iterator[Bound]:
        for fingerprint, parts in self.parts.items():
            envelope = self.envelopes[fingerprint]
            allowed = sum(part.epsilon for part in parts)
            sent = self.sent[envelope.name]
            yield from id_bounds(
                envelope.name, allowed, sent, first=first_random(envelope)
            )
            if len(parts) > 1:
                yield from _row_bounds(parts, envelope.name, self.sent[envelope.name])
            for part in parts:
                learned = (
                    () if self.learned is None else self.learned.get(part.name, ())
                )
                yield from bounds_of(part, self.counts[part.name], learned)

    def _points(self) -> Iterator[PointVerdict]:
        devices = min(max(self.draws, PROBE), MOST_DEVICES)
        bench = AuditBench(self.client, self.parts, devices)
        for name, (point, about) in POINTS.items():
            try:
                tests = tuple(point(bench))
            except UnknownError as unknown:
                yield PointVerdict(name, SKIPPED, str(unknown))
                continue
            if not tests:
                yield PointVerdict(name, SKIPPED, "nothing of the kind in this survey")
                continue
            wrong = [test for test in tests if test.p_value == 0]
            detail = "; ".join(f"{test.where}: {test.what}" for test in wrong) or about
            yield PointVerdict(name, FAILED if wrong else PASSED, detail, tests=tests)

    def save(self) -> None:
        """Keep the counts, where there is a file for them."""
        if self.saved is not None:
            write_whole(self.saved, json.dumps(self._record(), indent=1))

    def _record(self) -> dict[str, Any]:
        """Counts, ready for JSON; of answers, the test values that the survey
        declares.
        """
        named = {
            name: {
                part: {str(number): as_json(arrays) for number, arrays in rows.items()}
                for part, rows in kept.items()
            }
            for name, kept in self._state().items()
        }
        learned = None
        if self.learned is not None:
            learned = {
                name: [learning.as_json(event) for event in events]
                for name, events in self.learned.items()
            }
        return {
            "format": FORMAT,
            **self._identity(),
            "looks": self.looks,
            "equal_runs": self.equal_runs,
            "equal_ids": self.equal_ids,
            "other_epochs": self.other_epochs,
            "unasked": self.unasked,
            "learned": learned,
            **named,
        }

    def _state(self) -> dict[str, dict[str, dict[int, Arrays]]]:
        return {"counts": self.counts, "core": self.core, "sent": self.sent}

    def _identity(self) -> dict[str, Any]:
        """Return the settings that have to be the same when counts are added to."""
        answers = {
            part.name: list(part.answers)
            for parts in self.parts.values()
            for part in parts
        }
        return {
            "survey": self.client.survey.fingerprint.hex(),
            "client": self.client.command,
            "answers": answers,
        }

    def _take_up(self, path: Path) -> None:
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            expected = json.loads(json.dumps({"format": FORMAT, **self._identity()}))
            for name, part in expected.items():
                if record.get(name) != part:
                    raise AuditError(
                        "expected --resume to name the file of an audit of the same "
                        f"{name}, got another: choose a new file"
                    )
            for name, kept in self._state().items():
                for part, rows in record[name].items():
                    kept[part] = {
                        int(number): read(arrays) for number, arrays in rows.items()
                    }
            if record["learned"] is not None:
                self.learned = {
                    name: [learning.read(event) for event in events]
                    for name, events in record["learned"].items()
                }
            self.looks = int(record["looks"])
            self.equal_runs = int(record["equal_runs"])
            self.equal_ids = int(record["equal_ids"])
            self.other_epochs = int(record["other_epochs"])
            self.unasked = int(record["unasked"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise AuditError(
                "expected --resume to name the file of an audit, or none that exists, "
                f"got another ({type(error).__name__})"
            ) from None


def _nothing(envelope: Envelope) -> Left:
    return Left(
        np.empty((0, envelope.width), np.uint8),
        np.empty((0, ID_SIZE), np.uint8),
        np.empty(0, np.int64),
    )


def _pairs(parts: Sequence[EnvelopePart]) -> list[tuple[int, int]]:
    """Answers that differ in every part of a row, by their places."""
    return list(permutations(range(min(len(part.answers) for part in parts)), 2))


def _row_events(parts: Sequence[EnvelopePart], rows: Rows) -> Any:
    """How often the declared events of all parts happened together, for two answers
    each.
    """
    happened = []
    for pair in _pairs(parts):
        together = np.ones(len(rows), dtype=bool)
        for part in parts:
            own = np.ascontiguousarray(rows[:, part.start : part.start + part.width])
            for event in part.events:
                if (event.one, event.other) == pair:
                    together &= event.happens(own)
        happened.append(int(together.sum()))
    return np.array(happened, dtype=np.int64)


def _row_bounds(
    parts: Sequence[EnvelopePart], name: str, sent: dict[int, Arrays]
) -> Iterator[Bound]:
    """Bounds of what a row of several questions tells."""
    allowed = sum(log_upper(part.allowance) for part in parts)
    for place, pair in enumerate(_pairs(parts)):
        first, second = (sent[number] for number in pair)
        counts = (int(first["rows"][place]), int(second["rows"][place]))
        draws = (int(first["batches"][0]), int(second["batches"][0]))
        if min(draws):
            what = "speaks for the one in every question"
            yield Bound(
                name,
                what,
                counts,
                draws=draws,
                is_declared=True,
                allowed=allowed,
                answers=pair,
            )
