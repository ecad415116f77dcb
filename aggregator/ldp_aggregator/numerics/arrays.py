"""Names for arrays by what they hold, and a matrix that several make of another.

Their shapes are said where they are used.
"""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.uint8]
"""Reports as bytes, one in each row."""

Counts = NDArray[np.int64]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

Words = NDArray[np.uint64]
"""Bits, sixty-four in each element."""

_HARDLY_ANY = 1e-300


def correlation_of(covariance: Floats) -> Floats:
    """From a covariance, (Q, Q); what does not vary goes together with nothing."""
    error = np.sqrt(np.maximum(np.diag(covariance), _HARDLY_ANY))
    return covariance / error / error[:, None]
