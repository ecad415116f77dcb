"""Several batches of the same people: what they add up to, by the privacy-loss
distribution.

Epsilons of batches may be added, and so may their deltas; that is much too much where
there are many. What one batch is worth at every epsilon says how its privacy loss is
distributed at worst, and losses of batches with fresh reports are independent: their
distribution is convolved, by FFT.

With delta_j an upper bound of a batch's delta at e^epsilon = t_j, of a grid of epsilons
around 0 (those below 0 by symmetry: delta(-e) = 1 - e^-e (1 - delta(e))), the lower
convex envelope of the points (t_j, delta_j) with (0, 1) is no less than any batch's
delta anywhere, as that is convex in t; and it is the delta of a pair of laws on the
grid: Q has as much mass at t_j as the slope changes there, P t_j times as much, and
what is left at the end of the grid, delta_J, is lost for certain.

Numeric: floats, with 1e-13 added to a delta for the rounding of the FFT (whose masses
are at most 1, with fewer than 2^20 places), and epsilons rounded up to the grid. What
is certified is one batch (`ldp.privacy`).

Sources: Sommer, Meiser and Mohammadi 2019 (privacy loss); Doroshenko, Ghazi, Kamath,
Kumar and Manurangsi 2022 (laws from points of delta).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ldp.mechanisms.blankets import Blanket
from ldp.privacy.batches import power, rounded_up
from ldp.privacy.deltas import delta_above, quick
from ldp_aggregator.numerics.arrays import Floats

POINTS = 64
"""Of the grid, on either side of 0."""
_FFT_ERROR = 1e-13
_MOST_PLACES = 1 << 20


def composed_batches(
    blanket: Blanket, reports: int, delta: Fraction, batches: int
) -> Fraction:
    """The epsilon of so many batches of fresh reports of the same people, at `delta`;
    rounded up.

    Raises `ValueError` for less than one batch, or more than the arithmetic can bear;
    and for a delta that so many batches cannot keep.
    """
    if not 1 <= batches <= _MOST_PLACES // (2 * POINTS):
        raise ValueError(
            f"expected 1 to {_MOST_PLACES // (2 * POINTS):,} batches, got {batches:,}"
        )
    if float(delta) < 1e3 * _FFT_ERROR * batches:
        raise ValueError(f"expected a delta of at least {1e3 * _FFT_ERROR * batches:g}")
    step = grid_step(blanket, reports, delta / (1000 * batches))
    masses, lost = loss_masses(blanket, reports, step)
    places = 2 * POINTS * batches + 1
    size = 1 << (places - 1).bit_length()
    # Shape (places,): the law of the sum of losses, in steps from -POINTS batches on.
    spectrum = np.fft.rfft(masses, size)
    total = np.fft.irfft(spectrum**batches, size)[:places].astype(np.float64).clip(0)
    ends = POINTS * batches
    losses: Floats = np.linspace(-ends, ends, places).astype(np.float64) * step
    certain = -math.expm1(batches * math.log1p(-lost)) + _FFT_ERROR
    return _least(losses, total, certain, delta=float(delta), step=step)


def grid_step(blanket: Blanket, reports: int, least: Fraction) -> float:
    """A grid at whose end a batch's delta is at most this."""
    effort = quick(reports, blanket.both > 0)
    end = Fraction(1, 1000)
    while delta_above(blanket, reports, power(end), effort=effort) > least:
        end *= Fraction(5, 4)
    return float(rounded_up(end / POINTS, 3))


def loss_masses(blanket: Blanket, reports: int, step: float) -> tuple[Floats, float]:
    """The law of a batch's loss on the grid, shape (2 POINTS + 1,), and what is
    certainly lost.
    """
    effort = quick(reports, blanket.both > 0)
    grid = [Fraction(str(step)) * place for place in range(POINTS + 1)]
    above = np.array(
        [
            float(delta_above(blanket, reports, power(point), effort=effort))
            for point in grid
        ]
    )
    t = np.exp(step * np.arange(-POINTS, POINTS + 1))
    below = 1 - t[:POINTS] * (1 - above[:0:-1])
    points = _envelope(np.concatenate([[0], t]), np.concatenate([[1], below, above]))
    slopes = np.append(np.diff(points) / np.diff(np.concatenate([[0], t])), 0)
    return np.maximum(np.diff(slopes), 0) * t, float(above[-1])


def _envelope(t: Floats, values: Floats) -> Floats:
    """The lower convex envelope of points, at each t."""
    kept: list[int] = []
    for place in range(len(t)):
        while len(kept) > 1:
            first, last = kept[-2], kept[-1]
            rise = (values[last] - values[first]) * (t[place] - t[first])
            if rise < (values[place] - values[first]) * (t[last] - t[first]):
                break
            kept.pop()
        kept.append(place)
    envelope: Floats = np.interp(t, t[kept], values[kept])
    return envelope


def _least(
    losses: Floats, masses: Floats, certain: float, delta: float, step: float
) -> Fraction:
    """The least epsilon on a finer grid at which delta is kept."""
    low, high = 0.0, float(losses[-1])
    while high - low > step / 100:
        middle = (low + high) / 2
        over = losses > middle
        missed = (
            float(np.sum(masses[over] * -np.expm1(middle - losses[over]))) + certain
        )
        low, high = (middle, high) if missed > delta else (low, middle)
    return rounded_up(Fraction(high))
