"""Queries of a few of a million values, from a tally that is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import ldp
from lab.benchmarks.figures import Figure, median_seconds
from ldp_aggregator import Tally, query

_VALUES = 1_000_000
_REPORTS = 1_000_000
_QUERIES = {
    "a share": "share(q in {v1, v2})",
    "a contrast": "share(q in {v1, v2}) - share(q = v7)",
    "a ratio": "share(q in {v1, v2}) / share(q = v7)",
}
_TARGETS = {"oue": 0.005, "hr": 0.015, "pgr": 0.04}
"""Seconds to stay below."""


def figures() -> Iterator[Figure]:
    """Milliseconds of each kind of query, through mechanisms that count bits and
    symbols.
    """
    for mechanism, target in _TARGETS.items():
        tally = _tally(mechanism)
        for what, text in _QUERIES.items():
            # The first call, which is not counted, makes places by value, and the
            # design.
            seconds = median_seconds(partial(query, tally, text))
            name = f"queries: {what} of {_VALUES:,} values, {mechanism}"
            yield Figure(name, seconds * 1e3, "ms", target=target * 1e3)


def _tally(mechanism: str) -> Tally:
    """Counts that are alike but for chance; what they are no query depends on."""
    values = [f"v{place}" for place in range(_VALUES)]
    asked = ldp.question("q", values, mechanism=mechanism, epsilon="1")
    tally = Tally.empty(ldp.survey("s", asked))
    counts, generator = tally.counts["q"], np.random.default_rng(1)
    if tally.survey["q"].layout.bits:
        counts += generator.binomial(_REPORTS, 0.3, counts.shape)
        counts[0, 0] = _REPORTS
    else:
        symbols = counts.shape[1]
        counts += generator.multinomial(_REPORTS, np.full(symbols, 1 / symbols))
    return tally
