"""OpenDP: exact randomized response from secure randomness, on a value or on a vector
of bits.

It has an estimator for bits only. A vector's bits are numbered from the lowest of each
byte; its epsilon is 2 ln((2 - f) / f) for a vector with a single one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import opendp.prelude as dp

from lab.benchmarks.peers.workers.measure import Contender, serve

dp.enable_features("contrib")


def build(name: str, options: dict[str, Any], epsilon: str, size: int) -> Contender:
    """`name` is what follows `make_`; it takes no options."""
    return _BUILDERS[name](float(epsilon), size, **options)


def _symbols(epsilon: float, size: int) -> Contender:
    truth = math.exp(epsilon) / (math.exp(epsilon) + size - 1)
    measurement = dp.m.make_randomized_response(list(range(size)), prob=truth)
    return Contender(answer=int, client=measurement, server=None)


def _bits(epsilon: float, size: int) -> Contender:
    flip = 2 / (math.exp(epsilon / 2) + 1)
    measurement = dp.m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=flip
    )
    width = size // 8

    def client(value: int) -> bytes:
        vector = bytearray(width)
        vector[value >> 3] = 1 << (value & 7)
        report: bytes = measurement(bytes(vector))
        return report

    def server(reports: list[bytes]) -> Any:
        return np.array(dp.m.debias_randomized_response_bitvec(reports, flip)) / len(
            reports
        )

    return Contender(answer=int, client=client, server=server)


_BUILDERS: dict[str, Callable[..., Contender]] = {
    "randomized_response": _symbols,
    "randomized_response_bitvec": _bits,
}

if __name__ == "__main__":
    serve(build)
