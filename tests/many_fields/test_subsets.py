"""Reports that tell some of many fields: the mechanism, and the tables that are made of
them.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import ldp
from ldp.mechanisms.sets.subsets import (
    SubsetsResponse,
    fits,
    pair_error,
    products,
    spaces_of,
    usual_together,
)
from ldp.numbers.exact import odds
from ldp.numbers.randomness import Replay
from ldp_aggregator import Options, aggregate, crosstab
from ldp_aggregator.analyses.association.crosstabs import crosstab_of
from ldp_aggregator.decoders.marginals.marginals import (
    marginal_moments,
    score_range,
    tables_of,
)
from ldp_aggregator.decoders.marginals.subsets import subsets_of
from ldp_aggregator.decoders.marginals.tables import Tables
from ldp_aggregator.tallies.counting.counting import count_rows
from ldp_simulations import randomize
from ldp_simulations.field_holders import synthetic_fields
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.reports.bulk import bulk_draw
from ldp_simulations.sampling.table import sample_counts

SIZES = (2, 3, 2, 4)


def response(sizes=SIZES, together=3, epsilon="3"):
    """That of a survey with these fields."""
    weights = odds(Fraction(epsilon))
    return SubsetsResponse(
        sizes, together, spaces_of(sizes, together, weights), *weights
    )


def asked(sizes=SIZES, **keys):
    """A question with fields f0, f1, ... of so many values."""
    fields = [
        ldp.field(f"f{place}", [f"v{value}" for value in range(size)])
        for place, size in enumerate(sizes)
    ]
    stated = {"epsilon": 1, "collect": "subsets", **keys}
    return ldp.survey("s", ldp.question("q", fields=fields, **stated))["q"]


def law_of(randomizer, shares):
    """The counts of very many reports, each as often as it is expected."""
    channel = np.array(randomizer.channel().rows, dtype=float)
    expected = np.ravel(shares) @ channel
    return np.rint(expected * 1e14).astype(np.int64).reshape(randomizer.subsets, -1)


def skewed(sizes=SIZES, seed=1):
    """Shares of the cells of all fields, most of which few hold."""
    generator = np.random.default_rng(seed)
    return generator.dirichlet(np.full(math.prod(sizes), 0.3)).reshape(sizes)


def margin(shares, fields):
    """The shares of some fields."""
    others = tuple(place for place in range(shares.ndim) if place not in fields)
    return shares.sum(axis=others)


@pytest.mark.parametrize(
    ("sizes", "together"), [(SIZES, 3), (SIZES, 2), ((3, 2), 2), ((5,) * 3, 2)]
)
def test_every_table_is_unbiased(sizes, together):
    """All tables of as many fields as are told, by the exact law of reports, of any
    population.
    """
    randomizer, shares = response(sizes, together), skewed(sizes)
    tables = Tables(subsets_of(randomizer), law_of(randomizer, shares))
    for many in range(1, together + 1):
        for fields in itertools.combinations(range(len(sizes)), many):
            table = tables.table(fields)
            np.testing.assert_allclose(
                table.frequency, margin(shares, fields), atol=1e-9
            )
            np.testing.assert_allclose(
                tables.shares(fields), table.frequency, atol=1e-12
            )


def test_tables_agree_with_each_other():
    """Of a few reports: what two tables share is the same in both, and all adds up to
    1.
    """
    randomizer = response()
    generator = np.random.default_rng(3)
    counts = generator.integers(0, 4, (randomizer.subsets, randomizer.layout.symbols))
    tables = Tables(subsets_of(randomizer), counts)
    for fields in itertools.combinations(range(4), 3):
        table = tables.table(fields).frequency
        assert table.sum() == pytest.approx(1)
        for place in range(3):
            rest = tuple(field for field in fields if field != fields[place])
            np.testing.assert_allclose(
                table.sum(axis=place), tables.table(rest).frequency, atol=1e-12
            )


def test_the_estimate_is_least_squares():
    """On the cells of all subsets at once, each as precise as it is: by dense linear
    algebra.
    """
    randomizer = response()
    model = subsets_of(randomizer)
    generator = np.random.default_rng(4)
    counts = generator.integers(0, 9, (randomizer.subsets, randomizer.layout.symbols))
    whole, reports = math.prod(SIZES), counts.sum()
    # The cells of each subset as sums of those of all fields, what reports say of them,
    # and how precise that is. That all add up to 1 is as good as certain.
    rows, given, weights = [np.ones((1, whole))], [[1.0]], [[1e9]]
    for group in model.groups:
        supports = group.supports(range(randomizer.together))
        for number, fields in zip(group.numbers, group.fields, strict=True):
            values = np.unravel_index(np.arange(whole), SIZES)
            cells = np.ravel_multi_index(
                [values[field] for field in fields], group.sizes
            )
            rows.append(cells == np.arange(group.cells)[:, None])
            own = counts[number, : group.symbols]
            q = float(randomizer.oracle(group.cells).support[1])
            worth = (supports @ own - q * counts[number].sum()) / group.excess
            given.append(worth * randomizer.subsets / reports)
            weights.append(np.full(group.cells, group.information * group.cells))
    root = np.sqrt(np.concatenate(weights))
    matrix = np.concatenate(rows) * root[:, None]
    shares = np.linalg.lstsq(matrix, np.concatenate(given) * root, rcond=None)[
        0
    ].reshape(SIZES)
    tables = Tables(model, counts)
    for fields in itertools.combinations(range(4), 2):
        np.testing.assert_allclose(
            tables.table(fields).frequency, margin(shares, fields), atol=1e-6
        )


def test_products_are_those_of_scores():
    """The score of a report is the table of it alone: products by hand."""
    randomizer = response()
    model, counts = subsets_of(randomizer), law_of(randomizer, skewed())
    alone = np.eye(counts.size, dtype=np.int64).reshape(-1, *counts.shape)
    for fields in ((1, 3), (0, 1, 2)):
        scores = np.stack([Tables(model, one).shares(fields).ravel() for one in alone])
        exact = (scores.T * (counts.ravel() / counts.sum())) @ scores
        np.testing.assert_allclose(
            Tables(model, counts).table(fields).products, exact, atol=1e-9
        )
        # What no one sends says nothing of any cell.
        unused = law_of(randomizer, skewed()).ravel() == 0
        np.testing.assert_allclose(scores[unused].sum(axis=1), 1, atol=1e-9)


def scores_of_reports(randomizer, counts):
    """What each report that there may be is worth to all values of all fields."""
    alone = np.eye(counts.size, dtype=np.int64).reshape(-1, *counts.shape)
    return np.stack([marginal_moments(randomizer, one).frequency for one in alone])


@pytest.mark.parametrize(("sizes", "together"), [(SIZES, 3), ((3, 3, 3), 2)])
def test_covariances_are_those_of_scores(sizes, together):
    """Report by report, less what the respondents hold; over a field there is no
    error.
    """
    randomizer, shares = response(sizes, together), skewed(sizes)
    counts = law_of(randomizer, shares)
    scores, reports = scores_of_reports(randomizer, counts), counts.sum()
    fields = range(len(sizes))
    held = np.block(
        [[_held(shares, first, second) for second in fields] for first in fields]
    )
    exact = (scores.T * (counts.ravel() / reports)) @ scores - held
    covariance = marginal_moments(randomizer, counts).covariance() * float(reports)
    np.testing.assert_allclose(covariance, exact, atol=1e-8)
    of_field = np.repeat(np.eye(len(sizes)), sizes, axis=1)
    np.testing.assert_allclose(of_field @ covariance, 0, atol=1e-8)


def _held(shares, first, second):
    """The shares of those who hold both of two values: the first field's along the
    rows.
    """
    table = margin(shares, {first, second})
    if first == second:
        return np.diag(table)
    return table if first < second else table.T


def test_moments_are_those_of_scores_of_holders_and_of_others():
    """Squares and cubes, of a population that holds all cells alike: by the channel's
    rows.
    """
    randomizer, shares = response(), np.full(SIZES, 1 / math.prod(SIZES))
    counts = law_of(randomizer, shares)
    scores = scores_of_reports(randomizer, counts)
    channel = np.array(randomizer.channel().rows, dtype=float)
    moments = marginal_moments(randomizer, counts)
    values = np.indices(SIZES).reshape(len(SIZES), -1)
    of_values = (
        (field, value) for field, size in enumerate(SIZES) for value in range(size)
    )
    for place, (field, value) in enumerate(of_values):
        is_held = values[field] == value
        away = scores[:, place]
        for law, off, square, cube in (
            (
                channel[is_held],
                away - 1,
                moments.variance_if_held,
                moments.jumps.third[0],
            ),
            (channel[~is_held], away, moments.variance_if_not, moments.jumps.third[1]),
        ):
            assert law.mean(axis=0) @ off**2 == pytest.approx(square[place], rel=1e-6)
            assert law.mean(axis=0) @ off**3 == pytest.approx(cube[place], rel=1e-6)


def test_the_range_of_scores_is_that_of_reports():
    """Of all values of all fields, from each report by itself."""
    randomizer = response()
    counts = np.zeros((randomizer.subsets, randomizer.layout.symbols), dtype=np.int64)
    alone = np.eye(counts.size, dtype=np.int64).reshape(-1, *counts.shape)
    scores = np.concatenate(
        [marginal_moments(randomizer, one).frequency for one in alone]
    )
    least, most = score_range(randomizer)
    assert (float(least), float(most)) == pytest.approx((scores.min(), scores.max()))


PAGE = {
    (2, 8): (100, 23.5, 4.46, 0.73),
    (2, 16): (347, 81.6, 15.9, 2.75),
    (5, 8): (289, 67.9, 13.3, 1.61),
}
"""n Var of a cell of a pair at epsilon 1/2, 1, 2, 4, by number of values and of fields.
"""
TOGETHER = {(2, 8): (3, 3, 3, 4), (2, 16): (3, 3, 3, 5), (5, 8): (2, 2, 2, 2)}


@pytest.mark.parametrize("shape", PAGE)
def test_errors_of_pairs_are_those_of_the_reference(shape):
    """With sets of any size; 25 cells at a small epsilon have points instead, and 4 %
    more.
    """
    values, fields = shape
    slack = 0.01 if values == 2 else 0.04
    for place, epsilon in enumerate(("1/2", "1", "2", "4")):
        weights, sizes = odds(Fraction(epsilon)), (values,) * fields
        together = usual_together(sizes, *weights)
        assert together == TOGETHER[shape][place]
        error = float(pair_error(sizes, together, weights))
        assert error == pytest.approx(PAGE[shape][place], rel=slack)


@pytest.mark.parametrize(("sizes", "together"), [((2, 3, 4, 5), 2), ((2, 2, 7, 3), 3)])
def test_the_stated_error_is_that_of_even_answers(sizes, together):
    """From the products of scores, to 2 %: which points support which cells makes a
    difference.
    """
    randomizer = response(sizes, together)
    counts = law_of(randomizer, np.full(sizes, 1 / math.prod(sizes)))
    tables, errors = Tables(subsets_of(randomizer), counts), []
    for fields in itertools.combinations(range(len(sizes)), 2):
        table = tables.table(fields)
        errors.append(np.mean(np.diag(table.products) - table.frequency.ravel()))
    weights = randomizer.truth, randomizer.other
    assert np.mean(errors) == pytest.approx(
        float(pair_error(sizes, together, weights)), rel=0.02
    )


def test_products_of_sizes():
    """All choices, by what they come to."""
    sizes = (2, 3, 2, 4, 3)
    for many in range(4):
        choices = Counter(map(math.prod, itertools.combinations(sizes, many)))
        assert products(sizes, many) == choices


def test_draws_depend_on_no_answer():
    """Every answer takes as many bytes of the same tape, and names the same subset."""
    question = asked((2, 3, 2, 4, 9))
    generator = np.random.default_rng(5)
    for _ in range(20):
        tape = generator.bytes(200)
        drawn = set()
        for value in range(0, question.domain.size, 7):
            source = Replay(tape)
            report = question.randomizer.randomize(value, source)
            drawn.add((source.used, report % 2**16))
        assert len(drawn) == 1


def test_many_fields_have_cells_without_names():
    """Sixteen of five values: cells are numbers, answers are told by field, names are
    none.
    """
    question = asked((5,) * 16)
    assert question.domain.size == 5**16
    assert question.domain.values is None
    answer = {f"f{place}": f"v{place % 5}" for place in range(16)}
    value = question.value(answer)
    assert value == int("0123401234012340", 5)
    written = " & ".join(answer.values())
    assert question.domain.parse(written) == answer
    assert question.value(question.domain.parse(written)) == value
    assert "told in subsets" in question.domain.summary


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"together": 5}, "together: expected a whole number from 1 to 4"),
        ({"together": 0}, "together: expected a whole number from 1 to 4"),
        ({"mechanism": "grr"}, "told in subsets"),
        ({"mechanism": "rappor", "p": 0, "q": 1, "f": "1/2"}, "told in subsets"),
        ({"mechanism": "matrix"}, "told in subsets"),
        (
            {"collect": "product", "mechanism": "subsets"},
            'table with `collect = "subsets"`',
        ),
        ({"collect": "some"}, "collect: expected one of product, subsets"),
        ({"goal": "mean"}, "goal"),
        (
            {"sizes": (70, 70)},
            "field: expected at most 16,384 subsets of at most 4,096 cells",
        ),
        (
            {"sizes": (9, 9, 9, 9), "together": 4},
            "together: expected at most 16,384 subsets",
        ),
        ({"sizes": (2,) * 33}, "field: expected 2 to 32 tables"),
        ({"sizes": (16,) * 16}, "9,223,372,036,854,775,807 cells together"),
    ],
)
def test_what_cannot_be_is_refused(keys, problem):
    """By the name of its key."""
    with pytest.raises(ldp.SurveyError, match="problem") as caught:
        asked(**keys)
    assert problem in str(caught.value)


def test_what_fits_is_bounded():
    """By subsets, by cells of one, and by symbols of all."""
    weights = odds(Fraction(1))
    assert fits((2,) * 32, 3, weights)
    assert not fits((2,) * 32, 4, weights)
    assert fits((64, 64), 2, weights)
    assert not fits((64, 65), 2, weights)


def test_a_survey_has_so_many_fields_in_all():
    """Of nine questions with 32 fields each, none is looked at."""
    fields = [ldp.field(f"f{place}", type="boolean") for place in range(32)]
    questions = [
        ldp.question(f"q{number}", fields=fields, collect="subsets", epsilon=1)
        for number in range(9)
    ]
    with pytest.raises(ldp.SurveyError, match="256 fields told in subsets in all"):
        ldp.survey("s", *questions)


def test_reports_in_bulk_have_the_law_of_the_channel():
    """Of 200,000 of each of four values, each symbol of each subset to six
    deviations.
    """
    randomizer = response((2, 3, 4), 2, "1")
    draw, rows = bulk_draw(randomizer), randomizer.channel().rows
    source = np.random.default_rng(10).bytes
    for value in (0, 7, 16, 23):
        reports = draw(np.full(200_000, value), source)
        counts = count_rows(reports, randomizer.layout).ravel()
        expected = 200_000 * np.array([float(mass) for mass in rows[value]])
        assert (np.abs(counts - expected) <= 6 * np.sqrt(expected)).all()


def test_fingerprints_cover_how_many_are_told():
    """And the fields, in their order; how many are told is the same, said or not."""
    assert (
        asked().fingerprint == asked(together=asked().randomizer.together).fingerprint
    )
    others = [
        asked(together=1),
        asked(together=4),
        asked(SIZES[::-1]),
        asked(epsilon=2),
    ]
    assert len({question.fingerprint for question in (asked(), *others)}) == 5


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_errors_are_as_stated(estimand):
    """Mean z^2 of 7 shares in 400 surveys of 2,000: 1 but for five standard deviations,
    .35.

    Errors of a population taken for those of respondents would give 1.4 for the
    largest.
    """
    question, shares = asked((2, 3, 2), epsilon=4, together=2), skewed((2, 3, 2), 8)
    generator = np.random.default_rng(6)
    squares = []
    for _ in range(400):
        held = apportion(2000, shares.ravel())
        if estimand == "population":
            held = generator.multinomial(2000, shares.ravel())
        counts = sample_counts(question, Holders((), held), generator)
        tables = crosstab_of(question, counts, Options(estimand=estimand))
        parts = [*tables.margin("f0", "f1"), tables.margin("f2")[0]]
        truth = (held if estimand == "respondents" else 2000 * shares.ravel()).reshape(
            2, 3, 2
        )
        exact = [*(margin(truth, (0, 1)).ravel() / 2000), margin(truth, (2,))[0] / 2000]
        squares.append(
            [
                ((part.frequency - share) / part.standard_error) ** 2
                for part, share in zip(parts, exact, strict=True)
            ]
        )
    np.testing.assert_allclose(np.mean(squares, axis=0), 1, atol=5 * math.sqrt(2 / 400))


def test_errors_with_points_are_those_of_scores():
    """Where few hold most values, points tell some apart better: the tally says how
    well.

    From even answers alone some standard errors would be 8 % off.
    """
    question = asked((5,) * 4)
    assert question.randomizer.spaces[0][1]
    holders = synthetic_fields(
        question.domain, 10**8, lambda _: 1 / np.arange(1, 6) ** 2
    )
    counts = sample_counts(question, holders, np.random.default_rng(12))
    moments = marginal_moments(question.randomizer, counts)
    tables = tables_of(question.randomizer, counts)
    stated = (
        moments.frequency * moments.variance_if_held
        + (1 - moments.frequency) * moments.variance_if_not
    )
    exact = [np.diag(tables.table((field,)).products) for field in range(4)]
    np.testing.assert_allclose(
        stated, np.concatenate(exact) - moments.frequency, rtol=1e-9
    )


def test_crosstabs_are_those_of_the_fields_alone():
    """Measures of two of many fields, and refusals that say what there is."""
    question = asked((2, 2, 3, 2), epsilon=3)
    together = question.randomizer.together
    shares = np.full((2, 2, 3, 2), 1 / 24)
    shares[0, 0] += 1 / 24
    shares[1, 1] += 1 / 24
    shares[0, 1] -= 1 / 24
    shares[1, 0] -= 1 / 24
    counts = sample_counts(
        question,
        Holders((), apportion(10**9, shares.ravel())),
        np.random.default_rng(7),
    )
    tables = crosstab_of(question, counts, Options())
    assert tables.cramers_v("f0", "f1").estimate == pytest.approx(1, abs=0.01)
    assert tables.cramers_v("f0", "f2").estimate == pytest.approx(0, abs=0.01)
    assert tables.odds_ratio("f1", "f3").estimate == pytest.approx(1, abs=0.01)
    assert tables.share(f0="v1", f1="v1").frequency == pytest.approx(0.5, abs=0.001)
    assert tables.conditional("f0", given="f1")[0].share == pytest.approx(1, abs=0.001)
    assert tables.independence("f0", "f1").p_value < 1e-9
    assert tables.of(["f3", "f1"]).frequency.shape == (2, 2)
    with pytest.raises(ldp.UnknownNameError, match="f9"):
        tables.margin("f9")
    with pytest.raises(ldp.EstimateError, match=f"one to {together} fields"):
        tables.margin("f0", "f1", "f2", "f3")


def test_from_answers_to_tables():
    """A table of answers, real reports, and what they add up to; sixteen fields of five
    values.

    Of 30,000 respondents at epsilon 4, each share within five standard errors.
    """
    question = asked((5,) * 16, epsilon=4)
    survey = ldp.survey("s", question)
    generator = np.random.default_rng(9)
    first = generator.integers(5, size=30_000)
    people = {f"f{place}": generator.integers(5, size=30_000) for place in range(16)}
    people |= {
        "f3": first,
        "f11": np.where(generator.random(30_000) < 0.5, first, people["f11"]),
    }
    written = {
        name: [f"v{value}" for value in column] for name, column in people.items()
    }
    tables = crosstab(aggregate(survey, randomize(survey, written, seed=3)), "q")
    truth = np.zeros((5, 5))
    np.add.at(truth, (people["f3"], people["f11"]), 1 / 30_000)
    shares = tables.margin("f3", "f11")
    away = [
        (share.frequency - true) / share.standard_error
        for share, true in zip(shares, truth.ravel(), strict=True)
    ]
    assert np.abs(away).max() < 5
    assert tables.cramers_v("f3", "f11").low > 0.2
