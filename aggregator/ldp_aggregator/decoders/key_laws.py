"""Worth of one report to a key: to the share who hold it, and to the balance of its two
ends.

A key has two items, one of which is in the set of each who holds it: that of the upper
end with a probability x in [0, 1], by where the number lies. A report supports the item
that is in the set with probability p, the other with q, and both with a probability
that depends on no sign:

    both    J if the key is held, K if not, by pad and sample the mean over the entries
            of the set

With u and l for whether a report supports the upper and the lower item, it is worth

    s = (u + l - 2 q) / (p - q)    to the share who hold the key:          E[s] = 1 if held, else 0
    t = (u - l) / (p - q)          to the balance, upper less lower ends:  E[t] = 2 x - 1, or 0

As both signs are alike, the mean squares depend on whether the key is held and on
nothing else:

    E[s^2] = sum over k = 0, 1, 2 of P[k items supported] (k - 2 q)^2 / (p-q)^2
    E[t^2] = (p + q - 2 J) / (p-q)^2 if held, 2 (q - K) / (p-q)^2 if not
    E[s t] = (1 - 2 q) / (p-q) x E[t]

All of it is exact, and needs no model of what people hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp.mechanisms.sets.pad_and_sample import SignedItems
from ldp_aggregator.numerics.arrays import Floats


class Squares(NamedTuple):
    """The mean square of a score, if the key is held and if not."""

    held: float
    other: float

    def at(self, share: Floats) -> Floats:
        """Where a share of the respondents hold the key, of shape (M,)."""
        squares: Floats = share * self.held + (1 - share) * self.other
        return squares


class ItemPairLaw(NamedTuple):
    """How likely a report supports two, one or none of a key's items, the same for
    every key.
    """

    p: float
    q: float
    both_held: float
    both_other: float

    @classmethod
    def of(cls, randomizer: SignedItems) -> ItemPairLaw:
        """By the integers of a randomizer."""
        rates = (*randomizer.support, *randomizer.of_pair())
        return cls(*(float(rate) for rate in rates))

    @property
    def scores(self) -> Floats:
        """The score s of a report that supports none, one or both of the items,
        (3,).
        """
        scores: Floats = (np.arange(3, dtype=np.float64) - 2 * self.q) / (
            self.p - self.q
        )
        return scores

    def chances(self, *, held: bool) -> Floats:
        """Chances of none, one and both, (3,)."""
        both = self.both_held if held else self.both_other
        one = (self.p + self.q if held else 2 * self.q) - 2 * both
        return np.array([1 - one - both, one, both])

    @property
    def of_share(self) -> Squares:
        """E[s^2]."""
        held, other = (
            float(self.chances(held=held) @ self.scores**2) for held in (True, False)
        )
        return Squares(held, other)

    @property
    def of_balance(self) -> Squares:
        """E[t^2]: of reports that support one of the items, and not both."""
        scale = (self.p - self.q) ** 2
        held, other = (
            float(self.chances(held=held)[1]) / scale for held in (True, False)
        )
        return Squares(held, other)

    @property
    def together(self) -> float:
        """E[s t] as a multiple of E[t]."""
        return (1 - 2 * self.q) / (self.p - self.q)


class Balances(NamedTuple):
    """Balances of every key, unbiased; arrays of shape (M,)."""

    reports: int
    share: Floats
    """Of the respondents who hold it."""
    balance: Floats
    """The sum over respondents of 2 x - 1 for those who hold it, over the number of
    respondents.
    """
    law: ItemPairLaw
