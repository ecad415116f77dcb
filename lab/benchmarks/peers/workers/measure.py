"""What every worker does with a request: make reports one at a time, decode them, take
times.
"""

from __future__ import annotations

import json
import pickle
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

_SLICE = 200
_FIRST, _SECOND = 20, 100
_SHORT, _TIMES = 0.1, 5
_WEIGHED = 100


def pickled(report: object) -> int:
    """Bytes of a report where a library has no format of its own."""
    return len(pickle.dumps(report, pickle.HIGHEST_PROTOCOL))


class Contender(NamedTuple):
    """A mechanism at one size and epsilon, ready to be measured."""

    answer: Callable[[int], Any]
    """The index of a value, from 0, as the client takes it."""
    client: Callable[[Any], Any]
    """One report of one answer."""
    server: Callable[[Any], Any] | None
    """From packed reports to estimates of all values; None if the library has no
    estimator.
    """
    read: Callable[[Any], Mapping[str, Any]] = lambda estimates: {"unbiased": estimates}
    """What the server gave, as frequencies: `unbiased`, and `returned` where it is
    something else.
    """
    pack: Callable[[list[Any]], Any] = lambda reports: reports
    """Reports as the server takes them."""
    report_bytes: Callable[[Any], int] = pickled


def serve(build: Callable[[str, dict[str, Any], str, int], Contender]) -> None:
    """Answer requests until there are none.

    `build` makes a contender of (name, options, epsilon, size).
    """
    serve_by(partial(_answer, build))


def serve_by(answered: Callable[..., dict[str, Any]]) -> None:
    """Answer requests, whatever they are about; their keys are what `answered`
    takes.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = answered(**request)
        except Exception as error:  # Whatever goes wrong in a library is a result.
            answer = {"failed": type(error).__name__, "message": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


def _answer(
    build: Callable[..., Contender],
    *,
    name: str,
    options: dict[str, Any],
    epsilon: str,
    size: int,
    values: str,
    estimates: str,
    longest: float,
) -> dict[str, Any]:
    contender = build(name, options, epsilon, size=size)
    held = np.load(values).tolist()
    reports, per_report = _make(contender, held, longest)
    weighed = [contender.report_bytes(report) for report in reports[:_WEIGHED]]
    answer = {
        "made": len(reports),
        "client": per_report,
        "bytes": sum(weighed) / len(weighed),
    }
    if contender.server is not None:
        decoded, seconds, result = _decode(
            contender, contender.server, reports, wanted=len(held), longest=longest
        )
        np.savez(estimates, **contender.read(result))
        answer |= {"decoded": decoded, "server": seconds}
    return answer


def _make(
    contender: Contender, held: Sequence[int], longest: float
) -> tuple[list[Any], float]:
    """Reports of the first values, as many as the limit allows, and the seconds for
    each.
    """
    client = contender.client
    answers = [contender.answer(value) for value in held]
    client(answers[0])
    reports: list[Any] = []
    used = 0.0
    while len(reports) < len(answers) and used < longest:
        part = answers[len(reports) : len(reports) + _SLICE]
        start = time.process_time()
        sent = [client(answer) for answer in part]
        used += time.process_time() - start
        reports += sent
    return reports, used / len(reports)


def _decode(
    contender: Contender,
    server: Callable[[Any], Any],
    reports: list[Any],
    wanted: int,
    longest: float,
) -> tuple[int, float, Any]:
    """How many reports were decoded, the seconds that `wanted` of them take, and the
    answer.
    """
    few = min(_FIRST, len(reports))
    count = min(_SECOND, len(reports))
    _timed(server, contender.pack(reports[:few]))
    less, _ = _timed(server, contender.pack(reports[:few]))
    while True:
        seconds, result = _timed(server, contender.pack(reports[:count]))
        # From two numbers of reports: the seconds for each, and those that none would
        # take.
        per_report = max(seconds - less, 0.0) / max(count - few, 1)
        fixed = max(seconds - count * per_report, 0.0)
        # What does not depend on the reports may be most of the work: then the slope
        # needs as much time again.
        affordable = max(longest - fixed, fixed) / max(per_report, 1e-12)
        following = int(min(len(reports), 10 * count, affordable))
        if count == len(reports) or following < min(len(reports), 2 * count):
            break
        few, less = count, seconds
        count = following
    seconds += (wanted - count) * per_report
    if count == wanted and seconds < _SHORT:
        packed = contender.pack(reports[:count])
        seconds = statistics.median(
            [seconds, *(_timed(server, packed)[0] for _ in range(_TIMES - 1))]
        )
    return count, seconds, result


def _timed(server: Callable[[Any], Any], packed: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = server(packed)
    return time.process_time() - start, result
