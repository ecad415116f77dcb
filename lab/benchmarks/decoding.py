"""From a tally of symbols to support counts, and the designs that this needs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from lab.benchmarks.figures import Figure, median_seconds
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.projective import ProjectiveResponse, least_error_response
from ldp.numbers.exact import odds
from ldp_aggregator.decoders.moments.supports import support_counts
from ldp_aggregator.decoders.values.blocks import block_supports
from ldp_aggregator.numerics.projective.cyclic_design import cyclic_design

_REPORTS = 1_000_000

# (number of values, epsilon, seconds to stay below)
_PROJECTIVE = (
    (1000, "1", 0.0133),
    (22_000, "1", 0.051),
    (22_000, "5", 0.005),
    (100_000, "5", 11.8),
    (1_000_000, "1", 0.3),
    (1_000_000, "5", 12.2),
)


def figures() -> Iterator[Figure]:
    """Milliseconds for all values at once, and for the design of a million values."""
    for size, epsilon, target in _PROJECTIVE:
        randomizer = least_error_response(size, *odds(Fraction(epsilon)))
        yield _decoding(
            f"pgr, {size:,} values, epsilon {epsilon}",
            support_counts,
            randomizer,
            target=target,
        )
    one_block = HadamardResponse(2**20 - 1, 1, 2**20, truth=3, other=1)
    yield _decoding(f"hr, {2**20 - 1:,} values", block_supports, one_block, target=0.2)
    space = least_error_response(1_000_000, *odds(Fraction(1)))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LDPKIT_CACHE"] = os.devnull
        yield _design("made and checked", space, 0.5)
        os.environ["LDPKIT_CACHE"] = folder
        yield _design("from the cache", space, 0.02)


def _decoding(
    what: str, decoder: Callable[..., Any], randomizer: Randomizer, target: float
) -> Figure:
    symbols = randomizer.layout.symbols
    counts = np.random.default_rng(1).multinomial(
        _REPORTS, np.full(symbols, 1 / symbols)
    )[None, :]
    seconds = median_seconds(partial(decoder, randomizer, counts))
    return Figure(f"decoding: {what}", seconds * 1e3, "ms", target=target * 1e3)


def _design(what: str, space: ProjectiveResponse, target: float) -> Figure:
    def anew() -> None:
        cyclic_design.cache_clear()
        cyclic_design(space.order, space.dimension)

    return Figure(
        f"decoding: design of pgr, 1,000,000 values, {what}",
        median_seconds(anew) * 1e3,
        "ms",
        target=target * 1e3,
    )
