"""Contract of mechanisms. A mechanism with its decoder is what papers call a frequency
oracle.

A mechanism is a *design* and a *randomizer*. The design reads a question's keys and
returns a randomizer, which is a tuple of exact integers, together with the privacy that
was declared. The randomizer knows the law of its reports and draws them; everything
that must be believed (epsilon, bias, variance) follows from its integers.

A randomizer has a kind, which says how its reports are decoded:

    pure    a report supports each value with one of two probabilities, p (for the true
            value) or q (for any other); the estimate of a value's frequency is (C / n -
            q) / (p - q), with C the reports that support it
    blocks  a report supports half of the values of one block, and says nothing of those
            of other blocks; decoded by counting, block by block, with errors that
            depend on how many hold the values of a block
    matrix  a report is a symbol drawn from the row of a small stochastic matrix;
            decoded by the inverse matrix
    sketch  a report supports values in buckets of hash functions that all respondents
            share; decoded by counting, with an error that does not shrink with the
            number of reports
    noise   a report is a whole number plus noise, cut at both ends; decoded by a filter
            of three terms
    sum     a report has a number for each value; the estimate is the mean of scores of
            these numbers
    sampled a report has a bit for some of the values; the estimate is the mean of
    scores that are
            0 for the others
    bloom   a report is a randomized Bloom filter in a cohort; decoded by regression on
            candidates
    search  a report supports hashed prefixes of texts; decoded by a search, and by
            counting in cohorts held out of it
    mean    a report is a bit whose expectation is linear in a whole number; decoded to
            a mean, and to no frequencies
    dithered  a report is a level of a number and the dither it was rounded by; decoded
              to a mean
            and a variance, and to no frequencies
    arcs    a report is an arc of a circle around which the values are wound; decoded to
            the distribution of a number, any range of it by fixed scores
    window  a report is a place, likelier within a window about a number than elsewhere;
            decoded to a mean and a variance, and if asked for to a shape, which is
            biased
    signed  a report supports signed items, a key at one of two ends, as pure ones
            support values; decoded to the share who hold a key, and to the mean of the
            numbers that come with it
    views   a report is a symbol for the cell of the value in one of several public
            views; decoded view by view, and pooled by least squares
    tree    views that are halves of halves of a line; decoded to the distribution of a
            number, any range of it by fixed scores
    codebook  a report is a seed and one of the random words that it gives; decoded to a
              mean
            vector, and to no frequencies
    pyramid  views that are grids over a map, finer and coarser along each axis; decoded
             to the
            share of any rectangle by fixed scores
    stripes  a report is an arc of a circle around which the cells of a map are wound,
             along both
            axes; decoded to the share of any rectangle by fixed scores
    marginals  views that are subsets of the fields of a table; decoded to the table of
               any few of
            them
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypeGuard,
    runtime_checkable,
)

from ldp.answers.domain import MOST_LISTED, Domain, Value
from ldp.answers.keys import Keys
from ldp.numbers.channel import Channel
from ldp.numbers.exact import decimal_text, exp_lower, log_upper
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

Numbers = Mapping[str, int | tuple[tuple[int, ...], ...]]
"""The integers of a randomizer, by name."""


Kind = Literal[
    "pure",
    "blocks",
    "matrix",
    "sketch",
    "noise",
    "sum",
    "sampled",
    "bloom",
    "search",
    "mean",
    "dithered",
    "arcs",
    "window",
    "signed",
    "views",
    "tree",
    "codebook",
    "pyramid",
    "stripes",
    "marginals",
]


class Randomizer(Protocol):
    """The exact parameters of one question's mechanism, and the draws they define."""

    @property
    def kind(self) -> Kind:
        """How its reports are decoded."""

    @property
    def layout(self) -> Layout:
        """The shape of a report."""

    @property
    def ratio(self) -> Fraction:
        """The exact largest ratio P[report | x] / P[report | x'] of one report.

        Its logarithm is epsilon.
        """

    def _asdict(self) -> dict[str, Any]:
        """Its fields, by name: it is a named tuple."""

    def __hash__(self) -> int:
        """Hash the fields."""

    def blanket(self) -> Blanket:
        """Return the common part of all reports, whatever the answers are: for
        batches.
        """

    def randomize(self, value: Value, random: Random) -> int:
        """One report of `value`, as the integer that the layout describes."""

    def channel(self) -> Channel:
        """P[report | value] written out, one column for each report in order (small
        sizes only).
        """

    def small(self) -> Small | None:
        """The mechanism in small integers, for the audit; None if it cannot run every
        tape.
        """


Small = tuple[Randomizer, tuple[int, ...]]
"""A randomizer of which every tape can be run, and the random bits a byte of each of
its draws.
"""


@runtime_checkable
class Pure(Randomizer, Protocol):
    """A randomizer of kind `pure`."""

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q): how likely a report supports its true value, and any other given
        value.
        """

    @property
    def size(self) -> int:
        """The number of values."""

    def joint_support(self) -> tuple[Fraction, Fraction] | None:
        """P[a report supports both of two values]: (if one of them is the true one, if
        neither is).

        None where that depends on more than whether one of them is the true one; then
        there is no covariance.
        """


class Blocked(Randomizer, Protocol):
    """A randomizer of kind `blocks`."""

    @property
    def size(self) -> int:
        """The number of values."""

    @property
    def within(self) -> tuple[Fraction, Fraction]:
        """How likely a report of a value's block supports it.

        At most, if it is a true value; and if it is not.
        """

    @property
    def worth(self) -> Fraction:
        """Increase of each supported value's count by a report.

        As much less than 0 to the others of its block.
        """

    @property
    def squares(self) -> Fraction:
        """The mean squares of what a report is worth to each value, added up.

        At most, whatever the respondents hold.
        """


@runtime_checkable
class SetValued(Protocol):
    """A randomizer whose values are sets (`ldp.answers.sets`).

    A report supports a value with p if the set holds it, else q.
    """

    @property
    def most(self) -> int:
        """How many values a set may hold."""


@runtime_checkable
class Memoized(Randomizer, Protocol):
    """A randomizer with a permanent response, which a device draws once per value and
    keeps.
    """

    @property
    def memoizes(self) -> bool:
        """Whether a permanent response exists.

        Without one every report is fresh noise on the true value.
        """

    @property
    def memos(self) -> int | None:
        """How many permanent responses a device can come to keep.

        None if there are as many as texts.
        """

    @property
    def lifetime_ratio(self) -> Fraction | None:
        """The exact ratio of everything a device ever sends about one unchanged value.

        None if unbounded.
        """

    def ratio_after(self, reports: int) -> Fraction:
        """The exact ratio of n reports of one unchanged value.

        From `ratio`, for one, up to `lifetime_ratio`.
        """

    def draw_cohort(self, random: Random) -> int:
        """Draw the part that a device keeps, whatever it answers.

        A cohort, or a hash function's seed of 8 bytes.
        """

    def memo_value(self, value: Value, cohort: int) -> Value:
        """Return the key of a permanent response. Values with the same key share
        one.
        """

    def permanent(self, value: Value, cohort: int, random: Random) -> int:
        """The permanent response to a value: a symbol or a bit vector."""

    def instantaneous(self, permanent: int, cohort: int, random: Random) -> int:
        """One report of a permanent response."""


def is_pure(randomizer: Randomizer) -> TypeGuard[Pure]:
    """Whether its kind is `pure`.

    What it has by way of attributes does not tell: padding has those of either kind.
    """
    return randomizer.kind == "pure"


def is_signed(randomizer: Randomizer) -> TypeGuard[Pure]:
    """Whether its kind is `signed`: it supports signed items as those of kind `pure` do
    values.
    """
    return randomizer.kind == "signed"


def is_blocked(randomizer: Randomizer) -> TypeGuard[Blocked]:
    """Whether its kind is `blocks`."""
    return randomizer.kind == "blocks"


def integers(randomizer: Randomizer) -> Numbers:
    """Every number that the law of a report depends on.

    Fingerprints and certificates are made of these.
    """
    # Asked for by name, as looking for all that the protocol asks for would evaluate
    # the ratios.
    composed: Callable[[], Numbers] | None = getattr(randomizer, "integers", None)
    if composed is None:
        return randomizer._asdict()
    return composed()


def lifetime_ratio(randomizer: Randomizer) -> Fraction | None:
    """The exact ratio of everything a device ever sends about one unchanged value.

    None if it is unbounded.

    Without permanent responses, one report is all that is ever sent.
    """
    if is_memoized(randomizer):
        return randomizer.lifetime_ratio
    return randomizer.ratio


def is_memoized(randomizer: Randomizer) -> TypeGuard[Memoized]:
    """Whether it may have a permanent response."""
    # `isinstance` with a protocol works out all that it asks for, and loads 11 modules
    # from Python 3.12 on, when a first answer waits.
    return hasattr(type(randomizer), "lifetime_ratio")


_LONGEST = 44


class Metric(NamedTuple):
    """A promise that fades with distance: two places are told apart by e^(epsilon x
    distance).
    """

    per_unit: Fraction
    """Epsilon for each unit of distance."""
    lengths: tuple[Fraction, Fraction]
    """How long a unit of x is, and one of y, in units of distance."""
    steps: tuple[Fraction, Fraction]
    """How far it is from the middle of a cell to that of the next, along x and along y.
    """


class Declared(NamedTuple):
    """The privacy a survey promises: as text (`1`, `ln(3)`), and as a ratio.

    Delivered ratios must not exceed it.
    """

    text: str
    bound: Fraction
    lifetime: Declared | None = None
    """The same for all that is ever sent about one unchanged value, where the survey
    states it.
    """
    metric: Metric | None = None
    """What is promised of places that are near each other, if it is that; the others
    are what it comes to across the map.
    """

    @classmethod
    def nothing(cls) -> Declared:
        """No finite epsilon: a report may rule an answer out, so no device sends
        such.
        """
        return cls("infinity", Fraction(0))

    @property
    def is_finite(self) -> bool:
        """Whether anything is promised."""
        return self.bound > 0

    @classmethod
    def epsilon(cls, epsilon: Fraction) -> Declared:
        """An epsilon that the survey states; the bound is a rational just below
        e^epsilon.
        """
        return cls(decimal_text(epsilon), exp_lower(epsilon))

    @classmethod
    def ratio(cls, ratio: Fraction) -> Declared:
        """An epsilon that follows from probabilities that the survey states.

        As a decimal if the ratio is unwieldy.
        """
        # Not written out where it would be too long by far: that takes longer than the
        # logarithm.
        text = ""
        if ratio.numerator < 10**_LONGEST:
            text = f"ln({ratio})"
        if not 0 < len(text) <= _LONGEST:
            epsilon = Decimal(log_upper(ratio)).quantize(
                Decimal("1e-12"), ROUND_CEILING
            )
            text = decimal_text(Fraction(epsilon))
        return cls(text, ratio)


class Mechanism(NamedTuple):
    """One row of the table of mechanisms."""

    name: str
    summary: str
    keys: tuple[str, ...]
    """What its design reads from the survey file."""
    accepts: Callable[[Domain], str | None]
    """None if the mechanism can serve the domain, else what it expects of it."""
    design: Callable[[Keys, Domain], tuple[Randomizer, Declared]]


def needs_list(domain: Domain) -> str | None:
    """For mechanisms that need a list of values."""
    if not domain.is_listed or domain.most is not None or domain.taxonomy is not None:
        return (
            "a question with a list of values (type boolean, category or integer, or "
            f"type number with at most {MOST_LISTED} points or cells)"
        )
    return None


def integers_up_to(most: int) -> Callable[[Domain], str | None]:
    """For mechanisms that compute with values: whole numbers, or points of a scale."""

    def accepts(domain: Domain) -> str | None:
        has_steps = domain.scale is not None and not domain.scale.edges
        if (
            not (has_steps or domain.type == "integer")
            or domain.size is None
            or domain.size > most
        ):
            return (
                f"a question of type integer or number, in steps, with at most {most} "
                "values"
            )
        return None

    return accepts


def of_places(domain: Domain) -> str | None:
    """For mechanisms of maps."""
    if domain.is_place:
        return None
    return "a question of type place"


def ordered_up_to(most: int) -> Callable[[Domain], str | None]:
    """For mechanisms of numbers in their order: whole ones, or the points or cells of a
    scale.
    """

    def accepts(domain: Domain) -> str | None:
        is_ordered = domain.scale is not None or domain.type == "integer"
        if not is_ordered or domain.size is None or not 3 <= domain.size <= most:
            return (
                f"a question of type integer or number with 3 to {most} values or "
                "cells (`step` or `bins` say how many)"
            )
        return None

    return accepts


def needs_two_values(domain: Domain) -> str | None:
    """For mechanisms of yes-no questions."""
    if domain.size != 2 or domain.most is not None or domain.taxonomy is not None:
        return "a question with exactly two values"
    return None


def needs_short_list(most: int) -> Callable[[Domain], str | None]:
    """For mechanisms whose cost grows fast with the number of values."""

    def accepts(domain: Domain) -> str | None:
        listed = domain.size is not None and domain.size <= most and not domain.collect
        if not listed or domain.most is not None or domain.taxonomy is not None:
            return f"a question with a list of at most {most} values"
        return None

    return accepts
