"""Native countries and their regions of 32,561 people of the UCI Adult data.

The data lie beside the checkout, in shared/data/adult.data; without them these tests
are skipped.
"""

import csv
from collections import Counter

import numpy as np
import pytest
from places import DATA as FOREIGN

import ldp
from ldp_aggregator import estimate
from ldp_aggregator.output.files import read_survey
from ldp_simulations import from_table, randomize, simulate

DATA = FOREIGN / "adult.data"
COUNTRY = 13
REGIONS = {
    "Asia": (
        "Cambodia China Hong India Iran Japan Laos Philippines Taiwan Thailand Vietnam"
    ),
    "Caribbean": "Cuba Dominican-Republic Haiti Jamaica Puerto-Rico Trinadad&Tobago",
    "Central America": "El-Salvador Guatemala Honduras Mexico Nicaragua",
    "South America": "Columbia Ecuador Peru",
    "Europe": "England France Germany Greece Holand-Netherlands Hungary Ireland Italy "
    "Poland Portugal Scotland Yugoslavia",
    "North America": "Canada United-States Outlying-US(Guam-USVI-etc)",
}
"""Without a region: those who say South, and those who do not say."""

pytestmark = pytest.mark.needs("adult.data")


@pytest.fixture(scope="module")
def countries():
    with DATA.open(encoding="utf-8") as file:
        return [row[COUNTRY].strip() for row in csv.reader(file) if row]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """The survey of a file, whose tree is in another."""
    folder = tmp_path_factory.mktemp("adult")
    pairs = [
        f"{child},{region}"
        for region, names in REGIONS.items()
        for child in names.split()
    ]
    (folder / "countries.csv").write_text(
        "\n".join(["child,parent", *pairs, "South,", "?,"])
    )
    path = folder / "survey.toml"
    path.write_text(
        '[survey]\nname = "adult"\n[[question]]\nname = "born"\ntype = "category"\n'
        'file = "countries.csv"\nlevels = ["region", "country"]\nmechanism = '
        '"auto"\nepsilon = 2\n'
    )
    return read_survey(path)


def test_regions_and_countries(survey, countries):
    """Each within 5 standard errors of the truth, all that were born there; sums add
    up.
    """
    born = estimate(survey, randomize(survey, {"born": countries}, seed=1))["born"]
    truth = Counter(countries)
    for region, names in REGIONS.items():
        true = sum(truth[name] for name in names.split()) / len(countries)
        assert abs(born[region].frequency - true) < 5 * born[region].standard_error
        below = sum(born[name].frequency for name in names.split())
        assert born[region].frequency == pytest.approx(below, abs=1e-12)
    for name, count in truth.items():
        assert (
            abs(born[name].frequency - count / len(countries))
            < 5 * born[name].standard_error
        )
    assert born.nodes("region").frequency.sum() == pytest.approx(1)


def test_intervals_of_skewed_answers(survey, countries):
    """Nine tenths are of one country: of 100 surveys, seed 3, intervals hold .95 +-
    .02.

    And z^2 is 1 +- .1, so that a variance that is a fifth off would be seen.
    """
    runs = simulate(
        survey, from_table(survey, {"born": countries}), runs=100, seed=3
    ).runs["born"]
    z = (runs.frequency - runs.truth) / runs.standard_error
    assert np.mean(runs.coverage) == pytest.approx(0.95, abs=0.02)
    assert np.mean(z**2) == pytest.approx(1, abs=0.1)


def test_regions_are_better_known_than_by_countries_alone(survey, countries):
    """A fifth of the people on regions: the error of Asia and Europe is a good deal
    smaller.
    """
    flat = ldp.parse_survey(
        survey.to_toml().replace("epsilon = 2", "epsilon = 2\nshares = [0]")
    )
    people = {"born": countries}
    with_regions, without = (
        estimate(some, randomize(some, people))["born"] for some in (survey, flat)
    )
    for region in ("Asia", "Europe"):
        assert (
            with_regions[region].standard_error < 0.8 * without[region].standard_error
        )
