"""A SQL view that decodes counts: frequencies, standard errors and bounds, inside a
warehouse.

Counts are a table with the columns

    cell    what was counted: the number of a symbol; or, of reports that are bits, 0
            for all reports, and 1 + the number of a bit for those that set it
    count   how often; rows of one cell are added up

and the view has a row for each value:

    value, count, frequency, standard_error, low, high, reports, normal

Of n reports, with v and w for the variance of one report's score if the value is held
and if not, and c = 0 for the respondents or 1 for a population,

    standard_error = sqrt((g v + (1 - g) w + c g (1 - g)) / n), g the frequency cut to
    [0, 1]
    low, high      = score intervals (`ldp_aggregator.decoders.intervals`), cut to [0,
                   1]

`normal` says whether normal theory holds at both ends. Where it does not (few expected
reports), `ldp estimate` has exact ends, which SQL has no functions for, and these are
rough.
"""

from __future__ import annotations

from typing import NamedTuple

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.intervals.cumulants import TOLERANCE
from ldp_aggregator.exchange.law_tables import (
    law_of,
    list_rows,
    name,
    number,
    pair_rows,
    values_rows,
    worth_rows,
)
from ldp_aggregator.numerics.arrays import Counts

DIALECTS = {"duckdb": "DOUBLE", "sqlite": "REAL", "postgres": "DOUBLE PRECISION"}
"""What each calls a double."""
COLUMNS = (
    "value",
    "count",
    "frequency",
    "standard_error",
    "low",
    "high",
    "reports",
    "normal",
)

_PLAIN = Options()
_SHARED = """\
    sides AS (
        SELECT place, reports, frequency, v, w, v3, w3, signal, 0 AS side, {low} AS share FROM ends
        UNION ALL
        SELECT place, reports, frequency, v, w, v3, w3, signal, 1 AS side, {high} AS share FROM ends
    ),
    tails AS (
        SELECT place,
            share * v + (1 - share) * w + {drawn} * share * (1 - share) AS variance,
            ABS(share * v3 + (1 - share) * w3
                + {drawn} * share * (1 - share) * (3 * (v - w) + 1 - 2 * share)) AS third,
            reports, signal
        FROM sides
    ),
    normality AS (
        SELECT place, MIN(CASE
            WHEN reports IS NULL THEN 0
            WHEN variance <= 0 THEN CASE WHEN signal > 0 THEN 0 ELSE 1 END
            WHEN {z3} * third / variance > {tolerance} * SQRT(variance * reports) THEN 0
            WHEN signal > 0 AND {z2} > {tolerance} * signal * SQRT(variance * reports) THEN 0
            ELSE 1 END) AS normal
        FROM tails GROUP BY place
    )"""


class Names(NamedTuple):
    """Names of the view and the table of counts."""

    view: str
    table: str


def view(
    question: Question,
    dialect: str,
    names: Names | None = None,
    options: Options = _PLAIN,
) -> str:
    """The statement that makes the view. Raises `EstimateError`, for other options
    too.
    """
    if dialect not in DIALECTS:
        raise EstimateError(
            f"expected a dialect of {', '.join(DIALECTS)}, got {dialect!r}"
        )
    if options != Options(options.level, options.estimand):
        raise EstimateError(
            "expected a level and an estimand for a view, got other options"
        )
    from scipy.special import ndtri

    names = names or names_of(question)
    law, values = law_of(question)
    double, z = DIALECTS[dialect], float(ndtri((1 + options.level) / 2))
    # Of reports that are bits, the first cell has all of them.
    every = "cell = 0" if question.layout.counters else "cell >= 0"
    parts = [
        _cells(names.table, double, every),
        _table("known", "place, value, v, w, v3, w3, signal", values_rows(law, values)),
        _table("worths", "place, cell, worth", worth_rows(law)),
        _shares(double, base=law.base, scale=law.scale),
    ]
    if law.by_pairs:
        parts += [
            _table("pairs", "place, held, variance, third", pair_rows(law)),
            _by_others(double),
        ]
    else:
        parts.append(_alike(double))
    drawn = 1 if options.estimand == "population" else 0
    parts += [_ends(z, drawn), _normality(z, drawn)]
    return (
        f"CREATE VIEW {name(names.view)} AS\nWITH\n"
        + ",\n".join(parts)
        + "\n"
        + _rows(drawn)
    )


def names_of(question: Question) -> Names:
    """Return the default names of a question's view and table."""
    return Names(f"{question.name}_estimates", f"{question.name}_counts")


def counts_table(question: Question, counts: Counts, names: Names | None = None) -> str:
    """Statements that make the table of counts, of a tally's. Raises
    `EstimateError`.
    """
    law_of(question)
    table = name((names or names_of(question)).table)
    rows = [f"({cell}, {count})" for cell, count in enumerate(counts[0].tolist())]
    return (
        f"CREATE TABLE {table} (cell INTEGER NOT NULL, count BIGINT NOT NULL);\n"
        f"INSERT INTO {table} (cell, count) VALUES\n    {list_rows(rows, '    ')};\n"
    )


def _table(title: str, columns: str, rows: list[str]) -> str:
    return (
        f"    {title}({columns}) AS (VALUES\n        {list_rows(rows, ' ' * 8)}\n    )"
    )


def _cells(table: str, double: str, every: str) -> str:
    return f"""\
    cells AS (
        SELECT cell, CAST(SUM(count) AS {double}) AS many FROM {name(table)} GROUP BY cell
    ),
    everyone AS (
        SELECT NULLIF(SUM(many), 0) AS reports FROM cells WHERE {every}
    )"""


def _shares(double: str, base: float, scale: float) -> str:
    worth = f"SUM(CAST(worths.worth AS {double}) * COALESCE(cells.many, 0))"
    return f"""\
    shares AS (
        SELECT worths.place, MIN(everyone.reports) AS reports,
            ({worth} / MIN(everyone.reports) - {number(base)}) / {number(scale)} AS frequency
        FROM worths CROSS JOIN everyone LEFT JOIN cells ON cells.cell = worths.cell
        GROUP BY worths.place
    )"""


def _alike(double: str) -> str:
    """Return the variance, where it does not depend on other values."""
    return f"""\
    laws AS (
        SELECT known.place, CAST(v AS {double}) AS v, CAST(w AS {double}) AS w,
            CAST(v3 AS {double}) AS v3, CAST(w3 AS {double}) AS w3,
            CAST(signal AS {double}) AS signal
        FROM known
    )"""


def _by_others(double: str) -> str:
    """Return the variance by the estimated shares of other values."""
    weight = f"({_cut('others.frequency')} + 1e-12)"
    return f"""\
    laws AS (
        SELECT known.place, CAST(MIN(v) AS {double}) AS v,
            SUM({weight} * CAST(pairs.variance AS {double})) / SUM({weight}) AS w,
            CAST(MIN(v3) AS {double}) AS v3,
            SUM({weight} * CAST(pairs.third AS {double})) / SUM({weight}) AS w3,
            CAST(MIN(signal) AS {double}) AS signal
        FROM known JOIN pairs ON pairs.place = known.place
            JOIN shares AS others ON others.place = pairs.held
        GROUP BY known.place
    )"""


def _ends(z: float, drawn: int) -> str:
    """The roots of the score equation
    (`ldp_aggregator.decoders.intervals.intervals`).
    """
    square = number(z * z)
    return f"""\
    roots AS (
        SELECT shares.place, reports, frequency, v, w, v3, w3, signal,
            1 + {drawn} * {square} / reports AS square,
            (2 * frequency + {square} / reports * (v - w + {drawn}))
                / (2 * (1 + {drawn} * {square} / reports)) AS middle,
            frequency * frequency - {square} / reports * w AS rest
        FROM shares JOIN laws ON laws.place = shares.place
    ),
    reaches AS (
        SELECT place, reports, frequency, v, w, v3, w3, signal, middle,
            SQRT(CASE WHEN middle * middle - rest / square > 0
                THEN middle * middle - rest / square ELSE 0 END) AS reach
        FROM roots
    ),
    ends AS (
        SELECT place, reports, frequency, v, w, v3, w3, signal,
            middle - reach AS low, middle + reach AS high, {_cut("frequency")} AS present
        FROM reaches
    )"""


def _normality(z: float, drawn: int) -> str:
    return _SHARED.format(
        low=_cut("low"),
        high=_cut("high"),
        drawn=drawn,
        z3=number(z**3 / 6),
        z2=number(z / 2),
        tolerance=number(TOLERANCE),
    )


def _rows(drawn: int) -> str:
    variance = "present * ends.v + (1 - present) * ends.w"
    return f"""\
SELECT known.value AS value, ends.reports * ends.frequency AS count, ends.frequency AS frequency,
    SQRT(({variance} + {drawn} * present * (1 - present)) / ends.reports) AS standard_error,
    {_cut("low")} AS low, {_cut("high")} AS high, ends.reports AS reports,
    normality.normal AS normal
FROM ends JOIN known ON known.place = ends.place JOIN normality ON normality.place = ends.place
ORDER BY ends.place;
"""


def _cut(what: str) -> str:
    """Cut to [0, 1]; nothing stays nothing."""
    return f"(CASE WHEN {what} < 0 THEN 0e0 WHEN {what} > 1 THEN 1e0 ELSE {what} END)"
