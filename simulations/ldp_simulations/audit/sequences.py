"""Permanent responses over the reports of a device, beside those of the core's own
randomizer.

    the same answer again and again   one response is kept
    another answer, and back          each answer has one, which is reported again

Reports are looked at in blocks of a few. For each bit and each number c there are two
events: that a block has c ones or more, which tells its law; and that the first block
of an answer has c ones or more while the last has fewer, which is rare as long as one
response stands behind both. How often they happen is compared with as many devices of
the core, by Fisher's exact test. Who draws the response anew shows by that within some
hundred devices, where two single reports would take tens of thousands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from ldp.mechanisms.contract import Memoized, lifetime_ratio
from ldp.numbers.randomness import system
from ldp.survey.survey import Question, Survey
from ldp_aggregator.numerics.arrays import Counts, Flags, Rows
from ldp_simulations.audit.bench import AuditBench
from ldp_simulations.audit.bounds import fisher_chances
from ldp_simulations.audit.parts import EnvelopePart, bits_of
from ldp_simulations.audit.statistical_tests import (
    CountTest,
    bit_name,
    certain,
    worst_of,
)

BLOCK = 8
"""Reports to one answer, before another one is given."""


def sequences(bench: AuditBench) -> Iterator[CountTest]:
    """Memoized questions, by devices that give one answer, and that give two in
    turn.
    """
    for part in bench.lone():
        if not part.question.memoizes:
            continue
        for number, answer in enumerate(part.answers):
            where = f"{part.name}, answer {number + 1} again and again"
            yield from _beside_core(bench, part, [answer, answer], where=where)
        if len(part.answers) > 1 and _keeps_two(bench.client.survey, part.question):
            first, last = part.answers[0], part.answers[-1]
            for one, other, name in ((first, last, "first"), (last, first, "last")):
                where = f"{part.name}, from the {name} answer to another and back"
                yield from _beside_core(bench, part, [one, other, one], where=where)


def _keeps_two(survey: Survey, question: Question) -> bool:
    """Whether a device that forgets nothing may draw a response to a second answer."""
    if question.charges < 2:
        return False
    if survey.lifetime is None:
        return True
    declared = question.declared.lifetime
    ratio = lifetime_ratio(question.randomizer) if declared is None else declared.bound
    return ratio is not None and ratio**2 <= survey.lifetime.bound


def _beside_core(
    bench: AuditBench, part: EnvelopePart, answers: Sequence[object], where: str
) -> Iterator[CountTest]:
    """The reports of devices that give each of these answers a few times."""
    given = [answer for answer in answers for _ in range(BLOCK)]
    line = [{part.name: answer} for answer in given]
    rows = bench.rows(bench.client.ask([line] * bench.devices), part)
    if len(rows) != bench.devices * len(given):
        yield certain(
            part.name, f"{len(rows)} reports of {bench.devices} devices to {len(given)}"
        )
        return
    theirs = _ones(rows, bench.devices, len(answers))
    ours = _ones(
        _core_rows(part.question, given, bench.devices), bench.devices, len(answers)
    )
    bits = [bit_name(part, at) for at in range(8 * part.width)]
    for block in range(len(answers)):
        names = [
            f"{bit}, 1 in {least} of {BLOCK} reports or more, block {block + 1}"
            for least in range(1, BLOCK + 1)
            for bit in bits
        ]
        pair = [_at_least(ones[:, block]) for ones in (theirs, ours)]
        yield _compare(where, names, pair, devices=bench.devices)
    names = [
        f"{bit}, 1 in {least} of {BLOCK} reports or more, and later in fewer"
        for least in range(1, BLOCK + 1)
        for bit in bits
    ]
    pair = [_at_least(ones[:, 0]) & ~_at_least(ones[:, -1]) for ones in (theirs, ours)]
    yield _compare(where, names, pair, devices=bench.devices)


def _core_rows(question: Question, answers: Sequence[object], devices: int) -> Rows:
    """Reports of the core's randomizer, (devices x reports, width)."""
    randomizer = cast(Memoized, question.randomizer)
    pieces = []
    for _ in range(devices):
        cohort = randomizer.draw_cohort(system)
        kept: dict[object, int] = {}
        for answer in answers:
            value = question.value(answer, system)
            if value not in kept:
                kept[value] = randomizer.permanent(value, cohort, system)
            report = randomizer.instantaneous(kept[value], cohort, system)
            pieces.append(report.to_bytes(question.width, "little"))
    return np.frombuffer(b"".join(pieces), dtype=np.uint8).reshape(-1, question.width)


def _ones(rows: Rows, devices: int, blocks: int) -> Counts:
    """How often each bit is 1 within a block, (devices, blocks, bits)."""
    shown = bits_of(rows).reshape(devices, blocks, BLOCK, 8 * rows.shape[1])
    ones: Counts = shown.sum(axis=2, dtype=np.int64)
    return ones


def _at_least(ones: Counts) -> Flags:
    """Whether a bit is 1 so often or more, (devices, numbers from 1 on, bits)."""
    flags: Flags = ones[:, None, :] >= np.arange(1, BLOCK + 1)[:, None]
    return flags


def _compare(
    where: str, names: Sequence[str], pair: Sequence[Flags], *, devices: int
) -> CountTest:
    """The event that happened most unlike with devices of theirs and of ours."""
    happened = [flags.sum(axis=0).ravel() for flags in pair]
    chances = fisher_chances(happened[0], devices, happened[1], other_draws=devices)
    return worst_of(where, names, chances)
