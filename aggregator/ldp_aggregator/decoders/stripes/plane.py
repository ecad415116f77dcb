"""The plane that stripes lie on: what a report is worth to a query of a map.

A map of g x g cells is laid in a corner of a plane of P x P places that goes around at
its borders, as a torus does. There everything that stripes do is a matter of waves:
with A for the arc [0, t), A^ and others for transforms of Fourier, and w the weights of
the frequencies, adding up to 1,

    C   = reports that support each place;  C^(m k) = P A^(m) times the transform of counts under k
    S^(v) = P x sum of w_k |A^(m)|^2 over m and k with m k = v,   Z = R t + P - t
    f   = what has S f = (Z C / n - t) / (R - 1), and adds up to 1 on the plane

which is a transform along the arcs of each frequency, one of the plane, and one back.
It is least squares for a plane on which any place may be held. On the map alone people
are known to be, so that its cells have to add up to 1: with D for S^-1 without its
constant, and 1 on the map,

    q'f   becomes   q'f - b (1'f - 1),   b = q'D1 / 1'D1
    score = constant + Z / (R-1) x sum of alpha over the cells that a report supports
    alpha = D (q - b 1),   constant = b + mean of (q - b 1) over the plane

whose mean over reports is unbiased for the share of any rectangle. What is not used is
that every other place is empty, which would take 5 % off the variance of rectangles,
and shifts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp.mechanisms.places.stripes import Stripes, frequency_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers

Waves = NDArray[np.complex128]


class Plane(NamedTuple):
    """Facts on a randomizer before there is any report."""

    stripes: Stripes
    law: Floats
    """The weights of the frequencies, of shape (K,), adding up to 1."""
    where: Integers
    """Where m k is among the waves of the plane, for m = 0, ..., (P-1)/2: of shape (K,
    (P+1)/2).
    """
    arc: Waves
    """The transform of an arc from place 0 on, of shape ((P+1)/2,)."""
    spectrum: Floats
    """S^, of shape (P, P); of the constant, which is known, infinite."""
    whole: Floats
    """D 1, of shape (P, P)."""

    @property
    def shape(self) -> tuple[int, int]:
        """(P, P)."""
        return self.stripes.modulus, self.stripes.modulus

    @property
    def scale(self) -> float:
        """Z / (R - 1)."""
        ratio = float(self.stripes.ratio)
        return self.stripes.mass / self.stripes.other / (ratio - 1)

    @property
    def of_whole(self) -> float:
        """1'D1."""
        return float(self.on_map(self.whole).sum())

    def on_map(self, plane: Floats) -> Floats:
        """The part of a plane, of shape (..., P, P), that is the map: (..., values)."""
        side = self.stripes.side
        return plane[..., :side, :side].reshape(*plane.shape[:-2], side * side)

    def laid(self, queries: Floats) -> Floats:
        """Numbers for the cells, of shape (..., values), on the plane: (..., P, P)."""
        side = self.stripes.side
        plane = np.zeros((*queries.shape[:-1], *self.shape))
        plane[..., :side, :side] = queries.reshape(*queries.shape[:-1], side, side)
        return plane

    def solve(self, plane: Floats) -> Floats:
        """D of numbers of shape (..., P, P)."""
        return np.fft.ifft2(np.fft.fft2(plane) / self.spectrum).real


class PlaneScores(NamedTuple):
    """Worth of a report to each of Q queries."""

    constant: Floats
    """Of shape (Q,)."""
    alpha: Floats
    """Of shape (Q, P, P)."""


@lru_cache(maxsize=8)
def plane_of(stripes: Stripes) -> Plane:
    """The plane of a randomizer."""
    modulus = stripes.modulus
    law = np.array([float(weight) for weight in stripes.weights])
    law /= law.sum()
    # (K, 2), and from m = 0 on half of the circle, (K, (P+1)/2): the other half mirrors
    # it.
    frequencies = np.array(
        [frequency_of(cohort, modulus) for cohort in range(len(law))]
    )
    across, up = frequencies.T[:, :, None] * np.arange(modulus // 2 + 1) % modulus
    where = across * modulus + up
    arc = np.fft.rfft(np.arange(modulus) < stripes.width)
    spectrum = modulus * _spread(where, law[:, None] * arc * arc.conj(), modulus).real
    spectrum[0, 0] = np.inf
    bare = Plane(stripes, law, where, arc=arc, spectrum=spectrum, whole=spectrum)
    return bare._replace(whole=bare.solve(bare.laid(np.ones(stripes.size))))


def windows(plane: Plane, alpha: Floats) -> Floats:
    """Sum numbers on the plane over each report's window: from (..., P, P) to (..., K,
    P).
    """
    waves = np.fft.fft2(alpha)
    waves = waves.reshape(*alpha.shape[:-2], -1)[..., plane.where]
    return np.fft.irfft(waves * plane.arc.conj(), n=plane.stripes.modulus, axis=-1)


def supporting(plane: Plane, numbers: Counts | Floats) -> Floats:
    """The sum over the reports that support each place: from (K, P) to (P, P)."""
    stripes = plane.stripes
    waves = np.fft.rfft(numbers, axis=-1) * plane.arc
    total = _spread(plane.where, waves, stripes.modulus)
    # Every report supports t P places.
    constant = stripes.width * numbers.sum() / stripes.modulus
    return np.asarray(stripes.modulus * np.fft.ifft2(total).real + constant)


def frequencies(plane: Plane, counts: Counts | Floats) -> Floats:
    """The unbiased frequency of each cell, of shape (values,); they add up to 1."""
    share = supporting(plane, counts) / counts.sum()
    # Constants are left to what is known: on the plane all add up to 1.
    on_plane = plane.scale * plane.solve(share) + 1 / plane.stripes.modulus**2
    own = plane.on_map(on_plane)
    spread = plane.on_map(plane.whole) / plane.of_whole
    return np.asarray(own - spread * (own.sum() - 1))


def scores(plane: Plane, queries: Floats) -> PlaneScores:
    """Return the worth of reports to queries of shape (Q, values)."""
    solved = plane.solve(plane.laid(queries))
    of_whole = part_of_whole(plane, queries)
    constant = (
        queries.sum(axis=1) - of_whole * plane.stripes.size
    ) / plane.stripes.modulus**2
    return PlaneScores(
        constant + of_whole, solved - of_whole[:, None, None] * plane.whole
    )


def part_of_whole(plane: Plane, queries: Floats) -> Floats:
    """b, of shape (Q,): how much of the error of the whole map is in that of each
    query.
    """
    return queries @ plane.on_map(plane.whole) / plane.of_whole


def even_variances(plane: Plane, queries: Floats) -> Floats:
    """N Var of the answers if places are held evenly, of shape (Q,)."""
    alpha = plane.on_map(scores(plane, queries).alpha)
    return np.asarray(
        plane.scale**2 / plane.stripes.modulus * (alpha * queries).sum(axis=1)
    )


def even_covariance(plane: Plane, queries: Floats) -> Floats:
    """Covariance of any two scores, of shape (Q, Q), if all arcs are alike likely."""
    alpha = plane.on_map(scores(plane, queries).alpha)
    return plane.scale**2 / plane.stripes.modulus * (alpha @ queries.T)


def _spread(where: Integers, waves: Waves, modulus: int) -> Waves:
    """Add all frequencies to the waves of the plane but the constant one: of shape (P,
    P).
    """
    size = modulus**2
    places, values = where[:, 1:].ravel(), waves[:, 1:].ravel()
    parts = [
        np.bincount(places, part, minlength=size) for part in (values.real, values.imag)
    ]
    total = (parts[0] + 1j * parts[1]).reshape(modulus, modulus)
    # The other half of each circle: conjugates, at the waves that run the other way.
    return total + np.roll(total[::-1, ::-1], 1, axis=(0, 1)).conj()
