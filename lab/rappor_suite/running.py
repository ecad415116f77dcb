"""Running cases, several at a time, and taking up a run that was interrupted.

A result is kept under what it depends on: the case, the instance, and the source of
whatever was measured.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ldp
import ldp_aggregator
import ldp_simulations
from lab.archive import Archive, digest
from lab.rappor_suite.cases import Case, cases
from lab.rappor_suite.instances import measure

Result = dict[str, Any]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Task(NamedTuple):
    """One instance of cases that share their names."""

    cases: tuple[Case, ...]
    instance: int


class Score(NamedTuple):
    """A metric over the instances; the error is that of the mean. NaN where it has no
    meaning.
    """

    mean: float
    error: float

    def __str__(self) -> str:
        if np.isnan(self.error):
            return self.brief()
        return f"{self.brief()} ± {self.error:.1g}"

    def brief(self) -> str:
        """The mean alone."""
        return "–" if np.isnan(self.mean) else f"{self.mean:.3g}"


class Outcome(NamedTuple):
    """All instances of one case."""

    case: Case
    results: list[Result]

    @property
    def scores(self) -> Mapping[str, Score]:
        """With the detections that are reported by default."""
        return _summary([result["scores"] for result in self.results])

    @property
    def matched(self) -> Mapping[str, Score]:
        """At the false-positive rate of google/rappor's decoder, where that is
        known.
        """
        return _summary([result["matched"] for result in self.results])

    @property
    def curve(self) -> tuple[list[float], list[float]]:
        """True and found frequencies of the first instance, by groups of values."""
        truth, estimates = self.results[0]["curve"]
        return truth, estimates


def run(
    chosen: Sequence[Case],
    archive: Archive,
    instances: int | None = None,
    workers: int | None = 1,
    over: Callable[[Iterator[Task], int], Iterator[Task]] = lambda tasks, _: tasks,
) -> list[Outcome]:
    """Measure what the archive does not have: `instances` of each case, or as many as
    each says.

    `workers` is the number of processes; None takes one for each processor. `over`
    wraps the tasks that are done, given their number (for a progress bar).
    """
    packages = (ldp, ldp_aggregator, ldp_simulations)
    rooms = [
        Path(__file__).parent,
        *(Path(package.__path__[0]) for package in packages),
    ]
    source = digest(sorted(path for room in rooms for path in room.rglob("*.py")))

    def key(case: Case, instance: int) -> str:
        return json.dumps([case._replace(instances=0), instance, source])

    def missing(group: Sequence[Case], instance: int) -> tuple[Case, ...]:
        return tuple(
            case
            for case in group
            if instance < (instances or case.instances)
            and key(case, instance) not in archive
        )

    groups = [
        list(group)
        for _, group in groupby(
            chosen, lambda case: (case.parameters, case.values, case.spurious)
        )
    ]
    tasks = [
        Task(left, instance)
        for group in groups
        for instance in range(instances or max(case.instances for case in group))
        if (left := missing(group, instance))
    ]

    def done() -> Iterator[Task]:
        for task, results in _measured(tasks, workers):
            for case, result in zip(task.cases, results, strict=True):
                archive.keep(key(case, task.instance), result)
            yield task

    for _ in over(done(), len(tasks)):
        pass
    return [
        Outcome(
            case,
            [
                archive[key(case, instance)]
                for instance in range(instances or case.instances)
            ],
        )
        for case in chosen
    ]


def _measured(
    tasks: Sequence[Task], workers: int | None
) -> Iterator[tuple[Task, list[Result]]]:
    if workers == 1 or not tasks:
        yield from ((task, measure(*task)) for task in tasks)
        return
    # Started afresh, each process with one thread, so that they do not wait for each
    # other's linear algebra.
    os.environ.update({name: "1" for name in _THREADS if name not in os.environ})
    # What is loaded and prepared on a first call is no part of any time, so each begins
    # with a small case.
    first = cases("tiny typical unif"), 0
    with ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), measure, first
    ) as pool:
        waiting = {pool.submit(measure, *task): task for task in tasks}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _summary(scores: Sequence[Mapping[str, float | None]]) -> dict[str, Score]:
    return {name: _score([instance[name] for instance in scores]) for name in scores[0]}


def _score(numbers: Sequence[float | None]) -> Score:
    known = np.array([number for number in numbers if number is not None])
    mean = known.mean() if len(known) else np.nan
    return Score(
        float(mean),
        float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else np.nan,
    )
