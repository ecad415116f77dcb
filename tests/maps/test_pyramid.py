"""Pyramids: weights, least squares, errors of rectangles and zooms, and what a decoder
says.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from surveys import map_of

from ldp.errors import EstimateError, SurveyError
from ldp.mechanisms.numbers.tree import difference_variance
from ldp.mechanisms.places.pyramid import halvings, usual_response
from ldp.numbers.exact import odds
from ldp_aggregator.decoders.trees.contrasts import contrasts_of
from ldp_aggregator.decoders.trees.levels import views_of
from ldp_aggregator.decoders.trees.pyramid import (
    pyramid_moments,
    queries_of,
    score_range,
)
from ldp_aggregator.decoders.trees.squares import even_squares, powers_by_value
from ldp_aggregator.decoders.trees.zooms import zoom_in
from ldp_aggregator.explanations.explanation import explanation
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import form_of

SEED = 20260123


def question(cells, keys=""):
    return map_of(cells, f'mechanism = "pyramid"\nepsilon = 1\n{keys}')["home"]


def response(depth, epsilon):
    return usual_response(depth, *odds(Fraction(epsilon)))


def all_rectangles(side):
    """Along both axes all ranges, as (ranges, places)."""
    ends = [(low, high) for low in range(side) for high in range(low + 1, side + 1)]
    along = np.array(
        [[low <= place < high for place in range(side)] for low, high in ends]
    )
    return along.astype(float)


def average_error(randomizer):
    """N Var over all rectangles, on average, if answers are spread evenly: by dense
    matrices.
    """
    views, side = views_of(randomizer), math.isqrt(randomizer.size)
    along = all_rectangles(side)
    information = np.zeros((randomizer.size, randomizer.size))
    for level in views.levels:
        cells = views.cells_of(level)
        same = cells[:, None] == cells
        information += views.precision[level.number] * same
    # On what adds up to 0: the whole is known.
    middle = np.eye(randomizer.size) - 1 / randomizer.size
    inverse = np.linalg.pinv(middle @ information @ middle)
    square = along.T @ along / len(along)
    return float((inverse * np.kron(square, square)).sum())


@pytest.mark.parametrize("epsilon", ["1/20", "1", "4"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_contrasts_add_up_to_the_same_error(depth, epsilon):
    """What the weights minimize is the average n Var: sums over pairs of levels, in
    closed form.
    """
    randomizer = response(depth, epsilon)
    assert by_contrasts(randomizer) == pytest.approx(
        average_error(randomizer), rel=1e-9
    )


def by_contrasts(randomizer, law=None):
    depth, side = randomizer.depth, 1 << randomizer.depth
    views = halvings(depth)
    weights = law or randomizer.law
    shares = {
        view: weight / sum(weights) for view, weight in zip(views, weights, strict=True)
    }
    variances = {
        view: float(difference_variance(oracle, cells))
        for view, oracle, cells in zip(
            views, randomizer.oracles, randomizer.cells, strict=True
        )
    }
    asked = along_an_axis(side)
    total = 0.0
    for across, up in views:
        known = sum(
            shares[x, y] * randomizer.size / 2 ** (x + y) / variances[x, y]
            for x, y in views
            if x >= across and y >= up
        )
        total += asked[across] * asked[up] / known
    return total


def along_an_axis(side):
    """How much of contrasts of each level, of length 1, is in a range: squared, on
    average.
    """
    ranges = all_rectangles(side)
    asked = [(ranges.sum(axis=1) ** 2).mean() / side]
    wide = side
    while wide > 1:
        halves = ranges.reshape(len(ranges), -1, 2, wide // 2).sum(axis=3)
        asked.append(
            ((halves[:, :, 0] - halves[:, :, 1]) ** 2).mean(axis=0).sum() / wide
        )
        wide //= 2
    return asked


@pytest.mark.parametrize(("depth", "stated"), [(4, 11.3), (5, 23.9), (6, 46.0)])
@pytest.mark.parametrize("epsilon", ["1/20", "1/10"])
def test_all_rectangles_have_the_error_of_the_reference(depth, stated, epsilon):
    """In units of 4 e^eps / (e^eps - 1)^2, where noise is all there is; within 2 %."""
    ratio = math.exp(Fraction(epsilon))
    unit = 4 * ratio / (ratio - 1) ** 2
    assert by_contrasts(response(depth, epsilon)) / unit == pytest.approx(
        stated, rel=0.02
    )


def test_64_by_64_has_the_error_of_the_reference():
    """At epsilon 1, where the shares of rectangles themselves matter little; within 2
    %.

    With all views as likely, and from the finest grid alone, docs/appendix/places.md
    has it.
    """
    randomizer = response(6, 1)
    views = len(randomizer.law)
    assert by_contrasts(randomizer) == pytest.approx(169.4, rel=0.02)
    assert by_contrasts(randomizer, (1,) * views) == pytest.approx(296, abs=1)
    assert by_contrasts(randomizer, (*[0] * (views - 1), 1)) == pytest.approx(
        1326, abs=1
    )


@pytest.mark.parametrize("epsilon", ["1/2", "1", "3"])
def test_the_weights_are_near_the_best(epsilon):
    """Fifty times as many steps, in floats, gain less than .1 %."""
    randomizer = response(4, epsilon)
    views, asked = halvings(4), along_an_axis(16)
    telling = [
        randomizer.size / cells / float(difference_variance(oracle, cells))
        for oracle, cells in zip(randomizer.oracles, randomizer.cells, strict=True)
    ]
    finer = np.array([[a <= x and b <= y for x, y in views] for a, b in views])
    counts = np.array([asked[a] * asked[b] for a, b in views])
    weights = np.ones(len(views))
    for _ in range(5_000):
        known = finer @ (weights * telling)
        weights = weights * np.sqrt(telling * (finer.T @ (counts / known**2)))
        weights /= weights.sum()
    best = by_contrasts(randomizer, tuple(weights.tolist()))
    assert best <= by_contrasts(randomizer) < best * 1.001


def test_pooling_is_least_squares():
    """On 4 x 4 and 8 x 8 cells; and worths are the coefficients of the normal
    equations.
    """
    generator = np.random.default_rng(SEED)
    for depth, epsilon in product((2, 3), (1, 4)):
        randomizer = response(depth, epsilon)
        views = views_of(randomizer)
        direct = [generator.normal(size=cells) for cells in randomizer.cells]
        size = randomizer.size
        table, right = np.zeros((size + 1, size + 1)), np.zeros(size + 1)
        table[size, :size] = table[:size, size] = right[size] = 1
        for level in views.levels:
            cells = views.cells_of(level)
            table[:size, :size] += views.precision[level.number] * (
                cells[:, None] == cells
            )
            right[:size] += views.precision[level.number] * direct[level.number][cells]
        solved = np.linalg.solve(table, right)[:size]
        pooled = views.pooling.pool(direct)
        np.testing.assert_allclose(pooled[-1], solved, atol=1e-10)
        for level in views.levels:
            sums = np.bincount(views.cells_of(level), solved)
            np.testing.assert_allclose(pooled[level.number], sums, atol=1e-10)
        queries = generator.normal(size=(3, size))
        worth = views.pooling.worth(queries)
        answered = worth.constant + sum(
            alpha @ own for alpha, own in zip(worth.levels, direct, strict=True)
        )
        np.testing.assert_allclose(answered, queries @ solved, atol=1e-10)


def test_every_rectangle_is_unbiased_on_4_by_4():
    """Enumerated: for each value, the mean score over all reports is whether it is
    within.
    """
    randomizer = response(2, 2)
    rows = np.array(randomizer.channel().rows, dtype=float)
    layout = randomizer.layout
    along = all_rectangles(4)
    rectangles = np.array([np.outer(x, y).ravel() for x in along for y in along])
    answered = np.zeros((len(rectangles), rows.shape[1]))
    for report in np.flatnonzero(rows.sum(axis=0)).tolist():
        counts = np.zeros((layout.cohorts, layout.symbols), dtype=np.int64)
        counts[divmod(report, layout.symbols)] = 1
        known = queries_of(randomizer, counts)
        answered[:, report] = rectangles @ known.frequency
    np.testing.assert_allclose(answered @ rows.T, rectangles, atol=1e-9)


def test_contrasts_have_the_noise_that_shrinks_them():
    """N Var of each, by dense matrices: what a factor is worked out from."""
    randomizer = response(3, 2)
    views, size = views_of(randomizer), randomizer.size
    information = np.zeros((size, size))
    for level in views.levels:
        cells = views.cells_of(level)
        information += views.precision[level.number] * (cells[:, None] == cells)
    middle = np.eye(size) - 1 / size
    inverse = np.linalg.pinv(middle @ information @ middle).reshape(size, 8, 8)
    columns = contrasts_of(inverse).reshape(size, size)
    noise = np.diag(contrasts_of(columns.T.reshape(size, 8, 8)).reshape(size, size))
    levels = [0, 1, 2, 2, 3, 3, 3, 3]
    stated = views.pooling.noise[np.ix_(levels, levels)].ravel()
    np.testing.assert_allclose(noise[1:], stated[1:], rtol=1e-9)


def shares_by_view(randomizer, frequency):
    values = np.arange(randomizer.size)
    return [
        np.bincount(randomizer.cell_of(number, values), frequency)
        for number in range(len(randomizer.law))
    ]


@pytest.mark.parametrize(("depth", "epsilon"), [(1, 1), (2, 1), (3, 2), (4, 4)])
def test_zooms_have_the_errors_of_their_cells(depth, epsilon):
    """The one pass is what the scores of each cell give; nearly so for what depends on
    lines.
    """
    randomizer = response(depth, epsilon)
    views = views_of(randomizer)
    frequency = np.random.default_rng(SEED).dirichlet(np.full(randomizer.size, 0.3))
    values = np.arange(randomizer.size)
    for number, view in enumerate(halvings(depth)):
        cells = randomizer.cell_of(number, values)
        queries = (cells == np.arange(randomizer.cells[number])[:, None]).astype(float)
        zoom = zoom_in(views, frequency, view)
        np.testing.assert_allclose(zoom.share.ravel(), queries @ frequency, atol=1e-12)
        even = even_squares(views, queries, shares_by_view(randomizer, frequency))
        np.testing.assert_allclose(zoom.mean_square.ravel(), even, rtol=1e-9)
        exact = powers_by_value(views, queries)[0] @ frequency
        np.testing.assert_allclose(even, exact, rtol=0.06)


def test_errors_are_those_of_the_reports():
    """Mean z^2 of rectangles and cells over 400 surveys of 30,000; a law that is not
    told fails it.

    With 100 rectangles z^2 has a mean of 1 +- .03 or so; .85 to 1.15 is five of these,
    or more.
    """
    asked = question(8)
    generator = np.random.default_rng(SEED)
    frequency = generator.dirichlet(np.full(64, 0.3))
    holders = generator.multinomial(30_000, frequency)
    along = all_rectangles(8)
    chosen = generator.integers(len(along), size=(100, 2))
    rectangles = np.array([np.outer(along[x], along[y]).ravel() for x, y in chosen])
    squares, in_cells, wrong = [], [], []
    other = asked.randomizer._replace(law=(1,) * len(asked.randomizer.law))
    for _ in range(400):
        counts = form_of(asked.randomizer).sample(
            asked.randomizer, Holders((), holders), generator
        )
        known = queries_of(asked.randomizer, counts)
        answers = known.answer(rectangles)
        gap = answers.estimate - rectangles @ holders / 30_000
        squares.append((gap / answers.errors()) ** 2)
        cells = known.cells((3, 3))
        in_cells.append(((cells.estimate - holders / 30_000) / cells.errors()) ** 2)
        misled = queries_of(other, counts).answer(rectangles)
        wrong.append(
            ((misled.estimate - rectangles @ holders / 30_000) / misled.errors()) ** 2
        )
    assert 0.85 < np.mean(squares) < 1.15
    assert 0.85 < np.mean(in_cells) < 1.15
    assert np.mean(wrong) > 1.5


def test_cells_of_a_zoom_are_known_as_their_rectangles_are():
    """Shares alike, errors within a fifth: one from the law, the other from a million
    reports.
    """
    asked = question(8)
    holders = np.random.default_rng(SEED).multinomial(10**6, np.full(64, 1 / 64))
    counts = form_of(asked.randomizer).sample(
        asked.randomizer, Holders((), holders), np.random.default_rng(SEED)
    )
    known = queries_of(asked.randomizer, counts)
    x, y = np.divmod(np.arange(64), 8)
    rectangles = np.array([x // 4 * 4 + y // 2 == cell for cell in range(8)])
    answers, cells = known.answer(rectangles.astype(float)), known.cells((1, 2))
    np.testing.assert_allclose(cells.estimate, answers.estimate, atol=1e-12)
    np.testing.assert_allclose(cells.errors(), answers.errors(), rtol=0.2)


def test_moments_of_many_cells_are_those_of_the_zoom():
    randomizer = response(4, 1)
    counts = np.random.default_rng(SEED).integers(0, 9, (24, randomizer.layout.symbols))
    moments = pyramid_moments(randomizer, counts)
    known = queries_of(randomizer, counts)
    np.testing.assert_allclose(
        moments.frequency, known.cells((4, 4)).estimate, atol=1e-12
    )
    with pytest.raises(EstimateError, match="expected ranges or rectangles for a cov"):
        moments.covariance()


@pytest.mark.parametrize("depth", [2, 4])
def test_no_score_is_beyond_the_range(depth):
    """That which is stated; of few cells it is reached."""
    randomizer = response(depth, 2)
    least, most = map(float, score_range(randomizer))
    generator = np.random.default_rng(SEED)
    lowest, highest = [], []
    used = [oracle.layout.symbols for oracle in randomizer.oracles]
    reports = [
        (view, symbol) for view, many in enumerate(used) for symbol in range(many)
    ]
    for place in generator.permutation(len(reports))[:400].tolist():
        counts = np.zeros((len(used), randomizer.layout.symbols), dtype=np.int64)
        counts[reports[place]] = 1
        frequency = queries_of(randomizer, counts).frequency
        lowest.append(frequency.min())
        highest.append(frequency.max())
    assert least <= min(lowest) + 1e-9
    assert max(highest) <= most + 1e-9
    if depth == 2:
        assert max(highest) == pytest.approx(most)


def test_weights_may_be_stated():
    stated = question(2, keys="weights = [3, 0, 5]").randomizer
    assert stated.law == (3, 0, 5)
    with pytest.raises(SurveyError, match="weights: expected a list of 3 to 3 numbers"):
        question(2, keys="weights = [3, 5]")
    with pytest.raises(SurveyError, match="the last above 0"):
        question(2, keys="weights = [3, 5, 0]")


def test_the_explanation_says_what_a_rectangle_errs_by():
    survey = map_of(16, 'mechanism = "pyramid"\nepsilon = 1')
    text = explanation(survey)
    assert "24: the map in 1 to 16 by 1 to 16 cells" in text
    (line,) = [
        line
        for line in text.splitlines()
        if "a rectangle         standard error" in line
    ]
    views = views_of(survey["home"].randomizer)
    middle, cell = np.zeros((16, 16)), np.zeros((16, 16))
    middle[4:12, 4:12], cell[3, 7] = 1, 1
    even = [np.full(1 << halved, 2.0**-halved) for halved in map(sum, halvings(4))]
    queries = np.array([middle.ravel(), cell.ravel()])
    square = even_squares(views, queries, even) - [1 / 16, 0]
    assert f"about {math.sqrt(square[0]):.3g} / sqrt(respondents) of the middle" in line
    assert f"{math.sqrt(square[1]):.3g} of a cell" in line
