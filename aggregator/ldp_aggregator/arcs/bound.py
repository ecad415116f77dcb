"""How well any mechanism can tell cumulative shares.

Whatever a report says, it is at most R times as likely under one value as under another. So if
answers are spread evenly, all that reports tell, added up over the directions in which frequencies
may differ, is at most (R-1)^2 / 4R a report; and errors add up least if it is spread over these
directions as the roots of how much each of them matters to what is asked. With W the D - 1
cumulative shares as rows, G = W'W / (D - 1), P what takes the mean off,

    average of n Var  >=  [4R / (R-1)^2 (trace of (P G P)^(1/2))^2 - trace of P G P] / D

for every unbiased linear estimate from reports of any mechanism. It need not be attained.

Source: the trace bound of linear queries (Li, Hay, Rastogi, Miklau and McGregor 2010, the matrix
mechanism), with the information that a locally private report can have.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh

from ldp_aggregator.arrays import Floats

_MOST_VALUES = 512
"""Of which the bound is worked out in a moment."""


def prefixes(size: int, most: int) -> Floats:
    """1 for the values below some places, evenly apart: of shape (at most `most`, size)."""
    places = np.unique(np.linspace(1, size - 1, min(most, size - 1)).round())
    return np.asarray(np.arange(size) < places[:, None], dtype=np.float64)


def least_variance(size: int, ratio: float) -> float | None:
    """The least average of n Var of all cumulative shares; None where there are many values."""
    if size > _MOST_VALUES:
        return None
    workload = prefixes(size, most=size)
    centred = workload - workload.mean(axis=1, keepdims=True)
    eigenvalues = np.maximum(eigvalsh(centred.T @ centred / len(workload)), 0.0)
    information = 4 * ratio / (ratio - 1) ** 2
    spread = information * np.sqrt(eigenvalues).sum() ** 2 - eigenvalues.sum()
    return float(spread / size)
