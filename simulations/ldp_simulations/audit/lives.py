"""Pairs of reports: what a device sends the second time, and what two have in common.

    states     a report has its law where a device keeps its state, as in an app
    twice      a question whose budget one report spends is answered once; one with permanent
               responses again and again, by the same response, under the same cohort
    sequences  such a response is kept, also while another answer is given between (`sequences`)
    questions  reports of one device to two questions, or to those of a group, have nothing in
               common (`questions`)
    restarts   what a device has kept outlives its process
    retries    what was not accepted is sent again with the same bytes, and not once it was
    processes  two that begin at once have no reports in common
    forks      nor have a process that has answered before and one that is forked from it
    epochs     ids name the epoch in which they are made

Each takes an `AuditBench` and returns the tests that it made; a client that does not do
what a point needs is skipped there, and said to be.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import cast

import numpy as np

from ldp.numbers.epochs import NUMBER_SIZE
from ldp.wire.wire import read_frames
from ldp_aggregator.numerics.arrays import Rows
from ldp_simulations.audit.bench import AuditBench, hold_to_law
from ldp_simulations.audit.bounds import fisher_chances
from ldp_simulations.audit.clients.client import RETRY, UnknownError
from ldp_simulations.audit.clients.frames import Left
from ldp_simulations.audit.counting import least_surprise
from ldp_simulations.audit.parts import EnvelopePart, bits_of
from ldp_simulations.audit.questions import questions
from ldp_simulations.audit.sequences import sequences
from ldp_simulations.audit.statistical_tests import (
    CountTest,
    bit_name,
    certain,
    worst_of,
)

Point = Callable[[AuditBench], Iterator[CountTest]]

_STRETCH = 64
"""Reports of one device before, and behind, a restart."""
_FEW = 20
_RUN_BITS = 128.0
"""Reports that surprise by so many bits do not come again by chance."""
_RUNS = 4
"""Such runs that each of two processes makes."""
_NUMBERS = count()
_MOST_KEPT = 1_000
"""Devices with a state file of their own, which takes some milliseconds."""


def states(bench: AuditBench) -> Iterator[CountTest]:
    """New devices that keep their state, each of which answers everything once."""
    asked = [part for parts in bench.everywhere() for part in parts]
    devices = min(bench.devices, _MOST_KEPT)
    for end in (0, -1):
        line = {part.name: part.answers[end] for part in asked}
        state = _state(bench)
        left = bench.client.ask([line] * devices, state=state, each="1")
        for part in asked:
            rows = bench.rows(left, part)
            if len(rows) == devices:
                yield from hold_to_law(part, end, rows, when="of a state of its own")
            else:
                what = f"{len(rows)} reports of {devices} devices that keep their state"
                yield certain(part.name, what)


def twice(bench: AuditBench) -> Iterator[CountTest]:
    """Each question, by devices that are asked again, with another answer."""
    for part in bench.lone():
        first, second = part.answers[0], part.answers[-1]
        line = [{part.name: first}, {part.name: second}]
        rows = bench.rows(bench.client.ask([line] * bench.devices), part)
        if part.question.memoizes:
            yield from _kept_alike(bench, part, rows)
        elif len(rows) != bench.devices:
            what = (
                f"{len(rows)} reports of {bench.devices} devices that were asked twice"
            )
            yield certain(part.name, what)
        else:
            yield from hold_to_law(part, 0, rows, when="asked again later")


def _kept_alike(
    bench: AuditBench, part: EnvelopePart, rows: Rows
) -> Iterator[CountTest]:
    if len(rows) != 2 * bench.devices:
        what = f"{len(rows)} reports of {bench.devices} devices that answered twice"
        yield certain(part.name, what)
        return
    prefix = part.question.layout.prefix_width
    pairs = rows.reshape(bench.devices, 2, part.width)[:, :, :prefix]
    if (pairs[:, 0] != pairs[:, 1]).any():
        yield certain(part.name, "another cohort in the second report of a device")
    else:
        yield CountTest(part.name, "the same cohort in both", 1.0)


def restarts(bench: AuditBench) -> Iterator[CountTest]:
    """One device in two processes."""
    for part in bench.lone():
        state = _state(bench)
        asked = {part.name: part.answers[0]}
        if not part.question.memoizes:
            before = bench.rows(bench.client.ask([asked], state=state), part)
            behind = bench.rows(bench.client.ask([asked], state=state), part)
            if (len(before), len(behind)) == (1, 0):
                yield CountTest(part.name, "answered once, a restart or not", 1.0)
            else:
                what = (
                    f"{len(before)} reports before a restart and {len(behind)} behind "
                    "it"
                )
                yield certain(part.name, what)
            continue
        stretches = [
            bench.rows(bench.client.ask([asked] * _STRETCH, state=state), part)
            for _ in range(2)
        ]
        yield from _same_device(part, *stretches)


def _same_device(part: EnvelopePart, before: Rows, behind: Rows) -> Iterator[CountTest]:
    if len(before) != _STRETCH or len(behind) != _STRETCH:
        what = f"{len(before)} and {len(behind)} reports to {_STRETCH} answers each"
        yield certain(part.name, what)
        return
    prefix = part.question.layout.prefix_width
    prefixes = np.unique(np.concatenate([before, behind])[:, :prefix], axis=0)
    if prefix and len(prefixes) > 1:
        yield certain(part.name, "another cohort behind a restart")
    ones = [bits_of(rows).sum(axis=0) for rows in (before, behind)]
    names = [
        f"{bit_name(part, at)}, before and behind a restart"
        for at in range(len(ones[0]))
    ]
    yield worst_of(
        part.name,
        names,
        fisher_chances(ones[0], _STRETCH, ones[1], other_draws=_STRETCH),
    )


def retries(bench: AuditBench) -> Iterator[CountTest]:
    """One device whose report is not accepted at first."""
    for part in list(bench.lone())[:1]:
        state = _state(bench)
        asked = [{part.name: part.answers[0]}]
        # A client may try several times before it ends.
        first = set(
            read_frames(bench.client.bytes_of(asked, _FEW, state=state, verdict=RETRY))
        )
        again = set(read_frames(bench.client.bytes_of([], _FEW, state=state)))
        more = bench.client.bytes_of([], _FEW, state=state)
        if not first:
            yield certain(part.name, "nothing was sent")
        elif again != first:
            yield certain(part.name, "other bytes when it was sent again")
        elif more:
            yield certain(part.name, "sent again after it was accepted")
        else:
            yield CountTest(part.name, "the same bytes", 1.0)


def _run_length(bench: AuditBench, part: EnvelopePart) -> int:
    """How many reports in a row are not twice the same by chance."""
    surprise = least_surprise(part, 0)
    if surprise > 0:
        return int(_RUN_BITS / surprise) + 1
    return max(bench.devices, _FEW)


def _enough(bench: AuditBench, part: EnvelopePart) -> list[dict[str, object]]:
    """Lines for a few such runs."""
    return [{part.name: part.answers[0]}] * (_RUNS * _run_length(bench, part))


def processes(bench: AuditBench) -> Iterator[CountTest]:
    """Two processes that are started at once, and asked the same."""
    part = next(bench.lone(), None)
    if part is None:
        return
    lines = _enough(bench, part)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: bench.client.ask(lines), range(2)))
    lefts = [left.get(part.question.fingerprint) for left in both]
    if any(left is None or len(left.rows) != len(lines) for left in lefts):
        yield certain(part.name, f"not {len(lines)} reports of each of two processes")
        return
    yield _apart(
        part, *(cast(Left, left) for left in lefts), run=_run_length(bench, part)
    )


def forks(bench: AuditBench) -> Iterator[CountTest]:
    """A process that forks; both answer the same lines, the child first."""
    part = next(bench.lone(), None)
    if part is None:
        return
    lines = _enough(bench, part)
    number = len(lines)
    left = bench.client.ask(lines, fork="1").get(part.question.fingerprint)
    came = 0
    if left is not None:
        came = len(left.rows)
    if came == number:
        raise UnknownError(
            "the client does not fork (as many reports came as were asked for)"
        )
    if left is None or came != 2 * number:
        yield certain(
            part.name, f"{came} reports of two processes that were asked {number} each"
        )
        return
    yield _apart(
        part,
        Left(left.rows[:number], left.ids[:number], left.starts[:number]),
        Left(left.rows[number:], left.ids[number:], left.starts[number:]),
        run=_run_length(bench, part),
    )


def _apart(part: EnvelopePart, first: Left, second: Left, *, run: int) -> CountTest:
    """Whether the reports of two processes, and their ids, have nothing in common."""
    ids = {row.tobytes() for row in first.ids}
    if any(row.tobytes() in ids for row in second.ids):
        return certain(part.name, "two processes made an id twice")
    # The one may be some reports ahead of the other.
    if _runs(first.rows, run) & _runs(second.rows, run):
        return certain(part.name, f"two processes drew the same {run} reports in a row")
    return CountTest(part.name, "two processes differ", 1.0)


def _runs(rows: Rows, length: int) -> set[bytes]:
    """All runs of reports, from each on."""
    return {rows[at : at + length].tobytes() for at in range(len(rows) - length + 1)}


def epochs(bench: AuditBench) -> Iterator[CountTest]:
    """The ids of a few reports."""
    length = bench.client.survey.epoch
    if length is None:
        return
    for part in bench.lone():
        began = time.time()
        left = bench.client.ask([{part.name: part.answers[0]}] * _FEW)
        now = {int(at // length) for at in (began, time.time())}
        if part.question.fingerprint not in left:
            yield certain(part.name, "no reports")
            continue
        ids = left[part.question.fingerprint].ids[:, :NUMBER_SIZE]
        numbers = {int.from_bytes(row.tobytes(), "little") for row in ids}
        if numbers <= now:
            yield CountTest(part.name, "ids of the epoch", 1.0)
        else:
            yield certain(
                part.name, "an id of another epoch than the one in which it is made"
            )


def _state(bench: AuditBench) -> Path:
    folder = bench.client.folder / f"device{next(_NUMBERS)}"
    folder.mkdir()
    return folder


POINTS: dict[str, tuple[Point, str]] = {
    "states": (states, "devices keep their state"),
    "twice": (twice, "the same device is asked twice"),
    "sequences": (sequences, "permanent responses are kept"),
    "questions": (questions, "one device, two questions"),
    "restarts": (restarts, "a process ends, and another goes on"),
    "retries": (retries, "what was not accepted is sent again"),
    "processes": (processes, "two processes at once"),
    "forks": (forks, "a process forks, and both go on"),
    "epochs": (epochs, "ids name their epoch"),
}
"""By name, with what each is about."""
