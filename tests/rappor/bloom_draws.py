"""Bloom tallies drawn from their law, for designs whose bits are set anywhere."""

from typing import NamedTuple

import numpy as np

from ldp_aggregator.decoders.moments.bit_covariance import BitNoise, bit_noise


class Shape(NamedTuple):
    """Sizes of a Bloom collection, and its noise."""

    bits: int
    hashes: int
    cohorts: int
    p: float
    q: float
    f: float

    @property
    def background(self) -> float:
        """How often a text sets a bit."""
        return 1 - (1 - 1 / self.bits) ** self.hashes

    def noise(self, repeats: int = 1) -> BitNoise:
        """Of one bit."""
        return bit_noise(self.p, self.q, self.f, repeats=repeats)


def draw_design(shape, candidates, generator):
    """A design of shape (cohorts * bits, candidates)."""
    from scipy.sparse import csr_array

    positions = generator.integers(
        0, shape.bits, (shape.cohorts, candidates, shape.hashes)
    )
    dense = np.zeros((shape.cohorts, shape.bits, candidates))
    cohort, candidate, _ = np.indices(positions.shape)
    dense[cohort, positions, candidate] = 1
    return csr_array(dense.reshape(-1, candidates))


def draw_counts(shape, design, holders, generator, repeats=1):
    """Counts (cohorts, 1 + bits) if `holders[x]` people hold text x, `repeats` reports
    each.
    """
    spread = generator.multinomial(holders, np.full(shape.cohorts, 1 / shape.cohorts))
    counts = np.zeros((shape.cohorts, 1 + shape.bits), dtype=np.int64)
    for cohort in range(shape.cohorts):
        size = spread[:, cohort].sum()
        part = design[cohort * shape.bits : (cohort + 1) * shape.bits]
        ones = (part @ spread[:, cohort]).astype(np.int64)
        permanent = generator.binomial(ones, 1 - shape.f / 2) + generator.binomial(
            size - ones, shape.f / 2
        )
        counts[cohort, 0] = size * repeats
        counts[cohort, 1:] = generator.binomial(permanent * repeats, shape.q)
        counts[cohort, 1:] += generator.binomial((size - permanent) * repeats, shape.p)
    return counts


def falling(candidates, respondents, rate=5.0):
    """How many hold each candidate: exponentially fewer from the first to the last."""
    weights = np.exp(-rate * np.arange(candidates) / candidates)
    return np.round(respondents * weights / weights.sum()).astype(np.int64)
