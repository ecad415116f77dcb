"""A measured figure beside its target, and tables of them."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

REPEATS = 9


class Figure(NamedTuple):
    """What was measured, in `unit`.

    `target` is what it should reach, None if it is there to be known.
    """

    name: str
    measured: float
    unit: str
    target: float | None = None
    at_least: bool = False

    @property
    def reached(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        if self.at_least:
            return self.measured >= self.target
        return self.measured <= self.target

    def cells(self) -> tuple[str, str, str, str]:
        """Name, target, measured value and verdict, as text."""
        sign = ">=" if self.at_least else "<="
        target = (
            "" if self.target is None else f"{sign} {rounded(self.target)} {self.unit}"
        )
        verdict = {None: "", True: "reached", False: "MISSED"}[self.reached]
        return self.name, target, f"{rounded(self.measured)} {self.unit}", verdict


def median_seconds(
    work: Callable[[], object], times: int = 1, repeats: int = REPEATS
) -> float:
    """The median over `repeats` of the processor seconds of one call of `work`.

    Averaged over `times` calls.

    Processor time, since what is to be known is the cost of the work, not how long it
    waited for its neighbours.
    """
    work()
    return statistics.median(seconds(work, times) for _ in range(repeats))


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The processor seconds that one call of `work` takes, averaged over `times`
    calls.
    """
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def rounded(measured: float) -> str:
    """Three digits: no one should believe more of a time."""
    return f"{float(f'{measured:.3g}'):,.10g}"


def machine() -> str:
    """The machine in general terms."""
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}), "
        f"{platform.python_implementation()} {platform.python_version()}, numpy "
        f"{np.__version__}"
    )
