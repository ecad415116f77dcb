"""Square wave: its width, its exact law, and what its mean and variance keep."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from calling import run
from specimens import question

import ldp
from ldp.mechanisms.numbers.square_wave import MOST_VALUES, SquareWave, usual_width
from ldp.numbers.exact import exp_lower
from ldp_aggregator.decoders.numbers.window import (
    largest_error,
    mean_parts,
    mean_reach,
    payload_chances,
    scores_of,
)
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import form_of, sample_counts

WAVES = (
    (2, 1, 3, 1),
    (5, 1, 7, 2),
    (5, 3, 5, 2),
    (4, 4, 3, 1),
    (9, 4, 22, 3),
    (16, 8, 11674931554, 1 << 32),
)


def moments_of(wave, row):
    """Mean and variance of what a report is worth, from a row of the channel, in
    fractions.
    """
    worths = [wave.worth(place) for place in range(wave.places)]
    mean = sum(mass * worth for mass, worth in zip(row, worths, strict=True))
    square = sum(mass * worth**2 for mass, worth in zip(row, worths, strict=True))
    return mean, square - mean**2


@pytest.mark.parametrize("numbers", WAVES)
def test_exact_law(numbers):
    """In fractions: rows sum to 1, odds are R, a report is worth its value, with this
    variance.
    """
    wave = SquareWave(*numbers)
    size, width, odds, places = wave.size, wave.width, wave.ratio, wave.places
    rows = wave.channel().rows
    total = odds * width + places - width
    spread = places * (places**2 - 1) + (odds - 1) * width * (width**2 - 1)
    at_middle = total * spread / (12 * ((odds - 1) * width) ** 2)
    for value, row in enumerate(rows):
        assert sum(row) == 1
        assert len(row) == places == size + width - 1
        mean, variance = moments_of(wave, row)
        middle = value - Fraction(size - 1, 2)
        assert mean == value
        assert (
            variance == at_middle + Fraction(places) / ((odds - 1) * width) * middle**2
        )
    assert max(max(column) / min(column) for column in zip(*rows, strict=True)) == odds


@pytest.mark.parametrize(
    "mistake",
    [
        lambda wave, value, place: place - value <= wave.width,
        lambda wave, value, place: not 0 <= place - value < wave.width,
        lambda wave, value, place: (
            0 <= place - value < max(1, wave.width - (value == 0))
        ),
    ],
    ids=["window too wide", "weights swapped", "narrower at an end"],
)
def test_another_law_would_be_seen(mistake):
    """With a window one place too wide, or weights swapped, a report is not worth its
    value.
    """
    wave = SquareWave(5, 3, 5, other=2)
    near, far = wave.rates
    wrong = []
    for value in range(wave.size):
        row = [
            near if mistake(wave, value, place) else far for place in range(wave.places)
        ]
        mean, _ = moments_of(wave, [mass / sum(row) for mass in row])
        wrong.append(mean != value)
    assert any(wrong)


def test_every_draw_has_the_law():
    """Of all integers that a device may draw, each place has as many as its weight
    says.
    """
    wave = SquareWave(5, 3, 5, other=2)
    total = 3 * 5 + 4 * 2
    for value, row in enumerate(wave.channel().rows):
        reports = [
            wave.randomize(value, lambda _, drawn=drawn: bytes([drawn]))
            for drawn in range(total)
        ]
        assert [Fraction(reports.count(place), total) for place in range(7)] == list(
            row
        )


def test_widths():
    """As published, to the digits of the reference: .358, .256, .129, .0637, .0304 on
    each side.
    """
    for epsilon, share in (
        ("0.5", 0.358155),
        ("1", 0.256083),
        ("2", 0.129337),
        ("3", 0.063715),
        ("4", 0.030428),
    ):
        assert usual_width(10**6, Fraction(epsilon)) == pytest.approx(
            2e6 * share, abs=2
        )
    assert [usual_width(64, Fraction(epsilon, 2)) for epsilon in range(1, 9)] == [
        46,
        33,
        23,
        17,
        12,
        8,
        6,
        4,
    ]
    assert usual_width(MOST_VALUES, Fraction(1, 10_000)) == MOST_VALUES - 1
    assert usual_width(2, Fraction(1, 10_000)) == 2
    assert usual_width(MOST_VALUES, Fraction(40)) == 1


@pytest.mark.parametrize("epsilon", ["1/10000", "1/7", "1", "3", "8"])
def test_a_width_tells_most(epsilon):
    """The information of reports that are spread evenly is greatest there, and less
    beside.
    """
    exponent, size = Fraction(epsilon), 4096
    odds = float(exp_lower(exponent))

    def told(width):
        share = width / size
        near = share * odds / (share * odds + 1)
        return math.log1p(share) - math.log1p(share * odds) + near * float(exponent)

    width = usual_width(size, exponent)
    if 1 < width < size and exponent > Fraction(1, 1000):
        assert told(width) >= max(told(width - 3), told(width + 3))
    # No closer bound of e^epsilon would give another width.
    closer = exp_lower(exponent) * (1 + Fraction(1, 10**70))
    share = (exponent * closer - closer + 1) / (closer * (closer - 1 - exponent))
    assert width == max(1, math.floor(share * size + Fraction(1, 2)))


def test_survey_keys():
    """`goal` chooses it, a width may be said, and what it cannot serve is refused."""
    asked = ldp.survey(
        "s", ldp.question("x", low=0, high=9, bins=20, goal="shape", epsilon=1)
    )["x"]
    assert asked.mechanism == "square-wave"
    assert asked.randomizer[:2] == (20, 10)
    wide = question(
        "square-wave", 'type = "integer"\nlow = 0\nhigh = 9\nwidth = 10\nepsilon = 1'
    )
    assert wide.randomizer.width == 10
    assert (
        wide.fingerprint
        != question(
            "square-wave", 'type = "integer"\nlow = 0\nhigh = 9\nwidth = 9\nepsilon = 1'
        ).fingerprint
    )
    for keys, message in (
        ('type = "integer"\nlow = 0\nhigh = 9\nwidth = 11', "from 1 to 10"),
        ('type = "integer"\nlow = 0\nhigh = 9\nwidth = 0', "from 1 to 10"),
        ('type = "integer"\nlow = 1\nhigh = 9000', "at most 8192 values"),
        ('type = "category"\nvalues = ["a", "b"]', "type integer or number"),
        ('type = "text"', "type integer or number"),
    ):
        with pytest.raises(ldp.SurveyError, match=message):
            question("square-wave", f"{keys}\nepsilon = 1")
    numbers = ldp.question("x", low=0, high=1, goal="shape", epsilon=1)
    assert numbers["type"] == "number"


@pytest.mark.parametrize("numbers", WAVES)
def test_scores_are_unbiased(numbers):
    """Of the value, and of its square: the decoder's, against the channel; and their
    ends.
    """
    wave = SquareWave(*numbers)
    scores, law = scores_of(wave), np.array(wave.channel().rows, dtype=float)
    values = np.arange(wave.size) - (wave.size - 1) / 2
    assert np.allclose(law @ scores.mean, values)
    assert np.allclose(law @ scores.square, values**2)
    spread = law @ scores.mean**2 - values**2
    assert np.allclose(law @ (scores.mean**2 - scores.square), spread)
    assert largest_error(wave) ** 2 == pytest.approx(spread.max())
    exact = [float(wave.worth(place)) for place in range(wave.places)]
    assert np.allclose(scores.mean + (wave.size - 1) / 2, exact)
    assert float(mean_reach(wave)) == pytest.approx(max(exact))
    assert min(exact) == pytest.approx(wave.size - 1 - max(exact))
    least, most = payload_chances(wave)
    assert np.allclose(least, law.min(axis=0))
    assert np.allclose(most, law.max(axis=0))


def test_sampled_tallies_have_the_law_of_the_channel():
    """1,000,000 reports, seed 5: chi-square over all places against the channel.

    Within 6 standard deviations, but for a chance below 1e-6; odds that are 4 % off,
    and a window that is one place wider, are detected.
    """
    asked = question(
        "square-wave", 'type = "integer"\nlow = 0\nhigh = 12\nepsilon = "2"'
    )
    wave, generator = asked.randomizer, np.random.default_rng(5)
    held = np.zeros(13, dtype=np.int64)
    held[[0, 3, 12]] = 500_000, 300_000, 200_000
    counts = sample_counts(asked, Holders((), held), generator)[0]
    assert counts.sum() == 1_000_000
    expected = held @ np.array(wave.channel().rows, dtype=float)
    freedom = counts.size - 1
    chi = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi - freedom) < 6 * (2 * freedom) ** 0.5
    form = form_of(wave)
    in_expectation = form.expected(wave, (), held / held.sum())[0] / 10**12
    assert np.allclose(in_expectation * 1_000_000, expected)
    for other in (
        wave._replace(truth=wave.truth * 96 // 100),
        wave._replace(width=wave.width + 1),
    ):
        law = held @ np.array(other.channel().rows, dtype=float)
        away = law[: counts.size] - expected
        assert (away**2 / expected).sum() > 6 * (2 * freedom) ** 0.5


def test_a_billion_respondents():
    """Of 4,096 values, with a window of half of them: the mean is as near as it says.

    Within 6 standard errors, of chance 2e-9.
    """
    asked = question(
        "square-wave", 'type = "integer"\nlow = 0\nhigh = 4095\nepsilon = "1"'
    )
    held = np.full(4096, 10**9 // 4096, dtype=np.int64)
    counts = sample_counts(asked, Holders((), held), np.random.default_rng(2))
    assert counts.sum() == held.sum()
    parts = mean_parts(asked.randomizer, None, counts)
    assert abs(parts.estimate) < 6 * parts.variance**0.5


def test_from_the_command_line(tmp_path, monkeypatch):
    """Numbers go in; mean and variance come out, and a shape if it is asked for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(
        '[survey]\nname = "s"\n[[question]]\nname = "hours"\ntype = "number"\nlow = '
        "0\nhigh = 60\n"
        'step = 1\nunit = "hours"\noutside = "clip"\nmechanism = "auto"\ngoal = '
        '"shape"\n'
        'epsilon = 4\n[[question]]\nname = "sick"\ntype = "boolean"\nmechanism = '
        '"grr"\n'
        "epsilon = 1\n"
    )
    hours = [20 + number % 41 + 0.25 for number in range(4000)]
    rows = "".join(f"{hour},{number % 2}\n" for number, hour in enumerate(hours))
    (tmp_path / "answers.csv").write_text(f"hours,sick\n{rows}")
    run("randomize", "survey.toml", "-i", "answers.csv", "-o", "reports", "-q")
    estimate = ("estimate", "survey.toml", "reports", "-q")
    record = json.loads(run(*estimate, "--format", "json").stdout)["questions"]["hours"]
    error = record["mean"]["standard_error"]
    # Six standard errors: of chance 2e-9.
    assert error < 0.3
    assert abs(record["mean"]["estimate"] - np.clip(hours, 0, 60).mean()) < 6 * error
    assert record["values"] == []
    assert "--post-process em" in record["note"]
    shape = ("--question", "hours", "--post-process", "ems")
    shaped = json.loads(run(*estimate, *shape, "--format", "json").stdout)["questions"][
        "hours"
    ]
    assert shaped["mean"] == record["mean"]
    assert shaped["biased"] is True
    assert len(shaped["values"]) == 61
    assert {value["interval"] for value in shaped["values"]} == {None}
    run(*estimate, "--post-process", "ems", "--plot", "shape.svg")
    assert (tmp_path / "shape.svg").stat().st_size > 1000
    assert "window" in run("explain", "survey.toml").stdout
