"""Dithered k-ary response: published figures, exact laws, and what its estimates
keep.
"""

import json
from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np
import pytest
from calling import ldp, run
from specimens import question
from test_page_of_distributions import Unasked

from ldp.errors import SurveyError
from ldp.mechanisms.numbers.dithered import (
    FINEST_GRID,
    DitheredResponse,
    error_of_levels,
    usual_levels,
)
from ldp.numbers.exact import exp_lower
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.manipulation import mean_reach
from ldp_aggregator.answers.results.means import mean_of
from ldp_aggregator.decoders.decoder import MeanParts
from ldp_aggregator.decoders.numbers.dithered import (
    largest_error,
    mean_parts,
    scores_of,
)
from ldp_service.page.document import render
from ldp_service.page.views.question import QuestionView
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts


def reports_of(dithered):
    """Every report, as its dither and level."""
    return product(range(dithered.grid), range(dithered.levels))


@pytest.mark.parametrize(
    ("last", "levels", "odds", "variances", "worth"),
    [
        (4, 2, 3, ["53/4"] * 5, "13/2"),
        (4, 3, 3, ["261/16", "213/16", "165/16", "213/16", "261/16"], "9/4"),
        (10, 3, 5, [f"{683 - 60 * min(x, 10 - x)}/16" for x in range(11)], "27/4"),
    ],
)
def test_exact_moments(last, levels, odds, variances, worth):
    """In fractions: a report is worth the value on average, with these variances, and
    odds of R.
    """
    dithered = DitheredResponse(last + 1, last, levels, truth=odds, other=1)
    worths = [dithered.worth(*report) for report in reports_of(dithered)]
    rows = dithered.channel().rows
    for value, row in enumerate(rows):
        mean = sum(mass * worth for mass, worth in zip(row, worths, strict=True))
        square = sum(mass * worth**2 for mass, worth in zip(row, worths, strict=True))
        assert mean == value
        assert square - mean**2 == Fraction(variances[value])
    assert dithered.worth(1, 1) == Fraction(worth)
    assert max(max(column) / min(column) for column in zip(*rows, strict=True)) == odds


def test_numbers_of_levels():
    """Where more levels begin to be better, to the digits of the reference figures, and
    ties.
    """
    assert usual_levels(Fraction(3)) == 2
    for epsilon, levels in (
        ("1.098", 2),
        ("1.099", 3),
        ("2.607", 3),
        ("2.608", 4),
        ("3.666", 4),
    ):
        assert usual_levels(exp_lower(Fraction(epsilon))) == levels
    for epsilon, levels in (
        ("3.668", 5),
        ("4.451", 5),
        ("4.452", 6),
        ("5.071", 6),
        ("5.072", 7),
    ):
        assert usual_levels(exp_lower(Fraction(epsilon))) == levels
    assert usual_levels(exp_lower(Fraction(40))) == 256


@pytest.mark.parametrize(
    ("epsilon", "error"),
    [
        ("0.5", 16.004),
        ("1", 4.016),
        ("1.5", 1.584),
        ("2", 0.778),
        ("3", 0.263),
        ("4", 0.107),
    ],
)
def test_error_for_values_spread_evenly(epsilon, error):
    """On a range of -1 to 1, to the digits of the reference figures.

    The optimum of linear programming has 16.00, 3.886, 1.559, .777, .260, .105.
    """
    ratio = exp_lower(Fraction(epsilon))
    variance = 4 * error_of_levels(usual_levels(ratio), ratio)
    assert float(variance) == pytest.approx(error, abs=6e-4)
    # The formula is the mean over places of the variance that the channel has, on a
    # fine grid.
    fine = DitheredResponse(65, 64, usual_levels(Fraction(8)), truth=8, other=1)
    law = np.array(fine.channel().rows, dtype=float)
    worths = np.array([float(fine.worth(*report)) for report in reports_of(fine)])
    spread = (law @ worths**2 - (law @ worths) ** 2)[1:-1].mean()
    assert float(error_of_levels(fine.levels, Fraction(8))) * 64**2 == pytest.approx(
        spread, rel=0.02
    )


@pytest.mark.parametrize(
    "numbers",
    [
        (5, 4, 2, 3, 1),
        (8, 7, 2, 9, 2),
        (5, 4, 3, 3, 1),
        (8, 7, 5, 9, 1),
        (10, 4, 3, 5, 1),
        (2, 1, 2, 3, 1),
    ],
)
def test_scores_are_unbiased(numbers):
    """Of the place, of its square, and of the variance: the decoder's, against the
    channel.
    """
    dithered = DitheredResponse(*numbers)
    scores, last = scores_of(dithered), dithered.size - 1
    law = np.array(dithered.channel().rows, dtype=float).reshape(
        -1, dithered.grid, dithered.levels
    )
    places = np.arange(dithered.size) * dithered.grid / last
    rounding = places % 1 * (1 - places % 1)
    means, squares, variances = (np.einsum("xul,ul->x", law, score) for score in scores)
    assert np.allclose(means + dithered.grid / 2, places)
    assert np.allclose(squares, (places - dithered.grid / 2) ** 2 + rounding)
    spread = np.einsum("xul,ul->x", law, scores.place**2) - means**2
    assert np.allclose(variances + rounding, spread)
    step = last / dithered.grid
    assert largest_error(dithered) ** 2 >= (spread * step**2).max() - 1e-9
    if step == 1:
        assert largest_error(dithered) ** 2 == pytest.approx(spread.max())
    exact = [step * float(dithered.worth(*report)) for report in reports_of(dithered)]
    assert float(mean_reach(dithered)) == pytest.approx(max(exact))
    assert min(exact) == pytest.approx(last - max(exact))


@pytest.mark.parametrize(
    "numbers", [(5, 4, 2, 3, 1), (6, 4, 3, 5, 1), (10, 4, 3, 5, 1)]
)
def test_parts_of_the_expected_tally(numbers):
    """Reports as often as the channel says: moments of the values, and the variance of
    their mean.

    In fractions; on a grid coarser than the values, with what rounding adds at most.
    """
    dithered = DitheredResponse(*numbers)
    last, rows = dithered.size - 1, dithered.channel().rows
    held = [Fraction(2 * value + 1, dithered.size**2) for value in range(dithered.size)]
    law = [
        sum(share * mass for share, mass in zip(held, column, strict=True))
        for column in zip(*rows, strict=True)
    ]
    reports = lcm(*(mass.denominator for mass in law))
    counts = np.array([int(mass * reports) for mass in law]).reshape(dithered.grid, -1)
    step = Fraction(last, dithered.grid)
    worths = [step * dithered.worth(*report) for report in reports_of(dithered)]
    noise = rounding = Fraction(0)
    for value, (share, row) in enumerate(zip(held, rows, strict=True)):
        noise += share * sum(
            mass * (worth - value) ** 2 for mass, worth in zip(row, worths, strict=True)
        )
        place = value / step % 1
        rounding += share * step**2 * place * (1 - place)
    allowed = step**2 / 4 if last > dithered.grid else 0
    middle = Fraction(last, 2)
    parts = mean_parts(dithered, None, counts)
    assert parts.estimate == pytest.approx(
        float(sum(share * (value - middle) for value, share in enumerate(held)))
    )
    assert parts.mean_square == pytest.approx(
        float(
            sum(share * (value - middle) ** 2 for value, share in enumerate(held))
            + rounding
        )
    )
    assert parts.variance * reports == pytest.approx(float(noise - rounding + allowed))
    # Reports are drawn evenly with the chance of all levels together at that of one
    # that is not the own; so they are of this variance at least.
    evenly = dithered.levels * dithered.response.support[1]
    mean = sum(worths) / len(worths)
    spread = sum((worth - mean) ** 2 for worth in worths) / len(worths)
    assert parts.least_variance * reports == pytest.approx(float(evenly * spread))


@pytest.mark.parametrize("numbers", [(5, 4, 2, 3, 1), (10, 4, 3, 5, 1)])
@pytest.mark.parametrize("cells", [(0, 3), (0, 3, 3, 5, 6, 6, 7), (2,)])
def test_errors_of_a_variance_by_hand(numbers, cells):
    """That of the mean of what each report adds to it, as statistics have it of a
    sample.
    """
    dithered = DitheredResponse(*numbers)
    counts = np.bincount(cells, minlength=dithered.grid * dithered.levels)
    counts = counts.reshape(dithered.grid, -1)
    scores, step = scores_of(dithered), (dithered.size - 1) / dithered.grid
    place, square = (
        score.ravel()[list(cells)] for score in (scores.place, scores.square)
    )
    expected = 0.0
    if len(cells) > 1:
        added = square - 2 * place.mean() * place
        expected = step**2 * added.std(ddof=1) / len(cells) ** 0.5
    assert mean_parts(dithered, None, counts).spread_error == pytest.approx(
        expected, abs=1e-12
    )


def test_errors_of_a_variance_are_real():
    """Also where rounding leaves a little less than nothing of the spread."""
    counts = np.zeros((4, 3), dtype=np.int64)
    counts[2, 1:] = 5, 2
    error = mean_parts(
        DitheredResponse(10, 4, 3, truth=5, other=1), None, counts
    ).spread_error
    assert isinstance(error, float)
    assert error == pytest.approx(0, abs=1e-6)


def test_squares_of_two_levels_by_hand():
    """Five values and odds of 3: levels are 8 (3 - 2u) apart, about 2 + .4 (3 - 2u)^2.

    With (x - 2)^2 = 4 + sum (2t - 5) [x >= t], a level is worth four times its
    threshold's part.
    """
    expected = [[-6.4, 17.6], [-1.6, 6.4], [6.4, -1.6], [17.6, -6.4]]
    assert np.allclose(
        scores_of(DitheredResponse(5, 4, 2, truth=3, other=1)).square, expected
    )


def test_a_survey_may_say_how_many_levels():
    """From 2 to 256."""
    asked = 'type = "integer"\nlow = 0\nhigh = 9\nepsilon = 3\nlevels = '
    for levels in (2, 3, 256):
        assert question("dithered", f"{asked}{levels}").randomizer.levels == levels
    for levels in (1, 257):
        with pytest.raises(SurveyError, match="from 2 to 256"):
            question("dithered", f"{asked}{levels}")


@pytest.mark.parametrize(
    ("reports", "estimand", "variance", "error", "spread"),
    [
        (0, "respondents", 0.25, 0.5, None),
        (1, "respondents", 0.25, 0.5, None),
        (2, "respondents", 0.25, 0.375, None),
        (3, "population", 0.25, 2.25, None),
        (5, "population", 0.25, 0.625, None),
        (30, "respondents", 0.25, 0.25 + 1 / 120, 1.5 * 30 / 29),
        (30, "population", 0.25, 0.25 + 1.5 / 29, 1.5),
        (30, "respondents", -2.0, 0.1 + 1 / 120, -0.75 * 30 / 29),
    ],
)
def test_means_by_hand(reports, estimand, variance, error, spread, monkeypatch):
    """What a decoder tells of values a step apart, in the unit of the answers and its
    square.

    Respondents may have been rounded, which adds a quarter at most; their variance is a
    sample's, and is not told of fewer than thirty. Of fewer than five a population may
    have all that the range allows.
    """
    parts = [
        MeanParts(
            0.5,
            1.5,
            variance,
            spread_error=0.125,
            spread_noise=0.125,
            least_variance=0.1,
        )
    ]
    monkeypatch.setattr(
        "ldp_aggregator.answers.results.means.parts_of", lambda *_: parts[0]
    )
    asked = question(
        "dithered", 'type = "number"\nlow = 10\nhigh = 22\nstep = 3\nepsilon = 4'
    )
    counts = np.zeros((asked.layout.cohorts, asked.layout.symbols), dtype=np.int64)
    counts[0, 0] = reports
    options = Options(estimand=estimand)
    mean = mean_of(asked, None, counts, options=options)
    assert mean.estimate == 17.5
    assert mean.standard_error == pytest.approx(3 * error**0.5)
    assert mean.interval == (mean.low, mean.high)
    assert (mean.variance is None) == (spread is None)
    if mean.variance is not None:
        assert mean.variance.estimate == pytest.approx(9 * spread)
        assert mean.variance.standard_error == 9 * 0.125
        # Where nothing is known: all that numbers between 10 and 22 can have.
        parts[0] = MeanParts(0.5, 1.5, 0.25, spread_error=1e6, spread_noise=1e6)
        most = 36 if estimand == "population" else 36 * 30 / 29
        interval = mean_of(asked, None, counts, options=options).variance.interval
        assert interval == pytest.approx((0, most))
        parts[0] = MeanParts(
            0.5, 1.5, 0.25, spread_error=1, spread_noise=1, least_spread_error=7
        )
        assert (
            mean_of(asked, None, counts, options=options).variance.standard_error == 63
        )
    parts[0] = MeanParts(0.5, 1.5, 1e6)
    assert mean_of(asked, None, counts, options=options).interval == (10, 22)


def test_a_coarser_grid():
    """Of more than 4,096 steps, values are rounded at random, without bias."""
    gains = question(
        "dithered", 'type = "number"\nlow = 0\nhigh = 99999\nstep = 1\nepsilon = 4'
    )
    dithered = gains.randomizer
    assert dithered[:3] == (100_000, FINEST_GRID, 5)
    assert gains.layout.width == 3
    spread = []
    for spare in (0, 1234, 50_000, 99_998):
        place = (777 * FINEST_GRID + spare) // 99_999
        spread.append(place)
    assert spread == [31, 31, 32, 32]


def test_sampled_tallies_have_the_law_of_the_channel():
    """1,000,000 reports, seed 5: chi-square over all dithers and levels against the
    channel.

    Within 6 standard deviations, but for a chance below 1e-6; odds that are 4 % off are
    detected.
    """
    for keys in ("high = 12", "high = 9999"):
        asked = question(
            "dithered", f'type = "integer"\nlow = 0\n{keys}\nepsilon = "2"'
        )
        dithered, generator = asked.randomizer, np.random.default_rng(5)
        held = np.zeros(dithered.size, dtype=np.int64)
        held[[0, 3, 12]] = 500_000, 300_000, 200_000
        counts = sample_counts(asked, Holders((), held), generator)
        assert counts.sum() == 1_000_000
        parts = mean_parts(dithered, None, counts)
        truth = (held / held.sum()) @ np.arange(dithered.size) - (dithered.size - 1) / 2
        assert abs(parts.estimate - truth) < 6 * parts.variance**0.5
        if dithered.size > 100:
            continue
        law = np.array(dithered.channel().rows, dtype=float)
        expected = (held @ law).reshape(counts.shape)
        chi = ((counts - expected) ** 2 / expected).sum()
        freedom = counts.size - 1
        assert abs(chi - freedom) < 6 * (2 * freedom) ** 0.5


def test_other_odds_would_be_seen():
    """The same chi-square, of a law whose odds are 4 % off."""
    asked = question("dithered", 'type = "integer"\nlow = 0\nhigh = 12\nepsilon = "2"')
    dithered = asked.randomizer
    other = dithered._replace(truth=dithered.truth * 96 // 100)
    held = np.zeros(13)
    held[[0, 3, 12]] = 500_000, 300_000, 200_000
    expected, drawn = (
        held @ np.array(randomizer.channel().rows, dtype=float)
        for randomizer in (dithered, other)
    )
    chi = ((drawn - expected) ** 2 / expected).sum()
    assert chi > 6 * (2 * expected.size) ** 0.5


def test_from_the_command_line(tmp_path, monkeypatch):
    """Numbers go in; a mean and a variance come out, with the unit and what was
    clipped.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(
        '[survey]\nname = "s"\n[[question]]\nname = "hours"\ntype = "number"\nlow = '
        "0\nhigh = 60\n"
        'step = "0.5"\nunit = "hours"\noutside = "clip"\nmissing = ["NA", "?"]\n'
        'mechanism = "auto"\ngoal = "mean"\nepsilon = 4\n'
    )
    hours = [20 + number % 41 + 0.25 for number in range(4000)]
    cells = [*map(str, hours), "NA", "?", "1000"]
    (tmp_path / "answers.csv").write_text(
        "hours\n" + "".join(f"{cell}\n" for cell in cells)
    )
    ldp("randomize survey.toml -i answers.csv -o reports -q")
    record = json.loads(ldp("estimate survey.toml reports --format json -q").stdout)
    hours_record = record["questions"]["hours"]
    assert hours_record["reports"] == 4001
    truth = np.mean([*hours, 60])
    error = hours_record["mean"]["standard_error"]
    # Six standard errors: of chance 2e-9. Without clipping the mean would be 17 of them
    # off.
    assert error < 0.3
    assert abs(hours_record["mean"]["estimate"] - truth) < 6 * error
    spread = hours_record["variance"]
    assert abs(spread["estimate"] - np.var([*hours, 60])) < 6 * spread["standard_error"]
    assert "clipped to [0, 60]" in hours_record["note"]
    assert "hours" in run("explain", "survey.toml").stdout
    assert "variance" in ldp("estimate survey.toml reports -q").stdout


@pytest.mark.parametrize(
    ("estimand", "most"), [("respondents", 1.0), ("population", 1.3)]
)
def test_rounding_is_allowed_for(estimand, most):
    """Halfway between coarse steps, 400 surveys of 500, seed 7: errors are as stated or
    less.

    The mean of z^2 is below `most` by six standard errors; without the allowance it is
    1.5 for the respondents.
    """
    keys = 'type = "number"\nlow = 0\nhigh = 4\nstep = 1\nepsilon = 4'
    rating, generator = question("dithered", keys), np.random.default_rng(7)
    squares = []
    for _ in range(400):
        rounded = generator.binomial(500, 0.5)
        holders = Holders((), np.array([0, 500 - rounded, rounded, 0, 0]))
        counts = sample_counts(rating, holders, generator)
        mean = estimate_question(rating, counts, Options(estimand=estimand)).mean
        squares.append(((mean.estimate - 1.5) / mean.standard_error) ** 2)
    assert np.mean(squares) < most + 6 * (2 / 400) ** 0.5


def test_the_page_shows_the_unit():
    """Mean and variance as facts of a question, in its unit and in the square of it."""
    keys = 'type = "number"\nlow = 0\nhigh = 40\nstep = 1\nunit = "hours"\nepsilon = 4'
    asked = question("dithered", keys)
    counts = np.full((asked.layout.cohorts, asked.layout.symbols), 20)
    estimates = estimate_question(asked, counts, Options())
    section = render(
        "question", "x", view=QuestionView.of(estimates), asked=Unasked, notes=()
    )
    assert ">Mean, in hours<" in section
    assert ">Variance, in hours squared<" in section
    assert "; in hours" in repr(estimates)
