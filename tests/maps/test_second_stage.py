"""Maps in two stages: cuts, the next version of a survey, its cells on a device, and
its errors.
"""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import ldp
import ldp_aggregator
import ldp_simulations as sim
from ldp import cell_at
from ldp.errors import AnswerError, EstimateError, UnknownNameError
from ldp_aggregator.answers.estimates.second_stage import second_stage
from ldp_aggregator.answers.maps.cuts import Box, cut, halve, share_of
from ldp_aggregator.commands.main import main
from ldp_client import Client
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

SEED = 20261125
PEOPLE = 20_000


def first_stage(goal="rectangles", epsilon=2, cells=16, people=PEOPLE):
    """The tally of a first stage, and where its people are: a town, and some all
    over.
    """
    axes = {"x": (0, 16), "y": (0, "3.2")}
    asked = ldp.question("home", **axes, cells=cells, goal=goal, epsilon=epsilon)
    survey = ldp.survey("town", asked, ldp.question("car", type="boolean", epsilon=1))
    where = places(people)
    grid = (where / (16, 3.2) * cells).astype(int)
    held = np.bincount(grid[:, 0] * cells + grid[:, 1], minlength=cells**2)
    tally = ldp_aggregator.Ingest(survey).tally
    holders = Holders(survey["home"].domain.values, held)
    tally.counts["home"] += sample_counts(
        survey["home"], holders, np.random.default_rng(SEED)
    )
    return tally, where


def places(people, seed=SEED):
    generator = np.random.default_rng(seed)
    town = generator.normal((4, 1), (1, 0.2), (3 * people // 4, 2))
    country = generator.random((people // 4, 2)) * (16, 3.2)
    return np.concatenate([town, country]).clip(0.0001, (15.9999, 3.1999)).round(4)


def test_boxes_are_cut_where_their_halves_are_even():
    shares = np.zeros((4, 2))
    shares[:, 0] = 0.5, 0.1, 0.2, 0.2
    whole = Box(0, 4, 0, north=2)
    assert halve(shares, whole) == (Box(0, 1, 0, north=2), Box(1, 4, 0, north=2))
    assert halve(shares, Box(1, 4, 0, north=2)) == (
        Box(1, 3, 0, north=2),
        Box(3, 4, 0, north=2),
    )
    # An empty one through its middle, and a high one across.
    assert halve(np.zeros((8, 2)), Box(0, 8, 0, north=2)) == (
        Box(0, 4, 0, north=2),
        Box(4, 8, 0, north=2),
    )
    assert halve(np.ones((1, 4)), Box(0, 1, 0, north=4)) == (
        Box(0, 1, 0, north=2),
        Box(0, 1, 2, north=4),
    )


def test_cuts_leave_no_place_out():
    """All cells, once each, whatever the number; and no more boxes than cells."""
    shares = np.random.default_rng(SEED).dirichlet(np.full(64, 0.1)).reshape(8, 8)
    for many in (1, 2, 5, 16, 64, 99):
        boxes = cut(shares, many)
        assert len(boxes) == min(many, 64)
        covered = np.zeros((8, 8))
        for box in boxes:
            covered[box.west : box.east, box.south : box.north] += 1
        assert (covered == 1).all()
        assert sum(share_of(shares, box) for box in boxes) == pytest.approx(1)


def test_the_next_version_asks_for_named_cells():
    """The other question stays; budgets go by question, and the next stage is one of
    its own.
    """
    tally, _ = first_stage()
    stage = second_stage(tally, "home", 16)
    assert [question.name for question in stage.survey] == ["home-2", "car"]
    assert stage.survey["car"].fingerprint == tally.survey["car"].fingerprint
    assert len(stage.cells) == 16
    assert stage.question.declared.text == "2"
    again = ldp.parse_survey(stage.survey.to_toml())
    assert again.fingerprint == stage.survey.fingerprint
    assert second_stage(tally, "home", called="where").question.name == "where"
    # As many as can be told: an even share is just above its margin of error.
    usual = second_stage(tally, "home")
    assert len(usual.cells) > 16
    margin = 1.96 * usual.error
    assert 1 / (len(usual.cells) + 1) < margin < 1 / len(usual.cells)


@pytest.mark.parametrize("goal", ["rectangles", "map"])
def test_cells_hold_about_as_many_people(goal):
    """Of 16 cells the fullest has at most twice an even share; of a 4 x 4 grid six
    times that.
    """
    tally, where = first_stage(goal=goal)
    stage = second_stage(tally, "home", 16)
    names = [cell_at(stage.cells, *map(float, place)) for place in where[::7]]
    shares = np.array([names.count(cell) for cell in stage.cells]) / len(names)
    assert shares.max() < 2 / 16
    assert shares.min() > 0.3 / 16
    coarse = np.histogram2d(*where.T, bins=4, range=[[0, 16], [0, 3.2]])[0] / len(where)
    assert coarse.max() > 4 / 16
    np.testing.assert_allclose(stage.shares.sum(), 1)


def test_intervals_of_the_second_stage_hold():
    """Of 16 cells, 100 times: 95 % intervals hold in 92 to 98 % of 1,600; and are
    unbiased.
    """
    tally, _ = first_stage(people=4_000)
    stage = second_stage(tally, "home", 16)
    where = places(5_000, seed=1)
    held = np.zeros(16, dtype=np.int64)
    number = {name: place for place, name in enumerate(stage.cells)}
    for place in where:
        held[number[cell_at(stage.cells, *map(float, place))]] += 1
    generator = np.random.default_rng(SEED)
    hits, gaps = [], []
    for _ in range(100):
        counts = sample_counts(stage.question, Holders(stage.cells, held), generator)
        estimates = ldp_aggregator.estimate_question(
            stage.question, counts, ldp_aggregator.Options()
        )
        truth = held / held.sum()
        hits.append((estimates.low <= truth) & (truth <= estimates.high))
        gaps.append(estimates.frequency - truth)
    assert 0.92 < np.mean(hits) < 0.98
    error = np.std(gaps)
    assert abs(np.mean(gaps, axis=0)).max() < 5 * error / 10
    assert error == pytest.approx(_of_so_many(stage, len(where)), rel=0.15)


def _of_so_many(stage, people):
    return stage.error * (stage.respondents / people) ** 0.5


def test_a_device_names_its_cell():
    """Exactly, by decimals: first ends are in, second ones only on the far border."""
    cells = ["0:0.1,0:0.3", "0.1:0.7,0:0.3", "0:0.7,0.3:1"]
    assert cell_at(cells, 0.1, 0.2) == cells[1]
    assert cell_at(cells, 0.0999, "0.2999") == cells[0]
    assert cell_at(cells, 0.7, 0.3) == cells[2]
    assert cell_at(cells, 0.7, 0.1) == cells[1]
    assert cell_at(cells, 0, 1) == cells[2]
    for x, y in ((0.71, 0.5), (-0.1, 0.5), (0.5, 1.1)):
        with pytest.raises(AnswerError, match="in one of the question's cells"):
            cell_at(cells, x, y)
    with pytest.raises(AnswerError, match="expected two numbers"):
        cell_at(cells, "east", 1)
    with pytest.raises(AnswerError, match="names such as 0:1"):
        cell_at(["West"], 0, 1)
    survey = ldp.survey("s", ldp.question("home", cells=cells, epsilon=1))
    assert Client(survey).record("home", cell_at(cells, 0.5, 0.5)) is not None


def test_what_cannot_be_cut_is_refused():
    tally, _ = first_stage(people=400)
    with pytest.raises(UnknownNameError):
        second_stage(tally, "work")
    with pytest.raises(EstimateError, match="of type place with x and y"):
        second_stage(tally, "car")
    for cells in (1, 257):
        with pytest.raises(EstimateError, match="expected 2 to 256 cells"):
            second_stage(tally, "home", cells)
    with pytest.raises(EstimateError, match="expected reports of a first stage"):
        second_stage(ldp_aggregator.Ingest(tally.survey).tally, "home")
    metric = ldp.question(
        "m", x=(0, 1), y=(0, 1), cells=4, mechanism="metric", epsilon_per_unit=2
    )
    survey = ldp.survey("s", metric)
    people = {"m": [(0.1, 0.2)] * 300}
    counted = ldp_aggregator.aggregate(survey, sim.randomize(survey, people))
    with pytest.raises(EstimateError, match="one that states an epsilon"):
        second_stage(counted, "m")


def test_the_command_writes_the_next_version(tmp_path):
    tally, _ = first_stage(people=4_000)
    (tmp_path / "survey.toml").write_text(tally.survey.to_toml(), encoding="utf-8")
    (tmp_path / "first.tally").write_bytes(ldp_aggregator.encode_tally(tally))
    following, borders = tmp_path / "next.toml", tmp_path / "cells.geojson"
    files = [
        "survey",
        "next-stage",
        str(tmp_path / "survey.toml"),
        str(tmp_path / "first.tally"),
    ]
    asked = [
        "--question",
        "home",
        "--into",
        "8",
        "-o",
        str(following),
        "--borders",
        str(borders),
    ]
    done = CliRunner().invoke(main, files + asked)
    assert done.exit_code == 0, done.output
    assert "an even share is 0.1250" in done.output
    cells = ldp_aggregator.read_survey(following)["home-2"].domain.values
    features = json.loads(borders.read_text(encoding="utf-8"))["features"]
    assert [one["properties"]["name"] for one in features] == list(cells)
    geography = ldp_aggregator.read_geography(borders)
    assert geography.name_at(4.01, 1.01) == cell_at(cells, 4.01, 1.01)
