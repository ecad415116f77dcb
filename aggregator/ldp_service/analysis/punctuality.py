"""How many batches come late: after a jump of a clock, or while devices find no
network.

Late batches are gone for good, so that a share of them beyond the usual few is an
alarm. They stand under the epoch in which they came; the last two epochs that have
batches count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ldp_service.store.records import Epoch

LATE = "late"
ALARMING = 0.1
"""Share of late batches that is an alarm, of `LEAST` batches or more."""
LEAST = 20


class Punctuality(NamedTuple):
    """Batches of late, how many of them were late, and whether that is alarming."""

    batches: int
    late: int

    @property
    def share(self) -> float:
        """Share of late ones; 0 where there are none."""
        if self.batches:
            return self.late / self.batches
        return 0.0

    @property
    def is_alarming(self) -> bool:
        """Whether someone had better look at clocks and grace."""
        return self.batches >= LEAST and self.share > ALARMING


def punctuality(outcomes: Mapping[Epoch, Counter[str]]) -> Punctuality:
    """Return the punctuality of a survey, from its batches by epoch and outcome."""
    last = sorted(outcomes)[-2:]
    batches = sum(outcomes[epoch].total() for epoch in last)
    return Punctuality(batches, sum(outcomes[epoch][LATE] for epoch in last))
