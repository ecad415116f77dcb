"""Numbers on a circle: hours, months, angles. Ranges that go around, and the mean
direction.
"""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from calling import run
from specimens import question

import ldp
import ldp_aggregator
from ldp.errors import EstimateError, SurveyError
from ldp.mechanisms.numbers.arcs import Arcs, usual_modulus, usual_weights, usual_width
from ldp.numbers.exact import odds
from ldp_aggregator.answers.distributions.circle import (
    Resultant,
    direction,
    length,
    resultant,
    waves,
)
from ldp_aggregator.answers.distributions.distribution import distribution_of
from ldp_aggregator.answers.lines.line import line_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.arcs.bound import (
    around_circle,
    average,
    efficiency,
    least_variance,
    prefixes,
)
from ldp_aggregator.decoders.arcs.circle import circle_of, scores
from ldp_aggregator.decoders.arcs.squares import powers_by_value
from ldp_simulations import narrow, plan, randomize, simulate, synthetic
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import expected_counts, sample_counts

HOURS = 'type = "number"\nlow = 0\nhigh = 24\nbins = 24\ncircular = true\n'
WEEKDAYS = 'type = "integer"\nlow = 1\nhigh = 7\ncircular = true\n'


def asked_of(epsilon, keys=HOURS):
    """A question on a circle."""
    return question("arcs", f"{keys}epsilon = {epsilon}")


def hours(**keys):
    """A survey about the hours of a day."""
    asked = {"low": 0, "high": 24, "bins": 24, "goal": "distribution", "epsilon": 1}
    return ldp.survey(
        "clock", ldp.question("hour", **(asked | {"circular": True} | keys))
    )


def line(keys=HOURS):
    """The line of a question."""
    return line_of(asked_of(1, keys).domain)


def nights(size, strength=1.0):
    """Shares about the start of the circle, mixed with even ones."""
    angle = 2 * np.pi * np.arange(size) / size
    shares = np.exp(2 * np.cos(angle + 0.4))
    return strength * shares / shares.sum() + (1 - strength) / size


# The survey


def test_the_key():
    """It is for numbers through arcs, and neither end counts; false is as if it were
    not there.
    """
    assert hours()["hour"].domain.circular
    assert "on a circle" in repr(hours()["hour"])
    assert hours(circular=False) == hours(circular=None) != hours()
    assert hours().to_toml() == ldp.parse_survey(hours().to_toml()).to_toml()
    for keys, place, expected in (
        ({"circular": "yes"}, "circular", "true or false"),
        ({"goal": None}, "circular", 'goal = "distribution"'),
        ({"goal": "mean", "bins": None}, "circular", 'goal = "distribution"'),
        ({"goal": "shape"}, "circular", 'goal = "distribution"'),
        ({"outside": "clip"}, "outside", "refuse or a number"),
        ({"per_device": "mean"}, "per_device", "last or one"),
        ({"per_device": "sum"}, "per_device", "last or one"),
    ):
        with pytest.raises(SurveyError) as caught:
            hours(**keys)
        (problem,) = caught.value.problems
        assert problem.place.endswith(place)
        assert expected in problem.expected
    with pytest.raises(SurveyError, match="only numbers lie on a circle"):
        ldp.survey("s", ldp.question("x", ["a", "b"], circular=True, epsilon=1))
    assert hours(outside=0, per_device="last")["hour"].domain.circular


def test_the_fingerprint_covers_it():
    """Only where it is said: a circle of the same integers is another question than the
    line.
    """
    keys = {"low": 0, "high": 12, "step": 1, "modulus": 17, "bins": None}
    on_line, on_circle = (
        hours(circular=known, **keys)["hour"] for known in (None, True)
    )
    assert on_line.randomizer == on_circle.randomizer
    assert on_line.fingerprint != on_circle.fingerprint
    assert list(on_circle.domain.parts()) == [*on_line.domain.parts(), "circular=true"]


@pytest.mark.parametrize(
    ("size", "modulus"),
    [(3, 3), (7, 7), (12, 13), (24, 29), (31, 31), (360, 367), (4096, 4099)],
)
def test_no_place_is_empty_if_need_not_be(size, modulus):
    """The least prime from the number of values on."""
    assert usual_modulus(size, circular=True) == modulus
    keys = f'type = "integer"\nlow = 1\nhigh = {size}\ncircular = true\n'
    assert asked_of(1, keys).randomizer.modulus == modulus
    with pytest.raises(SurveyError, match="no less than the number of values"):
        asked_of(1, f"{keys}modulus = {4 * size}\n")


@pytest.mark.parametrize(
    ("size", "epsilon", "around", "with_gap"),
    [
        (7, 1, 0.969, 1.193),
        (7, 4, 0.697, 0.909),
        (31, 1, 2.634, 2.753),
        (360, 2, 7.70, 7.85),
    ],
)
def test_ranges_of_a_circle_are_known_better_without_a_gap(
    size, epsilon, around, with_gap
):
    """N Var of ranges of all widths on average, and the worst of them, as the page
    says.
    """
    ratio = Fraction(*odds(Fraction(epsilon)))
    limit = 4 * float(ratio) / (float(ratio) - 1) ** 2
    queries = around_circle(size, most=240)
    errors = []
    for circular in (True, False):
        modulus = usual_modulus(size, circular=circular)
        width = usual_width(modulus, ratio)
        arcs = Arcs(
            size, modulus, width, truth=ratio.numerator, other=ratio.denominator
        )
        circle = circle_of(arcs)
        square = powers_by_value(circle, scores(circle, queries))[0]
        errors.append((square - queries).mean(axis=1) / limit)
    assert average(queries, errors[0]) == pytest.approx(around, rel=0.01)
    assert average(queries, errors[1]) == pytest.approx(with_gap, rel=0.01)
    assert errors[0].max() < errors[1].max()


def test_a_circle_without_a_gap_has_no_beginning():
    """With a prime number of values, ranges of one width are all known equally well."""
    randomizer = asked_of(1, WEEKDAYS).randomizer
    circle = circle_of(randomizer)
    queries = (np.arange(7) - np.arange(7)[:, None]) % 7 < 3
    square = powers_by_value(circle, scores(circle, queries.astype(float)))[0].sum(
        axis=1
    )
    np.testing.assert_allclose(square, square[0])


# Ranges


def test_ranges_go_around():
    """From late to early, in points and in cells; others are those of a line."""
    clock = line()
    assert np.flatnonzero(clock.within(22, 3)).tolist() == [0, 1, 2, 22, 23]
    assert clock.within(3, 22).sum() == 19
    assert clock.within(22, 0).sum() == clock.within(22, 24).sum() == 2
    assert clock.within(24, 2).tolist() == clock.within(0, 2).tolist()
    names = [
        clock.name(*clock.places(*ends))
        for ends in ((22, 3), (22, 0), (22, 24), (0, 3))
    ]
    assert names == ["[22, 3)", "[22, 24)", "[22, 24)", "[0, 3)"]
    days = line(WEEKDAYS)
    assert days.name(*days.places(6, 2)) == "6 to 1"
    assert days.within(6, 2).tolist() == [1, 0, 0, 0, 0, 1, 1]
    assert days.within("6.5", "6.4").sum() == 7
    for ends, problem in (
        ((3, 3), "two different ends"),
        ((20, 25), "from 0 to 24, got 25"),
        ((-1, 4), "from 0 to 24, got -1"),
    ):
        with pytest.raises(EstimateError, match=problem):
            clock.within(*ends)
    with pytest.raises(EstimateError, match="circular = true"):
        line(HOURS.replace("circular = true", "")).within(22, 6)


def test_histograms_of_a_circle():
    """Edges cut it, the last cell goes around; every value is in one of the cells."""
    clock = line()
    cells = clock.histogram([6, 12, 22])
    assert cells.names == ("[6, 12)", "[12, 22)", "[22, 6)")
    assert clock.histogram([0, 12, 24]).names == ("[0, 12)", "[12, 24)")
    assert clock.histogram([5]).queries.sum() == 24
    assert len(clock.histogram().names) == 12
    for edges in (None, [6, 12, 22], [1]):
        np.testing.assert_array_equal(clock.histogram(edges).queries.sum(axis=0), 1)
    with pytest.raises(EstimateError, match="numbers of the circle"):
        clock.histogram([6, 30])


def test_a_cut_makes_a_line():
    """Of the same shares in another order: numbers go on beyond the end."""
    asked = asked_of(2)
    counts = expected_counts(asked.randomizer, (), nights(24))
    known = distribution_of(asked, counts, Options())
    opened = known.cut(12)
    assert [float(edge) for edge in opened.line.edges] == list(range(12, 37))
    assert not opened.line.circular
    np.testing.assert_allclose(
        opened.queries.frequency, np.roll(known.queries.frequency, -12), atol=1e-12
    )
    night = opened.between(22, 30)
    around = known.between(22, 6)
    assert night.frequency == pytest.approx(around.frequency)
    assert night.standard_error == pytest.approx(around.standard_error)
    median = opened.quantile(0.5)
    assert 21 < median.estimate < 25
    assert opened.cdf().share[-1] < 1
    for asking in (known.cdf, known.interquartile_range, lambda: known.quantile(0.5)):
        with pytest.raises(EstimateError, match="place at which the circle is cut"):
            asking()
    with pytest.raises(EstimateError, match="cut the circle at, got 24"):
        known.cut(24)
    for asking in (opened.direction, opened.resultant_length, lambda: opened.cut(3)):
        with pytest.raises(EstimateError, match="values on a circle"):
            asking()


# Directions


def test_the_resultant_of_known_shares():
    """Of the tally to be expected: exactly that of the shares, in the unit of the
    answers.
    """
    shares = nights(24)
    asked = asked_of(1)
    counts = expected_counts(asked.randomizer, (), shares)
    known = distribution_of(asked, counts, Options())
    middles = np.arange(24) + 0.5
    mean = shares @ np.exp(2j * np.pi * middles / 24)
    assert known.direction().estimate == pytest.approx(
        np.angle(mean) / 2 / np.pi * 24 % 24
    )
    assert known.resultant_length().estimate == pytest.approx(abs(mean), abs=1e-4)
    points = line('type = "integer"\nlow = 1\nhigh = 12\ncircular = true\n')
    np.testing.assert_allclose(points.middles, np.arange(1, 13))
    np.testing.assert_allclose(waves(points)[:, 3], [0, 1, 1], atol=1e-12)


@pytest.mark.parametrize("mean", [(0.3, 0.0), (-0.2, 0.25), (0.05, -0.4)])
def test_the_interval_has_the_directions_that_are_not_ruled_out(mean):
    """Beside all directions one by one: those across which the mean is not told
    from 0.
    """
    from scipy.special import ndtri

    covariance = np.array([[0.004, 0.001], [0.001, 0.002]])
    known = Resultant(np.array(mean), covariance)
    where = direction(line(), known, 0.95)
    angles = 2 * np.pi * (np.arange(24_000) + 0.5) / 24_000
    across = np.array([-np.sin(angles), np.cos(angles)])
    error = np.sqrt(np.einsum("in,ij,jn->n", across, covariance, across))
    passing = np.abs(np.array(mean) @ across) <= ndtri(0.975) * error
    passing &= np.array([np.cos(angles), np.sin(angles)]).T @ mean > 0
    inside = [where.holds(place) for place in angles * 24 / 2 / np.pi]
    assert inside == passing.tolist()
    assert where.holds(where.estimate)


def test_no_direction():
    """Where the mean is not told from the middle, or errors are no errors, none is
    stated.
    """
    covariance = np.eye(2) * 0.01
    for mean, is_told in (((0.244, 0), False), ((0.245, 0), True)):
        where = direction(line(), Resultant(np.array(mean), covariance), 0.95)
        assert (where.estimate is not None) == is_told
    nowhere = direction(line(), Resultant(np.zeros(2), covariance), 0.95)
    assert nowhere.interval == (0, 24)
    assert nowhere.cells == ("none told", "", "")
    assert nowhere.holds(3)
    assert nowhere.to_dict() == {
        "estimate": None,
        "standard_error": None,
        "interval": [0, 24],
    }
    broken = Resultant(np.array([0.5, 0.5]), np.array([[0.01, 0], [0, -0.01]]))
    assert direction(line(), broken, 0.95).estimate is None
    assert length(broken, 0.95).high < 1


def test_what_is_told_is_seldom_wrong():
    """A direction is missed less often than the level allows, however short the true
    mean is.

    By the normal law, along and across the true direction, a million draws each, seed
    4: shares of misses are seen within .0012 of their own with a chance of 1e-6.
    """
    from scipy.special import ndtri

    generator = np.random.default_rng(4)
    for true in (0.0, 0.3, 0.7, 1.2, 2.0, 4.0):
        along, across = generator.normal(size=(2, 1_000_000))
        along += true
        where = along**2 + across**2 > -2 * math.log(0.05)
        missed = where & ((np.abs(across) > ndtri(0.975)) | (along < 0))
        assert missed.mean() < 0.05 + 0.0012


def test_lengths_hold_at_least_as_often_as_they_say():
    """Means of any length, errors alike in all directions or not, 20,000 draws each,
    seed 5.

    A miss of .05 is seen as one of .058 or more with a chance below 1e-6.
    """
    generator = np.random.default_rng(5)
    for spread in (
        np.diag([0.01, 0.01]),
        np.diag([0.002, 0.01]),
        np.diag([0.01, 0.002]),
    ):
        for true in (0.0, 0.1, 0.3, 0.8):
            drawn = generator.normal(size=(2_000, 2)) * np.sqrt(np.diag(spread))
            missed = 0
            for errors in drawn:
                known = length(Resultant(np.array([true, 0.0]) + errors, spread), 0.95)
                assert 0 <= known.low <= known.estimate <= known.high <= 1
                missed += not known.low <= true <= known.high
            # Of 2,000: 153 or more with a chance below 1e-6, if a miss has .05.
            assert missed < 153


def test_far_from_the_middle_the_law_is_normal():
    """Where Rice's law gives way to the normal one, ends go on as they were."""
    lows = [
        length(Resultant(np.array([apart / 100, 0.0]), np.eye(2) / 10_000), 0.95).low
        for apart in (29.99, 30.01)
    ]
    assert lows[1] - lows[0] == pytest.approx(0.0002, abs=0.00005)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize(
    ("epsilon", "keys"), [("0.5", HOURS), ("1", WEEKDAYS), ("4", HOURS)]
)
@pytest.mark.parametrize("strength", [0.2, 1.0])
def test_how_often_directions_hold(epsilon, keys, estimand, strength):
    """The mean direction, its length and a range around, of 300 surveys of 4,000, seed
    11.

    With 300 surveys a coverage of .95 is seen below .885 with a chance below 1e-6, as
    intervals are that are a quarter too narrow (.86); a mean of squared standardized
    errors of 1 within .6 to 1.5.
    """
    generator = np.random.default_rng(11)
    asked = asked_of(epsilon, keys)
    size, respondents = asked.domain.size, 4_000
    shares = nights(size, strength)
    population = Holders(asked.domain.values, apportion(respondents, shares))
    true = population.counts / respondents
    if estimand == "population":
        true = shares
    place_line = line_of(asked.domain)
    mean = waves(place_line)[:2] @ true
    start, period = float(place_line.starts[0]), float(place_line.period)
    place = start + math.atan2(mean[1], mean[0]) / (2 * math.pi) % 1 * period
    rows, squares = [], []
    ends = [place_line.starts[size - 3], place_line.starts[2]]
    share = place_line.within(*ends) @ true
    for _ in range(300):
        asking = population
        if estimand == "population":
            asking = Holders(
                asked.domain.values, generator.multinomial(respondents, shares)
            )
        counts = sample_counts(asked, asking, generator)
        known = distribution_of(asked, counts, Options(estimand=estimand))
        where, long = known.direction(), known.resultant_length()
        around = known.between(*ends)
        within = long.low <= math.hypot(*mean) <= long.high
        rows.append((where.holds(place), within, around.low <= share <= around.high))
        if where.estimate is not None:
            off = (where.estimate - place + period / 2) % period - period / 2
            squares.append((off / where.standard_error) ** 2)
    held = np.mean(rows, axis=0)
    assert (held > 0.885).all()
    assert held[2] < 0.99
    if len(squares) == 300:
        assert 0.6 < np.mean(squares) < 1.5
        assert held[0] < 0.99


# What people see


def of_night_people(survey):
    """Reports of 20,000 people, most of them about midnight, and what they hold."""
    generator = np.random.default_rng(1)
    held = (generator.normal(23.5, 3, 20_000) % 24).round(2) % 24
    return randomize(survey, {"hour": held.tolist()}), held


def test_estimates():
    """A histogram, a direction and its length, in every output; no mean, no
    quantiles.
    """
    survey = hours()
    reports, held = of_night_people(survey)
    options = ldp_aggregator.Options(
        numbers=ldp_aggregator.NumberOptions(
            ranges=(("22", "6"),), edges=("6", "12", "18", "22")
        )
    )
    estimates = ldp_aggregator.estimate(survey, reports, options=options)["hour"]
    assert estimates.values == ("[6, 12)", "[12, 18)", "[18, 22)", "[22, 6)")
    assert estimates.mean is None
    assert not estimates.quantiles
    where, long = estimates.on_circle
    mean = np.exp(2j * np.pi * (np.floor(held) + 0.5) / 24).mean()
    off = (where.estimate - np.angle(mean) / 2 / np.pi * 24 + 12) % 24 - 12
    # Reports are never the same twice: six standard errors are passed once in 10^8.
    assert abs(off) < 6 * where.standard_error
    assert abs(long.estimate - abs(mean)) < 6 * long.standard_error
    text = repr(estimates)
    assert "mean direction" in text
    assert "resultant length" in text
    assert "[22, 6)" in text
    assert "depend on where it is cut" in estimates.note
    assert "middles of the cells" in estimates.note
    record = estimates.to_dict()
    assert record["mean_direction"]["estimate"] == where.estimate
    assert record["resultant_length"]["interval"] == [long.low, long.high]
    assert "quantiles" not in record
    rows = {row["value"]: row for row in estimates.rows()}
    assert rows["mean direction"]["frequency"] == where.estimate
    assert rows["[22, 6)"]["frequency"] == estimates.ranges[0].frequency
    with pytest.raises(EstimateError, match="another view than monotone"):
        ldp_aggregator.estimate(
            survey, reports, options=Options(post_process="monotone")
        )


def test_nobody_has_a_direction():
    """Where answers are even, every output says that none is told."""
    survey = hours(epsilon="0.5")
    held = np.arange(0, 24, 0.012).round(3).tolist()
    options = Options(level=1 - 1e-6)
    reports = randomize(survey, {"hour": held})
    estimates = ldp_aggregator.estimate(survey, reports, options=options)["hour"]
    where, long = estimates.on_circle
    # With a chance of 1e-6 there is one even so.
    assert where.estimate is None
    assert long.low == 0
    assert "none told" in repr(estimates)
    json.dumps(estimates.to_dict(), allow_nan=False)
    (row,) = (row for row in estimates.rows() if row["value"] == "mean direction")
    assert math.isnan(row["frequency"])


def test_commands(tmp_path):
    """Estimates with a range that goes around, the plan, the explanation and a
    simulation.
    """
    survey = hours()
    place, reports = tmp_path / "clock.toml", tmp_path / "reports.ldp"
    place.write_text(survey.to_toml())
    reports.write_bytes(of_night_people(survey)[0])
    said = run("estimate", place, reports, "--range", "22:6").output
    assert "[22, 6)" in said
    assert "mean direction" in said
    assert "median" not in said
    planned = run("plan", place, "--respondents", "20000").output
    assert "direction" in planned
    assert "efficiency" in planned
    explained = run("explain", place).output
    assert "on a circle" in explained
    assert "share of a range" in explained
    assert "efficiency          0.94" in explained


def test_plans_of_a_circle():
    """A half-width of the direction that surveys come up to, for half a resultant; no
    median.
    """
    survey = hours()
    (planned,) = plan(survey, respondents=20_000).distributions
    assert planned.median_error is planned.mean_error is None
    width = planned.half_width(planned.direction_error)
    shares = nights(24)
    mean = abs(shares @ np.exp(2j * np.pi * np.arange(24) / 24))
    shares = shares * 0.5 / mean + (1 - 0.5 / mean) / 24
    counts = expected_counts(survey["hour"].randomizer, (), shares)
    counts = np.round(counts * (20_000 / counts.sum())).astype(np.int64)
    where = distribution_of(survey["hour"], counts, Options()).direction()
    assert width == pytest.approx(1.96 * where.standard_error, rel=0.12)
    assert planned.efficiency == pytest.approx(0.945, abs=0.005)
    (entry,) = plan(survey, respondents=20_000).records()
    assert entry["direction"]["half_width"] == width
    assert "median" not in entry
    (enough,) = plan(survey, half_width=0.05).distributions
    assert 16_000 < enough.respondents < 17_000


def test_simulations_of_a_circle():
    """How often directions are told and hold, beside shares that are cumulated from the
    start.
    """
    survey = hours(epsilon=2)
    population = synthetic(survey, 3_000, "zipf:1.1")
    said = simulate(survey, population, runs=20, seed=3)
    runs = said.runs["hour"].distribution
    assert runs.direction_told.sum() == 20
    assert runs.direction_holds.sum() >= 14
    assert not runs.quantile_holds.size
    assert "Of the mean direction: told in 20 of 20 runs" in runs.sentences[-1]
    with pytest.raises(EstimateError, match='goal = "distribution"'):
        narrow(ldp_aggregator.aggregate(survey, of_night_people(survey)[0]))


# The bound


@pytest.mark.parametrize("size", [3, 8, 31])
@pytest.mark.parametrize("ratio", [1.5, 2.7, 7.4])
def test_the_bound_has_known_eigenvalues(size, ratio):
    """Those of matrices that are written out, for cumulative shares and ranges of a
    circle.
    """
    from scipy.linalg import eigvalsh

    places = np.arange(size)
    below = (places < np.arange(1, size)[:, None]).astype(float)
    starts, widths = np.meshgrid(places, np.arange(1, size))
    around = ((places - starts.reshape(-1, 1)) % size < widths.reshape(-1, 1)).astype(
        float
    )
    information = 4 * ratio / (ratio - 1) ** 2
    for workload, circular in ((below, False), (around, True)):
        centred = workload - workload.mean(axis=1, keepdims=True)
        eigenvalues = np.maximum(eigvalsh(centred.T @ centred / len(workload)), 0)
        least = (
            information * np.sqrt(eigenvalues).sum() ** 2 - eigenvalues.sum()
        ) / size
        stated = least_variance(size, ratio, circular=circular)
        assert stated == (pytest.approx(least, rel=1e-6) if least > 0 else None)


def test_the_bound_of_any_size():
    """In a moment for 4,096 values; none where it says nothing; averages are over all
    widths.
    """
    assert least_variance(4096, math.exp(1)) == pytest.approx(30.9876, abs=1e-3)
    assert least_variance(7, math.exp(4)) is None
    assert efficiency(prefixes(7, 64), np.ones(6), math.exp(4)) is None
    assert efficiency(prefixes(7, 64), np.full(6, 1e-9), math.e) == 1
    queries = prefixes(100, most=11)
    quadratic = queries.mean(axis=1) * (1 - queries.mean(axis=1))
    exact = np.mean([share * (1 - share) for share in np.arange(1, 100) / 100])
    assert average(queries, quadratic) == pytest.approx(exact, rel=0.02)
    around = around_circle(24, most=64)
    assert around.shape == (64, 24)
    assert set(around.sum(axis=1)) <= set(range(1, 24))


@pytest.mark.parametrize(
    ("size", "epsilon", "least"), [(7, 1, 0.9), (31, 1, 0.97), (256, 2, 0.9)]
)
def test_arcs_come_close_to_the_bound_of_a_circle(size, epsilon, least):
    """Closer than on a line, where the ends of the line are known better by what is
    empty.
    """
    keys = f'type = "integer"\nlow = 1\nhigh = {size}\ncircular = true\n'
    (planned,) = plan(
        ldp.parse_survey(
            f'[survey]\nname = "s"\n[[question]]\nname = "x"\n{keys}mechanism = '
            '"arcs"\n'
            f"epsilon = {epsilon}"
        ),
        respondents=100,
    ).distributions
    assert least < planned.efficiency <= 1


def test_covariances_come_from_sums():
    """The variance of cos + sin tells how the two go together."""
    known = resultant(np.array([0.1, 0.2, 0.3]), np.array([4.0, 1.0, 7.0]))
    np.testing.assert_allclose(known.covariance, [[4, 1], [1, 1]])
    np.testing.assert_allclose(known.mean, [0.1, 0.2])


def test_weights_of_the_shortest_circle():
    """Three values on three places have one frequency."""
    assert usual_weights(3, 1) == (1 << 32,)
    assert (
        asked_of(
            1, 'type = "integer"\nlow = 1\nhigh = 3\ncircular = true\n'
        ).layout.cohorts
        == 1
    )
