"""The table of a question's fields: margins, shares within groups, and dependence."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import ldp
from ldp_aggregator import Options, Tally, crosstab
from ldp_aggregator.analyses.association.crosstabs import crosstab_of
from ldp_aggregator.analyses.association.measures import (
    correlation,
    cramers_v,
    log_odds_ratio,
    mutual_information,
    odds,
)
from ldp_aggregator.commands.main import main
from ldp_simulations import randomize
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

FIELDS = (
    ldp.field("a", type="boolean"),
    ldp.field("b", type="boolean"),
    ldp.field("c", ["x", "y", "z"]),
)
GO_TOGETHER = np.einsum(
    "ab,ac->abc", [[0.35, 0.15], [0.1, 0.4]], [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
)
"""Shares of the cells of these fields, in which everything depends on everything."""


def asked(epsilon=1, mechanism="auto", fields=FIELDS):
    """A question with these fields."""
    keys = {"fields": fields, "epsilon": epsilon, "mechanism": mechanism}
    return ldp.survey("s", ldp.question("t", **keys))["t"]


def held(respondents, shares=GO_TOGETHER):
    """How many hold each cell."""
    return apportion(respondents, np.asarray(shares).ravel())


def drawn(question, counts, seed, **options):
    """The table from sampled reports."""
    sampled = sample_counts(question, Holders((), counts), np.random.default_rng(seed))
    return crosstab_of(question, sampled, Options(**options))


@pytest.mark.parametrize("mechanism", ["grr", "ss", "oue", "sue", "pgr"])
def test_shares_of_very_many_respondents_are_the_true_ones(mechanism):
    """Of any fields, in four digits from 10^11 respondents: margins are sums of
    cells.
    """
    question, counts = asked(mechanism=mechanism), held(10**11)
    table = drawn(question, counts, 1)
    shares = (counts / 10**11).reshape(2, 2, 3)
    np.testing.assert_allclose(table.frequency, shares, atol=1e-4)
    for names, margin in (
        (("a",), shares.sum(axis=(1, 2))),
        (("c", "a"), shares.sum(axis=1).T),
        (("a", "b", "c"), shares),
    ):
        of_names = [share.frequency for share in table.margin(*names)]
        np.testing.assert_allclose(of_names, np.ravel(margin), atol=1e-4)
    given = shares.sum(axis=2)
    within = [part.share for part in table.conditional("b", given="a")]
    np.testing.assert_allclose(
        within, (given / given.sum(axis=1, keepdims=True)).ravel(), atol=1e-4
    )


@pytest.mark.parametrize(
    ("mechanism", "estimand"),
    [
        ("grr", "respondents"),
        ("ss", "population"),
        ("oue", "respondents"),
        ("pgr", "population"),
    ],
)
def test_margins_err_as_they_say(mechanism, estimand):
    """Mean z^2 of 4 shares in 500 surveys of 1,000: 1 but for five standard deviations,
    .32.

    Errors of cells added up as if they were independent would give .5 to 2.
    """
    question = asked(2, mechanism)
    shares = GO_TOGETHER.ravel()
    generator = np.random.default_rng(5)
    queries = np.stack([_cells(a=0), _cells(a=0, c=2), _cells(b=1, c=0), _cells(c=1)])
    squares = []
    for _ in range(500):
        counts = held(1000)
        if estimand == "population":
            counts = generator.multinomial(1000, shares / shares.sum())
        tally = sample_counts(question, Holders((), counts), generator)
        table = crosstab_of(question, tally, Options(estimand=estimand))
        truth = queries @ (held(1000) / 1000)
        errors = np.sqrt(np.diag(table.covariance(queries)))
        squares.append(((queries @ table.frequency.ravel() - truth) / errors) ** 2)
    np.testing.assert_allclose(np.mean(squares, axis=0), 1, atol=5 * math.sqrt(2 / 500))


def _cells(**values):
    cells = np.zeros((2, 2, 3))
    cells[tuple(values.get(name, slice(None)) for name in "abc")] = 1
    return cells.ravel()


@pytest.mark.parametrize(("epsilon", "respondents"), [(1, 3000), (4, 1000)])
def test_intervals_hold_the_truth(epsilon, respondents):
    """In 60 surveys each: at 95 %, no fewer than 45 times (false alarms below 1e-6).

    Odds ratio and correlation have one degree of freedom, Cramer's V more than it
    needs. What is right in 60 % fails here 99 times in 100.
    """
    question, counts = asked(epsilon), held(respondents)
    shares = (counts / respondents).reshape(2, 2, 3)
    of_ab, of_ac = shares.sum(axis=2), shares.sum(axis=1)
    truth = (
        math.exp(log_odds_ratio(of_ab)),
        correlation(of_ab, np.arange(2.0), np.arange(2.0)),
        cramers_v(of_ac),
        of_ab[1, 1] / of_ab[1].sum(),
        of_ac[1, 2],
    )
    hits = np.zeros(len(truth))
    for seed in range(60):
        table = drawn(question, counts, seed)
        parts = (
            table.odds_ratio("a", "b"),
            table.correlation("a", "b"),
            table.cramers_v("a", "c"),
            table.conditional("b", given="a")[3],
            table.share(a="true", c="z"),
        )
        hits += [
            part.low <= true <= part.high
            for part, true in zip(parts, truth, strict=True)
        ]
    assert (hits >= 45).all()


def test_independence_is_rejected_as_often_as_it_says():
    """Of independent fields 5 % of 200 times, but for five standard errors; of others
    always.
    """
    apart = np.einsum("a,b,c->abc", [0.3, 0.7], [0.6, 0.4], [0.5, 0.3, 0.2])
    question = asked(2)
    rejected = [
        drawn(question, held(5000, apart), seed).independence("a", "c").p_value <= 0.05
        for seed in range(200)
    ]
    assert np.mean(rejected) <= 0.05 + 5 * math.sqrt(0.05 * 0.95 / 200)
    others = [
        drawn(question, held(5000), seed).independence("a", "b") for seed in range(40)
    ]
    assert np.mean([test.p_value <= 0.05 for test in others]) >= 0.95
    assert {test.freedom for test in others} == {1}


def test_measures_of_known_tables():
    """Worked out by hand."""
    table = np.array([[0.4, 0.1], [0.2, 0.3]])
    assert math.exp(log_odds_ratio(table)) == pytest.approx(6)
    phi = (0.4 * 0.3 - 0.1 * 0.2) / math.sqrt(0.5 * 0.5 * 0.6 * 0.4)
    assert cramers_v(table) == pytest.approx(phi)
    assert correlation(table, np.arange(2.0), np.arange(2.0)) == pytest.approx(phi)
    assert correlation(table, np.array([3.0, 7]), np.array([2.0, -1])) == pytest.approx(
        -phi
    )
    assert mutual_information(np.eye(2) / 2) == pytest.approx(1)
    assert cramers_v(np.eye(3) / 3) == pytest.approx(1)
    apart = np.outer([0.2, 0.8], [0.5, 0.3, 0.2])
    assert cramers_v(apart) == pytest.approx(0, abs=1e-6)
    assert mutual_information(apart) == pytest.approx(0, abs=1e-9)
    assert (odds(0), odds(13), odds(-13)) == (1, math.inf, 0)


def test_too_few_reports_say_so_by_their_intervals():
    """Of 30 reports at epsilon 1/2 nothing is known: shares within groups may be
    anything.
    """
    table = drawn(asked(0.5), held(30), 1)
    within = table.conditional("a", given="c")
    anything = [part.interval == (0, 1) for part in within]
    assert any(anything)
    assert [math.isnan(part.share) for part in within] == anything
    ratio = table.odds_ratio("a", "b")
    assert (ratio.low, ratio.high) == (0, math.inf)
    assert table.cramers_v("a", "c").low == 0


def test_correlation_takes_numbers():
    """Whole ones, and the middles of cells; categories of more than two values have
    none.
    """
    fields = (
        ldp.field("n", low=3, high=5),
        ldp.field("m", edges=[0, 10, 40]),
        ldp.field("c", ["x", "y", "z"]),
    )
    question = asked(4, fields=fields)
    shares = np.einsum(
        "nm,c->nmc", [[0.3, 0.05], [0.2, 0.1], [0.05, 0.3]], [0.2, 0.3, 0.5]
    )
    table = drawn(question, held(50_000, shares), 3)
    true = correlation(shares.sum(axis=2), np.array([3.0, 4, 5]), np.array([5.0, 25]))
    low, high = table.correlation("n", "m").interval
    assert low < true < high
    assert high - low < 0.05
    with pytest.raises(
        ldp.EstimateError, match="'c' with 3 values that are no numbers"
    ):
        table.correlation("n", "c")
    with pytest.raises(
        ldp.EstimateError, match="two values each for an odds ratio, got 'n'"
    ):
        table.odds_ratio("n", "m")


def test_what_cannot_be_given_is_said():
    """Names that are no fields, questions without any, no reports, too many cells."""
    question = asked()
    table = drawn(question, held(100), 1)
    with pytest.raises(
        ldp.UnknownNameError, match=r"the question's fields \(a, b, c\), got 'd'"
    ):
        table.margin("d")
    with pytest.raises(ldp.UnknownNameError, match="a value of field 'c'"):
        table.share(c="w")
    with pytest.raises(ldp.EstimateError, match="fields that differ, got a, a"):
        table.margin("a", "a")
    with pytest.raises(ldp.EstimateError, match="fields that differ, got none"):
        table.margin()
    plain = ldp.survey("s", ldp.question("q", type="boolean", epsilon=1))
    with pytest.raises(ldp.EstimateError, match="'q': expected one of type table"):
        crosstab(Tally.empty(plain), "q")
    survey = ldp.survey("s", ldp.question("t", fields=FIELDS, epsilon=1))
    with pytest.raises(ldp.EstimateError, match="'t': expected reports, got none yet"):
        crosstab(Tally.empty(survey), "t")
    many = asked(
        fields=[ldp.field("n", low=0, high=99), ldp.field("m", low=0, high=99)]
    )
    with pytest.raises(ldp.EstimateError, match=r"at most 2,000 cells .* got 10,000"):
        crosstab_of(many, np.zeros((1, 3), dtype=np.int64), Options())


@pytest.fixture
def reports(tmp_path):
    """The paths of a survey and of its reports."""
    survey = ldp.survey("s", ldp.question("t", fields=FIELDS, epsilon=4))
    rows = {name: [] for name in "abc"}
    for (a, b, c), count in zip(np.ndindex(2, 2, 3), held(2000), strict=True):
        for name, value in zip("abc", (bool(a), bool(b), "xyz"[c]), strict=True):
            rows[name] += [value] * int(count)
    (tmp_path / "survey.toml").write_text(survey.to_toml(), encoding="utf-8")
    (tmp_path / "reports").write_bytes(randomize(survey, rows, seed=1))
    return str(tmp_path / "survey.toml"), str(tmp_path / "reports")


def run(*arguments):
    """What the command prints, and its exit code."""
    result = CliRunner().invoke(
        main, ["analyze", "crosstab", *arguments, "--question", "t"]
    )
    assert not isinstance(result.exception, Exception) or isinstance(
        result.exception, SystemExit
    )
    return result


def test_the_command_shows_shares_groups_and_dependence(reports):
    """In tables, JSON and CSV, which agree."""
    shown = run(*reports, "--fields", "a,b")
    assert shown.exit_code == 0
    for words in (
        "odds ratio",
        "Cramer's V",
        "test of independence",
        "shares of a among",
    ):
        assert words in shown.output
    record = json.loads(
        run(*reports, "--fields", "a,b", "--format", "json", "-q").stdout
    )
    assert [share["cell"] for share in record["shares"]][:2] == [
        "false & false",
        "false & true",
    ]
    measures = {part["measure"]: part["estimate"] for part in record["measures"]}
    assert measures["odds ratio"] == pytest.approx(0.35 * 0.4 / (0.15 * 0.1), rel=0.5)
    assert record["independence"]["p_value"] < 1e-6
    lines = run(
        *reports, "--fields", "a,b", "--format", "csv", "-q"
    ).stdout.splitlines()
    assert lines[0] == "kind,of,given,estimate,standard_error,low,high"
    assert len(lines) == 1 + 4 + 4 + 4
    alone = json.loads(run(*reports, "--fields", "c", "--format", "json", "-q").stdout)
    assert alone["independence"] is None
    assert len(alone["shares"]) == 3
    assert run(*reports, "--fields", "a,b,c").exit_code == 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("a,nope", "expected one of the question's fields (a, b, c), got 'nope'"),
        ("a,a", "expected fields that differ"),
        ("", "expected one of the question's fields"),
        ("a,b,c,a", "expected one to 3 fields, got 4"),
    ],
)
def test_the_command_refuses(reports, fields, words):
    """With what was expected and what came, and no traceback."""
    result = run(*reports, "--fields", fields)
    assert result.exit_code == 1
    assert words in result.output


@pytest.mark.parametrize(
    ("values", "one_answer", "linked"),
    [
        (2, (1.89, 0.308, 0.029), (19.3, 1.77, 0.214)),
        (5, (3.36, 0.63, 0.044), (102, 6.1, 0.26)),
        (10, (3.60, 0.70, 0.065), (162, 9.1, 0.35)),
    ],
)
def test_one_answer_beside_two_linked_ones(values, one_answer, linked):
    """N Var of a cell at epsilon 1, 2 and 4, values spread evenly: the published
    figures, to 2 %.

    In three digits of theirs, or two.
    """
    fields = [ldp.field(name, [f"{place}" for place in range(values)]) for name in "ab"]
    for epsilon, together, apart in zip((1, 2, 4), one_answer, linked, strict=True):
        table = asked(epsilon, fields=fields)
        assert mean_square(table) - 1 / values**2 == pytest.approx(together, rel=0.02)
        alone = ldp.survey(
            "s", ldp.question("q", fields[0]["values"], epsilon=f"{epsilon}/2")
        )["q"]
        assert mean_square(alone) ** 2 - 1 / values**2 == pytest.approx(apart, rel=0.02)


def mean_square(question):
    """That of the score of a value that one in so many holds as the question has
    values.
    """
    size = question.domain.size
    p, q = (float(rate) for rate in question.randomizer.support)
    own, other = (
        rate * ((1 - q) / (p - q)) ** 2 + (1 - rate) * (q / (p - q)) ** 2
        for rate in (p, q)
    )
    return (own + (size - 1) * other) / size
