"""Projective-geometry response broken on purpose. Functions replace `randomize`."""

from __future__ import annotations

from fractions import Fraction

from lawbook import decoder, same_bytes, sampler, unbiased
from mutants import altered, decoded_by

from ldp.mechanisms.values.projective import ProjectiveResponse, geometry, index, vector
from ldp.numbers.finite_field import inner_product
from ldp.numbers.randomness import randbelow
from ldp_aggregator.decoders.values.pure import pure_moments


def others_from_all_points(self, value, random):
    """Reports that should not support the value are any point: spends epsilon + ln(q /
    (q - 1)).
    """
    points, block, _ = geometry(self.order, self.dimension)
    drawn = randbelow(self.truth * block + self.other * (points - block), random)
    if drawn < self.truth * block:
        return ProjectiveResponse(*self).randomize(
            value, lambda size: drawn.to_bytes(size, "little")
        )
    return (drawn - self.truth * block) // self.other % points


def never_of_all_ones(self, value, random):
    """Draws again if the report is the last point."""
    while (
        report := ProjectiveResponse(*self).randomize(value, random)
    ) == self.layout.symbols - 1:
        pass
    return report


def tries_until_it_fits(self, value, random):
    """Draws points until one supports the value or not, as decided: how often tells the
    value.
    """
    points, block, _ = geometry(self.order, self.dimension)
    supports = (
        randbelow(self.truth * block + self.other * (points - block), random)
        < self.truth * block
    )
    while True:
        report = randbelow(points, random)
        if (
            inner_product(
                vector(value, self.order), vector(report, self.order), self.order
            )
            == 0
        ) == supports:
            return report


def as_if_points_were_numbers(self, value, random):
    """Takes the values' indices for their vectors."""
    return ProjectiveResponse(*self).randomize(index(value + 1, self.order), random)


def independent_supports(self):
    """For `support`: q as if a report supported other values independently of the true
    one.
    """
    points, block, _ = geometry(self.order, self.dimension)
    return ProjectiveResponse(*self).support[0], Fraction(block, points)


def in_reverse(moments, randomizer, counts):
    moments.frequency[:] = moments.frequency[::-1].copy()
    return moments


def slices_in_reverse(moments, randomizer, counts):
    return pure_moments(randomizer, counts[::-1])


def zeros_as_the_first_point(moments, randomizer, counts):
    """Counts a report that is orthogonal to a whole slice for the slice's first point
    instead.
    """
    moved = counts.copy()
    moved[:, 1] += moved[:, 0]
    moved[:, 0] = 0
    return pure_moments(randomizer, moved)


MUTANTS = (
    altered(
        "points: others from all",
        sampler,
        "plane-of-order-3",
        randomize=others_from_all_points,
    ),
    altered(
        "points: one is never sent",
        sampler,
        "plane-of-order-2",
        randomize=never_of_all_ones,
    ),
    altered(
        "points: drawn until they fit",
        same_bytes,
        "space-of-order-2",
        randomize=tries_until_it_fits,
    ),
    altered(
        "points: numbered otherwise",
        sampler,
        "plane-of-order-4",
        randomize=as_if_points_were_numbers,
    ),
    altered(
        "points: independent supports",
        unbiased,
        "plane-of-order-3",
        support=property(independent_supports),
    ),
    decoded_by(
        "points: decoded in reverse", decoder, "plane-of-order-4", change=in_reverse
    ),
    decoded_by(
        "points: slices in reverse",
        decoder,
        "folded-space-of-order-3",
        change=slices_in_reverse,
    ),
    decoded_by(
        "points: zeros as the first point",
        decoder,
        "folded-plane-of-order-4",
        change=zeros_as_the_first_point,
    ),
)
