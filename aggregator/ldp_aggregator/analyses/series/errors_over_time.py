"""How the errors of epochs may go together: covariances of the noise of a whole series.

Without permanent responses, and with other people in each epoch, errors are
independent. Of memoized devices the part that a permanent response errs by is the same
in all epochs in which a device reports, with the same answer. Who they are, a tally
does not know; so that part may be

    fresh       of other devices in each epoch
    lasting     of the same devices in all
    fading      of devices that leave and come at a constant rate: correlations of a
                power of the distance in epochs
    swapped     of the same devices up to an epoch, and of others from then on

and a change that one of these explains is not called one: where devices are swapped,
their shared error steps from one number to another, and stays there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_STAYING = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.0)
"""Shares of the devices of an epoch that are there in the next one."""
_MOST_REPEATED = 0.999
"""Of a variance: where all of it may repeat, two epochs of the same devices would be
one estimate, whose covariance has no inverse.
"""
_MOST_SWAPS = 60
"""Epochs at which all devices may be others, the last ones."""


class Covariances(NamedTuple):
    """Covariances (T, T) of the errors of T epochs, one of which holds, as far as is
    known.
    """

    usual: list[Floats]
    """Where devices come and go, if at all, at a constant rate."""
    swapped: list[Floats]
    """Where all of them are others from some epoch on."""


def covariances(
    variance: Floats, lasting: Floats, overlap: float | None, *, may_repeat: bool
) -> Covariances:
    """What may be, if `lasting` is the part of each variance that the same devices
    repeat.
    """
    if overlap == 0 or (overlap is None and not may_repeat) or not lasting.any():
        return Covariances([np.diag(variance)], [])
    epochs, part = len(variance), np.minimum(lasting, _MOST_REPEATED * variance)
    alone, scale = np.diag(variance - part), np.sqrt(np.outer(part, part))

    def of_all(patterns: Iterator[Floats]) -> list[Floats]:
        return [np.asarray(alone + scale * pattern) for pattern in patterns]

    if overlap is not None:
        return Covariances(of_all(iter([_fading(epochs, overlap)])), [])
    fading = (_fading(epochs, staying) for staying in _STAYING)
    return Covariances(of_all(fading), of_all(_swaps(epochs)))


def _swaps(epochs: int) -> Iterator[Floats]:
    """Correlations (T, T) of the part that may be repeated."""
    for swap in range(max(1, epochs - _MOST_SWAPS), epochs):
        later = np.arange(epochs) >= swap
        yield (later[:, None] == later[None, :]).astype(float)


def _fading(epochs: int, staying: float) -> Floats:
    times = np.arange(epochs)
    pattern: Floats = np.power(
        staying, np.abs(times[:, None] - times[None, :]).astype(float)
    )
    return pattern
