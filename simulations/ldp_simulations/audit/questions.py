"""Independence of the reports of one device to several questions, even of their order.

Each report has the law of its question, whichever were answered before. Of two
questions that are answered one after the other, and of those of a group that travel as
a row, the noise is independent, whatever the answers are, also of two with others
between them. Which of two reports leaves first may be fixed, or drawn, and must not
depend on the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from ldp.survey.survey import Group
from ldp_aggregator.numerics.arrays import Counts, Rows
from ldp_simulations.audit.bench import AuditBench, hold_to_law
from ldp_simulations.audit.bounds import chances_of_both, fisher_chances
from ldp_simulations.audit.parts import EnvelopePart, bits_of
from ldp_simulations.audit.statistical_tests import CountTest, certain, worst_of

_MOST_BITS = 64
"""Of each of two reports whose noise is compared."""
_ENDS = ((0, 0), (-1, -1), (0, -1), (-1, 0))
"""Answers to two questions, by their places."""


def questions(bench: AuditBench) -> Iterator[CountTest]:
    """Devices that answer two questions, one after the other; and the questions of a
    group.
    """
    lone = list(bench.lone())
    for pair in pairwise(lone):
        yield from _one_after_the_other(bench, pair)
    if len(lone) > 2:
        yield from _all_of_them(bench, lone)
    for fingerprint, parts in bench.parts.items():
        if isinstance(bench.client.envelopes[fingerprint], Group):
            yield from _together(bench, fingerprint, parts)


def _one_after_the_other(
    bench: AuditBench, pair: tuple[EnvelopePart, EnvelopePart]
) -> Iterator[CountTest]:
    one, other = pair
    ahead = []
    for ends in _ENDS:
        line = [
            {part.name: part.answers[end]} for part, end in zip(pair, ends, strict=True)
        ]
        left = bench.client.ask([line] * bench.devices)
        reports = [left.get(part.question.fingerprint) for part in pair]
        if any(
            those is None or len(those.starts) != bench.devices for those in reports
        ):
            yield certain(
                f"{one.name} and {other.name}", "not one report to each of both"
            )
            return
        first, second = (those for those in reports if those is not None)
        yield independence(pair, first.rows, second.rows)
        yield from hold_to_law(
            one, ends[0], first.rows, when=f"{other.name} answered next"
        )
        yield from hold_to_law(
            other, ends[1], second.rows, when=f"{one.name} answered before"
        )
        ahead.append(int((first.starts < second.starts).sum()))
    for ends, number in zip(_ENDS[1:], ahead[1:], strict=True):
        chances = fisher_chances(
            ahead[0], bench.devices, number, other_draws=bench.devices
        )
        answers = " and ".join("the last" if end else "the first" for end in ends)
        what = (
            f"which report leaves first, with {answers} answer as with the first ones,"
        )
        yield CountTest(f"{one.name} and {other.name}", what, float(chances))


def _all_of_them(
    bench: AuditBench, parts: Sequence[EnvelopePart]
) -> Iterator[CountTest]:
    """Devices that answer every question, one after the other."""
    for end in (0, -1):
        line = [{part.name: part.answers[end]} for part in parts]
        left = bench.client.ask([line] * bench.devices)
        rows_of = [bench.rows(left, part) for part in parts]
        if any(len(rows) != bench.devices for rows in rows_of):
            yield certain(
                " and ".join(part.name for part in parts), "not one report to each"
            )
            return
        yield from _far_apart(parts, rows_of)
        for part, rows in zip(parts, rows_of, strict=True):
            yield from hold_to_law(part, end, rows, when="every question answered")


def _together(
    bench: AuditBench, fingerprint: bytes, parts: Sequence[EnvelopePart]
) -> Iterator[CountTest]:
    for end in (0, -1):
        row = {part.name: part.answers[end] for part in parts}
        left = bench.client.ask([row] * bench.devices).get(fingerprint)
        if left is None or len(left.rows) != bench.devices:
            yield certain(
                bench.client.envelopes[fingerprint].name, "not one row for each device"
            )
            return
        rows_of = [left.rows[:, part.start : part.start + part.width] for part in parts]
        for place in range(len(parts) - 1):
            pair = (parts[place], parts[place + 1])
            yield independence(pair, rows_of[place], rows_of[place + 1])
        yield from _far_apart(parts, rows_of)


def _far_apart(
    parts: Sequence[EnvelopePart], rows_of: Sequence[Rows]
) -> Iterator[CountTest]:
    """Every two questions that have others between them.

    Of the bits of two, those that go together most are tested, and share what one test
    has of the false-alarm rate with all others: there may be thousands of pairs.
    """
    for one, other in combinations(range(len(parts)), 2):
        if other - one < 2:
            continue
        both, ones = _both((parts[one], parts[other]), (rows_of[one], rows_of[other]))
        total = len(rows_of[one])
        expected = ones[0][:, None] * ones[1][None, :] / total
        spread = (
            expected * (1 - ones[0][:, None] / total) * (1 - ones[1][None, :] / total)
        )
        apart = np.abs(both - expected) / np.sqrt(np.maximum(spread, 1e-9))
        a, b = np.unravel_index(int(apart.argmax()), apart.shape)
        law = (total, int(ones[0][a]), int(ones[1][b]))
        chance = chances_of_both(both[a, b], law)
        yield CountTest(
            f"{parts[one].name} and {parts[other].name}",
            f"bit {a} of {parts[one].name} with bit {b} of {parts[other].name}",
            min(float(chance) * both.size, 1.0),
        )


def _both(
    parts: tuple[EnvelopePart, EnvelopePart], rows_of: tuple[Rows, Rows]
) -> tuple[Counts, tuple[Counts, Counts]]:
    """How often bits of two reports are both 1, (bits of one, of the other), and each
    by itself.
    """
    shown = [
        bits_of(np.ascontiguousarray(rows[:, part.question.layout.prefix_width :]))[
            :, :_MOST_BITS
        ]
        for part, rows in zip(parts, rows_of, strict=True)
    ]
    both: Counts = shown[0].T.astype(np.int64) @ shown[1].astype(np.int64)
    return both, (shown[0].sum(axis=0), shown[1].sum(axis=0))


def independence(
    parts: tuple[EnvelopePart, EnvelopePart], first: Rows, second: Rows
) -> CountTest:
    """Whether bits of two reports of each device have nothing to do with each other."""
    one, other = parts
    both, ones = _both(parts, (first, second))
    chances = chances_of_both(both, (len(first), ones[0][:, None], ones[1][None, :]))
    names = [
        f"bit {a} of {one.name} with bit {b} of {other.name}"
        for a in range(both.shape[0])
        for b in range(both.shape[1])
    ]
    return worst_of(f"{one.name} and {other.name}", names, chances.ravel())
