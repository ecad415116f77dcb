"""Holders of keys, and the numbers that come with them: the true state of such a
question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from ldp.answers.domain import Domain, Placed
from ldp.answers.key_values import ENDS, cell_text
from ldp.answers.scales import ROUNDING_BITS, Scale
from ldp.numbers.exact import decimal_text
from ldp_aggregator.numerics.arrays import Floats, Integers
from ldp_simulations.holders import Holders, SetHolders, synthetic_sets

_STEPS = 16
"""Of the numbers of a made-up population, from the lower end of the range to the upper
one.
"""

Pairs = tuple[Placed, ...]
"""What a respondent holds: signed items, and how likely each becomes the upper one of
its key.
"""


@dataclass(frozen=True)
class PairHolders(Holders):
    """`counts[i]` respondents hold the keys with numbers of `pairs[i]`, written as
    `values[i]`.
    """

    pairs: tuple[Pairs, ...]
    scale: Scale

    @classmethod
    def of(cls, domain: Domain, holders: Iterable[tuple[Pairs, int]]) -> Self:
        """The number of holders of each answer, by its places."""
        together = Counter[Pairs]()
        for pairs, count in holders:
            together[pairs] += count
        scale, keys = domain.key_scale, domain.values or ()
        assert scale is not None  # noqa: S101 (asked for where there is one)
        values = tuple(
            cell_text(
                (keys[int(item) // ENDS], _text(scale, (item, rest)))
                for item, rest in pairs
            )
            for pairs in together
        )
        counts = np.array(list(together.values()), dtype=np.int64)
        return cls(values, counts, tuple(together), scale)

    def frequencies(self, values: Iterable[str]) -> list[float]:
        """The shares of the respondents who hold each key; `values` are all of the
        question's.
        """
        size = len(tuple(values))
        shares: list[float] = (
            self._count_holders(size)[0] / max(1, self.respondents)
        ).tolist()
        return shares

    def means(self, size: int) -> Floats:
        """The true means of the numbers that come with each of `size` keys; NaN where
        none does.
        """
        holders, above = self._count_holders(size)
        share = np.divide(above, holders, out=np.full(size, np.nan), where=holders > 0)
        low, high = float(self.scale.low), float(self.scale.high)
        means: Floats = low + (high - low) * share
        return means

    def _count_holders(self, size: int) -> tuple[Floats, Floats]:
        """How many hold each key, (size,), and how far up their numbers are, added
        up.
        """
        owner, keys, up = self.columns
        weight = self.counts[owner].astype(np.float64)
        holders = np.bincount(keys, weight, minlength=size).astype(np.float64)
        return holders, np.bincount(keys, weight * up, minlength=size).astype(
            np.float64
        )

    @cached_property
    def columns(self) -> tuple[Integers, Integers, Floats]:
        """Return for every pair its holders' place, its key, and the chance of the
        upper item.
        """
        owner = [place for place, pairs in enumerate(self.pairs) for _ in pairs]
        items = np.array(
            [item for pairs in self.pairs for item, _ in pairs], dtype=np.int64
        )
        rests = [rest for pairs in self.pairs for _, rest in pairs]
        chances = np.array(
            [rest / (1 << ROUNDING_BITS) for rest in rests], dtype=np.float64
        )
        return np.array(owner, dtype=np.int64), items // ENDS, items % ENDS + chances


def _text(scale: Scale, placed: Placed) -> str:
    """A number by its place, as a cell of a table says it."""
    item, rest = placed
    up = int(item) % ENDS + Fraction(rest, 1 << ROUNDING_BITS)
    number = scale.low + up * (scale.high - scale.low)
    # As short as is sure to lead to the same place.
    if rest:
        return decimal_text(number.limit_denominator(10**12))
    return decimal_text(number)


def synthetic_pairs(domain: Domain, respondents: int, weights: Floats) -> PairHolders:
    """Keys as `synthetic_sets` deals them out, with numbers that differ from key to
    key.

    The mean of the first key is a fifth up the range, that of the last four fifths.
    """
    sets: SetHolders = synthetic_sets(domain, respondents, weights)
    generator = np.random.default_rng(1)
    up = np.linspace(0.2, 0.8, len(weights))
    whole = 1 << ROUNDING_BITS
    holders = []
    for keys, count in zip(sets.sets, sets.counts.tolist(), strict=True):
        steps = generator.binomial(_STEPS, up[list(keys)]).tolist()
        pairs = tuple(
            (ENDS * key + step // _STEPS, step % _STEPS * whole // _STEPS)
            for key, step in zip(keys, steps, strict=True)
        )
        holders.append((pairs, count))
    return PairHolders.of(domain, holders)
