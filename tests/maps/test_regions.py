"""Cells of a public geography: names in surveys, maps of districts, files, and the
page.
"""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from features import collection, district, ring
from pages import TOKEN, UPLOADING, service_of, visitor

import ldp
from ldp.errors import EstimateError, SurveyError
from ldp_aggregator import MapOptions, Options, read_geography
from ldp_aggregator.answers.estimates.applicable import check_asked
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.maps.geojson import geography_of
from ldp_aggregator.commands.main import main
from ldp_aggregator.output.files import read_survey
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_client import Client, report_bytes
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

SEED = 20261124


def turned(border):
    """Twice the area within a border: below 0 if it goes clockwise."""
    x, y = border.T
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum())


WEST = district("West", ring((0, 0), (2, 0), (2, 4), (0, 4)))
TRIANGLE = district("Triangle", ring((0, 0), (4, 0), (4, 4)))
EAST = district(
    "East", ring((2, 0), (4, 0), (4, 4), (2, 4)), ring((3, 1), (3, 2), (3.5, 2))
)
BOTH = collection(WEST, EAST)
SURVEY = """
[survey]
name = "city"

[[question]]
name = "home"
type = "place"
cells = "districts.geojson"
goal = "map"
mechanism = "auto"
epsilon = 2
"""
LISTED = SURVEY.replace('"districts.geojson"', '["West", "East", "Abroad"]')


def files(folder, shapes=BOTH, text=SURVEY):
    (folder / "districts.geojson").write_text(json.dumps(shapes), encoding="utf-8")
    (folder / "survey.toml").write_text(text, encoding="utf-8")
    return folder / "survey.toml"


def estimated(question, held, **options):
    holders = Holders(question.domain.values, np.array(held))
    counts = sample_counts(question, holders, np.random.default_rng(SEED))
    return estimate_question(question, counts, Options(**options))


def test_cells_have_the_names_of_a_file(tmp_path):
    """In the file's order; the survey is that of a category with these values."""
    asked = read_survey(files(tmp_path))["home"]
    assert asked.domain.values == ("West", "East")
    same = ldp.survey("city", ldp.question("home", ["West", "East"], epsilon=2))["home"]
    assert asked.fingerprint == same.fingerprint
    again = ldp.parse_survey(ldp.survey("city", asked).to_toml())["home"]
    assert again.fingerprint == asked.fingerprint
    by_code = collection(
        district("West", WEST["geometry"]["coordinates"][0], code=1), EAST
    )
    by_code["features"][1]["properties"]["code"] = 2
    coded = files(tmp_path, by_code, SURVEY.replace("goal", 'by = "code"\ngoal'))
    assert read_survey(coded)["home"].domain.values == ("1", "2")


def test_cells_may_be_listed():
    listed = ldp.parse_survey(LISTED)["home"]
    assert listed.domain.values == ("West", "East", "Abroad")
    declared = ldp.question(
        "home", cells=["West", "East", "Abroad"], goal="map", epsilon=2
    )
    assert ldp.survey("city", declared)["home"].fingerprint == listed.fingerprint
    assert Client(ldp.survey("city", declared)).record("home", "East") is not None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "GeoJSON, a collection of features that have the property 'name'"),
        ("[]", "GeoJSON, a collection of features"),
        (json.dumps(collection(WEST, WEST)), "values that all differ"),
        (json.dumps(collection(WEST)), "2 to 16384 values"),
        (
            json.dumps({"features": [{"properties": {"code": 1}}] * 2}),
            "have the property 'name'",
        ),
    ],
)
def test_files_without_names_are_refused(tmp_path, content, expected):
    path = files(tmp_path)
    (tmp_path / "districts.geojson").write_text(content, encoding="utf-8")
    with pytest.raises(SurveyError, match=re.escape(expected)):
        read_survey(path)


def test_a_file_needs_a_survey_beside_it():
    with pytest.raises(SurveyError, match="the name of a GeoJSON file beside it"):
        ldp.parse_survey(SURVEY)


def test_districts_that_values_name_are_on_a_map():
    """With the shares, errors and intervals of the values, whatever the file's order
    is.
    """
    question = ldp.parse_survey(LISTED)["home"]
    geography = geography_of(collection(TRIANGLE, EAST, WEST))
    answered = estimated(
        question, [5_000, 0, 5_000], maps=MapOptions(geography=geography)
    )
    regions = answered.regions
    assert regions.names == ("East", "West")
    assert regions.missing == 1
    assert regions.estimate.tolist() == [
        answered["East"].frequency,
        answered["West"].frequency,
    ]
    assert regions.low.tolist() == [answered["East"].low, answered["West"].low]
    assert regions.told.tolist() == [False, True]
    first, second = regions.geojson()["features"]
    assert first["properties"]["name"] == "East"
    assert second["properties"]["share"] == answered["West"].frequency
    assert second["properties"]["told_from_zero"]
    assert len(first["geometry"]["coordinates"]) == 2  # a hole
    assert geography.name_at(1, 3) == "West"
    assert geography.name_at(9, 9) is None


def test_questions_about_others_have_no_such_map():
    geography = geography_of(BOTH)
    fruit = ldp.survey(
        "x", ldp.question("fruit", ["apple", "West", "pear"], epsilon=1)
    )["fruit"]
    with pytest.raises(
        EstimateError, match="values are names in the file, for districts, got no"
    ):
        check_asked([fruit], Options(maps=MapOptions(geography=geography)))
    number = ldp.survey("x", ldp.question("n", low=0, high=9, epsilon=1))["n"]
    assert not geography.is_named_by(number.domain)
    empty = estimate_question(
        ldp.parse_survey(LISTED)["home"],
        empty_counts(ldp.parse_survey(LISTED)["home"].layout),
        Options(maps=MapOptions(geography=geography)),
    )
    assert empty.reports == 0


def test_pictures_have_every_district():
    """A filled path for each, and one more that hatches those that may be empty."""
    question = ldp.parse_survey(LISTED)["home"]
    answered = estimated(
        question, [5_000, 0, 5_000], maps=MapOptions(geography=geography_of(BOTH))
    )
    picture = answered.picture("svg").decode()
    assert "hatched: not told from 0" in picture
    assert "1 values not on it" in picture
    figure = answered.regions.plot()
    filled, hatched = figure.axes[0].collections
    assert (len(filled.get_paths()), len(hatched.get_paths())) == (2, 1)
    # Borders around holes go the other way round, so that holes stay empty.
    outer, hole = answered.regions.rings[1]
    assert turned(outer) * turned(hole) < 0


def test_the_command_line_reads_borders(tmp_path):
    path = files(tmp_path)
    survey = read_survey(path)
    client = [Client(survey) for _ in range(50)]
    reports = [one.record("home", "West") for one in client]
    (tmp_path / "reports").write_bytes(report_bytes(reports))
    where = ["--geography", str(tmp_path / "districts.geojson")]
    cells = tmp_path / "cells.geojson"
    command = [
        "estimate",
        str(path),
        str(tmp_path / "reports"),
        *where,
        "--cells",
        str(cells),
    ]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    written = json.loads(cells.read_text(encoding="utf-8"))
    assert [one["properties"]["name"] for one in written["features"]] == [
        "West",
        "East",
    ]
    assert read_geography(cells).names == ("West", "East")


def test_the_page_has_districts_and_borders(tmp_path):
    """Of named cells a map; of a grid the borders over it, and a table."""
    grid = (
        '[[question]]\nname = "work"\ntype = "place"\nx = { low = 0, high = 4 }\n'
        'y = { low = 0, high = 4 }\ncells = 4\ngoal = "rectangles"\nmechanism = '
        '"auto"\n'
        "epsilon = 2\n"
    )
    text = LISTED + grid
    survey = ldp.parse_survey(text)
    reports = []
    for number in range(200):
        client = Client(survey)
        where = (number % 4, 1)
        reports += [client.record("home", "West"), client.record("work", where)]
    geography = geography_of(BOTH)
    with service_of(text, folder=tmp_path, geography=geography) as service:
        sent = visitor(service, UPLOADING).post(
            "/v1/reports", content=report_bytes(reports)
        )
        assert sent.status_code < 300
        page = visitor(service, TOKEN).get("/").text
        record = visitor(service, TOKEN).get("/v1/surveys/city/estimates").json()
        alone = (
            visitor(service, TOKEN)
            .get("/v1/surveys/city/estimates?question=home")
            .json()
        )
    assert 'id="districts-work"' in page
    assert "2 districts, the darkest with the least share" in page
    # Of the map of named cells at least one path each; of the grid the borders.
    assert page.count('class="border"') >= 3
    of_grid = record["questions"]["work"]["districts"]
    assert [one["district"] for one in of_grid] == ["West", "East"]
    assert "districts" not in alone["questions"]["home"]
