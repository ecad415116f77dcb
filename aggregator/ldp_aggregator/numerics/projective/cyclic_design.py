"""Counting supports of projective-geometry response: one correlation, in cyclic order.

A design is checked when it is made: its two orders must be permutations, the zeros of
its sequence a difference set (a report supports k values, and two reports share l of
them, whichever they are), and 10,000 random pairs orthogonal exactly where the sequence
has its zeros.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp.errors import EstimateError
from ldp.mechanisms.values.projective import geometry, vector
from ldp.numbers.finite_field import inner_product
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.projective import array_cache
from ldp_aggregator.numerics.projective.cyclic_order import cyclic_orders
from ldp_aggregator.numerics.projective.field_arrays import Elements

_PAIRS = 10_000
_BITS_AT_ONCE = 40
_FARTHEST_FROM_INTEGERS = 0.1


class CyclicDesign:
    """A projective space in cyclic order.

    `report_at[j]` is the index of Y_j, `place_of[x]` the i of the value x; both of
    shape (points,).
    """

    def __init__(
        self, order: int, dimension: int, report_at: Elements, place_of: Elements
    ) -> None:
        self.order = order
        self.dimension = dimension
        self.report_at = report_at
        self.place_of = place_of

    def supports(self, counts: Counts, size: int) -> Counts:
        """How many reports support each of the first `size` values, of shape (size,).

        `counts` are of reports by the point that they name, of shape (points,).
        """
        return self._correlate(counts[self.report_at])[self.place_of[:size]]

    def sums(self, numbers: Floats) -> Floats:
        """Sum for every point over those orthogonal to it: of shape (..., points)."""
        from scipy import fft  # slow to import

        length, spectrum = self._spectrum
        transformed = fft.rfft(numbers[..., self.report_at], length)
        np.conj(transformed, out=transformed)
        transformed *= spectrum
        summed = fft.irfft(transformed, length, overwrite_x=True)
        return summed[..., self.place_of]

    def check(self) -> None:
        """Raise `ArithmeticError` unless this is the design that it should be."""
        points, block, common = geometry(self.order, self.dimension)
        for indices in (self.report_at, self.place_of):
            if (
                len(indices) != points
                or not (np.bincount(indices, minlength=points) == 1).all()
            ):
                raise ArithmeticError("expected every point once")
        shared = self._correlate(self.zeros.astype(np.int64))
        if shared[0] != block or not (shared[1:] == common).all():
            raise ArithmeticError("expected a difference set")
        # Random pairs of a value and the place of a report, (pairs,) each.
        values, places = np.random.default_rng(0).integers(points, size=(2, _PAIRS))
        reports = self.report_at[places]
        zeros = self.zeros[(self.place_of[values] + places) % points]
        for value, report, zero in zip(
            values.tolist(), reports.tolist(), zeros, strict=True
        ):
            left, right = vector(value, self.order), vector(report, self.order)
            orthogonal = inner_product(left, right, self.order) == 0
            if orthogonal != zero:
                raise ArithmeticError(
                    "expected zeros where a report and a value are orthogonal"
                )

    @cached_property
    def zeros(self) -> NDArray[np.bool_]:
        """Where the sequence is 0: where the first coordinate of a report is.

        The points of low index have such a coordinate.
        """
        return self.report_at < geometry(self.order, self.dimension).block

    @cached_property
    def zero_places(self) -> Elements:
        """Where they are, in rising order: (block,)."""
        return np.flatnonzero(self.zeros).astype(self.report_at.dtype)

    @cached_property
    def _spectrum(self) -> tuple[int, NDArray[np.complex128]]:
        """The length of the transform of the zeros, and the transform.

        They are written twice, so that a correlation may run over their end.
        """
        from scipy import fft  # slow to import

        length = fft.next_fast_len(2 * len(self.zeros) - 1, real=True)
        twice = np.concatenate([self.zeros, self.zeros[:-1]]).astype(np.float64)
        return length, fft.rfft(twice, length)

    def _correlate(self, counts: Counts) -> Counts:
        """For every i the sum of the counts at all j where i + j has a zero."""
        if counts.sum() >> _BITS_AT_ONCE:
            # Too many for floats to tell sums that differ by 1, so the lower bits are
            # correlated by themselves.
            lower = _BITS_AT_ONCE - len(counts).bit_length()
            high_part = self._correlate(counts >> lower) << lower
            return high_part + self._correlate(counts & (1 << lower) - 1)
        from scipy import fft  # slow to import

        # A correlation is a product of spectra, one of them conjugated: (length // 2 +
        # 1,).
        length, spectrum = self._spectrum
        transformed = fft.rfft(counts.astype(np.float64), length)
        np.conj(transformed, out=transformed)
        transformed *= spectrum
        return as_integers(
            fft.irfft(transformed, length, overwrite_x=True)[: len(counts)]
        )


def as_integers(sums: NDArray[np.float64]) -> Counts:
    """Sums of counts that floats came close to.

    Raises `EstimateError` if they are too far off to tell.
    """
    nearest = np.rint(sums)
    if np.abs(sums - nearest).max() > _FARTHEST_FROM_INTEGERS:
        raise EstimateError(
            "expected sums of counts next to integers: floating-point arithmetic is "
            "not what it should be"
        )
    return nearest.astype(np.int64)


@lru_cache(maxsize=2)
def cyclic_design(order: int, dimension: int) -> CyclicDesign:
    """The design of a space: from memory, from the cache on disk, or made and
    checked.
    """
    name = f"singer-{order}-{dimension}"
    shape = (2, geometry(order, dimension).points)
    orders = array_cache.load(name, shape, np.int32)
    if orders is not None:
        return CyclicDesign(order, dimension, *orders)
    design = CyclicDesign(order, dimension, *cyclic_orders(order, dimension))
    design.check()
    array_cache.store(name, np.stack([design.report_at, design.place_of]))
    return design
