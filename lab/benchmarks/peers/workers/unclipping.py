"""Undoing an estimator that clips negative frequencies and scales the rest to sum to
one.

What was clipped cannot be had back from what was returned, so the counts are taken
where the estimator gets them:

    unclipped = (count / n - q) / (p - q)
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Witness:
    """Stands in for an estimator of (counts, n, p, q), and remembers its last call."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.seen: tuple[Any, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        """What the estimator gives."""
        self.seen = arguments
        return self.estimator(*arguments)

    def unclipped(self) -> Any:
        """The unbiased frequencies behind the last call."""
        return unclipped(*self.seen)


def unclipped(counts: Any, reports: int, p: float, q: float) -> Any:
    """Unbiased frequencies from the numbers of reports that support each value."""
    return (np.asarray(counts, dtype=float) / reports - q) / (p - q)
