"""Holders of values: the true state of one question, in numbers of respondents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.random import Generator

from ldp.answers.domain import SEPARATOR, Domain, Value
from ldp.answers.sets import members, set_of
from ldp.answers.taxonomies import Taxonomy
from ldp_aggregator.decoders.taxonomies.two_passes import totals
from ldp_aggregator.numerics.arrays import Counts, Floats

MOST_SETS = 10_000
"""Different sets that a made-up population has."""


@dataclass(frozen=True)
class Holders:
    """The true state of one question: `counts[i]` respondents hold `values[i]`.

    >>> import ldp, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> ldp_simulations.from_table(survey, {"mode": ["car", "bus", "bus"]})["mode"].counts.tolist()
    [1, 2]
    """

    values: tuple[str, ...]
    counts: Counts

    @property
    def respondents(self) -> int:
        """How many answer the question."""
        return int(self.counts.sum())

    def some(self, number: int, generator: Generator) -> Self:
        """So many of them, taken without replacement."""
        counts = generator.multivariate_hypergeometric(
            self.counts, number, method="marginals"
        )
        return replace(self, counts=counts.astype(np.int64))

    def frequencies(self, values: Sequence[str]) -> list[float]:
        """The true frequencies of the given values among those who answer."""
        holders = dict(zip(self.values, self.counts.tolist(), strict=True))
        respondents = max(1, self.respondents)
        return [holders.get(value, 0) / respondents for value in values]

    @property
    def mean(self) -> float:
        """The true mean of a question whose values are numbers."""
        counts: list[int] = self.counts.tolist()
        held = [
            (value, count)
            for value, count in zip(self.values, counts, strict=True)
            if count
        ]
        total = sum(Fraction(value) * count for value, count in held)
        return float(total / max(1, self.respondents))


@dataclass(frozen=True)
class SetHolders(Holders):
    """`counts[i]` respondents hold the set `sets[i]` of indices, written as
    `values[i]`.

    >>> import ldp, ldp_simulations
    >>> modes = ldp.question("modes", ["car", "bus"], type="multi", most=2, epsilon="1")
    >>> survey = ldp.survey("trip", modes)
    >>> held = ldp_simulations.from_table(survey, {"modes": [["car"], ["car", "bus"]]})["modes"]
    >>> held.counts.tolist()
    [1, 1]
    """

    sets: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, domain: Domain, holders: Mapping[Value, int]) -> SetHolders:
        """The number of holders of each set."""
        values = domain.values or ()
        sets = tuple(tuple(members(int(value))) for value in holders)
        written = tuple(
            SEPARATOR.join(values[index] for index in indices) or SEPARATOR
            for indices in sets
        )
        return cls(written, np.array(list(holders.values()), dtype=np.int64), sets)

    def frequencies(self, values: Sequence[str]) -> list[float]:
        """The shares of the respondents whose sets hold each value.

        `values` are all of the question's.
        """
        shares: list[float] = (
            self.holding(len(values)) / max(1, self.respondents)
        ).tolist()
        return shares

    def holding(self, size: int) -> Counts:
        """How many respondents hold each of `size` values."""
        holding = np.zeros(size, dtype=np.int64)
        indices = np.array(
            [index for places in self.sets for index in places], dtype=np.int64
        )
        np.add.at(
            holding,
            indices,
            np.repeat(self.counts, [len(places) for places in self.sets]),
        )
        return holding


@dataclass(frozen=True)
class TreeHolders(Holders):
    """The values are the leaves of a tree, of whose inner nodes the holders are known
    as well.
    """

    taxonomy: Taxonomy

    def frequencies(self, values: Sequence[str]) -> list[float]:
        """The true frequencies of the given nodes, leaves or not."""
        inner = self.taxonomy.inner
        counts: Floats = np.append(np.zeros(len(inner)), self.counts).astype(np.float64)
        shares = totals(self.taxonomy.parents, counts) / max(1, self.respondents)
        known = dict(zip((*inner, *self.values), shares.tolist(), strict=True))
        return [known.get(value, 0.0) for value in values]


def holders_of(domain: Domain, values: tuple[str, ...], counts: Counts) -> Holders:
    """Return holders of values of which everyone holds one."""
    if domain.taxonomy is None:
        return Holders(values, counts)
    return TreeHolders(values, counts, domain.taxonomy)


def synthetic_sets(domain: Domain, respondents: int, weights: Floats) -> SetHolders:
    """The respondents are shared out evenly among up to `MOST_SETS` sets; the same each
    time.

    The size of a set is uniform from 0 to `most`, but for draws that repeat themselves:
    n values are drawn in proportion to the weights, and a value drawn again is in the
    set already.
    """
    generator, most = np.random.default_rng(0), domain.most or 1
    different = min(respondents, MOST_SETS)
    draws = generator.choice(
        len(weights), size=(different, most), p=weights / weights.sum()
    ).tolist()
    sizes = generator.integers(0, most, different, endpoint=True).tolist()
    shares = apportion(respondents, np.ones(different)).tolist()
    holders: Counter[Value] = Counter()
    for drawn, size, share in zip(draws, sizes, shares, strict=True):
        holders[set_of(drawn[:size])] += share
    return SetHolders.of(domain, holders)


def apportion(total: int, weights: Floats) -> Counts:
    """`total` shared out in proportion to the weights, by largest remainders."""
    exact = total * weights / weights.sum()
    shares: Counts = np.floor(exact).astype(np.int64)
    left = total - int(shares.sum())
    shares[np.argsort(shares - exact, kind="stable")[:left]] += 1
    return shares
