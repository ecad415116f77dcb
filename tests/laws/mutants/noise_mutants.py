"""Additive noise, its means, and the exponential mechanism, broken on purpose."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from fractions import Fraction
from math import floor

from lawbook import averages, errors, privacy, same_bytes, sampler
from mutants import GENUINE, Mutant, altered, decoded_by, designed_as

from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.numbers.additive import AdditiveNoise, tails
from ldp.numbers.channel import Channel
from ldp.numbers.exact import exp_upper
from ldp.numbers.randomness import randbelow


def wraps_around(self, value, random):
    """For `randomize`: noise beyond an end comes in again at the other."""
    return (value + self.margin + _noise(self, random)) % self.layout.symbols


def zero_twice(self, value, random):
    """For `randomize`: a distance and a sign, so that no noise has two ways to come
    about.
    """
    rising = tails(AdditiveNoise(*self))
    distance = len(rising) - 1 - bisect_right(rising, randbelow(rising[-1], random))
    shifted = value + self.margin + (distance if random(1)[0] % 2 else -distance)
    return min(max(shifted, 0), self.layout.symbols - 1)


def draws_until_it_fits(self, value, random):
    """For `randomize`: the noise is drawn again where it leads out."""
    while (
        not 0
        <= (report := value + self.margin + _noise(self, random))
        < self.layout.symbols
    ):
        pass
    return report


def tails_cut_off(self):
    """For `channel`: what would be folded is left out, and the rest scaled up."""
    falling = tails(AdditiveNoise(*self))[::-1]
    weights = [
        tail - beyond for tail, beyond in zip(falling, [*falling[1:], 0], strict=True)
    ]
    places = range(self.layout.symbols)
    rows = [
        [weights[abs(y - x - self.margin)] for y in places] for x in range(self.size)
    ]
    return Channel(
        tuple(tuple(Fraction(weight, sum(row)) for weight in row) for row in rows)
    )


def one_step_away(self):
    """For `ratio`: the odds of neighbouring values."""
    return Fraction(self.near, self.far)


def plain_ends(randomizer, moments, counts):
    """The mean report, cut to the domain."""
    parts = GENUINE["steps-4-margin-2"].average(randomizer, moments, counts)
    beyond = float(randomizer.step / (1 - randomizer.step))
    shares = counts[0] / counts.sum()
    outside = randomizer.margin + 1
    return parts._replace(
        estimate=parts.estimate
        + beyond * (shares[:outside].sum() - shares[-outside:].sum())
    )


def variance_of_all_the_noise(randomizer, moments, counts):
    """As if nothing were cut."""
    parts = GENUINE["steps-4-margin-2"].average(randomizer, moments, counts)
    return parts._replace(
        variance=float(2 * randomizer.step / (1 - randomizer.step) ** 2)
    )


def noise_left_in(randomizer, moments, counts):
    """A second moment of reports, not of values."""
    parts = GENUINE["steps-4-margin-2"].average(randomizer, moments, counts)
    return parts._replace(mean_square=parts.mean_square + parts.variance)


def outside_dropped(moments, randomizer, counts):
    """Reports beyond the domain are left out."""
    inside = counts.copy()
    inside[:, : randomizer.margin] = inside[
        :, randomizer.margin + randomizer.size :
    ] = 0
    if inside.any():
        return GENUINE["steps-4-margin-2"].decode(randomizer, inside)
    return moments


def held_everywhere(moments, randomizer, counts):
    """The variance of values that no one holds is taken for that of a value which all
    hold.
    """
    return replace(moments, variance_if_not=moments.variance_if_held)


def without_the_half(specimen):
    """The exponential mechanism with exp(epsilon q / D): its rows squared."""
    squares = [[weight**2 for weight in row] for row in specimen.randomizer.weights]
    total = 1 << 400
    rows = [
        [floor(Fraction(total * weight, sum(row))) for weight in row] for row in squares
    ]
    return StochasticMatrix(tuple((*row[:-1], total - sum(row[:-1])) for row in rows))


def unequal_sums(self, value, random):
    """For `randomize`: each row drawn from a total of its own."""
    row = self.weights[value]
    randbelow(max(row) << 8 * value, random)
    return StochasticMatrix(*self).randomize(value, random)


def _noise(noise, random):
    rising = tails(AdditiveNoise(*noise))
    reach = len(rising) - 1
    drawn = randbelow(rising[-1] + rising[-2], random)
    if drawn < rising[-1]:
        return reach - bisect_right(rising, drawn)
    return bisect_right(rising, drawn - rising[-1]) - reach


def _averaged(name, average):
    specimen = GENUINE["steps-4-margin-2"]
    return Mutant(name, averages, specimen, broken=specimen._replace(average=average))


_DESIGN = GENUINE["geometric-1"].randomizer

MUTANTS = (
    altered("noise wraps around", sampler, "steps-3-margin-1", randomize=wraps_around),
    altered(
        "no noise in two ways", sampler, "steps-3", tape=(8, 1), randomize=zero_twice
    ),
    altered(
        "noise drawn until it fits", sampler, "steps-3", randomize=draws_until_it_fits
    ),
    altered(
        "noise drawn as often as the value takes",
        same_bytes,
        "steps-3",
        randomize=draws_until_it_fits,
    ),
    altered(
        "tails cut off in place of folded", privacy, "steps-3", channel=tails_cut_off
    ),
    altered("ratio of one step", privacy, "steps-3", ratio=property(one_step_away)),
    designed_as(
        "odds of a step rounded up",
        "geometric-1",
        _DESIGN._replace(near=_DESIGN.near + 1),
    ),
    designed_as(
        "epsilon for one step",
        "geometric-1",
        _DESIGN._replace(near=floor(exp_upper(Fraction(1)) * _DESIGN.far)),
    ),
    designed_as("weights of few bits", "geometric-1", _DESIGN._replace(least=16)),
    designed_as(
        "exponential without the half",
        "exponential-0",
        without_the_half(GENUINE["exponential-0"]),
    ),
    altered("rows of unequal sums", same_bytes, "matrix-3", randomize=unequal_sums),
    _averaged("mean without what ends count for more", plain_ends),
    _averaged("variance as if nothing were cut", variance_of_all_the_noise),
    _averaged("second moment of reports", noise_left_in),
    decoded_by(
        "reports beyond the domain dropped",
        errors,
        "steps-4-margin-2",
        change=outside_dropped,
    ),
    decoded_by(
        "one variance for all of a range",
        errors,
        "steps-4-margin-2",
        change=held_everywhere,
    ),
)
