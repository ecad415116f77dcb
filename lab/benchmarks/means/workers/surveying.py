"""What every worker does with a request: surveys of the same numbers, each with its
mean.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lab.benchmarks.peers.workers.measure import Contender, serve_by


class Asked(NamedTuple):
    """A mechanism for whole numbers from 0 on, ready to be asked."""

    answer: Callable[[int], Any]
    """A number as the client takes it."""
    client: Callable[[Any], Any]
    """One report of one answer."""
    mean: Callable[[list[Any]], float]
    """What the reports of a survey say of the mean."""


def serve(build: Callable[..., Asked]) -> None:
    """Answer requests until there are none.

    `build` takes a name, options, an epsilon and the greatest number, `steps`.
    """
    serve_by(partial(answered, build))


def answered(
    build: Callable[..., Asked],
    *,
    name: str,
    options: dict[str, Any],
    epsilon: str,
    steps: int,
    numbers: list[int],
    surveys: int,
) -> dict[str, Any]:
    """The means of so many surveys, and the seconds of processor time that a report
    takes.
    """
    asked = build(name, options, epsilon=epsilon, steps=steps)
    answers = [asked.answer(number) for number in numbers]
    # What is compiled or cached on first use is no part of a report.
    asked.mean([asked.client(answer) for answer in answers[:2]])
    means, used = [], 0.0
    for _ in range(surveys):
        start = time.process_time()
        reports = [asked.client(answer) for answer in answers]
        used += time.process_time() - start
        means.append(float(asked.mean(reports)))
    return {"means": means, "client": used / (surveys * len(answers))}


def of_frequencies(contender: Contender, view: str, steps: int) -> Asked:
    """Where a library knows frequencies alone: the mean of numbers by their estimated
    shares.
    """
    server = contender.server
    if server is None:
        raise TypeError("expected an estimator of frequencies")
    numbers = np.arange(steps + 1)

    def mean(reports: list[Any]) -> float:
        shares = contender.read(server(contender.pack(reports)))[view]
        return float(numbers @ np.asarray(shares, dtype=float))

    return Asked(contender.answer, contender.client, mean)
