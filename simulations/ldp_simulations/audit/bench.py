"""A client on a bench, where what its devices do is tried point by point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ldp.numbers.randomness import system
from ldp.survey.survey import Group
from ldp_aggregator.numerics.arrays import Rows
from ldp_simulations.audit.clients.client import Audited
from ldp_simulations.audit.clients.frames import Left
from ldp_simulations.audit.counting import count, drawn_rows
from ldp_simulations.audit.parts import EnvelopePart
from ldp_simulations.audit.statistical_tests import CountTest, law_tests


class AuditBench(NamedTuple):
    """A client, the parts of each of its survey's envelopes, and how many devices to
    ask.
    """

    client: Audited
    parts: dict[bytes, tuple[EnvelopePart, ...]]
    devices: int

    def everywhere(self) -> Iterator[tuple[EnvelopePart, ...]]:
        """Yield the parts of each envelope that every device answers."""
        for fingerprint, parts in self.parts.items():
            envelope = self.client.envelopes[fingerprint]
            if isinstance(envelope, Group) or envelope.draw is None:
                yield parts

    def lone(self) -> Iterator[EnvelopePart]:
        """Yield those that are asked by themselves."""
        for parts in self.everywhere():
            if len(parts) == 1:
                yield parts[0]

    def rows(self, left: dict[bytes, Left], part: EnvelopePart) -> Rows:
        """The reports to a question, which may be none."""
        for fingerprint, parts in self.parts.items():
            if part in parts and fingerprint in left:
                columns = slice(part.start, part.start + part.width)
                return np.ascontiguousarray(left[fingerprint].rows[:, columns])
        return np.empty((0, part.width), dtype=np.uint8)


def hold_to_law(
    part: EnvelopePart, end: int, rows: Rows, *, when: str
) -> Iterator[CountTest]:
    """Whether reports came as often as declared, of the first answer (0) or of the last
    (-1).
    """
    number = end % len(part.answers)
    core = None
    if part.bits is None:
        ours = drawn_rows(part.question, part.answers[number], len(rows), random=system)
        core = count(part, ours)
    for test in law_tests(part, number, count(part, rows), core=core):
        yield test._replace(where=f"{test.where}, {when}")


Point = Callable[[AuditBench], Iterator[CountTest]]
