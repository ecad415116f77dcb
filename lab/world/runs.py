"""Many worlds: seed by seed, in several processes, and what they have shown
together.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import NamedTuple

from lab.world.bugs import planted
from lab.world.scenario import Scenario, scenario
from lab.world.world import Verdict, live

CHUNK = 250
"""Seeds that a process takes at once."""
_MOST_FAILURES = 20
"""That are remembered with what was wrong; all are counted."""


class Failure(NamedTuple):
    """A seed that failed, and why."""

    seed: int
    wrong: tuple[str, ...]


class Runs(NamedTuple):
    """What seeds have shown."""

    seeds: int = 0
    batches: int = 0
    seconds: float = 0.0
    """Of processors."""
    faults: Counter[str] = Counter()  # noqa: RUF012  # never changed
    failed: int = 0
    failures: tuple[Failure, ...] = ()
    """The first of them."""

    def plus(self, other: Runs) -> Runs:
        """Both together."""
        return Runs(
            self.seeds + other.seeds,
            self.batches + other.batches,
            self.seconds + other.seconds,
            faults=self.faults + other.faults,
            failed=self.failed + other.failed,
            failures=(self.failures + other.failures)[:_MOST_FAILURES],
        )


def verdict(world: Scenario, bug: str | None = None) -> Verdict:
    """What becomes of a world, with a defect if one is named."""
    with planted(bug):
        return live(world, anew=bug is not None)


def rules_broken(world: Scenario, bug: str | None = None) -> frozenset[str]:
    """The names of the rules that it breaks."""
    return frozenset(
        sentence.partition(":")[0] for sentence in verdict(world, bug).wrong
    )


def run(first: int, last: int, bug: str | None = None) -> Runs:
    """The worlds of seeds, the last not among them."""
    begun = time.process_time()
    faults: Counter[str] = Counter()
    batches = failed = 0
    failures: list[Failure] = []
    for seed in range(first, last):
        outcome = verdict(scenario(seed), bug)
        faults += outcome.faults
        batches += outcome.batches
        failed += bool(outcome.wrong)
        if outcome.wrong and len(failures) < _MOST_FAILURES:
            failures.append(Failure(seed, outcome.wrong))
    return Runs(
        last - first,
        batches,
        time.process_time() - begun,
        faults=faults,
        failed=failed,
        failures=tuple(failures),
    )


def run_all(
    first: int,
    last: int,
    bug: str | None = None,
    *,
    workers: int,
    tell: Callable[[Runs], object] = lambda _: None,
) -> Runs:
    """The same in several processes; `tell` hears of what there is so far."""
    total = Runs()
    for runs in _in_processes(first, last, bug, workers=workers):
        total = total.plus(runs)
        tell(total)
    return total


def _in_processes(
    first: int, last: int, bug: str | None, *, workers: int
) -> Iterator[Runs]:
    starts = range(first, last, CHUNK)
    ends = [min(start + CHUNK, last) for start in starts]
    if workers == 1:
        yield from map(run, starts, ends, repeat(bug))
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(run, starts, ends, repeat(bug))
