"""The delta of a batch at a given epsilon, from above and from below, by the privacy
blanket.

A relay takes one report from each of n respondents and hands them on in random order.
Of the others' n - 1 reports Bin(n - 1, gamma) are drawn from the blanket, whatever
their answers are. With m - 1 of these around the victim's, and A, B, U, V of m draws
from the blanket at the levels of `mechanisms.blankets` (first only, second only, both,
neither), levels F and G and t = e^epsilon,

    delta_m = gamma / m E[((F - t) A - (t G - 1) B + (F - t G) U - (t - 1) V)_+]
    delta   = sum over m of P(Bin(n - 1, gamma) = m - 1) delta_m

Given s = A + B and U the sum is (F - 1 + t (G - 1)) A - c, A being Bin(s, p), and
positive from a* on. With X = P(Bin(s - 1, p) >= a*) and y = P(Bin(s - 1, p) = a* - 1)

    E[.. | s, U] = (alpha p s - c) X + (alpha s - c) p y,   alpha = F - 1 + t (G - 1)

where the first factor is at most 0. X and y are followed from one s to the next, in
integers that are rounded outwards.

Rules that make it quick and only ever add to an upper bound (take from a lower one):
delta_m falls with m, so a block of m counts as its least; given m and s the gain falls
with U, so a part of the law of U counts as its least; U falls with s, so a stretch of s
has the U of its last s. What lies outside of the range of s adds at most (F - t) m for
its probability.

Source: Balle, Bell, Gascon and Nissim 2019, Lemma 5.3; the rounding is ours.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import NamedTuple

from ldp.mechanisms.blankets import Blanket
from ldp.privacy.laws import BITS, UNIT, Binomial, binomial


class Effort(NamedTuple):
    """How finely a delta is worked out: more of each is slower and nearer to the
    truth.
    """

    blocks: int
    """Of the number of covers."""
    stretches: int
    """Of the reports that support one of the two answers."""
    parts: int
    """Of those that support both."""


NEGLIGIBLE = 10**15 + 37
"""One in so many is left out of a law on either side, and counted as if it were the
worst.
"""

_SELDOM = 10**7 + 19
"""One in so many has the least U, which count as if they were less still.

Both are primes: no probability is just that, and whoever rounds otherwise cuts at the
same place.
"""
_REACH, _SHORT_REACH = 64, 56
"""How far laws are followed that are cut to these."""
_NEAR = 64
"""So many steps are quicker than to begin anew."""
_LOST = UNIT >> 80
"""A mass above it has to be known well."""


def quick(count: int, both: bool) -> Effort:
    """For a first look: .2 s for a hundred thousand reports, a percent above the
    truth.
    """
    if not both:
        return Effort(blocks=24, stretches=1, parts=1)
    if count < 3_000:
        return Effort(blocks=24, stretches=8, parts=8)
    if count < 30_000:
        return Effort(blocks=12, stretches=6, parts=5)
    return Effort(blocks=6, stretches=4, parts=3)


def fine(count: int, both: bool) -> Effort:
    """For a certificate: one or two thousandths above the truth, and a million reports
    in seconds.

    `both` is whether reports may support both answers, which takes most of the time.
    The more there are the less it matters how finely: at a million less than a
    thousandth of epsilon.
    """
    if not both:
        return Effort(blocks=160 if count < 300_000 else 60, stretches=1, parts=1)
    if count < 3_000:
        return Effort(blocks=40, stretches=20, parts=20)
    if count < 30_000:
        return Effort(blocks=40, stretches=12, parts=12)
    if count <= 100_000:
        return Effort(blocks=28, stretches=10, parts=10)
    if count < 300_000:
        return Effort(blocks=20, stretches=8, parts=8)
    return Effort(blocks=12, stretches=6, parts=4)


class Gains(NamedTuple):
    """Additions of draws to the sum, as integers over one denominator, `scale`."""

    alpha: int
    """A draw at the first level only, in place of one at the second only."""
    second: int
    """What one at the second level only takes away."""
    both: int
    """What one at both takes away."""
    neither: int
    """What one at neither takes away."""
    scale: int


def gains(blanket: Blanket, t: Fraction) -> Gains:
    """The gains of a pair at e^epsilon = t."""
    one, other = blanket.first, blanket.second
    exact = (one - 1 + t * (other - 1), t * other - 1, t * other - one, t - 1)
    scale = lcm(*(number.denominator for number in exact))
    alpha, second, both, neither = (int(number * scale) for number in exact)
    return Gains(alpha, second, both, neither=neither, scale=scale)


@lru_cache(maxsize=256)
def delta_above(
    blanket: Blanket, count: int, t: Fraction, effort: Effort | None = None
) -> Fraction:
    """An upper bound of the delta of a batch of `count`, at e^epsilon = t, both ways
    round.
    """
    return max(
        _delta(one_way, count, t, effort=effort, above=True)
        for one_way in blanket.directions
    )


def delta_below(
    blanket: Blanket, count: int, t: Fraction, effort: Effort | None = None
) -> Fraction:
    """A lower bound of what the lemma gives: how much of the upper bound is
    rounding.
    """
    return max(
        _delta(one_way, count, t, effort=effort, above=False)
        for one_way in blanket.directions
    )


def _delta(
    blanket: Blanket, count: int, t: Fraction, effort: Effort | None, above: bool
) -> Fraction:
    if count < 1 or t < 1:
        raise ValueError(f"expected at least 1 report and t >= 1, got {count} and {t}")
    if t >= blanket.first * blanket.second:
        return Fraction(0)
    effort = effort or fine(count, blanket.both > 0)
    blocks, rest = cover_blocks(count, blanket.covers, effort.blocks, above=above)
    total = rest << BITS
    for draws, mass in blocks:
        total += mass * delta_of(blanket, draws, t, effort=effort, above=above)
    return min(Fraction(total, UNIT * UNIT), Fraction(1))


def cover_blocks(
    count: int, chance: Fraction, blocks: int, above: bool
) -> tuple[list[tuple[int, int]], int]:
    """Blocks of the number of draws: (the m that a block counts as, its mass).

    And what is left out below them, where delta counts as 1. Masses are in units of
    2^-192.
    """
    law = binomial(count - 1, chance, _REACH)
    masses = law.high if above else law.low
    start, stop, below, beyond = _middle(law, masses, NEGLIGIBLE)
    listed = []
    for least, end in _stretches(start, stop, blocks):
        mass = sum(masses[least - law.start : end - law.start])
        if not above:
            listed.append((end, law.at_least(mass)))
            continue
        # More covers than the last block's only help.
        mass += beyond if end == stop else 0
        listed.append((least + 1, law.at_most(mass)))
    return listed, law.at_most(below) if above else 0


def delta_of(
    blanket: Blanket, draws: int, t: Fraction, effort: Effort, above: bool
) -> int:
    """delta_m of m = `draws` (the victim's among them), in units of 2^-192."""
    numbers = gains(blanket, t)
    apart = blanket.only_first + blanket.only_second
    law = binomial(draws, apart, _REACH)
    masses = law.high if above else law.low
    start, stop, below, beyond = _middle(law, masses, NEGLIGIBLE)
    walkers = [
        _Walker(blanket.only_first / apart, numbers, draws) for _ in range(effort.parts)
    ]
    rare = 0
    total = 0
    for begin, end in _stretches(start, stop, effort.stretches if blanket.both else 1):
        others = draws - (end - 1 if above else begin)
        parts, outside = _parts(blanket, others, effort.parts, above=above)
        rare = max(rare, outside)
        weights = masses[begin - law.start : end - law.start]
        for walker, (supporting, share) in zip(walkers, parts, strict=False):
            gained = walker.gain(begin, weights, supporting, above=above)
            total += gained * share
    # Of three probabilities, of which one is a mass still.
    total >>= BITS
    total = (law.at_most(total) if above else law.at_least(total)) >> BITS
    # gamma / m, and the denominator of the gains.
    up, down = blanket.gamma.as_integer_ratio()
    down *= draws * numbers.scale
    if not above:
        return total * up // down
    # Of whatever is rare every draw is at the first level.
    most = max(numbers.alpha - numbers.second, 0) * draws
    total += 2 + most * (law.at_most(below + beyond) + rare)
    return -(-total * up // down)


def _middle(law: Binomial, masses: list[int], rare: int) -> tuple[int, int, int, int]:
    """The range of a law without its negligible ends, and the mass of either end."""
    first, last = 0, len(masses) - 1
    below, beyond = law.below, law.above
    negligible = law.least // rare
    while first < last and below + masses[first] < negligible:
        below += masses[first]
        first += 1
    while first < last and beyond + masses[last] < negligible:
        beyond += masses[last]
        last -= 1
    return law.start + first, law.start + last + 1, below, beyond


def _stretches(start: int, stop: int, most: int) -> list[tuple[int, int]]:
    width = -(-(stop - start) // most)
    return [(begin, min(begin + width, stop)) for begin in range(start, stop, width)]


def _parts(
    blanket: Blanket, others: int, most: int, above: bool
) -> tuple[list[tuple[int, int]], int]:
    """Parts of the law of U among the draws that are not in s: (the U a part counts as,
    its mass).

    And what is left out.
    """
    if not blanket.both:
        return [(0, UNIT)], 0
    law = binomial(
        others, blanket.both / (blanket.both + blanket.neither), _SHORT_REACH
    )
    masses = law.high if above else law.low
    start, stop, below, beyond = _middle(law, masses, _SELDOM)
    listed = []
    for least, end in _stretches(start, stop, most - 1):
        mass = sum(masses[least - law.start : end - law.start])
        if not above:
            listed.append((end - 1, law.at_least(mass)))
            continue
        mass += beyond if end == stop else 0
        listed.append((least, law.at_most(mass)))
    if not above:
        return listed, 0
    return [(law.start, law.at_most(below)), *listed], law.at_most(law.below)


class _Walker:
    """P(Bin(N, p) >= a) and P(Bin(N, p) = a - 1), followed as N and a change a
    little.
    """

    def __init__(self, chance: Fraction, numbers: Gains, draws: int) -> None:
        self.yes, whole = chance.as_integer_ratio()
        self.no = whole - self.yes
        self.chance = chance
        self.numbers = numbers
        self.draws = draws
        # N and a; X from below and from above; y from below and from above.
        self.state = (-1, 0, 0, 0, 0, 0)

    def gain(self, begin: int, weights: list[int], supporting: int, above: bool) -> int:
        """The sum over s from `begin` on of its weight times E[.. | s, U =
        `supporting`].

        In units of 2^-384.
        """
        yes, no = self.yes, self.no
        whole = yes + no
        alpha, second, both, neither, _ = self.numbers
        lost = (
            begin * second
            + supporting * both
            + (self.draws - begin - supporting) * neither
        )
        more = second - neither
        total = 0
        trials, place, tail_low, tail_high, low, high = self.state
        for s, weight in enumerate(weights, begin):
            if s == 0:
                lost += more
                continue
            wanted = lost // alpha + 1
            near = (
                trials == s - 2 and abs(wanted - place) < _NEAR and 0 < place <= trials
            )
            if not near or (high > _LOST and high - low > high >> 20):
                trials = s - 1
                place = wanted
                tail_low, tail_high, low, high = _at(trials, place, self.chance)
            else:
                # One more trial: P(Bin(N + 1) >= a) = P(Bin(N) >= a) + p P(Bin(N) = a -
                # 1).
                tail_low += yes * low // whole
                tail_high -= -yes * high // whole
                up, down = (trials + 1) * no, (trials + 2 - place) * whole
                low = low * up // down
                high = -(-high * up // down)
                trials += 1
                while place < wanted:
                    up, down = (trials + 1 - place) * yes, place * no
                    low = low * up // down
                    high = -(-high * up // down)
                    tail_low -= high
                    tail_high -= low
                    place += 1
                while place > wanted:
                    tail_low += low
                    tail_high += high
                    place -= 1
                    up, down = place * no, (trials + 1 - place) * yes
                    low = low * up // down
                    high = -(-high * up // down)
            slope = alpha * yes * s - lost * whole
            edge = (alpha * s - lost) * yes
            if above:
                # The tail is at least 0, whatever was subtracted from it.
                gain = slope * (max(0, tail_low)) + edge * high
                if gain > 0:
                    total += weight * -(-gain // whole)
            else:
                gain = slope * tail_high + edge * low
                if gain > 0:
                    total += weight * (gain // whole)
            lost += more
        self.state = (trials, place, tail_low, tail_high, low, high)
        return total


def _at(trials: int, place: int, chance: Fraction) -> tuple[int, int, int, int]:
    """P(Bin(N, p) >= a) from below and above, and P(Bin(N, p) = a - 1)."""
    law = binomial(trials, chance)
    at = place - 1 - law.start
    if at < 0:
        below = law.at_most(law.below)
        return UNIT - below, UNIT, 0, below
    if at >= len(law.low):
        beyond = law.at_most(law.above)
        return 0, beyond, 0, beyond
    return (
        law.at_least(sum(law.low[at + 1 :])),
        law.at_most(sum(law.high[at + 1 :]) + law.above),
        law.at_least(law.low[at]),
        law.at_most(law.high[at]),
    )
