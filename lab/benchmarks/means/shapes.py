"""Shapes of distributions: how far the estimate of each method is from the truth, by
simulation.

    square-wave, em | ems   as in this project
    arcs                    as in this project, unbiased, and by the view `monotone`
    tree                    levels of 4, 16 and 64 cells; each respondent answers for
                            one of them, through subset selection with the whole
                            epsilon, and all levels are made to agree by least squares
                            (Hay et al. 2010; Cormode et al. 2019)
    HaarHRR                 a coefficient of the Haar basis at one level, by Hadamard
                            randomized response (Cormode, Kulkarni and Srivastava 2019)
    AHEAD                   a tree that is divided round by round where many are
                            (`lab.benchmarks.means.ahead`)

The three of others are written for this page. The tree and HaarHRR are unbiased; AHEAD
and views are not. The distance is Wasserstein's, W1: the mean of |F - true F| over the
cells, in parts of the range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.linalg import hadamard

from lab.benchmarks.means.ahead import ahead
from lab.benchmarks.means.asking import CELLS, asked_through, estimated, spread
from lab.benchmarks.means.inputs import Input
from ldp_aggregator.answers.distributions.distribution import distribution_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

RESPONDENTS = 33_000
SEED = 2
FANOUT = 4
_NUMBERS = f'type = "integer"\nlow = 0\nhigh = {CELLS - 1}'
_IN_TWOS = ("age", "hours")
"""Whole numbers that go in cells of two; of all others the range is parted evenly."""

Method = Callable[[float, Counts, Generator], Floats]
"""From an epsilon and the holders of each cell to the estimated shares of all cells."""


class Away(NamedTuple):
    """How far the estimates of many surveys are from the truth."""

    distance: float
    """W1, on average."""
    bias: float
    """The error of the cumulated shares, averaged, where it is largest."""
    spread: float
    """Its standard deviation there, from survey to survey."""
    ranges: float
    """Root mean square error of the shares of all ranges."""


def away(method: Method, epsilon: float, held: Counts, surveys: int) -> Away:
    """The distances of so many surveys of the same respondents."""
    generator = np.random.default_rng(SEED)
    truth = held / held.sum()
    shares = np.array([method(epsilon, held, generator) for _ in range(surveys)])
    # (surveys, cells): errors of the cumulated shares.
    errors = np.cumsum(shares - truth, axis=1)
    mean = errors.mean(axis=0)
    worst = int(np.abs(mean).argmax())
    distance = float(np.abs(errors).mean())
    return Away(
        distance,
        abs(float(mean[worst])),
        float(errors[:, worst].std()),
        ranges=_of_ranges(errors),
    )


def _of_ranges(errors: Floats) -> float:
    """Of the differences between all pairs of cumulated shares, from none to all of
    them.
    """
    edged = np.concatenate([np.zeros((len(errors), 1)), errors], axis=1)
    size = edged.shape[1]
    # The sum of (a - b)^2 over all pairs is n sum a^2 - (sum a)^2.
    squares = size * (edged**2).sum(axis=1) - edged.sum(axis=1) ** 2
    return float(np.sqrt(squares.mean() / (size * (size - 1) / 2)))


def holders_of(one: Input, respondents: int = RESPONDENTS) -> Counts:
    """How many hold each cell."""
    places = np.arange(one.steps + 1)
    cells = np.minimum(places * CELLS // one.steps, CELLS - 1)
    if one.name.startswith(_IN_TWOS):
        cells = places // 2
    shares = np.bincount(cells, one.shares, CELLS)
    counts: Counts = np.floor(respondents * shares + 0.5).astype(np.int64)
    return counts


def square_wave(post_process: str) -> Method:
    """With one view or the other."""

    def shares(epsilon: float, held: Counts, generator: Generator) -> Floats:
        asked = asked_through("square-wave", epsilon, _NUMBERS)
        counts = sample_counts(asked, Holders((), held), generator)
        return decoder_of(asked.randomizer).shape(
            asked.randomizer, counts, post_process
        )

    return shares


def arcs(*, rising: bool) -> Method:
    """Unbiased, or from the nearest cumulative distribution that rises."""

    def shares(epsilon: float, held: Counts, generator: Generator) -> Floats:
        asked = asked_through("arcs", epsilon, _NUMBERS)
        counts = sample_counts(asked, Holders((), held), generator)
        known = distribution_of(asked, counts, Options())
        assert known is not None
        return known.monotone(known.line.values) if rising else known.queries.frequency

    return shares


def tree(epsilon: float, held: Counts, generator: Generator) -> Floats:
    """Levels from fan-out to cells; up, each node's estimate and that of its children,
    and down.
    """
    levels = list(_levels())
    here = spread(held, len(levels), generator)
    estimates, variances = [], []
    for size, of_level in zip(levels, here, strict=True):
        cells = of_level.reshape(size, -1).sum(axis=1)
        moments = estimated("ss", epsilon, cells, generator=generator)
        estimates.append(moments.frequency)
        variances.append(float(np.mean(moments.variance_if_not)) / moments.reports)
    return consistent(estimates, variances)


def consistent(estimates: Sequence[Floats], variances: Sequence[float]) -> Floats:
    """The leaves that least squares finds; all nodes together hold exactly 1."""
    pooled, spread = [estimates[-1]], [variances[-1]]
    for own, variance in zip(estimates[-2::-1], variances[-2::-1], strict=True):
        below = pooled[0].reshape(len(own), -1)
        of_children = below.shape[1] * spread[0]
        both = 1 / (1 / variance + 1 / of_children)
        pooled.insert(0, both * (own / variance + below.sum(axis=1) / of_children))
        spread.insert(0, both)
    parents = np.array([1.0])
    for level in pooled:
        # (parents, children): what the children lack, or have too much, is shared
        # evenly.
        below = level.reshape(len(parents), -1)
        lacking = parents - below.sum(axis=1)
        parents = (below + lacking[:, None] / below.shape[1]).ravel()
    return parents


def haar(epsilon: float, held: Counts, generator: Generator) -> Floats:
    """Of each node how much more its left half holds than its right one."""
    depth = CELLS.bit_length() - 1
    shares = np.array([1.0])
    for level, of_level in enumerate(spread(held, depth, generator)):
        # (nodes, 2): the holders of both halves.
        halves = of_level.reshape(1 << level, 2, -1).sum(axis=2)
        more = _hadamard_response(epsilon, halves, generator)
        shares = np.stack([(shares + more) / 2, (shares - more) / 2], axis=1).ravel()
    return shares


def _hadamard_response(epsilon: float, halves: Counts, generator: Generator) -> Floats:
    """Each respondent draws a row of the matrix, and says the sign there times its
    own.
    """
    nodes = len(halves)
    signs = hadamard(nodes)
    truth = np.exp(epsilon) / (np.exp(epsilon) + 1)
    # (nodes, 2, rows): respondents by the row they draw, and how many of them tell the
    # truth.
    rows = generator.multinomial(halves, np.full(nodes, 1 / nodes))
    signed = 2 * generator.binomial(rows, truth) - rows
    by_row = ((signed[:, 0] - signed[:, 1]) * signs).sum(axis=0)
    more: Floats = signs @ by_row / ((2 * truth - 1) * halves.sum())
    return more


def _levels() -> Iterator[int]:
    size = FANOUT
    while size <= CELLS:
        yield size
        size *= FANOUT


METHODS: dict[str, Method] = {
    "`arcs`": arcs(rising=False),
    "`arcs`, `monotone`": arcs(rising=True),
    "`square-wave`, `em`": square_wave("em"),
    "`square-wave`, `ems`": square_wave("ems"),
    "tree of 4 each, least squares": tree,
    "HaarHRR": haar,
    "AHEAD": ahead,
}

BIASED = ("`square-wave`, `em`", "`square-wave`, `ems`", "AHEAD")
"""Those whose bias is measured beside what varies by chance."""
