"""Worth of a report to every node of a tree: the two passes of one report.

A report of level j names a symbol y, which supports some of the cells of its level.
With p and q for how often a report supports its own cell and any other, and w_j for the
share of the people who are asked for level j, it is worth

    t = (support - q) / (w_j (p - q))      to a cell of its level
    t = 0                                  to those of other levels

A node's own estimate is the mean of its worths over the levels in which it is a cell (a
value that sits high is one in several), each weighted by its precision w_j (p-q)^2 / (q
(1-q)). The two passes (`two_passes`) are linear, so a node's estimate is the mean, over
all reports, of what the passes make of t: the scores s_v(j, y). They are fixed by the
survey.

There are as many scores as nodes times symbols, which is why they are made a few
symbols at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.texts.taxonomy import Oracle, TaxonomyResponse
from ldp_aggregator.decoders.moments.supports import support_counts, supporters
from ldp_aggregator.decoders.taxonomies.two_passes import (
    PassWeights,
    pool_nodes,
    pooling_of,
)
from ldp_aggregator.numerics.arrays import Counts, Flags, Floats, Integers

_AT_ONCE = 1 << 19
"""Scores that are handled together."""


class View(NamedTuple):
    """A level that some are asked for."""

    number: int
    oracle: Oracle
    share: float
    """w_j."""
    nodes: Integers
    """The node of every cell."""
    factor: Floats
    """By cell: what (support - q) counts for in the own estimate of its node."""
    q: float
    other: float
    """P[y | x] of a symbol that does not support the cell of x."""
    surplus: float
    """By how much more likely one is that does."""
    cell_of: Integers
    """Of every node the cell that it is or lies in; -1 for those above the cells."""


class TaxonomyViews(NamedTuple):
    """All that the scores follow from."""

    pooling: PassWeights
    views: tuple[View, ...]


class SymbolScores(NamedTuple):
    """Some symbols of a view: which cells they support, and what they are worth to the
    nodes.
    """

    view: View
    symbols: slice
    supports: Flags
    """(cells, symbols)."""
    scores: Floats
    """(nodes, symbols)."""


@lru_cache(maxsize=8)
def views_of(response: TaxonomyResponse) -> TaxonomyViews:
    """The views of a response, and how they are pooled."""
    precision = np.zeros(len(response.parents))
    views = []
    for number in np.flatnonzero(response.law).tolist():
        view = _view(response, number)
        precision[view.nodes] += _precision(view)
        views.append(view)
    # A cell counts for its node as it is precise among all cells of that.
    weighted = (
        view._replace(factor=view.factor * _precision(view) / precision[view.nodes])
        for view in views
    )
    return TaxonomyViews(pooling_of(response.parents, precision), tuple(weighted))


def _view(response: TaxonomyResponse, number: int) -> View:
    """A level with the factor of a cell that is the only one of its node."""
    oracle, share = response.oracles[number], float(response.shares[number])
    nodes = np.array(response.levels[number].nodes)
    p, q = (float(rate) for rate in oracle.support)
    # All symbols are as likely, but for those that support the cell.
    supported = int(supporters(oracle._replace(size=1), slice(None)).sum())
    other = (1 - p) / (oracle.layout.symbols - supported)
    return View(
        number,
        oracle,
        share,
        nodes=nodes,
        factor=np.full(len(nodes), 1 / (share * (p - q))),
        q=q,
        other=other,
        surplus=p / supported - other,
        cell_of=_cells_below(response, nodes),
    )


def _precision(view: View) -> float:
    """1 / variance of a cell that no one holds, times the number of reports."""
    p, q = (float(rate) for rate in view.oracle.support)
    return view.share * (p - q) ** 2 / (q * (1 - q))


def frequencies(response: TaxonomyResponse, counts: Counts) -> Floats:
    """The share of every node, (nodes,), from counts of shape (levels, symbols)."""
    pooling, views = views_of(response)
    direct, reports = np.zeros(len(response.parents)), int(counts.sum())
    for view in views:
        own = counts[view.number : view.number + 1]
        supports = support_counts(view.oracle, own[:, : view.oracle.layout.symbols])
        direct[view.nodes] += view.factor * (supports - view.q * own.sum()) / reports
    return pool_nodes(pooling, direct)


def parts_of(response: TaxonomyResponse) -> Iterator[SymbolScores]:
    """All symbols of all views, some at a time."""
    pooling, views = views_of(response)
    size = len(response.parents)
    step = max(1, _AT_ONCE // size)
    for view in views:
        for first in range(0, view.oracle.layout.symbols, step):
            symbols = slice(first, min(first + step, view.oracle.layout.symbols))
            supports = supporters(view.oracle, symbols)
            direct = np.zeros((size, supports.shape[1]))
            direct[view.nodes] = view.factor[:, None] * (supports - view.q)
            yield SymbolScores(
                view, symbols, supports, scores=pool_nodes(pooling, direct)
            )


def scores_of_nothing(response: TaxonomyResponse) -> dict[int, Floats]:
    """Scores of reports that no device sends, (nodes,), by the number of their level.

    A symbol that its level does not use counts as a report, and supports nothing; so
    does any report of a level that no one is asked for.
    """
    pooling, views = views_of(response)
    size = len(response.parents)
    scores = {
        number: pool_nodes(pooling, np.zeros(size))
        for number in range(len(response.law))
    }
    for view in views:
        del scores[view.number]
        if view.oracle.layout.symbols < response.layout.symbols:
            direct = np.zeros(size)
            direct[view.nodes] = -view.q * view.factor
            scores[view.number] = pool_nodes(pooling, direct)
    return scores


def _cells_below(response: TaxonomyResponse, nodes: Integers) -> Integers:
    """Return for every node the cell among `nodes` that it is or lies in."""
    cell_of = np.full(len(response.parents), -1)
    cell_of[nodes] = np.arange(len(nodes))
    for node, above in enumerate(response.parents):
        if cell_of[node] < 0 and above:
            cell_of[node] = cell_of[above - 1]
    return cell_of
