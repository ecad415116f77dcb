"""Clusters of people whom no one sees: `python examples/kmeans.py adult.data`.

K-means looks for a few centres such that everyone is near one of them. It needs no
single person, only how many there are in each place: a grid of cells will do. So each
device answers one question of type `table` with two fields, its age and its hours of
work, both in cells; the aggregator projects the unbiased shares of the cells to a table
that can be (`norm-sub`: biased, but without negative shares), and runs Lloyd's
algorithm on the middles of the cells, weighted by their shares. Everything after the
reports is post-processing and costs no epsilon.

What privacy and the grid cost is shown as the mean squared distance from people to
their nearest centre, over that of plain k-means on the true data. A finer grid costs
less by itself and more by its noise, so that at small epsilon, or with few people, a
coarse one wins.

The data are the UCI Adult extract of the census of 1994 (`adult.data`); without a file,
as many people are made up.
"""

import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ldp
import ldp_aggregator
import ldp_simulations
from ldp_aggregator import Options

Numbers = NDArray[np.float64]

AGES, HOURS = (17, 91), (1, 99)
LOW, HIGH = np.array([AGES, HOURS], dtype=np.float64).T
CENTRES, STARTS, STEPS = 4, 10, 100
EPSILONS = ("0.5", "1", "2", "4")
GRIDS = (8, 16)
SURVEYS = 9
PEOPLE = 32_000


def people_of(path: str) -> Numbers:
    """Everyone's age and hours of work a week, of shape (people, 2)."""
    rows = csv.reader(
        Path(path).read_text(encoding="utf-8").splitlines(), skipinitialspace=True
    )
    return np.array([(float(row[0]), float(row[12])) for row in rows if len(row) == 15])


def made_up(people: int = PEOPLE, seed: int = 1) -> Numbers:
    """The same of people who do not exist, about four centres."""
    generator = np.random.default_rng(seed)
    centres = np.array([(23.0, 20.0), (30, 45), (50, 42), (68, 15)])
    places = generator.choice(len(centres), people, p=(0.2, 0.4, 0.3, 0.1))
    around = generator.normal(centres[places], (5.0, 6.0))
    return np.asarray(np.rint(np.clip(around, LOW, HIGH - 1)), dtype=np.float64)


def survey_of(epsilon: str, cells: int) -> ldp.Survey:
    """One question: in which cell of the grid someone is."""
    fields = [
        ldp.field(
            "age", low=AGES[0], high=AGES[1], bins=cells, outside="clip", unit="years"
        ),
        ldp.field("hours", low=HOURS[0], high=HOURS[1], bins=cells, outside="clip"),
    ]
    return ldp.survey("work", ldp.question("who", fields=fields, epsilon=epsilon))


def answers_of(people: Numbers) -> dict[str, Numbers]:
    """The fields of everyone."""
    return {"age": people[:, 0], "hours": people[:, 1]}


def drawn_tallies(
    people: Numbers, survey: ldp.Survey, surveys: int
) -> Iterator[ldp_aggregator.Tally]:
    """Tallies of one report from everyone, by their exact law, which is sooner than the
    reports.
    """
    holders = ldp_simulations.from_table(survey, answers_of(people))["who"]
    generator = np.random.default_rng(1)
    for _ in range(surveys):
        tally = ldp_aggregator.Tally.empty(survey)
        tally.counts["who"] = ldp_simulations.sample_counts(
            survey["who"], holders, generator
        )
        yield tally


def clusters_of(tally: ldp_aggregator.Tally, cells: int) -> Numbers:
    """The centres of a grid whose cells weigh as much as their projected shares:
    (centres, 2).
    """
    estimates = ldp_aggregator.estimate(tally, options=Options(post_process="norm-sub"))
    return k_means(middles(cells), estimates["who"].frequency)


def middles(cells: int) -> Numbers:
    """Those of the cells, in parts of both ranges, the second varying fastest:
    (cells^2, 2).
    """
    along = (np.arange(cells) + 0.5) / cells
    return np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1).reshape(-1, 2)


def scaled(people: Numbers) -> Numbers:
    """In parts of both ranges, so that a year and an hour count about alike."""
    return np.asarray((people - LOW) / (HIGH - LOW), dtype=np.float64)


def nearest(points: Numbers, centres: Numbers) -> tuple[NDArray[np.int64], Numbers]:
    """The nearest centre of each point, and the square of its distance: (points,)
    both.
    """
    squares = ((points[:, None] - centres) ** 2).sum(axis=2)
    return squares.argmin(axis=1), squares.min(axis=1)


def k_means(points: Numbers, weights: Numbers, seed: int = 0) -> Numbers:
    """The best centres of some starts, by Lloyd's algorithm: (centres, 2)."""
    generator = np.random.default_rng(seed)
    points, weights = points[weights > 0], weights[weights > 0] / weights.sum()
    tried = []
    for _ in range(STARTS):
        centres = points[
            generator.choice(len(points), CENTRES, replace=False, p=weights)
        ]
        for _ in range(STEPS):
            places, _ = nearest(points, centres)
            masses = np.bincount(places, weights, CENTRES)
            sums = [np.bincount(places, weights * axis, CENTRES) for axis in points.T]
            # A centre that no one is near stays where it is.
            means = np.stack(sums, axis=1) / np.where(masses > 0, masses, 1)[:, None]
            moved = np.where(masses[:, None] > 0, means, centres)
            if np.allclose(moved, centres):
                break
            centres = moved
        tried.append((float(weights @ nearest(points, centres)[1]), centres))
    return min(tried, key=lambda start: start[0])[1]


def cost(people: Numbers, centres: Numbers) -> float:
    """The mean squared distance of people, in parts of both ranges, to their nearest
    centre.
    """
    return float(nearest(people, centres)[1].mean())


def shares(
    tally: ldp_aggregator.Tally, cells: int, centres: Numbers
) -> list[tuple[float, float]]:
    """The share of people about each centre, and its standard error.

    It is unbiased for cells that are chosen beforehand; that the centres went by the
    same reports is not in the error.
    """
    table = ldp_aggregator.crosstab(tally, "who").of(["age", "hours"])
    places, _ = nearest(middles(cells), centres)
    queries = (places == np.arange(len(centres))[:, None]).astype(np.float64)
    errors = np.sqrt(np.diag(table.covariance(queries)))
    return list(
        zip((queries @ table.frequency.ravel()).tolist(), errors.tolist(), strict=True)
    )


def costs(people: Numbers, epsilon: str, cells: int, surveys: int) -> list[float]:
    """Those of private centres, survey by survey."""
    tallies = drawn_tallies(people, survey_of(epsilon, cells), surveys)
    return [cost(scaled(people), clusters_of(tally, cells)) for tally in tallies]


def main(path: str | None = None, people: int = PEOPLE, surveys: int = SURVEYS) -> None:
    """Print what private clusters cost, and those of one survey."""
    true = made_up(people) if path is None else people_of(path)
    points, holders = np.unique(scaled(true), axis=0, return_counts=True)
    least = cost(scaled(true), k_means(points, holders.astype(np.float64)))
    print(f"{len(true):,} people, {CENTRES} centres; costs over that of plain k-means:")
    for cells in GRIDS:
        ages, hours = scaled(true).T
        grid, *_ = np.histogram2d(ages, hours, bins=cells, range=((0, 1), (0, 1)))
        alone = cost(scaled(true), k_means(middles(cells), grid.ravel())) / least
        print(f"in the clear, {cells} x {cells} cells: {alone:.2f}")
    for epsilon, cells in product(EPSILONS, GRIDS):
        ratios = np.array(costs(true, epsilon, cells, surveys=surveys)) / least
        middle, low, high = np.median(ratios), ratios.min(), ratios.max()
        spread = f"median {middle:.2f}, from {low:.2f} to {high:.2f}"
        print(f"epsilon {epsilon}, {cells} x {cells} cells: {spread}")
    survey, cells = survey_of("2", GRIDS[0]), GRIDS[0]
    reports = ldp_simulations.randomize(survey, answers_of(true), seed=1)
    tally = ldp_aggregator.aggregate(survey, reports)
    centres = clusters_of(tally, cells)
    print(f"one survey at epsilon 2, {cells} x {cells} cells:")
    about = zip(
        LOW + centres * (HIGH - LOW), shares(tally, cells, centres), strict=True
    )
    for (age, hours), (share, error) in about:
        print(
            f"  age {age:.0f}, {hours:.0f} hours: {100 * share:.1f} % +- "
            f"{100 * error:.1f}"
        )


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python examples/kmeans.py [adult.data]")
    main(sys.argv[1] if len(sys.argv) == 2 else None)
