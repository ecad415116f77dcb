"""Least squares on a pyramid: what each view says of a contrast is averaged by its
precision.

A grid is the same as the contrasts of its cells, for pairs of levels (i, j): what is
left of the middle of a cell less what is right of it, along x and along y; of level 0,
the sum of all. A view of 2^a x 2^b cells has those of levels up to (a, b), and each of
them has there the same error, whichever cells it is of. So least squares is a mean,
whose weights depend on levels alone:

    contrast (i, j) = sum over views a >= i, b >= j of p_ab (that of the view) / sum of
    p_ab
    p_ab            = precision of a cell's own estimate / 2^(a+b)

and the sum of all cells is 1, which is known. There and back is two passes of halves,
along each axis: as many steps as there are cells. Along an axis of n cells contrasts
stand in the order sum, halves, quarters, ..., so that those of a coarser view are the
first of a finer one.

    contrasts of numbers   sums and differences of pairs, from the finest up
    numbers of contrasts   (sum + difference) / 2 and (sum - difference) / 2, from the
                           coarsest down

Worths of queries go the same ways: a query's are the contrasts with half sums and half
differences, and what a view has of them goes down to its cells by sums and differences
that are not halved.

A view for the eye shrinks the contrasts of each pair of levels, which are alike noisy,
by one factor: 1 - noise / energy, at least 0, with the noise of one of them, which is
known, and the mean of their squares (James and Stein 1961). Where there is little but
noise, it takes most of it away, and where there is much to be seen it takes little:
biased, and closer to the truth on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.places.pyramid import halvings
from ldp_aggregator.decoders.trees.halves import HalvingScores
from ldp_aggregator.numerics.arrays import Floats

_HALF = 0.5


class Contrasts(NamedTuple):
    """How the views of a pyramid are pooled."""

    depth: int
    shares: tuple[Floats, ...]
    """By view: what it adds to contrasts of each pair of levels, of shape (a + 1, b +
    1).
    """
    noise: Floats
    """N Var of a contrast, by levels, if answers are spread evenly: of shape (h + 1, h
    + 1).
    """

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Shapes of the grid of each view."""
        return tuple((1 << across, 1 << up) for across, up in halvings(self.depth))

    @property
    def whole(self) -> tuple[int, int]:
        """Shape of the finest grid."""
        return self.shapes[-1]

    def pool(self, direct: Sequence[Floats]) -> list[Floats]:
        """X of the cells of every view, from their own estimates: by view, of shape
        (cells,).
        """
        pooled = np.zeros(self.whole)
        for shape, share, own in zip(self.shapes, self.shares, direct, strict=True):
            rows, columns = shape
            pooled[:rows, :columns] += _spread(share) * contrasts_of(own.reshape(shape))
        pooled[0, 0] = 1.0
        return [
            numbers_of(pooled[:rows, :columns], _HALF).ravel()
            for rows, columns in self.shapes
        ]

    def shrunk(self, frequency: Floats, reports: int) -> Floats:
        """The shares of all cells, (values,), with contrasts shrunk: biased."""
        contrasts = contrasts_of(frequency.reshape(self.whole))
        rows, columns = (np.array(_levels(halved)) for halved in self.noise.shape)
        factors = np.ones_like(self.noise)
        for across, up in halvings(self.depth):
            block = contrasts[np.ix_(rows == across, columns == up)]
            noise = self.noise[across, up] / reports
            factors[across, up] = max(
                1 - noise / max(float((block**2).mean()), noise), 0.0
            )
        return numbers_of(contrasts * _spread(factors), _HALF).ravel()

    def worth(self, queries: Floats) -> HalvingScores:
        """Return the worth of own estimates to queries of shape (Q, values)."""
        many = len(queries)
        asked = contrasts_of(queries.reshape(many, *self.whole), _HALF)
        levels = []
        for (rows, columns), share in zip(self.shapes, self.shares, strict=True):
            part = asked[:, :rows, :columns] * _spread(share)
            levels.append(numbers_of(part).reshape(many, rows * columns))
        return HalvingScores(asked[:, 0, 0], tuple(levels))


def pyramid_of(cells: Sequence[int], precision: Sequence[float]) -> Contrasts:
    """How own estimates of this precision are pooled; the last has more than none."""
    depth = (cells[-1].bit_length() - 1) // 2
    views = halvings(depth)
    own = np.zeros((depth + 1, depth + 1))
    for (across, up), number, of_cell in zip(views, cells, precision, strict=True):
        own[across, up] = of_cell / number
    # Of every pair of levels, over the views that are as fine or finer.
    known = own[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    shares = own[:, :, None, None] / known
    shares[:, :, 0, 0] = 0.0
    # Of a contrast of level j along an axis, a view has 2^(a - j + 1) cells, or all 2^a
    # of level 0.
    fewer = np.array([1.0, *(2.0 ** (1 - level) for level in range(1, depth + 1))])
    return Contrasts(
        depth,
        tuple(shares[across, up, : across + 1, : up + 1] for across, up in views),
        noise=np.outer(fewer, fewer) / known,
    )


def contrasts_of(numbers: Floats, factor: float = 1.0) -> Floats:
    """Sums and differences, along both of the last axes; `factor` times each."""
    return _up(_up(numbers, factor).swapaxes(-1, -2), factor).swapaxes(-1, -2)


def numbers_of(contrasts: Floats, factor: float = 1.0) -> Floats:
    """Sum for each cell all contrasts that it is in, by their signs."""
    return _down(_down(contrasts, factor).swapaxes(-1, -2), factor).swapaxes(-1, -2)


def _up(numbers: Floats, factor: float) -> Floats:
    contrasts = np.empty_like(numbers)
    sums = numbers
    while sums.shape[-1] > 1:
        first, second = sums[..., ::2], sums[..., 1::2]
        half = first.shape[-1]
        contrasts[..., half : 2 * half] = factor * (first - second)
        sums = factor * (first + second)
    contrasts[..., :1] = sums
    return contrasts


def _down(contrasts: Floats, factor: float) -> Floats:
    sums = contrasts[..., :1]
    while sums.shape[-1] < contrasts.shape[-1]:
        half = sums.shape[-1]
        differences = contrasts[..., half : 2 * half]
        both = (factor * (sums + differences), factor * (sums - differences))
        sums = np.stack(both, axis=-1).reshape(*contrasts.shape[:-1], 2 * half)
    return sums


def _spread(of_levels: Floats) -> Floats:
    """From a number for each pair of levels to one for each contrast of these."""
    rows, columns = (_levels(depth) for depth in of_levels.shape)
    return of_levels[np.ix_(rows, columns)]


def _levels(depth: int) -> list[int]:
    """Levels of the contrasts along an axis of so many levels."""
    return [place.bit_length() for place in range(1 << (depth - 1))]
