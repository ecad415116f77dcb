"""Stripes: weights, least squares, errors of rectangles and zooms, and what a decoder
says.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from surveys import map_of

import ldp_aggregator.decoders.stripes.stripes as decoder
import ldp_simulations as sim
from ldp.errors import EstimateError, SurveyError
from ldp.mechanisms.places.stripes import (
    fold_pair,
    folded_pairs,
    frequency_of,
    usual_law,
    usual_stripes,
)
from ldp.numbers.exact import odds
from ldp_aggregator.decoders.stripes.plane import plane_of, scores
from ldp_aggregator.decoders.stripes.squares import extremes, powers_by_value, worths
from ldp_aggregator.decoders.stripes.stripes import (
    queries_of,
    score_range,
    stripe_moments,
)
from ldp_aggregator.decoders.stripes.zooms import score_bounds, zoom_in
from ldp_aggregator.explanations.explanation import explanation
from ldp_simulations.holders import Holders
from ldp_simulations.reports.bulk import bulk_draw
from ldp_simulations.sampling import stripes as sampling
from ldp_simulations.sampling.table import form_of

SEED = 20260124


def question(cells, keys=""):
    return map_of(cells, f'mechanism = "stripes"\nepsilon = 1\n{keys}')["home"]


def stripes(side, epsilon):
    return usual_stripes(side, *odds(Fraction(epsilon)))


def all_ranges(side):
    ends = [(low, high) for low in range(side) for high in range(low + 1, side + 1)]
    return (
        np.array([[low <= place < high for place in range(side)] for low, high in ends])
        * 1.0
    )


def asked_of_waves(side, modulus):
    """How much of each wave of the plane is in a rectangle, squared, on average."""
    squares = abs(np.fft.fft(all_ranges(side), n=modulus, axis=1)) ** 2
    return np.outer(squares.mean(axis=0), squares.mean(axis=0))


def average_error(randomizer, weights=None):
    """N Var over all rectangles, on average, if answers are spread evenly: wave by
    wave.
    """
    side, modulus, width = randomizer.side, randomizer.modulus, randomizer.width
    ratio = float(randomizer.ratio)
    weights = np.array(weights or randomizer.weights, dtype=float)
    weights /= weights.sum()
    arc = abs(np.fft.fft(np.arange(modulus) < width)) ** 2
    known = np.zeros((modulus, modulus))
    for cohort, weight in enumerate(weights):
        across, up = frequency_of(cohort, modulus)
        for times in range(1, modulus):
            known[times * across % modulus, times * up % modulus] += weight * arc[times]
    scale = (ratio * width + modulus - width) / (ratio - 1)
    known[0, 0] = np.inf
    squares = (asked_of_waves(side, modulus) / known).sum() * scale**2 / modulus**4
    share = all_ranges(side).mean() ** 2
    return squares - share


@pytest.mark.parametrize(
    ("side", "epsilon", "stated"),
    [
        *(
            (16, epsilon, stated)
            for epsilon, stated in (("1", 9.3), ("2", 10.2), ("4", 22))
        ),
        *(
            (32, epsilon, stated)
            for epsilon, stated in (("1", 17.4), ("2", 19.8), ("4", 39))
        ),
        *(
            (64, epsilon, stated)
            for epsilon, stated in (("1", 29.8), ("2", 34.5), ("4", 66))
        ),
    ],
)
def test_all_rectangles_have_the_error_of_the_reference(side, epsilon, stated):
    """In units of 4R / (R - 1)^2, as if the whole map were not known to add up to 1; in
    2.5 %.
    """
    randomizer = stripes(side, epsilon)
    ratio = float(randomizer.ratio)
    unit = 4 * ratio / (ratio - 1) ** 2
    assert average_error(randomizer) / unit == pytest.approx(stated, rel=0.025)


@pytest.mark.parametrize(
    ("side", "epsilon"), [(4, "1"), (8, "1/2"), (16, "1"), (16, "2")]
)
def test_the_weights_are_near_the_best(side, epsilon):
    """Some hundred steps, in floats, over every frequency by itself, gain less than 1
    %.
    """
    randomizer = stripes(side, epsilon)
    modulus, half = randomizer.modulus, randomizer.modulus // 2
    pairs = np.array(
        [frequency_of(cohort, modulus) for cohort in range((modulus**2 - 1) // 2)]
    )
    times = np.arange(1, modulus)[:, None]
    places = times * pairs[:, 0] % modulus * modulus + times * pairs[:, 1] % modulus
    arc = abs(np.fft.fft(np.arange(modulus) < randomizer.width))[1:, None] ** 2
    asked = asked_of_waves(side, modulus).ravel()
    weights = np.ones(len(pairs))
    for _ in range(400):
        known = np.bincount(places.ravel(), (arc * weights).ravel())
        known[0] = 1
        weights = weights * np.sqrt((arc * (asked / known**2)[places]).sum(axis=0))
        weights /= weights.sum()
    best = average_error(randomizer, tuple(weights.tolist()))
    assert best <= average_error(randomizer) * (1 + 1e-9)
    assert average_error(randomizer) < best * 1.01
    assert len(randomizer.law) == half * (half + 3) // 2


def test_frequencies_are_half_of_all_pairs():
    """Each pair or its opposite, once; and those as far from 0 share a weight."""
    for modulus in (3, 5, 11):
        pairs = [
            frequency_of(cohort, modulus) for cohort in range((modulus**2 - 1) // 2)
        ]
        opposite = [(-a % modulus, -b % modulus) for a, b in pairs]
        every = {(a, b) for a in range(modulus) for b in range(modulus)} - {(0, 0)}
        assert sorted(pairs + opposite) == sorted(every)
        assert {fold_pair(pair, modulus) for pair in pairs} == set(
            folded_pairs(modulus)
        )


def test_the_usual_weights_are_these():
    """The same on every machine, to the last bit: of 2 x 2 cells and of 4 x 4."""
    assert usual_law(2, 3, 1) == (332385, 191902)
    assert usual_law(4, 5, 1) == (138708, 138708, 67952, 55483, 67952)


def test_every_score_is_unbiased_on_4_by_4():
    """Enumerated: for each cell the mean score of a query is what it asks of that
    cell.
    """
    randomizer = stripes(4, 2)
    plane = plane_of(randomizer)
    rows = np.array(randomizer.channel().rows, dtype=float)
    queries = np.random.default_rng(SEED).normal(size=(9, 16))
    of_queries = scores(plane, queries)
    worth = np.concatenate(
        [part.reshape(len(part), -1) for part in worths(plane, of_queries)]
    )
    np.testing.assert_allclose(worth @ rows.T, queries, atol=1e-10)
    square, cube = powers_by_value(plane, of_queries, powers=(2, 3))
    np.testing.assert_allclose(square, worth**2 @ rows.T, rtol=1e-10)
    np.testing.assert_allclose(cube, worth**3 @ rows.T, rtol=1e-9, atol=1e-9)


def test_the_whole_map_is_known():
    """Its share is 1, without an error; and a part and the rest of it err alike."""
    randomizer = stripes(8, 1)
    generator = np.random.default_rng(SEED)
    counts = generator.integers(0, 9, (60, 11))
    known = queries_of(randomizer, counts)
    part = (generator.random(64) < 0.4) * 1.0
    answers = known.answer(np.array([np.ones(64), part, 1 - part]))
    assert answers.estimate[0] == pytest.approx(1, abs=1e-12)
    assert answers.variance[0] == pytest.approx(0, abs=1e-12)
    assert answers.estimate[1:].sum() == pytest.approx(1, abs=1e-12)
    assert answers.variance[1] == pytest.approx(answers.variance[2], rel=1e-9)


@pytest.mark.parametrize(
    ("side", "epsilon"), [(2, "1"), (4, "1/2"), (8, "2"), (16, "1")]
)
def test_zooms_have_the_errors_of_their_cells(side, epsilon):
    """The one pass is what the scores of each cell give, if people are where estimates
    say.
    """
    randomizer = stripes(side, epsilon)
    plane = plane_of(randomizer)
    depth = side.bit_length() - 1
    frequency = np.random.default_rng(SEED).dirichlet(np.full(randomizer.size, 0.3))
    counts = form_of(randomizer).expected(randomizer, (), frequency)
    for across, up in ((depth, depth), (1, depth), (0, 1), (depth, 0)):
        along = [
            np.eye(1 << halved).repeat(side >> halved, axis=1)
            for halved in (across, up)
        ]
        queries = np.kron(*along)
        zoom = zoom_in(plane, counts, frequency, view=(across, up))
        np.testing.assert_allclose(zoom.share, queries @ frequency, atol=1e-9)
        exact = powers_by_value(plane, scores(plane, queries))[0] @ frequency
        np.testing.assert_allclose(zoom.mean_square, exact, rtol=1e-6)
        known = queries_of(randomizer, counts)
        cells, answers = known.cells((across, up)), known.answer(queries)
        np.testing.assert_allclose(cells.variance, answers.variance, rtol=1e-5)
        np.testing.assert_allclose(cells.least, answers.least, rtol=1e-9)


def test_covariance_is_that_of_sums():
    """2 Cov(a, b) = Var(a + b) - Var(a) - Var(b), of disjoint rectangles."""
    randomizer = stripes(8, 1)
    counts = np.random.default_rng(SEED).integers(0, 9, (60, 11))
    known = queries_of(randomizer, counts)
    queries = np.kron(np.eye(4).repeat(2, axis=1), np.eye(2).repeat(4, axis=1))
    covariance = known.covariance(queries)
    np.testing.assert_allclose(
        np.diag(covariance), known.answer(queries).variance, rtol=1e-9
    )
    both = known.answer((queries[0] + queries[5])[None]).variance[0]
    assert both == pytest.approx(covariance[np.ix_([0, 5], [0, 5])].sum(), rel=1e-9)
    together = known.correlation(queries)
    np.testing.assert_allclose(np.diag(together), 1)
    assert np.linalg.eigvalsh(together).min() > -1e-9


@pytest.mark.parametrize("cells", [8, 16])
def test_errors_are_those_of_the_reports(cells, monkeypatch):
    """Mean z^2 of rectangles and cells over 200 surveys of 30,000; a law that is not
    told fails it.

    With 60 rectangles z^2 has a mean of 1 +- .04 or so; .8 to 1.2 is five of these, or
    more.
    """
    randomizer = question(cells).randomizer
    generator = np.random.default_rng(SEED)
    holders = generator.multinomial(30_000, generator.dirichlet(np.full(cells**2, 0.3)))
    along = all_ranges(cells)
    chosen = generator.integers(len(along), size=(60, 2))
    rectangles = np.array([np.outer(along[x], along[y]).ravel() for x, y in chosen])
    truth = rectangles @ holders / 30_000
    depth = cells.bit_length() - 1
    tallies = [
        form_of(randomizer).sample(randomizer, Holders((), holders), generator)
        for _ in range(200)
    ]
    squares, in_cells = [], []
    for counts in tallies:
        known = queries_of(randomizer, counts)
        answers, of_cells = known.answer(rectangles), known.cells((depth, depth))
        squares.append(((answers.estimate - truth) / answers.errors()) ** 2)
        in_cells.append(
            ((of_cells.estimate - holders / 30_000) / of_cells.errors()) ** 2
        )
    assert 0.8 < np.mean(squares) < 1.2
    assert 0.8 < np.mean(in_cells) < 1.2
    plane = plane_of(randomizer)
    alike = plane_of(randomizer._replace(law=(1,) * len(randomizer.law)))
    monkeypatch.setattr(decoder, "plane_of", lambda _: alike)
    assert plane is not alike
    misled = [queries_of(randomizer, counts).answer(rectangles) for counts in tallies]
    wrong = [((answers.estimate - truth) / answers.errors()) ** 2 for answers in misled]
    assert np.mean(wrong) > 1.5


def test_tallies_of_many_have_the_law_of_those_of_few(monkeypatch):
    """Both ways to draw a tally have its mean: 2 million reports, within six standard
    errors.
    """
    randomizer = stripes(4, 1)
    held = np.random.default_rng(SEED).multinomial(1_000_000, np.arange(1, 17) / 136)
    expected = form_of(randomizer).expected(randomizer, (), held / held.sum())
    chances = expected / expected.sum()
    for few in (1 << 22, 0):
        monkeypatch.setattr(sampling, "_FEW", few)
        counts = sampling.stripe_counts(randomizer, held, np.random.default_rng(SEED))
        assert counts.sum() == 1_000_000
        apart = (counts - 1e6 * chances) / np.sqrt(1e6 * chances)
        assert abs(apart).max() < 6
        assert (apart**2).mean() == pytest.approx(1, abs=0.6)


def test_reports_drawn_by_the_thousand_have_the_law_of_a_device():
    """Of one cell, 200,000 reports, by frequency and arc: within six standard
    errors.
    """
    randomizer = stripes(4, 2)
    draw = bulk_draw(randomizer)
    rows = draw(np.full(200_000, 7), np.random.default_rng(SEED).bytes)
    reports = rows[:, 0] + 256 * rows[:, 1].astype(int), rows[:, 2]
    counts = np.zeros((12, 5))
    np.add.at(counts, reports, 1)
    chances = np.array([float(mass) for mass in randomizer.channel().rows[7]]).reshape(
        12, 5
    )
    apart = (counts - 200_000 * chances) / np.sqrt(200_000 * chances + 1e-9)
    assert abs(apart[chances > 0]).max() < 6


@pytest.mark.parametrize("side", [4, 16])
def test_no_score_is_beyond_the_range(side):
    """That which is stated; of few cells it is reached."""
    randomizer = stripes(side, 2)
    plane = plane_of(randomizer)
    least, most = extremes(plane, scores(plane, np.eye(randomizer.size)))
    stated = score_range(randomizer)
    assert float(stated.least) <= least.min() + 1e-9
    assert most.max() <= float(stated.most) + 1e-9
    low, high = score_bounds(plane)
    assert low <= least.min() + 1e-9
    assert most.max() <= high + 1e-9
    assert high - low < 1.2 * (most.max() - least.min())


def test_moments_of_many_cells_are_those_of_the_zoom():
    randomizer = stripes(16, 1)
    counts = np.random.default_rng(SEED).integers(0, 9, (144, 17))
    moments = stripe_moments(randomizer, counts)
    known = queries_of(randomizer, counts)
    np.testing.assert_allclose(
        moments.frequency, known.cells((4, 4)).estimate, atol=1e-12
    )
    with pytest.raises(EstimateError, match="expected ranges or rectangles for a cov"):
        moments.covariance()


def test_the_view_for_the_eye_is_nearer_to_the_truth():
    """Of 16 x 16 cells, by ten surveys of 20,000: less than half of the squared error
    of cells.
    """
    randomizer = stripes(16, 1)
    generator = np.random.default_rng(SEED)
    x, y = np.meshgrid(np.arange(16), np.arange(16), indexing="ij")
    humps = np.exp(-((x - 4) ** 2 + (y - 9) ** 2) / 12.0).ravel() + 0.01
    held = generator.multinomial(20_000, humps / humps.sum())
    raw = shrunk = 0.0
    for _ in range(10):
        counts = form_of(randomizer).sample(randomizer, Holders((), held), generator)
        known = queries_of(randomizer, counts)
        assert known.shrunk().sum() == pytest.approx(1, abs=1e-9)
        raw += ((known.frequency - held / 20_000) ** 2).sum()
        shrunk += ((known.shrunk() - held / 20_000) ** 2).sum()
    assert shrunk < raw / 2


def test_plans_say_which_mechanism_needs_fewer():
    """At epsilon 1 stripes, at 4 the pyramid; below 5 % nothing is said."""
    pyramid, many = (
        sim.plan(map_of(16, keys), respondents=10_000)
        for keys in (
            'goal = "rectangles"\nmechanism = "auto"\nepsilon = 1',
            'mechanism = "stripes"\nepsilon = 4',
        )
    )
    mechanism, times = pyramid.places[0].beside
    assert (mechanism, round(times, 1)) == ("stripes", 1.2)
    assert '`mechanism = "stripes"` would know rectangles as well from 1.' in str(
        pyramid
    )
    mechanism, times = many.places[0].beside
    assert mechanism == "pyramid"
    assert times > 1.3
    assert '`mechanism = "pyramid"`' in str(many)


def test_a_width_may_be_stated():
    stated = question(4, keys="width = 2").randomizer
    assert (stated.modulus, stated.width) == (5, 2)
    assert stated.law == usual_law(4, 5, 2)
    with pytest.raises(SurveyError, match="width: expected a whole number from 1 to 4"):
        question(4, keys="width = 5")


def test_the_explanation_says_what_a_rectangle_errs_by():
    survey = map_of(16, 'mechanism = "stripes"\nepsilon = 1')
    text = explanation(survey)
    assert "144: stripes across the map" in text
    error = float(text.split("a rectangle         standard error about ")[1].split()[0])
    randomizer = survey["home"].randomizer
    counts = form_of(randomizer).expected(randomizer, (), np.full(256, 1 / 256))
    middle = np.zeros((16, 16))
    middle[4:12, 4:12] = 1
    answers = queries_of(randomizer, counts).answer(middle.reshape(1, -1))
    assert error == pytest.approx(
        math.sqrt(answers.variance[0] * counts.sum()), rel=0.1
    )
