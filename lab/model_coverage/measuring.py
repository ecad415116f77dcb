"""Runs, summed up: how often the truth was held, and whether the errors are as large as
they say.

Every case has random numbers of its own, so that it shows the same whenever it is run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lab.model_coverage.regressions import Case, Seen

NOMINAL = 0.95
BAND = 0.01
"""What is claimed: from .94 to .96."""
FALSE_ALARM = 1e-6
_DEVIATIONS = 4.9
"""Of a share of runs, beyond which chance goes less often than once in a million."""


class Measured(NamedTuple):
    """What a case showed. Of several numbers it is the one that is farthest from
    .95.
    """

    case: Case
    runs: int
    coverage: float
    bias: float
    """The mean error, in standard deviations of the estimate."""
    ratio: float
    """The mean standard error, over the standard deviation of the estimate."""
    size: float | None
    """How often a true hypothesis was rejected at .05."""

    @property
    def broken(self) -> bool:
        """Whether coverage or size is out of the band by more than chance."""
        spread = _DEVIATIONS * math.sqrt(NOMINAL * (1 - NOMINAL) / self.runs)
        shares = [self.coverage, *([] if self.size is None else [1 - self.size])]
        return any(abs(share - NOMINAL) > BAND + spread for share in shares)


def measure(case: Case, runs: int) -> Measured:
    """Of a case, so many times, or the part of them that it takes."""
    runs = max(runs // case.part, 1)
    generator = np.random.default_rng([*case.name.encode(), *case.what.encode()])
    seen = [tuple(case.run(generator)) for _ in range(runs)]
    columns = [_summed([one[place] for one in seen]) for place in range(len(seen[0]))]
    worst = max(columns, key=lambda column: abs(column[0] - NOMINAL))
    rejected = [
        one.rejected for one in (run[-1] for run in seen) if one.rejected is not None
    ]
    size = sum(rejected) / len(rejected) if rejected else None
    return Measured(case, runs, *worst, size=size)


def _summed(seen: list[Seen]) -> tuple[float, float, float]:
    """Coverage, bias and ratio of one number over the runs."""
    errors = np.array([one.error for one in seen])
    spread = float(errors.std())
    stated = float(np.mean([one.standard_error for one in seen]))
    return (
        float(np.mean([one.held for one in seen])),
        float(errors.mean()) / spread,
        stated / spread,
    )
