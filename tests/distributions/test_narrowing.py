"""A second survey on the range that a first one found: what it says, and how much it
errs.
"""

import numpy as np
import pytest
from calling import run

import ldp
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator import Tally
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_simulations import randomize
from ldp_simulations.holders import Holders
from ldp_simulations.planning.narrowing import narrow
from ldp_simulations.sampling.table import sample_counts

FIRST = ldp.survey(
    "weights",
    ldp.question(
        "w",
        text="How heavy?",
        low=0,
        high=1000,
        bins=256,
        unit="g",
        missing=["NA"],
        goal="distribution",
        epsilon=1,
    ),
)


def first_tally(weights, generator):
    """Of these answers to the first survey."""
    edges = [float(edge) for edge in FIRST["w"].domain.scale.edges]
    tally = Tally.empty(FIRST)
    held = Holders((), np.histogram(weights, edges)[0])
    tally.counts["w"] = sample_counts(FIRST["w"], held, generator)
    return tally


def test_two_stages_err_far_less_than_one():
    """Normal numbers about 420, deviation 10, within 0 to 1,000; 30,000 people, 60
    times; seed 16.

    A quarter answer for the range. The root mean square error of one survey about the
    mean is 6.1; of two stages .80 (the reference), seen within .5 to 1.15 with a chance
    of failing below 1e-6.
    """
    generator = np.random.default_rng(16)
    errors = []
    for _ in range(60):
        tally = first_tally(generator.normal(420, 10, 7500), generator)
        second = narrow(tally).survey["w"]
        low, high = (
            float(end) for end in (second.domain.scale.low, second.domain.scale.high)
        )
        answers = generator.normal(420, 10, 22_500).clip(low, high)
        grid = second.randomizer.grid
        places = np.rint((answers - low) / (high - low) * grid).astype(int)
        held = Holders((), np.bincount(places, minlength=grid + 1))
        counts = sample_counts(second, held, generator)
        mean = estimate_question(second, counts, Options(estimand="population")).mean
        errors.append(mean.estimate - 420)
    assert 0.5 < np.sqrt(np.mean(np.square(errors))) < 1.15


def test_what_the_second_survey_asks():
    """The same question, for a mean, with the same privacy; the shares outside are
    told.
    """
    generator = np.random.default_rng(17)
    result = narrow(first_tally(generator.normal(420, 10, 7500), generator))
    asked = result.survey["w"]
    assert asked.mechanism == "dithered"
    assert asked.text == "How heavy?"
    assert asked.declared.text == "1"
    scale = asked.domain.scale
    assert (scale.unit, scale.missing, scale.outside) == ("g", ("NA",), "clip")
    assert 0 <= scale.low < 400 < 440 < scale.high <= 1000
    below, above = result.outside["w"]
    assert below.range.startswith("[0, ")
    assert above.range.endswith("1000]")
    assert below.low <= 0.001
    assert ldp.parse_survey(result.to_toml())["w"].fingerprint == asked.fingerprint


def test_ranges_end_where_the_first_survey_did():
    """Evenly spread answers keep the whole range: nothing is cut, and nothing is said
    of it.
    """
    generator = np.random.default_rng(18)
    result = narrow(first_tally(generator.uniform(0, 1000, 50_000), generator))
    scale = result.survey["w"].domain.scale
    assert (scale.low, scale.high) == (0, 1000)
    assert result.outside == {"w": ()}


def test_a_few_large_numbers_move_the_end():
    """Nine of ten are 5, one of ten 150 to 400, 100,000 people: both deciles lie in one
    cell.

    Decile and decile make a range of four cells, which clips a tenth: a share nine of
    its standard errors above .01, which moves the end beyond 100. The mean loses what
    the shift says, within five of its standard errors.
    """
    generator = np.random.default_rng(21)
    tail = generator.uniform(150, 400, 100_000)
    weights = np.where(generator.random(100_000) < 0.1, tail, 5.0)
    result = narrow(first_tally(weights, generator))
    high = float(result.survey["w"].domain.scale.high)
    assert high > 100
    shift = result.shift["w"]
    error = (shift.high - shift.low) / (2 * 1.96)
    assert shift.low < shift.estimate < shift.high
    assert abs(shift.estimate - (weights.clip(0, high) - weights).mean()) < 5 * error


def test_what_is_clipped_and_left_out_is_said(tmp_path):
    """On standard error, where shares are surely outside; and which questions have no
    range.
    """
    first = ldp.survey(
        "s",
        ldp.question("x", low=0, high=100, bins=100, goal="distribution", epsilon=12),
        ldp.question("sick", type="boolean", epsilon=1),
    )
    # 0.9 % lie beyond: surely some, and no more than a few.
    numbers = [10.5] * 4955 + [90.5] * 45
    reports = randomize(first, {"x": numbers, "sick": [True, False] * 2500}, seed=19)
    path, written = tmp_path / "s.toml", tmp_path / "reports"
    path.write_text(first.to_toml())
    written.write_bytes(reports)
    plan = run("plan", path, "--range-from", written, "-o", tmp_path / "second.toml")
    assert "x: clipping moves the mean by" in plan.stderr
    assert (
        "not in the second survey, as they have no range to find: sick" in plan.stderr
    )
    alone = run(
        "plan",
        path,
        "--range-from",
        written,
        "--question",
        "x",
        "-o",
        tmp_path / "x.toml",
    )
    assert "not in the second survey" not in alone.stderr


def test_points_have_a_range_too():
    """Of whole numbers the ends are two of them; the shares beside are of the
    others.
    """
    first = ldp.survey(
        "s", ldp.question("x", low=0, high=199, goal="distribution", epsilon=4)
    )
    generator = np.random.default_rng(19)
    table = {"x": generator.integers(80, 91, 5000).tolist()}
    reports = randomize(first, table, seed=19)
    from ldp_aggregator import aggregate

    result = narrow(aggregate(first, reports))
    scale = result.survey["x"].domain.scale
    assert 40 < scale.low < 80 < 90 < scale.high < 130
    assert [share.range.split(" to ") for share in result.outside["x"]] == [
        ["0", str(scale.low - 1)],
        [str(scale.high + 1), "199"],
    ]


def test_what_has_no_range_is_told(tmp_path):
    """Questions that are for something else, unknown ones, none at all, and no reports
    yet.
    """
    other = ldp.survey("s", ldp.question("y", ["a", "b"], epsilon=1))
    with pytest.raises(EstimateError, match="question y: expected one of"):
        narrow(Tally.empty(other))
    with pytest.raises(UnknownNameError):
        narrow(Tally.empty(FIRST), ["z"])
    with pytest.raises(EstimateError, match="question w"):
        narrow(Tally.empty(FIRST), ["w"])
    path = tmp_path / "s.toml"
    path.write_text(FIRST.to_toml())
    absent = run("plan", path, "--range-from", tmp_path / "none", code=1)
    assert "No such file" in absent.output
    assert (
        "a SURVEY beside it"
        in run("plan", "--question", "w", "--values", "3", code=2).output
    )
    assert (
        "SURVEY that was answered" in run("plan", "--range-from", path, code=2).output
    )


def test_the_command_writes_a_survey(tmp_path):
    """From the reports of a first survey to the file of a second one."""
    answers, path = tmp_path / "answers.csv", tmp_path / "s.toml"
    path.write_text(FIRST.to_toml())
    weights = np.random.default_rng(20).normal(420, 10, 3000)
    answers.write_text("w\n" + "\n".join(f"{weight:.1f}" for weight in weights) + "\n")
    reports, second = tmp_path / "a.reports", tmp_path / "second.toml"
    run("randomize", path, "-i", answers, "-o", reports)
    run("plan", path, "--range-from", reports, "-o", second)
    text = second.read_text()
    assert text.startswith("# w: ")
    assert ldp.parse_survey(text)["w"].mechanism == "dithered"
