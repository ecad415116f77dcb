"""Pad and sample: a set is padded to m entries with dummies, and one of them is reported.

It is drawn uniformly, and goes through another mechanism.

    a report supports a value with probability (p + (m-1) q) / m if the set holds it, else q
    (p and q are those of the other mechanism)
    pad-grr                   m different dummies: `grr` of d + m values with odds R = m (E - 1) + 1
    pad-ss, pad-pgr, pad-hr   one dummy, as often as needed: the other mechanism with d + 1 values,
                              and its epsilon

`hr` has blocks of values. What its report is worth to a value it is worth m times here, and the
mean square is m^2 times that for the entries that are drawn. Of the reports of a value's block, the
largest share supports it where the other entries of the set are in other blocks, if there are any.

A report of `grr` names one entry. Of d + m, every padded set has m, each named with (p + (m-1) q) /
m, and the others with q: so e^epsilon = (R + m - 1) / m, which is what drawing one entry gains.
With one dummy nothing is gained. The law of a set's reports is a mean of its entries' laws, so
their ratio bounds its own; and it is reached. The empty set is reported as the dummy is, with
weight R by a report that supports the dummy; a set of m values that this report does not support
gives it the weight 1. Some report has that number for m <= d/2, since those that support the dummy
leave out half of the other values or more, on average.

The draw is from m entries, however many are dummies: from members alone it would say how many
values a set holds.

Source: Qin, Yang, Yu, Khalil, Xiao and Ren 2016 (LDPMiner); Wang, Li and Jha 2018 (SVIM: what the
sampling gains).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ldp.channel import Channel
from ldp.domain import Domain, Value
from ldp.exact import odds
from ldp.keys import Keys
from ldp.layout import MOST_SYMBOLS, Layout
from ldp.mechanisms import grr, hadamard, projective, subset
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Numbers, Pure, integers, is_pure
from ldp.randomness import Random, randbelow
from ldp.sets import members, sets_of


class PadAndSample(NamedTuple):
    """One of `most` entries through `oracle`.

    Its values are the question's `size` and then the dummies.
    """

    size: int
    most: int
    oracle: Pure | hadamard.HadamardResponse

    @property
    def kind(self) -> Kind:
        """Decoded as the oracle is."""
        return self.oracle.kind

    @property
    def layout(self) -> Layout:
        """The oracle's."""
        return self.oracle.layout

    @property
    def ratio(self) -> Fraction:
        """The oracle's, unless its reports name one entry each."""
        ratio = self.oracle.ratio
        if isinstance(self.oracle, grr.RandomizedResponse):
            return (ratio + self.most - 1) / self.most
        return ratio

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q), the draw included; of an oracle that has such rates."""
        assert is_pure(self.oracle)  # noqa: S101
        p, q = self.oracle.support
        above_p, below_p = p.as_integer_ratio()
        above_q, below_q = q.as_integer_ratio()
        # Reduced once, and not after every step.
        weight = above_p * below_q + (self.most - 1) * above_q * below_p
        return Fraction(weight, self.most * below_p * below_q), q

    @property
    def within(self) -> tuple[Fraction, Fraction]:
        """How likely a report of a value's block supports it, the draw included."""
        p, q = self._blocked.within
        _, half = self._blocked.halves
        # The numbers of reports: of an entry in the block, and of one in another block, if there is
        # one.
        here = half / (1 - p)
        elsewhere = 2 * half if self._blocked.blocks > 1 else here
        others = (self.most - 1) * elsewhere
        return (p * here + q * others) / (here + others), q

    @property
    def worth(self) -> Fraction:
        """That of the entry, as often as it is not drawn."""
        return self.most * self._blocked.worth

    @property
    def squares(self) -> Fraction:
        """Those of the question's values, the draw included."""
        return self.most**2 * self._blocked._replace(size=self.size).squares

    def joint_support(self) -> None:
        """It depends on whether the set holds both."""
        return

    @property
    def _blocked(self) -> hadamard.HadamardResponse:
        assert isinstance(self.oracle, hadamard.HadamardResponse)  # noqa: S101
        return self.oracle

    def integers(self) -> Numbers:
        """Those of the oracle, but for the size, and how many values a set may hold."""
        return {**integers(self.oracle), "size": self.size, "most": self.most}

    def entry(self, held: Sequence[int], place: int) -> int:
        """What stands at a place of the padded set: a member, in ascending order, or a dummy."""
        if place < len(held):
            return held[place]
        return self.size + place % (self.oracle.size - self.size)

    def randomize(self, value: Value, random: Random) -> int:
        """The oracle's report of an entry."""
        place = randbelow(self.most, random)
        return self.oracle.randomize(self.entry(members(int(value)), place), random)

    def channel(self) -> Channel:
        """A row for each set, in the order of `sets_of`: the mean of its entries' rows."""
        of_entry = self.oracle.channel().rows
        padded = (
            [of_entry[self.entry(members(held), place)] for place in range(self.most)]
            for held in sets_of(self.size, self.most)
        )
        columns_of = (zip(*rows, strict=True) for rows in padded)
        return Channel(
            tuple(tuple(sum(column) / self.most for column in columns) for columns in columns_of)
        )


class _Padded(Domain):
    """One value more than another domain has; nothing but the number is asked of it."""

    def __init__(self, domain: Domain) -> None:
        super().__init__("category", ())
        self._size = 1 + (domain.size or 2)

    @property
    def size(self) -> int:
        return self._size


def through(row: Mechanism) -> Mechanism:
    """Pad and sample with one dummy, through a mechanism whose reports support many values."""

    def accepts(domain: Domain) -> str | None:
        most, size = domain.most, domain.size
        expected = "a question of type multi, of whose values one may hold at most half,"
        if most is None or size is None or 2 * most > size:
            return expected
        return expected if row.accepts(_Padded(domain)) else None

    def design(keys: Keys, domain: Domain) -> tuple[PadAndSample, Declared]:
        oracle, declared = row.design(keys, _Padded(domain))
        # A fact about the rows below.
        assert is_pure(oracle) or isinstance(oracle, hadamard.HadamardResponse)  # noqa: S101
        return PadAndSample(domain.size or 2, domain.most or 1, oracle), declared

    return Mechanism(
        f"pad-{row.name}",
        f"pad and sample, through {row.summary}",
        row.keys,
        accepts=accepts,
        design=design,
    )


def design_symbols(keys: Keys, domain: Domain) -> tuple[PadAndSample, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    size, most = domain.size or 2, domain.most or 1
    truth, other = odds(epsilon)
    oracle = grr.RandomizedResponse(size + most, most * (truth - other) + other, other)
    return PadAndSample(size, most, oracle), Declared.epsilon(epsilon)


def _accepts_symbols(domain: Domain) -> str | None:
    if domain.most is None or domain.size is None or domain.size + domain.most > MOST_SYMBOLS:
        return f"a question of type multi, with at most {MOST_SYMBOLS} values and dummies,"
    return None


SYMBOLS = Mechanism(
    "pad-grr",
    f"pad and sample, through {grr.MECHANISM.summary}",
    ("epsilon",),
    accepts=_accepts_symbols,
    design=design_symbols,
)
SUBSETS, POINTS, HALVES = map(through, (subset.MECHANISM, projective.MECHANISM, hadamard.MECHANISM))
