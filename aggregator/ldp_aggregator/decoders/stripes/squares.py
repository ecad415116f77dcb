"""Errors of the scores of queries, from reports themselves, and by the answers of
people.

Given reports, the mean square of scores is what it is, whatever people hold; given what
someone holds, its expectation follows from the law of a report, which has the weight R
where it supports the cell and 1 where it does not:

    mean square      sum of counts (constant + scale x window)^2 / n
    E[score^p | x] = sum over frequencies of w_k / Z x [all scores^p + (R-1) those that
    support x]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldp_aggregator.decoders.stripes.plane import (
    Plane,
    PlaneScores,
    supporting,
    windows,
)
from ldp_aggregator.numerics.arrays import Counts, Floats

_AT_ONCE = 1 << 19
"""Scores of one report to one query that are looked at together."""


def mean_squares(plane: Plane, scores: PlaneScores, counts: Counts) -> Floats:
    """The mean over reports of each query's squared score, of shape (Q,)."""
    counted = counts.ravel().astype(np.float64)
    squares = [
        np.square(worth, out=worth).reshape(len(worth), -1) @ counted
        for worth in worths(plane, scores)
    ]
    return np.asarray(np.concatenate(squares) / counts.sum())


def mean_products(plane: Plane, scores: PlaneScores, counts: Counts) -> Floats:
    """The mean over reports of each product of two queries' scores, of shape (Q, Q)."""
    reported = np.flatnonzero(counts)
    often = counts.ravel()[reported] / counts.sum()
    # (Q, kinds of reports that there are): what each of them is worth.
    parts = (part.reshape(len(part), -1)[:, reported] for part in worths(plane, scores))
    worth = np.concatenate(list(parts))
    return np.asarray((worth * often) @ worth.T)


def powers_by_value(
    plane: Plane, scores: PlaneScores, powers: tuple[int, ...] = (2,)
) -> list[Floats]:
    """E[score^power | cell] for each power, of shape (Q, values)."""
    stripes = plane.stripes
    mass, excess = stripes.mass / stripes.other, float(stripes.ratio) - 1
    by_power: list[list[Floats]] = [[] for _ in powers]
    for worth in (worth for part in worths(plane, scores) for worth in part):
        for power, rows in zip(powers, by_power, strict=True):
            raised = plane.law[:, None] * worth**power
            own = plane.on_map(supporting(plane, raised))
            rows.append(np.asarray((raised.sum() + excess * own) / mass))
    return [np.array(rows) for rows in by_power]


def least_variances(plane: Plane, queries: Floats, scores: PlaneScores) -> Floats:
    """Return the least variance of the score of one report, whatever is held: of shape
    (Q,).

    With a probability of P / Z a report is an arc drawn evenly from all, whose score
    has this variance.
    """
    mass = plane.stripes.mass / plane.stripes.other
    own = (plane.on_map(scores.alpha) * queries).sum(axis=1)
    return np.asarray(plane.scale**2 / mass * own)


def extremes(plane: Plane, scores: PlaneScores) -> tuple[Floats, Floats]:
    """The least and the greatest score of any report, of shape (Q,)."""
    # A forger may also name a frequency that no device draws.
    ends = [
        (worth.min(axis=(1, 2)), worth.max(axis=(1, 2)))
        for worth in worths(plane, scores)
    ]
    least, most = (np.concatenate(end) for end in zip(*ends, strict=True))
    return least, most


def worths(plane: Plane, scores: PlaneScores) -> Iterator[Floats]:
    """The score of every report, some queries at a time: of shape (some, K, P)."""
    together = max(_AT_ONCE // (len(plane.law) * plane.stripes.modulus), 1)
    for start in range(0, len(scores.constant), together):
        part = slice(start, start + together)
        worth = windows(plane, scores.alpha[part])
        worth *= plane.scale
        worth += scores.constant[part, None, None]
        yield worth
