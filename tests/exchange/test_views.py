"""Views decode counts as Python does, to twelve digits, in every database."""

import sqlite3

import numpy as np
import pytest
from calling import run
from surveys import survey_of

from ldp.errors import EstimateError
from ldp_aggregator import Options
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.intervals.cumulants import far_from_normal
from ldp_aggregator.decoders.intervals.intervals import (
    score_interval,
    standard_error,
    within_bounds,
)
from ldp_aggregator.exchange.view import COLUMNS, Names, counts_table, view
from ldp_aggregator.tallies.counting.counting import empty_counts

FIVE = (
    'type = "category"\nvalues = ["car", "bus", "it\'s", "a \\"b\\"", '
    '"walk"]\nepsilon = "1"'
)
SURVEY = survey_of(
    *(
        f'name = "{mechanism}"\nmechanism = "{mechanism}"\n{FIVE}'
        for mechanism in ("grr", "oue", "ss", "olh", "pgr")
    ),
    'name = "coins"\ntype = "boolean"\nmechanism = "forced"\nforced_true = "1/4"\n'
    'forced_false = "1/4"',
    'name = "pram"\ntype = "category"\nvalues = ["a", "b", "c"]\nmechanism = "matrix"\n'
    'matrix = [["1/2", "1/4", "1/4"], ["1/5", "3/5", "1/5"], ["1/10", "2/10", "7/10"]]',
    'name = "hr"\nmechanism = "hr"\n' + FIVE,
)
ASKED = (Options(), Options(0.99, "population"))
Z = {0.95: 1.959963984540054, 0.99: 2.5758293035489004}
NAMES = Names("the view", "counts of it")


def drawn(question, reports):
    """Counts that so many reports might have, and some that none would."""
    counts, generator = empty_counts(question.layout), np.random.default_rng(reports)
    if question.layout.counters:
        counts[0, 0] = reports
        counts[0, 1:] = generator.integers(0, reports + 1, counts.shape[1] - 1)
        return counts
    counts[0] = generator.multinomial(
        reports, generator.dirichlet(np.ones(counts.shape[1]))
    )
    return counts


def expected(question, counts, options):
    """What Python says, a row for each value."""
    moments = moments_of(question.randomizer, counts, question.domain.values)
    low, high = within_bounds(
        score_interval(moments, 1 - options.level, options.estimand)
    )
    z = Z[options.level]
    far = [
        far_from_normal(moments, end, z, estimand=options.estimand)
        for end in (low, high)
    ]
    error = standard_error(moments, options.estimand)
    numbers = (moments.frequency * moments.reports, moments.frequency, error, low, high)
    return np.stack(
        [*numbers, np.full(len(low), moments.reports), ~np.logical_or(*far)], axis=1
    )


def check(dialect, execute):
    """Every question, few reports and many, in a database whose statements return
    rows.
    """
    for question in SURVEY:
        if question.name == "hr":
            continue
        for options in ASKED:
            for reports in (40, 30_000):
                counts = drawn(question, reports)
                statements = counts_table(question, counts, NAMES).split(";\n")[:-1]
                for statement in (
                    *statements,
                    view(question, dialect, NAMES, options=options),
                ):
                    execute(statement)
                rows = execute(f'SELECT {", ".join(COLUMNS)} FROM "the view"')
                execute('DROP VIEW "the view"')
                execute('DROP TABLE "counts of it"')
                assert tuple(row[0] for row in rows) == question.domain.values
                seen = np.array([row[1:] for row in rows], dtype=float)
                np.testing.assert_allclose(
                    seen, expected(question, counts, options), rtol=1e-12, atol=1e-12
                )


def test_sqlite():
    connection = sqlite3.connect(":memory:")
    check("sqlite", lambda statement: connection.execute(statement).fetchall())


def test_duckdb():
    import duckdb

    connection = duckdb.connect()
    check("duckdb", lambda statement: connection.execute(statement).fetchall())


def test_postgres(postgres_server):
    import psycopg

    postgres_server.emptied()
    with psycopg.connect(postgres_server.database) as connection:

        def execute(statement):
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

        check("postgres", execute)
        connection.rollback()


def test_no_reports_are_no_estimates():
    """Nothing, and not 0; and no law of large numbers is claimed for it."""
    connection = sqlite3.connect(":memory:")
    for name in ("grr", "oue", "pram"):
        question = SURVEY[name]
        connection.execute(f'CREATE TABLE "{name}_counts" (cell INTEGER, count BIGINT)')
        connection.execute(view(question, "sqlite"))
        rows = connection.execute(f'SELECT * FROM "{name}_estimates"').fetchall()
        nothing = (None,) * 6
        assert rows == [(value, *nothing, 0) for value in question.domain.values]


def test_what_has_no_view():
    """Other mechanisms are named, and what to do; other dialects and options are
    refused.
    """
    with pytest.raises(EstimateError, match=r"got hr \(ldp estimate --counts"):
        view(SURVEY["hr"], "duckdb")
    with pytest.raises(
        EstimateError, match="expected a dialect of duckdb, sqlite, postgres"
    ):
        view(SURVEY["grr"], "mysql")
    with pytest.raises(EstimateError, match="other options"):
        view(SURVEY["grr"], "duckdb", options=Options(interval="clopper-pearson"))


def test_the_command(tmp_path):
    """`--load` brings the counts of reports; the view says what `ldp estimate` does."""
    coins = survey_of(
        'name = "coins"\ntype = "boolean"\nmechanism = "forced"\nforced_true = "1/4"\n'
        'forced_false = "1/4"'
    )
    (tmp_path / "survey.toml").write_text(coins.to_toml())
    (tmp_path / "answers.csv").write_text("coins\n" + "true\nfalse\n" * 200)
    survey, reports, script = (
        tmp_path / name for name in ("survey.toml", "reports", "view.sql")
    )
    words = ("--input", tmp_path / "answers.csv", "--output", reports)
    run("randomize", survey, *words)
    run(
        "analyze",
        "sql",
        survey,
        "coins",
        "--dialect",
        "sqlite",
        "--load",
        reports,
        "-o",
        script,
    )
    connection = sqlite3.connect(":memory:")
    connection.executescript(script.read_text())
    rows = connection.execute(
        "SELECT value, frequency, low, high FROM coins_estimates"
    ).fetchall()
    lines = run(
        "estimate", survey, reports, "--question", "coins", "--format", "csv"
    ).stdout
    for row, line in zip(rows, lines.splitlines()[1:], strict=True):
        _, value, _, frequency, _, low, high = line.split(",")
        assert row[0] == value
        assert row[1:] == pytest.approx(
            [float(end) for end in (frequency, low, high)], rel=1e-12
        )
