"""Districts of a map: what they have of its cells, their shares, pictures, and bad
files.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from features import collection, district, ring

import ldp
import ldp_aggregator
import ldp_simulations as sim
from ldp.errors import EstimateError
from ldp_aggregator import MapOptions, Options, read_geography
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.maps.geojson import geography_of
from ldp_aggregator.commands.main import main
from ldp_aggregator.output.files import FileError
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

SEED = 20261123
EDGES = np.arange(5.0)
"""Of a map of 4 x 4 cells, each 1 x 1."""


WEST = district("West", ring((0, 0), (2, 0), (2, 4), (0, 4)))
"""Of whole cells."""
TRIANGLE = district("Triangle", ring((0, 0), (4, 0), (4, 4)))
"""Below the diagonal, which halves four cells."""
FRAME = district(
    "Frame",
    ring((0, 0), (4, 0), (4, 4), (0, 4)),
    ring((0.5, 0.5), (3.5, 0.5), (3.5, 3.5), (0.5, 3.5)),
)
"""All but a square in its middle."""
ALL = collection(WEST, TRIANGLE, FRAME)


def surveyed(goal="rectangles", epsilon=2, cells=4):
    axis = {"low": 0, "high": cells, "outside": "clip"}
    return ldp.survey(
        "city",
        ldp.question("home", x=axis, y=axis, cells=cells, goal=goal, epsilon=epsilon),
    )


def estimated(question, held, seed=SEED, **options):
    holders = Holders(question.domain.values, held)
    counts = sample_counts(question, holders, np.random.default_rng(seed))
    return estimate_question(question, counts, Options(**options))


def test_districts_have_shares_of_cells():
    """Exactly: halves along a diagonal; of a frame, 3/4 at its corners and halves at
    its sides.
    """
    parts = geography_of(ALL).parts(EDGES, EDGES)
    west, triangle, frame = parts.counted.reshape(3, 4, 4)
    np.testing.assert_array_equal(west, [[1] * 4] * 2 + [[0] * 4] * 2)
    np.testing.assert_allclose(triangle, np.tri(4, k=-1) + np.eye(4) / 2)
    sides = [[0.75, 0.5, 0.5, 0.75], [0.5, 0, 0, 0.5]]
    np.testing.assert_allclose(frame, [*sides, *sides[::-1]])
    # By area in cells that are cut: none; 2 of 8; all.
    np.testing.assert_allclose(parts.cut, [0, 0.25, 1])
    np.testing.assert_array_equal(parts.within.sum(axis=1), [8, 6, 0])
    np.testing.assert_array_equal(parts.touched.sum(axis=1), [8, 10, 12])


def test_districts_have_cells_by_their_middles():
    """Each cell is in one district of two that share a border, also where it has the
    middles.
    """
    halves = collection(
        TRIANGLE,
        district("Other", ring((0, 0), (4, 4), (0, 4))),
        district("Far", ring((3, 3), (9, 3), (9, 9))),
    )
    parts = geography_of(halves, by="centre").parts(EDGES, EDGES)
    np.testing.assert_array_equal(parts.counted[:2].sum(axis=0), np.ones(16))
    assert set(np.unique(parts.counted)) == {0.0, 1.0}
    assert parts.cut[2] == pytest.approx(1)


def test_several_polygons_are_one_district():
    several = district("Islands", [])
    several["geometry"] = {
        "type": "MultiPolygon",
        "coordinates": [
            [ring((0, 0), (1, 0), (1, 1), (0, 1))],
            [ring((2, 2), (4, 2), (4, 3), (2, 3))],
        ],
    }
    geography = geography_of(collection(several))
    assert geography.parts(EDGES, EDGES).counted.sum() == pytest.approx(3)
    assert [border.shape for border in geography.outlines] == [(5, 2), (5, 2)]


@pytest.mark.parametrize("goal", ["map", "rectangles"])
@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_shares_of_districts_have_right_errors(goal, estimand):
    """Mean z^2 over 300 surveys of 2,000 within 5 standard errors of 1, so errors
    within 20 %.

    What is estimated is the share of cells as they are counted.
    """
    question = surveyed(goal=goal, epsilon=1)["home"]
    generator = np.random.default_rng(SEED)
    law = generator.dirichlet(np.ones(16) / 2)
    geography = geography_of(ALL)
    counted = geography.parts(EDGES, EDGES).counted
    squares = []
    for seed in range(300):
        held = generator.multinomial(2_000, law)
        truth = counted @ (held / 2_000 if estimand == "respondents" else law)
        known = estimated(
            question,
            held,
            seed,
            maps=MapOptions(geography=geography),
            estimand=estimand,
        )
        errors = [
            (share.frequency - of_district) / share.standard_error
            for share, of_district in zip(known.shown_districts, truth, strict=True)
        ]
        squares.append(np.square(errors))
    assert np.mean(squares, axis=0) == pytest.approx(
        np.ones(3), abs=5 * np.sqrt(2 / 300)
    )


def test_the_sure_interval_has_the_district_itself():
    """Even where all who live in cut cells live on one side of the border; the other
    has not.
    """
    question = surveyed()["home"]
    held = np.zeros((4, 4), dtype=np.int64)
    held[[0, 1, 2, 3], [0, 1, 2, 3]] = 10_000
    held[3, 0] = 10_000
    _, triangle, _ = estimated(question, held.ravel()).districts(geography_of(ALL))
    assert triangle.is_approximate
    assert triangle.cut == pytest.approx(0.25)
    for truth in (0.2, 0.6, 1.0):
        assert triangle.surely_low < truth <= triangle.surely_high
    assert triangle.low < 0.6 < triangle.high
    assert not triangle.low < 0.2
    west, *_ = estimated(question, held.ravel()).districts(geography_of(ALL))
    assert not west.is_approximate
    assert (west.surely_low, west.surely_high) == (west.low, west.high)


def test_a_district_of_whole_cells_is_a_rectangle():
    question = surveyed()["home"]
    known = estimated(question, np.arange(16) * 500)
    west = known.districts(geography_of(collection(WEST)))[0]
    rectangle = known.rectangle(x=(0, 2), y=(0, 4))
    assert west.frequency == pytest.approx(rectangle.frequency)
    assert west.standard_error == pytest.approx(rectangle.standard_error)


def test_cut_cells_are_remarked_on():
    question = surveyed()["home"]
    known = estimated(
        question, np.full(16, 500), maps=MapOptions(geography=geography_of(ALL))
    )
    (remark,) = [remark for remark in known.remarks if remark.name == "cut-cells"]
    assert remark.text.startswith("2 of 3 districts are approximate")
    assert "Triangle (approximate)" in repr(known)
    assert [row["value"] for row in known.rows()][-3:] == ["West", "Triangle", "Frame"]
    whole = estimated(
        question,
        np.full(16, 500),
        maps=MapOptions(geography=geography_of(collection(WEST))),
    )
    assert not [remark for remark in whole.remarks if remark.name == "cut-cells"]
    assert "approximate" not in repr(whole)


BAD = {
    "a list": ([1], "expected a FeatureCollection, got [1]"),
    "another type": (
        {"type": "Topology"},
        "expected a FeatureCollection, got 'Topology'",
    ),
    "no features": (collection(), "one district or more, got none"),
    "no feature": (
        collection({"type": "Polygon"}),
        "feature 1: expected a Feature, got 'Polygon'",
    ),
    "no name": (
        collection(
            {
                "type": "Feature",
                "properties": {"NAME_1": "Bern", "id": 3},
                "geometry": None,
            }
        ),
        "its properties are NAME_1, id (--district-name says",
    ),
    "two of a name": (
        collection(WEST, WEST),
        "a name for each district, got 'West' 2 times",
    ),
    "no geometry": (
        collection({**WEST, "geometry": None}),
        "district 'West': expected a geometry",
    ),
    "a point": (
        collection({**WEST, "geometry": {"type": "Point", "coordinates": [0, 0]}}),
        "a Polygon or a MultiPolygon, got 'Point'",
    ),
    "no coordinates": (
        collection({**WEST, "geometry": {"type": "Polygon"}}),
        "district 'West': expected a polygon with a border, got none",
    ),
    "open": (
        collection(district("West", [[0, 0], [1, 0], [1, 1], [0, 1]])),
        "the last of which is the first, got one of 4",
    ),
    "text": (
        collection(district("West", [["a", 0], [1, 0], [1, 1], ["a", 0]])),
        "district 'West': expected corners such as [8.54, 47.37], got ['a', 0]",
    ),
    "no number": (
        collection(district("West", [[float("nan"), 0], [1, 0], [1, 1], [0, 0]])),
        "expected corners such as",
    ),
    "crossed": (
        collection(district("West", ring((0, 0), (1, 1), (1, 0), (0, 1)))),
        "district 'West': expected borders that do not cross themselves",
    ),
}


@pytest.mark.parametrize(("content", "problem"), BAD.values(), ids=BAD)
def test_what_is_wrong_with_a_file_is_said(tmp_path, content, problem):
    """With the file and the district."""
    path = tmp_path / "districts.geojson"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(EstimateError) as raised:
        read_geography(path)
    assert problem in str(raised.value)
    assert str(raised.value).startswith(str(path))


@pytest.mark.parametrize(
    ("length", "shown"), [(33, f"['{'a' * 33}', 0]"), (34, f"['{'a' * 34}', …")]
)
def test_a_corner_that_is_none_is_shown_up_to_forty_characters(length, shown):
    """The last of them says that there is more."""
    corners = [["a" * length, 0], [1, 0], [1, 1], ["a" * length, 0]]
    with pytest.raises(EstimateError) as raised:
        geography_of(collection(district("West", corners)))
    assert str(raised.value).endswith(f" got {shown}")


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "districts.geojson"
    for content in (b"{", b"\xff\xfe", b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(EstimateError, match="expected GeoJSON, got no JSON"):
            read_geography(path)
    with pytest.raises(FileError, match="No such file: "):
        read_geography(tmp_path / "none")
    with pytest.raises(
        EstimateError, match="expected districts by area or centre, got 'eye'"
    ):
        geography_of(ALL, by="eye")


def test_districts_beyond_the_map_are_refused():
    far = geography_of(
        collection(district("Bern", ring((740, 46), (750, 46), (750, 47))))
    )
    question = surveyed()["home"]
    with pytest.raises(
        EstimateError, match=r"x from 0 to 4 .* got ones with x from 740 to 750"
    ):
        estimated(question, np.full(16, 500)).districts(far)


def test_other_questions_have_no_districts():
    survey = ldp.survey("city", ldp.question("hours", low=0, high=9, epsilon=1))
    reports = sim.randomize(survey, {"hours": [1, 2, 3]})
    with pytest.raises(
        EstimateError, match="names in the file, for districts, got none"
    ):
        ldp_aggregator.estimate(
            survey,
            reports,
            options=Options(maps=MapOptions(geography=geography_of(ALL))),
        )


def test_pictures_have_their_borders():
    known = estimated(
        surveyed(goal="map")["home"],
        np.full(16, 500),
        maps=MapOptions(geography=geography_of(ALL)),
    )
    axis = known.plot().axes[0]
    # Every border is drawn twice; the frame has two.
    assert len(axis.lines) == 8
    assert axis.get_xlim() == (0, 4)
    assert len(known.map(2, 2).outlines) == 4


def test_the_command_shows_districts(tmp_path):
    survey = surveyed()
    (tmp_path / "city.toml").write_text(survey.to_toml())
    generator = np.random.default_rng(SEED)
    places = generator.uniform(0, 4, (3_000, 2)).tolist()
    people = {"home": [(x, y) for x, y in places]}
    (tmp_path / "reports").write_bytes(sim.randomize(survey, people, seed=SEED))
    features = collection(
        *(
            district("", *f["geometry"]["coordinates"], code=i)
            for i, f in enumerate(ALL["features"])
        )
    )
    (tmp_path / "districts.geojson").write_text(json.dumps(features))
    files = [str(tmp_path / name) for name in ("city.toml", "reports")]
    asked = [
        "--geography",
        str(tmp_path / "districts.geojson"),
        "--district-name",
        "code",
    ]
    command = ["estimate", *files, *asked, "--districts-by", "centre", "--quiet"]
    result = CliRunner().invoke(main, [*command, "--format", "json"])
    assert result.exit_code == 0, result.output
    record = json.loads(result.output)["questions"]["home"]
    assert [one["district"] for one in record["districts"]] == ["0", "1", "2"]
    first = record["districts"][0]
    assert Fraction(first["cut"]) == 0
    assert first["surely"] == first["interval"]
    assert abs(first["frequency"] - 0.5) < 5 * first["standard_error"]
    shown = CliRunner().invoke(main, command)
    assert "1 (approximate)" in shown.output
    assert "whose middles are within" in shown.output
    refused = CliRunner().invoke(main, ["estimate", *files, *asked[:2], "--quiet"])
    assert refused.exit_code != 0
    assert "its properties are name, code" in refused.output
