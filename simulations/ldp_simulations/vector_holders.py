"""How many respondents truly hold which vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ldp.answers.balls import UNIT, Ball, pack_coordinates
from ldp.answers.domain import Value
from ldp_aggregator.numerics.arrays import Floats, Integers
from ldp_simulations.holders import Holders, apportion

MOST_VECTORS = 1_000
"""Different vectors that a made-up population has."""


@dataclass(frozen=True)
class VectorHolders(Holders):
    """`counts[i]` respondents hold the vector `vectors[i]`, written as `values[i]`."""

    vectors: Integers
    """In the whole numbers that devices round them to, of shape (vectors, coordinates).
    """
    radius: float

    @classmethod
    def of(cls, ball: Ball, holders: Mapping[Value, int]) -> VectorHolders:
        """The number of holders of each vector."""
        joined = b"".join(value for value in holders if isinstance(value, bytes))
        vectors = (
            np.frombuffer(joined, dtype="<i4")
            .reshape(-1, ball.dimensions)
            .astype(np.int64)
        )
        radius = float(ball.radius)
        numbers: list[list[float]] = (radius * (vectors / UNIT)).tolist()
        written = tuple(" ".join(map(repr, row)) for row in numbers)
        counts = np.array(list(holders.values()), dtype=np.int64)
        return cls(written, counts, vectors, radius=radius)

    def frequencies(self, values: Sequence[str]) -> list[float]:
        """The true means of the coordinates of these names."""
        means = (
            self.counts @ (self.vectors / UNIT) * self.radius / max(1, self.respondents)
        )
        return [float(means[int(name) - 1]) for name in values]


def synthetic_vectors(ball: Ball, respondents: int, weights: Floats) -> VectorHolders:
    """Up to `MOST_VECTORS` vectors of full length, about the direction of the weights.

    As far from it as a random direction is: each is the sum of both. The same each
    time.
    """
    generator = np.random.default_rng(0)
    different = min(respondents, MOST_VECTORS)
    # (vectors, coordinates): unit vectors.
    noise = (
        generator.standard_normal((different, ball.dimensions)) / ball.dimensions**0.5
    )
    vectors = weights / np.linalg.norm(weights) + noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    whole: list[list[int]] = np.rint(UNIT * vectors).astype(np.int64).tolist()
    shares = apportion(respondents, np.ones(different)).tolist()
    holders: Counter[Value] = Counter()
    for vector, share in zip(whole, shares, strict=True):
        holders[pack_coordinates(vector)] += share
    return VectorHolders.of(ball, holders)
