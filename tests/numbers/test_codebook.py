"""Codebook response: the law of its words, unbiased means of vectors, and the reference
figures.
"""

import math
import random
import re
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

import ldp
import ldp_simulations
from ldp.answers.balls import UNIT, pack_coordinates, read_vector
from ldp.errors import AnswerError, EstimateError, SurveyError
from ldp.mechanisms.vectors.codebook import CodebookResponse, usual_near
from ldp.mechanisms.vectors.codewords import CODES, codeword, coordinates, magnitudes
from ldp.numbers.exact import exp_lower
from ldp_aggregator import estimate
from ldp_aggregator.decoders.other_results import VectorParts
from ldp_aggregator.decoders.vectors.codebook import explain
from ldp_aggregator.decoders.vectors.half_normals import greatest
from ldp_aggregator.decoders.vectors.law import deviation, word_law
from ldp_aggregator.decoders.vectors.mean_vector import mean_vector
from ldp_aggregator.tallies.counting.codeword_counting import OFFSET, codewords
from ldp_aggregator.tallies.counting.counting import count_rows, empty_counts
from ldp_simulations.reports.codebook_draws import codebook_rows

FIGURES = {
    2: (7.35, 2.70, 1.68, 1.56),
    16: (6.61, 1.76, 0.530, 0.316),
    64: (6.41, 1.65, 0.460, 0.188),
}
"""By words: n Var of a coordinate of 100 at epsilon 1, 2, 4, 8, worked out apart."""


def asked(**keys):
    """A survey with one question about vectors."""
    return ldp.survey("s", ldp.question("v", **{"radius": 1, "epsilon": 1, **keys}))


def response_of(**keys):
    """Its randomizer."""
    return asked(**keys)["v"].randomizer


@pytest.mark.parametrize("words", FIGURES)
def test_errors_are_those_of_the_reference(words):
    """Within 2 % of what was worked out for normal words and the best w."""
    for epsilon, expected in zip((1, 2, 4, 8), FIGURES[words], strict=True):
        law = word_law(response_of(dimensions=100, epsilon=epsilon, words=words))
        assert law.total_variance(100) / 100 == pytest.approx(expected, rel=0.02)


def test_the_explanation_has_the_errors_of_the_reference():
    """Vectors up to 3 long in 100 dimensions: 3 sqrt(.188) for a coordinate, ten times
    for all.
    """
    question = asked(dimensions=100, radius=3, epsilon=8, words=64)["v"]
    (line,) = [line for line in explain(question) if "error of a mean" in line]
    of_coordinate, of_all = map(float, re.findall(r"([\d.]+) / sqrt", line))
    assert of_coordinate == pytest.approx(3 * math.sqrt(FIGURES[64][3]), rel=0.01)
    assert of_all == pytest.approx(10 * of_coordinate, rel=0.001)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4", "8"])
@pytest.mark.parametrize("words", [2, 6, 64, 256])
def test_the_usual_number_of_near_words_is_next_to_the_best(words, epsilon):
    """No other number has an error smaller by a hundredth."""
    ratio = exp_lower(Fraction(epsilon))

    def error(near):
        response = CodebookResponse(
            100, words, near, truth=ratio.numerator, other=ratio.denominator
        )
        return word_law(response).total_variance(100)

    least = min(error(near) for near in range(1, words // 2 + 1))
    assert error(usual_near(words, ratio)) < 1.01 * least


@pytest.mark.parametrize(
    ("words", "ratio"),
    [
        (26, "3303000/2220763"),
        (48, "2457599/1157767"),
        (62, "434983/1386"),
        (74, "304937/760"),
    ],
)
def test_the_usual_number_of_near_words_is_that_of_quantiles(words, ratio):
    """Also where others next to them would have another: so that every version has the
    same.
    """
    table, numbers = magnitudes(), words // 2
    # Blom's quantiles, the greatest first, each as the code below the middle of its
    # own.
    shares = [
        (rank - Fraction(3, 8)) / (numbers + Fraction(1, 4))
        for rank in range(numbers, 0, -1)
    ]
    sizes = [table[math.floor(CODES * share - Fraction(1, 2))] for share in shares]
    masses = [near * (Fraction(ratio) - 1) + words for near in range(1, numbers + 1)]
    worths = [sum(sizes[:near]) / mass for near, mass in enumerate(masses, 1)]
    assert usual_near(words, Fraction(ratio)) == worths.index(max(worths)) + 1


def test_sums_of_the_greatest_half_normal_numbers():
    """Known ones: all of them, and the greater of two."""
    for numbers in (1, 3, 32):
        assert greatest(numbers, numbers).numbers == pytest.approx(
            numbers * math.sqrt(2 / math.pi)
        )
        assert greatest(numbers, numbers).squares == pytest.approx(numbers)
    assert greatest(2, 1).numbers == pytest.approx(2 / math.sqrt(math.pi))
    assert greatest(2, 1).squares == pytest.approx(1 + 2 / math.pi)


def test_coordinates_have_the_normal_law():
    """Every code is a step of 2^-16 of it: quantiles to half a unit, moments to what is
    stated.
    """
    from scipy.special import ndtri

    table = np.array(magnitudes())
    assert len(table) == CODES
    exact = 256 * ndtri(0.5 + (np.arange(CODES) + 0.5) / (2 * CODES))
    assert np.abs(table - exact).max() < 0.51
    assert deviation() / 256 == pytest.approx(1, abs=2e-5)
    assert np.mean(table**4.0) / deviation() ** 4 == pytest.approx(3, rel=3e-4)
    assert [-number for number in coordinates()[CODES:]] == list(magnitudes())
    assert max(magnitudes()) < OFFSET


@pytest.mark.parametrize(
    ("words", "bias"), [(2, 1e-5), (16, 1e-5), (64, 3e-5), (256, 1e-4)]
)
def test_the_bias_along_an_axis_is_as_stated(words, bias):
    """There one coordinate decides: the sum of the w greatest of its law, exactly,
    beside S1.
    """
    from scipy.stats import binom

    vectors = words // 2
    shares = np.bincount(magnitudes()) / CODES
    # P[a number is above k], and how many of all are, for each k.
    above = 1 - np.cumsum(shares)
    counts = np.arange(vectors + 1)
    chances = binom.pmf(counts[None], vectors, np.clip(above, 0, 1)[:, None])
    for near in {
        1,
        max(1, vectors // 6),
        max(1, vectors // 3),
        max(1, 27 * vectors // 32),
    }:
        exact = (chances * np.minimum(counts, near)).sum() / deviation()
        assert exact / greatest(vectors, near).numbers == pytest.approx(1, abs=bias)


def test_chances_of_coordinates_are_those_of_a_normal_law():
    """Of 0, of two standard errors, and of one that has no error."""
    from scipy.stats import norm

    estimate, variance = np.array([0.0, 0.2, 0.0]), np.array([0.01, 0.01, 0.0])
    parts = VectorParts(estimate, variance, variance)
    known = mean_vector(parts, 3.0, missing=0.05)
    assert known.standard_error == pytest.approx([0.3, 0.3, 0.0])
    assert known.chances == pytest.approx([1, 2 * norm.sf(2), 1])


def test_words_are_unbiased_over_all_codebooks(monkeypatch):
    """Of coordinates -2, -1, 1, 2, all alike: the mean word is a multiple of the
    vector.
    """
    response = CodebookResponse(2, 4, 1, truth=5, other=2, word=4)
    books = list(product(product((-2, -1, 1, 2), repeat=2), repeat=2))
    chosen = []
    monkeypatch.setattr(
        "ldp.mechanisms.vectors.codebook.codeword",
        lambda _seed, number, _size: chosen[-1][number],
    )
    lengths = {}
    for direction in (
        (UNIT, 0),
        (0, -UNIT),
        (UNIT // 2, 0),
        (UNIT // 4, UNIT // 4),
        (0, 0),
    ):
        total = [Fraction(0), Fraction(0)]
        for book in books:
            chosen.append(book)
            # A seed tells nothing more here, so that one stands for all of them.
            row = response._replace(word=4).row(pack_coordinates(direction))[
                : response.words
            ]
            for word, mass in enumerate(row):
                sign = 1 - 2 * (word % 2)
                for axis in (0, 1):
                    total[axis] += 16 * mass * sign * book[word // 2][axis] / len(books)
        lengths[direction] = total
    # (R - 1) S1 / Z, with S1 the mean of the greater of two numbers 1 or 2; the sign
    # has 2^4 steps.
    along = Fraction(5 - 2) * Fraction(7, 4) / (5 + 3 * 2)
    assert lengths[UNIT, 0] == [along, 0]
    assert lengths[0, -UNIT] == [0, -along]
    assert lengths[UNIT // 2, 0] == [along / 2, 0]
    assert lengths[0, 0] == [0, 0]
    oblique = lengths[UNIT // 4, UNIT // 4]
    assert oblique[0] == oblique[1] > 0


VECTORS = {
    "an axis": (1, 0, 0, 0),
    "between": (-0.5, 0.5, 0.5, 0.5),
    "short": (0.3, -0.1, 0, 0.2),
    "none": (0, 0, 0, 0),
}


def tally_of(survey, vector, reports, seed, response=None):
    """The tally of as many reports of a vector."""
    question = survey["v"]
    response = response or question.randomizer
    values = np.tile(np.frombuffer(question.value(vector), dtype="<i4"), (reports, 1))
    source = np.random.default_rng(seed).bytes
    return count_rows(
        codebook_rows(response, values.astype(np.int64), source), question.layout
    )


def largest_score(survey, counts, vector):
    """How far the mean is from a vector, in standard errors: the coordinate furthest
    off.
    """
    from ldp_aggregator.decoders.vectors.codebook import vector_parts

    parts = vector_parts(survey["v"].randomizer, counts)
    return np.abs((parts.estimate - vector) / np.sqrt(parts.variance)).max()


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize(("epsilon", "words"), [(1, 16), (4, 64)])
def test_means_are_unbiased(name, epsilon, words):
    """20,000 reports, 5.6 standard errors: a false alarm below 1e-6 over all
    coordinates.
    """
    survey = asked(dimensions=4, epsilon=epsilon, words=words)
    counts = tally_of(survey, VECTORS[name], 20_000, seed=5)
    assert largest_score(survey, counts, VECTORS[name]) < 5.6


@pytest.mark.parametrize("wrong", [{"near": 10}, {"truth": 1 << 38}])
def test_a_device_that_draws_otherwise_is_seen(wrong):
    """Of 20,000 reports at epsilon 4: with 10 near words for 14, or odds of 64 for
    54.6.
    """
    survey = asked(dimensions=4, epsilon=4)
    response = survey["v"].randomizer._replace(**wrong)
    counts = tally_of(survey, VECTORS["an axis"], 20_000, seed=5, response=response)
    assert largest_score(survey, counts, VECTORS["an axis"]) > 5.6


def test_errors_are_as_wide_as_estimates_scatter():
    """100 surveys of 500: intervals hold their share, and the error is the planned
    one.
    """
    survey = asked(dimensions=12, epsilon=2, words=16, radius="2.5")
    population = ldp_simulations.synthetic(survey, 500)
    runs = ldp_simulations.simulate(survey, population, runs=100, seed=3).runs["v"]
    assert 0.92 < runs.coverage.mean() < 0.98
    met = np.sqrt(np.mean(runs.empirical_error**2))
    assert met == pytest.approx(np.sqrt(np.mean(runs.stated_error**2)), rel=0.1)
    planned = ldp_simulations.plan(survey, respondents=500).vectors[0]
    assert met == pytest.approx(planned.error, rel=0.1)
    assert planned.distance == pytest.approx(12**0.5 * planned.error)
    enough = ldp_simulations.plan(survey, mean_half_width=planned.half_width).vectors[0]
    assert enough.respondents in (500, 501)


def test_an_aggregator_works_out_the_words_of_devices():
    """Coordinate by coordinate, for seeds of all sizes and words of any number of
    them.
    """
    generator = np.random.default_rng(1)
    seeds = generator.integers(1 << 64, size=200, dtype=np.uint64)
    seeds[:3] = 0, 1, (1 << 64) - 1
    numbers = generator.integers(256, size=200)
    for dimensions in (2, 3, 4, 5, 101):
        words = codewords(seeds, numbers, dimensions)
        for seed, number, word in zip(
            seeds.tolist(), numbers.tolist(), words, strict=True
        ):
            sign = 1 - 2 * (number % 2)
            assert word.tolist() == [
                sign * x for x in codeword(seed, number // 2, dimensions)
            ]


@pytest.mark.parametrize(
    "keys", [{"dimensions": 9, "epsilon": 2}, {"dimensions": 2, "words": 6}]
)
def test_reports_in_bulk_are_those_of_clients(keys):
    """Of the same bytes, where no draw is rejected: report by report."""
    response, generator = response_of(**keys), np.random.default_rng(2)
    vectors = generator.standard_normal((100, response.dimensions))
    vectors *= generator.random((100, 1)) / np.linalg.norm(
        vectors, axis=1, keepdims=True
    )
    values = np.rint(UNIT * vectors).astype(np.int64)
    parts = [generator.bytes(8 * len(values)) for _ in range(3)]
    drawn = iter(parts)
    rows = codebook_rows(response, values, lambda _: next(drawn))
    for place, value in enumerate(values.tolist()):
        seed, sign, word = (part[8 * place : 8 * place + 8] for part in parts)
        below = int.from_bytes(word, "little") % response.mass
        tape = iter(
            (
                seed,
                sign,
                below.to_bytes((response.mass.bit_length() + 7) // 8, "little"),
            )
        )
        report = response.randomize(
            pack_coordinates(value), lambda _, tape=tape: next(tape)
        )
        assert report.to_bytes(9, "little") == rows[place].tobytes()


def test_tallies_add_up_exactly():
    """Whole sums: in any parts and order, one tally; none of its numbers is below 0."""
    survey = asked(dimensions=5)
    response, layout = survey["v"].randomizer, survey["v"].layout
    values = np.tile(
        np.frombuffer(survey["v"].value((0.6, 0, 0, 0, -0.8)), dtype="<i4"), (999, 1)
    )
    rows = codebook_rows(
        response, values.astype(np.int64), np.random.default_rng(4).bytes
    )
    whole = count_rows(rows, layout)
    parts = [count_rows(rows[a:b], layout) for a, b in pairwise((0, 1, 500, 999))]
    assert np.array_equal(sum(parts[::-1], empty_counts(layout)), whole)
    assert np.array_equal(count_rows(rows[::-1].copy(), layout), whole)
    assert whole.min() >= 0
    words = codewords(
        rows[:, :8].copy().view("<u8")[:, 0], rows[:, 8].astype(np.int64), 5
    )
    assert whole[0].tolist() == [
        999,
        *(words.sum(axis=0, dtype=int) + 999 * OFFSET).tolist(),
        *(words.astype(int) ** 2).sum(axis=0).tolist(),
    ]


def test_vectors_are_rounded_and_clipped_in_whole_numbers():
    """To the nearest of 2^-30 of the radius, of two the upper; longer ones to the
    radius.
    """
    keys = {"dimensions": 2, "radius": "2.5"}
    refusing = asked(**keys)["v"]
    clipping = asked(**keys, outside="clip")["v"]
    assert UNIT == 2**30
    assert refusing.value([2.5, 0]) == pack_coordinates((UNIT, 0))
    half = Fraction(5, 2) / UNIT / 2
    assert refusing.value([half, -half]) == pack_coordinates((1, 0))
    assert clipping.value([3e300, 4e300]) == pack_coordinates(
        (round(0.6 * UNIT), round(0.8 * UNIT))
    )
    # Of floats, a unit vector is now and then a little too long: that is no reason to
    # refuse it.
    generator = random.Random(1)
    unit = asked(dimensions=3)["v"]
    for _ in range(200):
        numbers = [generator.gauss(0, 1) for _ in range(3)]
        length = math.hypot(*numbers)
        unit.value([number / length for number in numbers])
    assert (
        clipping.value(np.array([1, 2]))
        == clipping.value((1, 2))
        == clipping.value([1.0, 2.0])
    )


@pytest.mark.parametrize(
    "answer",
    [
        [0.1],
        [0.1, 0.2, 0.3],
        "0.1 0.2",
        None,
        0.5,
        [0.1, "x"],
        [math.nan, 0],
        [math.inf, 0],
        [9, 9],
    ],
)
def test_what_is_no_vector_is_refused_unrepeated(answer):
    """Not two numbers, or longer than the radius: and messages hold none of what was
    answered.
    """
    with pytest.raises(AnswerError) as refusal:
        asked(dimensions=2, radius="2.5")["v"].value(answer)
    assert "9" not in str(refusal.value)
    assert "0.1" not in str(refusal.value)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"dimensions": 1}, "dimensions"),
        ({"dimensions": 5000}, "dimensions"),
        ({"dimensions": 3, "radius": 0}, "radius"),
        ({"dimensions": 3, "outside": "wrap"}, "outside"),
        ({"dimensions": 3, "words": 7}, "even"),
        ({"dimensions": 3, "words": 8, "near": 5}, "near"),
        ({"dimensions": 3, "words": 8, "near": 0}, "near"),
        ({"dimensions": 3, "radius": "1000000000000001"}, "radius"),
        ({"dimensions": 3, "mechanism": "grr"}, "type vector"),
        ({"dimensions": 3, "mechanism": "heavy-hitters"}, "type text"),
        ({"dimensions": 3, "per_device": "mean"}, "per_device"),
        ({"dimensions": 3, "candidates": "texts.txt"}, "candidates"),
    ],
)
def test_surveys_that_make_no_sense_are_refused(keys, said):
    """By the name of what is wrong."""
    with pytest.raises(SurveyError, match=said):
        asked(**keys)


def test_a_survey_of_vectors_survives_its_file():
    """Written down and read again it is the same; another radius is another
    question.
    """
    survey = asked(dimensions=3, radius="2.5", outside="clip", per_device="last")
    assert ldp.parse_survey(survey.to_toml()) == survey
    other = asked(dimensions=3, radius="2.25", outside="clip", per_device="last")
    assert survey["v"].fingerprint != other["v"].fingerprint
    assert "shortened to 2.5" in survey["v"].domain.estimand


def test_estimates_say_what_they_are():
    """Coordinates by number, in every format; no covariance, and nothing
    post-processed.
    """
    from ldp_aggregator import Options
    from ldp_aggregator.output.formats.formats import render_sheet

    survey = asked(dimensions=3, outside="clip")
    reports = ldp_simulations.randomize(survey, {"v": [[0.5, -2, 1]] * 400}, seed=1)
    estimates = estimate(survey, reports, options=Options(post_process="norm-sub"))
    of_vector = estimates["v"]
    assert of_vector.values == ("1", "2", "3")
    assert of_vector.options.post_process is None
    assert "mean vector" in of_vector.describe()
    assert "longer than 1 are shortened" in of_vector.note
    assert of_vector.squared_error == pytest.approx((of_vector.standard_error**2).sum())
    assert of_vector.to_dict()["squared_error"] == of_vector.squared_error
    for form in ("table", "json", "csv", "markdown", "html"):
        assert "2" in str(render_sheet(estimates.sheet(), form))
    with pytest.raises(EstimateError, match="no covariance"):
        estimate(survey, reports, options=Options(covariance=True))


@pytest.mark.parametrize("reports", [2, 5])
def test_intervals_of_few_hold_the_mean(reports):
    """Of 10 coordinates in 60 tallies at least 90 %: they held 70 % of two reports, 88
    % of five.

    Within a tally coordinates err nearly independently: 600 at a true .95 hold less
    than .90 with a chance of 2e-7.
    """
    from ldp_aggregator.decoders.vectors.codebook import vector_parts

    survey, held, truth = asked(dimensions=10), 0, np.eye(10)[0] / 2
    for seed in range(60):
        counts = tally_of(survey, truth, reports, seed)
        mean = mean_vector(vector_parts(survey["v"].randomizer, counts), 1.0, 0.05)
        held += ((mean.low <= truth) & (truth <= mean.high)).sum()
    assert held > 0.9 * 600


def test_few_reports_are_said_to_be_few():
    """None gives no numbers, one the greatest error there is, and a remark."""
    survey = asked(dimensions=3)
    none = estimate(survey, b"")["v"]
    assert none.reports == 0
    assert np.isnan(none.frequency).all()
    one = estimate(
        survey, ldp_simulations.randomize(survey, {"v": [[1, 0, 0]]}, seed=1)
    )["v"]
    assert one.remarks
    assert (one.standard_error > 2).all()


def test_no_forged_report_moves_a_mean_further_than_stated():
    """Attacks of all kinds, and the bound that estimates state."""
    survey = asked(dimensions=3, epsilon=2)
    population = ldp_simulations.synthetic(survey, 400)
    attacks = ldp_simulations.attack(survey, population, seed=1, runs=3)
    targets = [target for entry in attacks.records() for target in entry["targets"]]
    assert all(abs(target["furthest_gain"]) <= target["bound"] for target in targets)
    assert max(target["gain"] for target in targets) > 0.1


def test_the_least_and_the_most_that_can_be_asked():
    """One word near to the vector, and a radius of 10^15."""
    most = asked(dimensions=2, radius=10**15, near=1)["v"]
    assert (most.randomizer.near, most.domain.ball.radius) == (1, 10**15)


def test_vectors_in_cells_of_tables_are_read_back():
    """Exactly: each number is a fraction."""
    vector = read_vector("5/4 -1.25 0")
    assert vector == (Fraction(5, 4), Fraction(-5, 4), 0)
    value = asked(dimensions=3, radius="2.5")["v"].value(vector)
    assert value == pack_coordinates((UNIT // 2, -UNIT // 2, 0))
