"""Errors of the scores of queries, from reports themselves, and by the answers of
people.

The score of a query is a constant and, for each level, a sum over the cells that a
symbol supports (`trees.levels`). One transform gives the scores of all symbols of a
level, and so the mean square over the reports that came, whatever people hold. Given
what someone holds,

    E[score^2 | x] = sum over levels of w_j [other x all score^2 + surplus x those that support x]

with `other` the chance of a symbol that does not support the cell of x, and `surplus`
by how much more likely is one that does. Both are exact; they take a transform a query
and level, which is much for the cumulative distribution of thousands of values. See
`paths` for those.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldp_aggregator.decoders.trees.halves import HalvingScores
from ldp_aggregator.decoders.trees.levels import Level, Views
from ldp_aggregator.numerics.arrays import Counts, Floats

_AT_ONCE = 1 << 22
"""Scores of one level that are handled together."""


def work(views: Views, queries: int) -> int:
    """How many scores queries have."""
    return queries * sum(level.symbols for level in views.levels)


def parts(views: Views, queries: Floats) -> Iterator[tuple[slice, HalvingScores]]:
    """Some queries at a time, of shape (Q, values)."""
    widest = max(max(level.symbols for level in views.levels), views.response.size)
    step = max(1, _AT_ONCE // widest)
    for first in range(0, len(queries), step):
        part = slice(first, first + step)
        yield part, views.pooling.worth(queries[part])


def scores_under(level: Level, worth: HalvingScores) -> Floats:
    """The scores of all symbols of a level, of shape (Q, symbols)."""
    alpha = worth.levels[level.number]
    away = level.worths(alpha) - level.q * alpha.sum(axis=-1, keepdims=True)
    return np.asarray(worth.constant[:, None] + level.factor * away)


def scores_of_nothing(level: Level, worth: HalvingScores) -> Floats:
    """Those of symbols that a level does not use, of shape (Q,): they support
    nothing.
    """
    alpha = worth.levels[level.number]
    return np.asarray(worth.constant - level.factor * level.q * alpha.sum(axis=-1))


def mean_squares(views: Views, queries: Floats, counts: Counts) -> Floats:
    """The mean over reports of each query's squared score, of shape (Q,)."""
    total = np.zeros(len(queries))
    for part, worth in parts(views, queries):
        rest = counts.sum() * worth.constant**2
        for level in views.levels:
            own = counts[level.number]
            used = own[: level.symbols]
            rest += scores_under(level, worth) ** 2 @ used
            rest += own[level.symbols :].sum() * scores_of_nothing(level, worth) ** 2
            rest -= own.sum() * worth.constant**2
        total[part] = rest
    return np.asarray(total / counts.sum())


def powers_by_value(
    views: Views, queries: Floats, powers: tuple[int, ...] = (2,)
) -> list[Floats]:
    """E[score^power | value] for each power, of shape (Q, values)."""
    size = views.response.size
    sums = [np.zeros((len(queries), size)) for _ in powers]
    for part, worth in parts(views, queries):
        for level in views.levels:
            cells = views.cells_of(level)
            scores = scores_under(level, worth)
            other, one = level.rates
            for power, total in zip(powers, sums, strict=True):
                raised = scores**power
                # (Q, cells), and then what each value has of its cell.
                supporting = level.supports(raised)
                of_cells = (
                    other * raised.sum(axis=1)[:, None] + (one - other) * supporting
                )
                total[part] += level.share * of_cells[:, cells]
    return sums


def extremes(views: Views, queries: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest score of any report, of shape (Q,)."""
    least, most = np.full(len(queries), np.inf), np.full(len(queries), -np.inf)
    symbols, depth = views.response.layout.symbols, len(views.response.law)
    for part, worth in parts(views, queries):
        scores = []
        if len(views.levels) < depth:
            scores.append(worth.constant[:, None])
        for level in views.levels:
            scores.append(scores_under(level, worth))
            if level.symbols < symbols:
                scores.append(scores_of_nothing(level, worth)[:, None])
        least[part] = np.min([some.min(axis=1) for some in scores], axis=0)
        most[part] = np.max([some.max(axis=1) for some in scores], axis=0)
    return least, most


def bounds(views: Views, queries: Floats) -> tuple[Floats, Floats]:
    """Return the bounds of scores, wherever the cells lie in their spaces: of shape
    (Q,).

    As if a symbol supported the cells with the greatest coefficients, or with the
    least.
    """
    least, most = np.full(len(queries), np.inf), np.full(len(queries), -np.inf)
    for part, worth in parts(views, queries):
        least[part] = most[part] = worth.constant
        for level in views.levels:
            alpha = np.sort(worth.levels[level.number], axis=-1)
            nothing = scores_of_nothing(level, worth)
            lowest, highest = alpha[:, : level.at_once], alpha[:, -level.at_once :]
            below = nothing + level.factor * np.minimum(lowest, 0.0).sum(axis=-1)
            above = nothing + level.factor * np.maximum(highest, 0.0).sum(axis=-1)
            least[part] = np.minimum(least[part], below)
            most[part] = np.maximum(most[part], above)
    return least, most


def even_squares(views: Views, queries: Floats, shares: list[Floats]) -> Floats:
    """The mean squares of scores, nearly, from the shares of all cells: of shape (Q,).

    As if whether a report supports two cells depended on the true one only where it is
    one of them: so it is for sets, and on average over all cells for points.
    """
    total = np.zeros(len(queries))
    for part, worth in parts(views, queries):
        answered = worth.constant * (2 * (queries[part] @ shares[-1]) - worth.constant)
        for level in views.levels:
            alpha, held = worth.levels[level.number], shares[level.number]
            answered += even_square(
                level,
                whole=alpha.sum(axis=1),
                square=(alpha**2).sum(axis=1),
                whole_held=alpha @ held,
                square_held=alpha**2 @ held,
            )
        total[part] = answered
    return total


def even_square(
    level: Level,
    *,
    whole: Floats,
    square: Floats,
    whole_held: Floats,
    square_held: Floats,
) -> Floats:
    """Return a level's part of mean squares, from sums of coefficients and of their
    squares.

    The sums are over all cells, and over all cells as people hold them; of shape (Q,).
    """
    q, none, one = level.q, level.with_none, level.with_one
    excess = level.p - q
    mean = q * whole + excess * whole_held
    of_supports = none * whole**2 + (q - none) * square
    of_supports += (excess - 2 * (one - none)) * square_held + 2 * (
        one - none
    ) * whole * whole_held
    spread = of_supports - 2 * q * whole * mean + (q * whole) ** 2
    return level.share * level.factor**2 * spread
