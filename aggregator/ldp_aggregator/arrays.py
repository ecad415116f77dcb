"""Names for arrays by what they hold; their shapes are said where they are used."""

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
