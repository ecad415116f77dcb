"""Moments of ranges of six numbers, against the scores of single reports."""

import numpy as np
import pytest

SHARES = np.array([0.3, 0.05, 0.2, 0.15, 0.1, 0.2])
_RANGES = np.array([[1.0, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1]])


def check_moments_of_ranges(response, moments_of):
    """Compare squares and cubes of two ranges' scores, by who holds a value of them.

    Returns the law of reports, their counts, and those of each report by itself.
    """
    law = np.array(response.channel().rows, dtype=float)
    layout = response.layout
    counts = np.rint(1e14 * SHARES @ law).astype(np.int64).reshape(layout.cohorts, -1)
    alone = np.eye(counts.size, dtype=np.int64).reshape(-1, *counts.shape)
    scores = np.stack([moments_of(response, one, _RANGES).frequency for one in alone])
    moments = moments_of(response, counts, _RANGES)
    squares = moments.variance_if_held, moments.variance_if_not
    for place, inside in enumerate(_RANGES > 0):
        for number, group in enumerate((inside, ~inside)):
            off = scores[:, place] - (1 - number)
            of_group = SHARES[group] @ law[group] / SHARES[group].sum()
            square, cube = squares[number], moments.jumps.third[number]
            assert square[place] == pytest.approx(of_group @ off**2, rel=1e-6)
            assert cube[place] == pytest.approx(of_group @ off**3, rel=1e-6)
    return law, counts, alone
