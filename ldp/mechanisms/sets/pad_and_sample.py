"""Pad and sample: a set is padded to m entries with dummies, and one of them is
reported.

It is drawn uniformly, and goes through another mechanism.

    a report supports a value with probability (p + (m-1) q) / m if the set holds it,
    else q (p and q are those of the other mechanism)
    pad-grr                   m different dummies: `grr` of d + m values with odds R = m
                              (E - 1) + 1
    pad-ss, pad-pgr, pad-hr   one dummy, as often as needed: the other mechanism with d
                              + 1 values, and its epsilon

`hr` has blocks of values. What its report is worth to a value it is worth m times here,
and the mean square is m^2 times that for the entries that are drawn. Of the reports of
a value's block, the largest share supports it where the other entries of the set are in
other blocks, if there are any.

A report of `grr` names one entry. Of d + m, every padded set has m, each named with (p
+ (m-1) q) / m, and the others with q: so e^epsilon = (R + m - 1) / m, which is what
drawing one entry gains. With one dummy nothing is gained. The law of a set's reports is
a mean of its entries' laws, so their ratio bounds its own; and it is reached. The empty
set is reported as the dummy is, with weight R by a report that supports the dummy; a
set of m values that this report does not support gives it the weight 1. Some report has
that number for m <= d/2, since those that support the dummy leave out half of the other
values or more, on average.

Keys that come with numbers (`ldp.answers.key_values`) are answered in the same way,
with their signed items for values: twice as many. A set holds one item of a key at
most, so a report that gives a set of m items the weight 1 has to leave out an item of m
keys: some subset leaves out one of every key. As most keys are held by few, subsets
have the size with which an item that no one holds errs least. Through points and halves
such questions are not asked: how likely their reports support both items of a key
depends on what else is held, and with it the errors.

The draw is from m entries, however many are dummies: from members alone it would say
how many values a set holds.

Source: Qin, Yang, Yu, Khalil, Xiao and Ren 2016 (LDPMiner); Wang, Li and Jha 2018
(SVIM: what the sampling gains).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.key_values import ENDS
from ldp.answers.keys import Keys
from ldp.answers.sets import members, sets_of
from ldp.mechanisms.contract import (
    Declared,
    Kind,
    Mechanism,
    Numbers,
    Pure,
    Small,
    integers,
    is_pure,
)
from ldp.mechanisms.values import grr, hadamard, projective, subset
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import MOST_SYMBOLS, Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket


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
        p, q = self._hadamard.within
        _, half = self._hadamard.halves
        # The numbers of reports: of an entry in the block, and of one in another block,
        # if there is one.
        here = half / (1 - p)
        elsewhere = here
        if self._hadamard.blocks > 1:
            elsewhere = 2 * half
        others = (self.most - 1) * elsewhere
        return (p * here + q * others) / (here + others), q

    @property
    def worth(self) -> Fraction:
        """Weight of the entry, as often as it is not drawn."""
        return self.most * self._hadamard.worth

    @property
    def squares(self) -> Fraction:
        """Squares of the question's values, the draw included."""
        return self.most**2 * self._hadamard._replace(size=self.size).squares

    def joint_support(self) -> None:
        """None: joint support depends on whether the set holds both."""
        return

    @property
    def _hadamard(self) -> hadamard.HadamardResponse:
        assert isinstance(self.oracle, hadamard.HadamardResponse)  # noqa: S101
        return self.oracle

    def integers(self) -> Numbers:
        """Integers of the oracle, but for the size, and how many values a set may
        hold.
        """
        return {**integers(self.oracle), "size": self.size, "most": self.most}

    def entry(self, held: Sequence[int], place: int) -> int:
        """Return the entry at a place of the padded set: a member, by its order, or a
        dummy.
        """
        if place < len(held):
            return held[place]
        return self.size + place % (self.oracle.size - self.size)

    def blanket(self) -> Blanket:
        """Two sets share the blanket of entries."""
        from ldp.mechanisms.blankets import blanket_of, of_levels

        oracle = blanket_of(self.oracle)
        # Sets that share nothing are as far apart as two entries are, and no farther.
        distance = oracle.only_first * oracle.gamma * (oracle.first - 1)
        return of_levels(self.ratio, oracle.gamma, distance)

    def randomize(self, value: Value, random: Random) -> int:
        """The oracle's report of an entry."""
        place = randbelow(self.most, random)
        return self.oracle.randomize(self.entry(members(int(value)), place), random)

    def channel(self) -> Channel:
        """A row for each set, in the order of `sets_of`: the mean of its entries'
        rows.
        """
        of_entry = self.oracle.channel().rows
        padded = (
            [of_entry[self.entry(members(held), place)] for place in range(self.most)]
            for held in sets_of(self.size, self.most)
        )
        columns_of = (zip(*rows, strict=True) for rows in padded)
        return Channel(
            tuple(
                tuple(sum(column) / self.most for column in columns)
                for columns in columns_of
            )
        )

    def small(self) -> Small | None:
        """An instance of small integers, of which the audit runs every tape."""
        return PadAndSample(3, 2, grr.RandomizedResponse(5, 7, 2)), (1, 8)


class SignedItems(PadAndSample):
    """Padding and sampling of keys with numbers: values are signed items, two of each
    key.
    """

    __slots__ = ()

    @property
    def kind(self) -> Kind:
        """Decoded key by key."""
        return "signed"

    def of_pair(self) -> tuple[Fraction, Fraction]:
        """P[a report supports both items of a key]: (if the set holds one of them, if
        neither).
        """
        assert is_pure(self.oracle)  # noqa: S101
        joint = self.oracle.joint_support()
        # A fact about the rows below.
        assert joint is not None  # noqa: S101
        own, other = joint
        return (own + (self.most - 1) * other) / self.most, other

    def channel(self) -> Channel:
        """A row for each set that holds no two items of a key, in the order of
        `sets_of`.
        """
        rows = super().channel().rows
        held = zip(sets_of(self.size, self.most), rows, strict=True)
        return Channel(tuple(row for items, row in held if _is_signed(items)))

    def small(self) -> None:
        """None: no tape of it is run."""


def _is_signed(items: int) -> bool:
    """Whether a set holds no two items of a key."""
    keys = [item // ENDS for item in members(items)]
    return len(set(keys)) == len(keys)


def _pad_and_sample(
    domain: Domain, oracle: Pure | hadamard.HadamardResponse, declared: Declared
) -> tuple[PadAndSample, Declared]:
    """Design the mechanism that pads and samples answers of a domain."""
    row = PadAndSample if domain.key_scale is None else SignedItems
    return row(_entries(domain), domain.most or 1, oracle), declared


def _entries(domain: Domain) -> int:
    """How many values a set may hold some of: items, where keys come with numbers."""
    return (domain.size or 2) * (1 if domain.key_scale is None else ENDS)


class _Padded(Domain):
    """One value more than another domain has; nothing but the number is asked of it."""

    def __init__(self, domain: Domain) -> None:
        super().__init__("category", ())
        self.size = 1 + _entries(domain)


def through(row: Mechanism, *, keys: bool = False) -> Mechanism:
    """Pad and sample with one dummy, through a mechanism whose reports support many
    values.

    With `keys` also those that come with numbers, of which one may hold all.
    """

    def accepts(domain: Domain) -> str | None:
        most, size = domain.most, domain.size
        expected = (
            "a question of type multi, of whose values one may hold at most half,"
        )
        if keys:
            expected = f"{expected} or of type key-value,"
        has_numbers = domain.key_scale is not None
        if (
            most is None
            or size is None
            or 2 * most > _entries(domain)
            or keys < has_numbers
        ):
            return expected
        if row.accepts(_Padded(domain)):
            return expected
        return None

    def design(keys: Keys, domain: Domain) -> tuple[PadAndSample, Declared]:
        oracle, declared = row.design(keys, _Padded(domain))
        # A fact about the rows below.
        assert is_pure(oracle) or isinstance(oracle, hadamard.HadamardResponse)  # noqa: S101
        if isinstance(oracle, subset.SubsetSelection) and domain.key_scale is not None:
            oracle = for_rare_items(oracle)
        return _pad_and_sample(domain, oracle, declared)

    return Mechanism(
        f"pad-{row.name}",
        f"pad and sample, through {row.summary}",
        row.keys,
        accepts=accepts,
        design=design,
    )


def for_rare_items(oracle: subset.SubsetSelection) -> subset.SubsetSelection:
    """With the size of subsets, near its own, that makes a value held by no one err
    least.
    """

    def error(size: int) -> Fraction:
        p, q = oracle._replace(chosen=size).support
        return q * (1 - q) / (p - q) ** 2

    near = range(max(1, oracle.chosen - 2), min(oracle.size - 1, oracle.chosen + 2) + 1)
    return oracle._replace(chosen=min(near, key=error))


def design_symbols(keys: Keys, domain: Domain) -> tuple[PadAndSample, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    size, most = _entries(domain), domain.most or 1
    truth, other = odds(epsilon)
    oracle = grr.RandomizedResponse(size + most, most * (truth - other) + other, other)
    return _pad_and_sample(domain, oracle, Declared.epsilon(epsilon))


def _accepts_symbols(domain: Domain) -> str | None:
    if domain.most is None or _entries(domain) + domain.most > MOST_SYMBOLS:
        return (
            f"a question of type multi or key-value, with at most {MOST_SYMBOLS} "
            "values (or twice its keys) and dummies,"
        )
    return None


SYMBOLS = Mechanism(
    "pad-grr",
    f"pad and sample, through {grr.MECHANISM.summary}",
    ("epsilon",),
    accepts=_accepts_symbols,
    design=design_symbols,
)
SUBSETS = through(subset.MECHANISM, keys=True)
POINTS, HALVES = map(through, (projective.MECHANISM, hadamard.MECHANISM))
