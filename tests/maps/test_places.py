"""Questions of type place: their keys and answers, and maps, rectangles and files of
results.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import ldp
import ldp_aggregator
import ldp_simulations as sim
from ldp.errors import AnswerError, EstimateError, SurveyError
from ldp.survey.compiled import compile_survey
from ldp_aggregator import MapOptions, Options
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.maps import table_cells
from ldp_aggregator.answers.requests import rectangle_of, zoom_of
from ldp_aggregator.commands.main import main
from ldp_aggregator.output.pictures.maps import COLOURS
from ldp_aggregator.output.pictures.picture import chart
from ldp_client import Client
from ldp_client.tools.codegen import module
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

SEED = 20261123
NORTH = {"name": "north", "low": 45, "high": 49, "outside": "clip", "missing": ["-"]}


def home(goal="rectangles", cells=8, epsilon=2, **keys):
    keys = {"x": (4, 8), "y": NORTH, **keys}
    return ldp.question("home", cells=cells, goal=goal, epsilon=epsilon, **keys)


def surveyed(**keys):
    return ldp.survey("city", home(**keys))


def shares(side):
    """Most live about one place, and nobody on the right edge."""
    x, y = np.mgrid[:side, :side] / side
    weights = np.exp(-((x - 0.3) ** 2 + (y - 0.6) ** 2) / 0.03)
    weights[-1] = 0
    return (weights / weights.sum()).ravel()


def estimated(question, respondents=100_000, options=None, seed=SEED):
    """Estimates of `respondents`, and the shares that they hold, of shape (x, y)."""
    side = question.domain.fields[0].size
    generator = np.random.default_rng(seed)
    holders = generator.multinomial(respondents, shares(side))
    everybody = Holders(question.domain.values, holders)
    counts = sample_counts(question, everybody, generator)
    estimates = estimate_question(question, counts, options or Options())
    return estimates, holders.reshape(side, side) / respondents


def test_axes_have_the_keys_of_numbers():
    survey = surveyed()
    x, y = survey["home"].domain.fields
    assert (x.name, y.name) == ("x", "north")
    assert y.domain.scale.outside == "clip"
    assert (
        repr(survey["home"])
        == "<Question 'home': place of x (8) x north (8); pyramid, epsilon 2>"
    )
    assert ldp.parse_survey(survey.to_toml()) == survey
    assert compile_survey(survey)["questions"][0]["type"] == "place"
    text = (
        '[survey]\nname = "city"\n[[question]]\nname = "home"\ntype = "place"\ncells = '
        "8\n"
        'goal = "rectangles"\nmechanism = "auto"\nepsilon = 2\n[question.x]\nlow = '
        "4\nhigh = 8\n"
        '[question.y]\nname = "north"\nlow = 45\nhigh = 49\noutside = "clip"\nmissing '
        '= ["-"]\n'
    )
    assert ldp.parse_survey(text).fingerprint == survey.fingerprint


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"cells": 12}, "cells: expected a power of two from 2 to 64, got 12"),
        ({"cells": 128}, "cells: expected a whole number from 2 to 64"),
        ({"x": (3, 4, 5)}, "x: expected a table [x]"),
        ({"x": [3, 3]}, "x.high: expected a number above 3"),
        ({"x": (3, 3)}, "x.high: expected a number above 3"),
        (
            {"x": {"low": 0, "high": 1, "bins": 4}},
            "x.bins: expected nothing: `cells` gives it",
        ),
        ({"x": {"low": 0, "high": 1, "wide": 4}}, "x.wide: expected"),
        (
            {"x": {"name": "north", "low": 0, "high": 1}},
            "y: expected a name that differs",
        ),
        ({"per_device": "last"}, "per_device: expected nothing"),
        ({"goal": "mean"}, "mechanism: expected"),
        ({"circular": True}, "circular: expected nothing"),
    ],
)
def test_what_does_not_go_with_places(keys, problem):
    with pytest.raises(SurveyError) as raised:
        surveyed(**keys)
    assert problem in str(raised.value)


def test_maps_are_of_places():
    with pytest.raises(
        SurveyError, match="goal: expected map for a question of type place alone"
    ):
        ldp.survey("city", ldp.question("hours", low=0, high=9, goal="map", epsilon=1))
    with pytest.raises(SurveyError, match="a question of type place for pyramid"):
        ldp.survey(
            "city", ldp.question("hours", low=0, high=9, mechanism="pyramid", epsilon=1)
        )


def test_an_answer_is_a_pair_or_has_names():
    domain = surveyed()["home"].domain
    cell = 8 * 3 + 6
    for answer in (
        (5.5, 48),
        [5.5, 48.4],
        {"x": "5.9", "north": 48},
        {"north": 48, "x": 5.5},
    ):
        given = answer
        if isinstance(answer, dict):
            given = {name: float(number) for name, number in answer.items()}
        assert domain.value(given) == cell
    assert domain.value((8, 60)) == 63
    for wrong in ((5.5,), (3.9, 48), {"x": 1}, "5.5, 48", (5.5, "48"), 7):
        with pytest.raises(AnswerError) as raised:
            domain.value(wrong)
        assert "5.5" not in str(raised.value)


def test_a_device_charges_for_a_place():
    survey = surveyed()
    client = Client(survey)
    assert client.record("home", (5.5, 48)) is not None


def test_tables_of_answers_have_a_column_for_each_axis():
    """Or one with pairs; what is missing on one axis alone is refused."""
    survey = surveyed()
    columns = {"x": [5.5, 6.0, None], "north": [48, 60, "-"]}
    by_axis = sim.randomize(survey, columns)
    pairs = sim.randomize(survey, {"home": [(5.5, 48), (6.0, 60)]})
    assert ldp_aggregator.aggregate(survey, by_axis).counts["home"].sum() == 2
    assert ldp_aggregator.aggregate(survey, pairs).counts["home"].sum() == 2
    with pytest.raises(sim.AnswersError, match="answers to all of x, north"):
        sim.randomize(survey, {"x": [5.5], "north": [None]})


def test_a_module_has_an_argument_for_each_axis():
    text = module(surveyed())
    assert (
        "def record_home(client: EmbeddedClient, *, x: float, north: float) -> "
        "RecordOutcome:"
    ) in text


@pytest.mark.parametrize("goal", ["map", "rectangles"])
def test_rectangles_and_zooms_hold_the_truth(goal):
    """Within 5 standard errors; 1 % of the map away would be seen, in a rectangle or
    cell.
    """
    question = surveyed(goal=goal)["home"]
    estimates, truth = estimated(question)
    rectangle = estimates.rectangle(x=(5, "6.5"), y=(46, 49))
    assert (
        abs(rectangle.frequency - truth[2:5, 2:].sum()) < 5 * rectangle.standard_error
    )
    assert rectangle.range == "[5, 6.5) & [46, 49]"
    assert rectangle.low < rectangle.frequency < rectangle.high
    for cells in ((8, 8), (4, 2), (1, 8)):
        shown = estimates.map(*cells)
        assert shown.shape == cells
        summed = truth.reshape(cells[0], 8 // cells[0], cells[1], 8 // cells[1]).sum(
            axis=(1, 3)
        )
        assert (np.abs(shown.estimate - summed) < 5 * shown.standard_error).all()
        assert shown.estimate.sum() == pytest.approx(1, abs=0.05)
    everything = estimates.rectangle(x=(4, 8), y=(45, 49))
    assert everything.frequency == pytest.approx(1, abs=0.05)
    assert estimates.rectangle(x=(0, 3), y=(45, 49)).frequency == 0


def test_rectangles_of_pyramids_err_less_than_sums_of_cells():
    """Of a quarter of 32 x 32 cells: a third of the error, or less."""
    wide = [
        estimated(surveyed(goal=goal, cells=32)["home"])[0].rectangle(
            x=(4, 6), y=(47, 49)
        )
        for goal in ("rectangles", "map")
    ]
    assert wide[0].standard_error < wide[1].standard_error / 2


def test_the_zoom_that_is_shown_is_the_finest_that_shows():
    """More respondents see more; any other zoom may be asked for."""
    question = surveyed(cells=32)["home"]
    few, _ = estimated(question, 10_000)
    many, _ = estimated(question, 1_000_000)
    assert few.places.shown_view == (2, 2) or few.places.shown_view == (1, 1)
    assert many.places.shown_view > few.places.shown_view
    assert len(many) == many.map().estimate.size
    chosen, _ = estimated(question, options=Options(maps=MapOptions(zoom=(2, 16))))
    assert len(chosen) == 32
    assert chosen.values[0] == "[4, 6) & [45, 45.25)"
    everything, _ = estimated(question, options=Options(frequencies=True))
    assert len(everything) == 1024


def test_shown_cells_and_their_map_agree():
    """The map has the numbers and intervals of the values that are shown."""
    estimates, _ = estimated(surveyed(goal="map")["home"])
    shown = estimates.map()
    assert shown.shape == (8, 8)
    np.testing.assert_array_equal(shown.estimate.ravel(), estimates.frequency)
    np.testing.assert_array_equal(shown.low.ravel(), estimates.low)
    normed, _ = estimated(
        surveyed(goal="map")["home"], options=Options(post_process="norm-sub")
    )
    assert normed.map().post_process == "norm-sub"
    assert normed.map().bars().caption.endswith("interval); norm-sub: biased")
    assert shown.bars().caption.endswith("interval)")
    assert normed.map().estimate.min() >= 0
    pyramid, _ = estimated(surveyed()["home"])
    assert pyramid.map().shape == tuple(
        1 << halved for halved in pyramid.places.shown_view
    )
    assert pyramid.top(3).map().shape == pyramid.map().shape


@pytest.mark.parametrize("mechanism", ["auto", "ss", "pgr"])
def test_products_of_scores_need_no_table(mechanism, monkeypatch):
    """From how values are supported, errors are those of the table, but for how reports
    fell.
    """
    if mechanism == "auto":
        keys = {"goal": "map"}
    else:
        keys = {"goal": None, "mechanism": mechanism}
    question = surveyed(**keys)["home"]
    estimates, _ = estimated(question, 200_000)
    queries = np.kron(np.eye(4).repeat(2, axis=1), np.eye(4).repeat(2, axis=1))
    by_table = estimates.places.queries.answer(queries)
    covariance = estimates.places.queries.covariance(queries)
    monkeypatch.setattr(table_cells, "MOST_CELLS", 1)
    bare, _ = estimated(question, 200_000)
    by_support = bare.places.queries.answer(queries)
    np.testing.assert_allclose(by_support.errors(), by_table.errors(), rtol=0.02)
    np.testing.assert_array_equal(by_support.estimate, by_table.estimate)
    others = bare.places.queries.covariance(queries)
    np.testing.assert_allclose(np.diag(others), by_support.variance, rtol=1e-9)
    np.testing.assert_allclose(
        others, covariance, atol=0.05 * np.diag(covariance).mean()
    )


def test_rectangles_of_64_by_64_cells_hold_the_truth():
    """Mean z^2 of 16 rectangles over 40 surveys, 640 in all: 1 +- .06 or so; .7 to 1.3
    is five.
    """
    question = surveyed(goal="map", cells=64)["home"]
    squares = []
    along = np.eye(4).repeat(16, axis=1)
    for seed in range(40):
        estimates, truth = estimated(question, 20_000, seed=seed)
        answers = estimates.places.queries.answer(np.kron(along, along))
        gap = answers.estimate - np.kron(along, along) @ truth.ravel()
        squares.append((gap / answers.errors()) ** 2)
    assert 0.7 < np.mean(squares) < 1.3


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (
            lambda e: e.rectangle(x=(4, 5.2), y=(45, 49)),
            "expected ranges of whole cells",
        ),
        (
            lambda e: e.rectangle(x=(5, 5), y=(45, 49)),
            "expected a range whose first end",
        ),
        (lambda e: e.map(3), "powers of two up to 8, got 3 x 3"),
        (lambda e: e.map(16, 2), "powers of two up to 8"),
        (lambda e: e.map(1, 1), "two cells or more"),
    ],
)
def test_what_no_map_has(ask, problem):
    estimates, _ = estimated(surveyed()["home"])
    with pytest.raises(EstimateError, match=problem):
        ask(estimates)


def test_a_view_for_the_eye_is_closer_and_says_that_it_is_biased():
    """Squared error a tenth or less on 32 x 32 cells; intervals stay those of unbiased
    shares.

    Over five surveys of 50,000; sums of all cells stay 1.
    """
    question = surveyed(cells=32, epsilon=1)["home"]
    options = Options(post_process="shrunk", frequencies=True)
    closer, unbiased = [], []
    for seed in range(5):
        estimates, truth = estimated(question, 50_000, options, seed=seed)
        assert estimates.frequency.sum() == pytest.approx(1)
        closer.append(((estimates.frequency - truth.ravel()) ** 2).sum())
        unbiased.append(((estimates.unbiased - truth.ravel()) ** 2).sum())
    assert np.mean(closer) < np.mean(unbiased) / 10
    assert "shrunk: biased" in repr(estimates)
    assert estimates.map().post_process == "shrunk"
    zoomed_out, _ = estimated(
        question, options=Options(post_process="shrunk", maps=MapOptions(zoom=(4, 2)))
    )
    whole, _ = estimated(question, options=options)
    summed = whole.frequency.reshape(4, 8, 2, 16).sum(axis=(1, 3)).ravel()
    np.testing.assert_allclose(zoomed_out.frequency, summed, atol=1e-12)
    with pytest.raises(
        EstimateError, match='shrunk, which is for questions of `goal = "rect'
    ):
        estimated(surveyed(goal="map")["home"], options=Options(post_process="shrunk"))


def test_cells_of_a_map_are_those_of_a_table():
    """Its axes are fields, whose margins and correlation are known; a pyramid has none
    of that.
    """
    generator = np.random.default_rng(SEED)
    people = {
        "home": [(float(x), float(x + 41)) for x in generator.uniform(4, 8, 2_000)]
    }
    survey = surveyed(goal="map", cells=4)
    tally = ldp_aggregator.aggregate(survey, sim.randomize(survey, people, seed=SEED))
    table = ldp_aggregator.crosstab(tally, "home")
    assert table.correlation("x", "north").low > 0
    asked = surveyed(cells=4)
    tally = ldp_aggregator.aggregate(asked, sim.randomize(asked, people, seed=SEED))
    with pytest.raises(EstimateError, match="got one for rectangles"):
        ldp_aggregator.crosstab(tally, "home")


def test_errors_of_queries_of_cells_go_together_as_their_covariance_says():
    """Each with itself entirely, and those of two halves that make up all cells against
    it.
    """
    estimates, _ = estimated(surveyed(goal="map", cells=4)["home"])
    queries = estimates.places.queries
    left = np.arange(16) < 8
    asked = np.array([left, ~left, np.arange(16) == 3], dtype=float)
    together = queries.correlation(asked)
    covariance = queries.covariance(asked)
    errors = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(
        together * errors * errors[:, None], covariance, rtol=1e-12
    )
    np.testing.assert_allclose(np.diag(together), 1)
    assert together[0, 1] < -0.5


def test_other_questions_have_no_map():
    survey = ldp.survey("city", ldp.question("hours", low=0, high=9, epsilon=1))
    reports = sim.randomize(survey, {"hours": [1, 2, 3]})
    for options in (
        Options(maps=MapOptions(zoom=(2, 2))),
        Options(maps=MapOptions(rectangles=((("0", "1"), ("0", "1")),))),
    ):
        with pytest.raises(EstimateError, match="expected a question of"):
            ldp_aggregator.estimate(survey, reports, options=options)


def test_cells_that_are_too_many_have_no_rectangles():
    """Of Hadamard response their errors would be of all pairs; the pyramid has them."""
    estimates, _ = estimated(surveyed(goal=None, mechanism="hr", cells=64)["home"])
    assert estimates.map().shape == (64, 64)
    with pytest.raises(
        EstimateError, match='`goal = "rectangles"` has them at any size'
    ):
        estimates.rectangle(x=(4, 6), y=(45, 47))


def test_geojson_has_a_polygon_for_each_cell():
    estimates, _ = estimated(surveyed()["home"])
    shown = estimates.map(4, 2)
    collection = json.loads(json.dumps(shown.geojson()))
    assert collection["type"] == "FeatureCollection"
    assert len(collection["features"]) == 8
    last = collection["features"][-1]
    assert last["geometry"]["coordinates"] == [
        [[7.0, 47.0], [8.0, 47.0], [8.0, 49.0], [7.0, 49.0], [7.0, 47.0]]
    ]
    properties = last["properties"]
    assert properties["share"] == shown.estimate[3, 1]
    assert properties["low"] <= max(properties["share"], 0) <= properties["high"]


def test_pictures_are_the_same_each_time_and_hatch_what_may_be_empty():
    estimates, _ = estimated(surveyed(goal="map")["home"])
    picture = estimates.picture()
    assert picture == estimates.picture()
    assert b"url(#hatch-" in picture
    assert 0 < estimates.map().told.sum() < 64
    figure = estimates.map(4, 4).plot()
    axis = figure.axes[0]
    hatched = next(part for part in axis.collections if part.get_hatch())
    assert len(hatched.get_paths()) == (~estimates.map(4, 4).told).sum()
    assert axis.get_ylabel() == "north"


def test_the_page_shows_a_map():
    estimates, _ = estimated(surveyed()["home"])
    drawn = str(chart(estimates.bars(), "home"))
    across, up = estimates.map().shape
    hatched = int((~estimates.map().told).sum())
    assert drawn.count("<rect") == across * up + hatched + len(COLOURS)
    assert drawn.count("url(#hatch-home)") == hatched


def test_what_people_write_for_rectangles_and_zooms():
    assert rectangle_of("10:20,-1.5:4") == (("10", "20"), ("-1.5", "4"))
    assert zoom_of("8x16") == (8, 16)
    for wrong in ("10:20", "10:20,4", "a:b,c:d"):
        with pytest.raises(EstimateError):
            rectangle_of(wrong)
    for wrong in ("8", "8x", "x8", "8x-8", "99999x1"):
        with pytest.raises(
            EstimateError, match="expected numbers of cells such as 8x8"
        ):
            zoom_of(wrong)


def test_the_command_shows_rectangles_and_writes_cells(tmp_path):
    survey = surveyed(cells=16)
    Path(tmp_path, "city.toml").write_text(survey.to_toml())
    generator = np.random.default_rng(SEED)
    people = [
        (float(x), float(y))
        for x, y in zip(*generator.uniform(4, 8, (2, 3_000)), strict=True)
    ]
    reports = sim.randomize(survey, {"home": [(x, y + 41) for x, y in people]})
    Path(tmp_path, "reports").write_bytes(reports)
    asked = ["--rectangle", "4:6,45:47", "--rectangle", "5:5.5,46:49", "--zoom", "4x2"]
    files = [str(Path(tmp_path, name)) for name in ("city.toml", "reports")]
    cells = Path(tmp_path, "cells.geojson")
    result = CliRunner().invoke(
        main,
        [
            "estimate",
            *files,
            *asked,
            "--cells",
            str(cells),
            "--format",
            "json",
            "--quiet",
        ],
    )
    assert result.exit_code == 0, result.output
    record = json.loads(result.output)["questions"]["home"]
    assert record["cells"] == [4, 2]
    assert [one["rectangle"] for one in record["rectangles"]] == [
        "[4, 6) & [45, 47)",
        "[5, 5.5) & [46, 49]",
    ]
    assert len(json.loads(cells.read_text())["features"]) == 8
    shown = CliRunner().invoke(main, ["estimate", *files, *asked, "--quiet"])
    assert "[5, 5.5) & [46, 49]" in shown.output


def test_plans_say_which_cells_will_show():
    planned = sim.plan(surveyed(cells=32), respondents=30_000)
    (plan,) = planned.records()
    assert plan["finest"] == 4
    assert [row["cells"] for row in plan["maps"]][-1] == [32, 32]
    assert plan["rectangle"]["half_width"] == pytest.approx(0.0444, abs=1e-3)
    needed = sim.plan(surveyed(cells=32), half_width=0.0444).records()[0]["respondents"]
    assert needed == pytest.approx(30_000, rel=0.02)
    of_cells = sim.plan(surveyed(goal="map", cells=32), respondents=30_000).places[0]
    assert of_cells.finest == 8
    assert [row.cells for row in of_cells.rows] == [2, 4, 8, 16, 32, 64]
    assert "(asked)" in repr(planned)
    with pytest.raises(EstimateError, match="of which rectangles are estimated"):
        sim.plan(surveyed(cells=32), detect=0.1)


def test_health_of_a_pyramid():
    """Views that are drawn as they should be, and symbols that are never drawn."""
    question = surveyed(cells=8)["home"]
    generator = np.random.default_rng(SEED)
    holders = Holders(question.domain.values, generator.multinomial(20_000, shares(8)))
    counts = sample_counts(question, holders, generator)
    assert not [check for check in health(question, counts) if check.suspicious]
    counts[0] += 5_000
    assert [check for check in health(question, counts) if check.suspicious]


def test_forgers_can_move_a_cell_by_the_stated_reach():
    result = sim.attack(
        surveyed(cells=8),
        sim.synthetic(surveyed(cells=8), respondents=20_000),
        fraction=0.01,
        seed=SEED,
    )
    assert "home" in repr(result)
