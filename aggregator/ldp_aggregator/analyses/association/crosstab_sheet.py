"""Sheet of `ldp analyze crosstab`: shares of fields, shares within groups, and
dependence.

Where no fields are named it is how strongly any two go together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from ldp.answers.fields import AND, names_of
from ldp.errors import EstimateError
from ldp_aggregator.analyses.association.crosstab import Conditional, Crosstab, Measured
from ldp_aggregator.analyses.association.crosstabs import Crosstabs
from ldp_aggregator.answers.lines.answers import Share
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.output.sheet import Sheet, TextTable, finite

FORMAT = 1
MOST_FIELDS = 3
COLUMNS = ("kind", "of", "given", "estimate", "standard_error", "low", "high")


class _Shown(NamedTuple):
    shares: tuple[Share, ...]
    within: tuple[Conditional, ...] = ()
    measures: tuple[Measured, ...] = ()
    test: ChiSquare | None = None


class _Pair(NamedTuple):
    """How two fields go together."""

    names: tuple[str, str]
    strength: float
    """Cramer's V: its interval would take seconds for each pair of fields with many
    values.
    """
    p_value: float


def crosstab_sheet(asked: Crosstab | Crosstabs, names: Sequence[str]) -> Sheet:
    """Of one to three fields; of two, the shares of the first among the holders of the
    second.

    Raises `EstimateError` for more fields, and `UnknownNameError` for others.
    """
    if not 1 <= len(names) <= MOST_FIELDS:
        raise EstimateError(f"expected one to {MOST_FIELDS} fields, got {len(names)}")
    crosstab = asked.of(names)
    shown = _view_of(crosstab, names)
    return Sheet(
        f"{crosstab.question.name}: {' x '.join(names)}",
        tables=lambda: _tables(crosstab, names, shown),
        record=lambda: _record(crosstab, names, shown),
        columns=COLUMNS,
        rows=lambda: _rows(shown),
    )


def pairs_sheet(asked: Crosstab | Crosstabs) -> Sheet:
    """Sheet of all pairs of fields, the strongest first."""
    pairs = sorted(_pairs(asked), key=lambda pair: pair.strength, reverse=True)
    return Sheet(
        f"{asked.question.name}: pairs of fields",
        tables=lambda: [_table_of_pairs(asked, pairs)],
        record=lambda: _record_of_pairs(asked, pairs),
        columns=COLUMNS,
        rows=lambda: map(_row_of_pair, pairs),
    )


def _pairs(asked: Crosstab | Crosstabs) -> Iterator[_Pair]:
    for names in combinations(names_of(asked.fields), 2):
        table = asked.of(names)
        yield _Pair(names, table.strength(*names), table.independence(*names).p_value)


def _row_of_pair(pair: _Pair) -> list[str | float | None]:
    return [
        "measure",
        "Cramer's V",
        AND.join(pair.names),
        pair.strength,
        None,
        None,
        None,
    ]


def _table_of_pairs(asked: Crosstab | Crosstabs, pairs: Sequence[_Pair]) -> TextTable:
    return TextTable(
        "",
        f"{asked.reports:,} reports, for {WHOM[asked.options.estimand]}",
        ("fields", "Cramer's V", "p-value"),
        rows=[
            (AND.join(pair.names), _text(pair.strength), f"{pair.p_value:.3g}")
            for pair in pairs
        ],
        remarks=[
            "Cramer's V is that of the nearest table without negative cells: above 0 "
            "by noise alone; its interval is shown with the pair (--fields)",
            "each test of independence is about one pair by itself: of many pairs that "
            "do not go together, one in twenty has a p-value below .05",
        ],
    )


def _record_of_pairs(
    asked: Crosstab | Crosstabs, pairs: Sequence[_Pair]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "question": asked.question.name,
        "reports": asked.reports,
        "estimand": asked.options.estimand,
        "pairs": [
            {
                "fields": list(pair.names),
                "cramers_v": pair.strength,
                "biased": True,
                "p_value": pair.p_value,
            }
            for pair in pairs
        ],
    }


def _view_of(crosstab: Crosstab, names: Sequence[str]) -> _Shown:
    shares = crosstab.margin(*names)
    if len(names) != 2:
        return _Shown(shares)
    first, second = names
    return _Shown(
        shares,
        crosstab.conditional(first, given=second),
        tuple(_measures(crosstab, first, second)),
        test=crosstab.independence(first, second),
    )


def _measures(crosstab: Crosstab, first: str, second: str) -> Iterator[Measured]:
    """Yield the measures that the two fields have."""
    for measure in (crosstab.odds_ratio, crosstab.correlation):
        try:
            yield measure(first, second)
        except EstimateError:
            continue
    yield crosstab.cramers_v(first, second)
    yield crosstab.mutual_information(first, second)


def _tables(
    crosstab: Crosstab, names: Sequence[str], shown: _Shown
) -> Iterator[TextTable]:
    options = crosstab.options
    interval = f"{options.level:.4g} interval"
    joined = AND.join(names)
    caption = f"{crosstab.reports:,} reports; intervals for {WHOM[options.estimand]}"
    yield TextTable(
        "",
        caption,
        (joined, "share", "standard error", interval),
        rows=[
            (
                share.range,
                _text(share.frequency),
                _text(share.standard_error),
                _ends(share),
            )
            for share in shown.shares
        ],
    )
    if shown.within:
        yield TextTable(
            "",
            f"shares of {names[0]} among the holders of each {names[1]}",
            (names[1], names[0], "share", interval),
            rows=[
                (part.given, part.value, _text(part.share), _ends(part))
                for part in shown.within
            ],
        )
    test = shown.test
    if test is not None:
        verdict = (
            f"chi-square {test.statistic:,.2f} with {test.freedom} degrees of freedom"
        )
        yield TextTable(
            "",
            "how they go together",
            ("measure", "estimate", interval),
            rows=[
                (part.measure, _text(part.estimate), _ends(part))
                for part in shown.measures
            ],
            remarks=[
                f"test of independence: {verdict}, p-value {test.p_value:.3g}",
                "estimates of dependence are those of the nearest table without "
                "negative cells: biased where noise is large, which their intervals "
                "allow for",
            ],
        )


def _record(crosstab: Crosstab, names: Sequence[str], shown: _Shown) -> dict[str, Any]:
    test = shown.test
    tested = None
    if test is not None:
        tested = {**test._asdict(), "p_value": test.p_value}
    return {
        "format": FORMAT,
        "question": crosstab.question.name,
        "fields": list(names),
        "reports": crosstab.reports,
        "level": crosstab.options.level,
        "estimand": crosstab.options.estimand,
        "shares": [
            {
                "cell": share.range,
                "frequency": share.frequency,
                "standard_error": share.standard_error,
                "interval": list(share.interval),
            }
            for share in shown.shares
        ],
        "conditional": [
            {
                "value": part.value,
                "given": part.given,
                "share": finite(part.share),
                "interval": list(part.interval),
            }
            for part in shown.within
        ],
        "measures": [
            {
                "measure": part.measure,
                "estimate": finite(part.estimate),
                "interval": [finite(end) for end in part.interval],
                "biased": True,
            }
            for part in shown.measures
        ],
        "independence": tested,
    }


def _rows(shown: _Shown) -> Iterator[list[str | float | None]]:
    for share in shown.shares:
        ends = [share.low, share.high]
        yield ["share", share.range, None, share.frequency, share.standard_error, *ends]
    for part in shown.within:
        yield [
            "conditional",
            part.value,
            part.given,
            part.share,
            None,
            part.low,
            part.high,
        ]
    for measured in shown.measures:
        ends = [measured.low, measured.high]
        yield ["measure", measured.measure, None, measured.estimate, None, *ends]


def _text(number: float) -> str:
    if math.isfinite(number):
        return f"{number:.4f}"
    return str(number)


def _ends(part: Share | Conditional | Measured) -> str:
    return f"[{_text(part.low)}, {_text(part.high)}]"
