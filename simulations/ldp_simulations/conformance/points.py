"""The points, one after the other, and what becomes of each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ldp.survey.survey import Survey
from ldp_simulations.conformance import (
    delivery,
    kills,
    law,
    ledger,
    lives,
    posting,
    reading,
)
from ldp_simulations.conformance.bench import Bench, FailedError, SkippedError
from ldp_simulations.conformance.lines import ClientError

PASSED, FAILED, SKIPPED = "pass", "FAIL", "skip"


class Point(NamedTuple):
    """Result of one point."""

    name: str
    verdict: str
    detail: str


POINTS: dict[str, Callable[[Bench], str]] = {
    "survey": reading.survey,
    "vectors": reading.vectors,
    "answers": reading.answers,
    "lengths": law.lengths,
    "law": law.law,
    "fresh": law.fresh,
    "wire": delivery.wire,
    "once": ledger.once,
    "memo": ledger.memo,
    "limits": ledger.limits,
    "silence": ledger.silence,
    "ledger": ledger.ledger,
    "groups": delivery.groups,
    "draws": lives.draws,
    "retries": delivery.retries,
    "statuses": posting.statuses,
    "restarts": lives.restarts,
    "kills": kills.kills,
    "traces": delivery.traces,
}
"""By name, in the order in which they are tried; `docs/conformance.md` says what each
asks for.
"""


def conform(
    command: Sequence[str],
    *,
    survey: Survey | None = None,
    vectors: Path | None = None,
    samples: int = 4000,
    kills: int = 20,
    only: Collection[str] = (),
) -> Iterator[Point]:
    """Check each point. Raises `ClientError` if the command does not say hello."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(
            command,
            Path(folder),
            survey=survey,
            vectors=vectors,
            samples=samples,
            kills=kills,
        )
        try:
            _greet(bench)
            for name, check in POINTS.items():
                if not only or name in only:
                    yield _try(name, check, bench)
        finally:
            bench.close()


def _greet(bench: Bench) -> None:
    """Have a client say which mechanisms it has, and what it does."""
    hello = bench.process.ask("hello")
    try:
        bench.mechanisms = tuple(hello["mechanisms"])
        bench.does = frozenset(hello["does"])
        bench.reads = str(hello["reads"])
    except (KeyError, TypeError):
        raise ClientError(
            "expected an answer to hello that has mechanisms, does and reads "
            "(docs/conformance.md)"
        ) from None


def _try(name: str, check: Callable[[Bench], str], bench: Bench) -> Point:
    try:
        return Point(name, PASSED, check(bench))
    except SkippedError as skipped:
        return Point(name, SKIPPED, str(skipped))
    except (FailedError, ClientError) as failed:
        bench.restart()
        return Point(name, FAILED, str(failed))
    except (KeyError, TypeError, ValueError) as error:
        # An answer without what it has to have.
        bench.restart()
        return Point(name, FAILED, f"expected an answer of the protocol, got {error!r}")
