"""Populations to simulate: how many respondents truly hold each value of each
question.
"""

from __future__ import annotations

import csv
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from ldp.answers.domain import Domain, Value
from ldp.answers.scales import ROUNDING_BITS, Scale
from ldp.answers.texts import to_nfc
from ldp.errors import LDPError
from ldp.mechanisms.numbers.dithered import FINEST_GRID
from ldp.survey.survey import Question, Survey
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.files import opened_text
from ldp_simulations.answers import AnswersError
from ldp_simulations.field_holders import FieldHolders, synthetic_fields
from ldp_simulations.holders import (
    Holders,
    SetHolders,
    apportion,
    holders_of,
    synthetic_sets,
)
from ldp_simulations.key_holders import PairHolders, synthetic_pairs
from ldp_simulations.tables import Table, columns_of
from ldp_simulations.vector_holders import VectorHolders, synthetic_vectors

DISTRIBUTIONS = "zipf:EXPONENT, uniform, geometric[:RATIO], normal, or file:WEIGHTS.csv"


class PopulationError(LDPError, ValueError):
    """A population that cannot be made.

    `synthetic` has an example.
    """


Population = dict[str, Holders]
"""Holders by question name."""


def from_table(
    survey: Survey,
    table: Table,
    candidates: Mapping[str, Sequence[str]] | None = None,
    *,
    skip_invalid: bool = False,
) -> Population:
    """The population that a table of answers is of.

    table         as for `randomize`: a data frame, a dict of columns, an iterable of
                  dicts, or the path of a CSV file
    candidates    texts that the table need not hold, by open question
    skip_invalid  take cells that do not fit their question for no answer

    Raises `AnswersError` if the table does not fit the survey, or has no answer to a
    question.

    >>> import ldp, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> ldp_simulations.from_table(survey, {"mode": ["bus", "bus", None]})["mode"].counts.tolist()
    [0, 2]
    """
    place = table if isinstance(table, str | os.PathLike) else "the table"
    population: Population = {}
    for name, column in columns_of(survey, table, skip_invalid=skip_invalid).items():
        # The first place is that of no answer.
        counts = np.bincount(column.codes + 1, minlength=1 + len(column.answers))[1:]
        if not counts.any():
            raise AnswersError(
                f"expected answers to question {name!r} in {place}, got none"
            )
        domain = survey[name].domain
        answered = list(zip(column.answers, counts.tolist(), strict=True))
        if domain.key_scale is not None:
            pairs = ((domain.places(answer), count) for answer, count in answered)
            population[name] = PairHolders.of(domain, pairs)
            continue
        hold = _share_holders if domain.per_device else _count_holders
        holders = hold(domain, answered)
        population[name] = _holders(domain, holders, (candidates or {}).get(name, ()))
    return population


def _count_holders(
    domain: Domain, answered: Sequence[tuple[object, int]]
) -> Counter[Value]:
    """How many hold each value, of answers with the number of those who gave them."""
    holders = Counter[Value]()
    for answer, count in answered:
        value, rest = domain.place(answer)
        # Numbers between two points of a scale are shared out, in proportion.
        upwards = round(Fraction(count * rest, 1 << ROUNDING_BITS))
        holders[value] += count - upwards
        if upwards:
            holders[int(value) + 1] += upwards
    return holders


def _share_holders(
    domain: Domain, answered: Sequence[tuple[object, int]]
) -> Counter[Value]:
    """Count holders where devices have many records: answers differ, and a place has a
    share.

    Of records of which one is drawn, each has an equal one.
    """
    shares: defaultdict[Value, Fraction] = defaultdict(Fraction)
    for answer, count in answered:
        places = domain.places(answer)
        for value, rest in places:
            above = Fraction(count * rest, len(places) << ROUNDING_BITS)
            shares[value] += Fraction(count, len(places)) - above
            if above:
                shares[int(value) + 1] += above
    weights = np.array([float(share) for share in shares.values()])
    held = apportion(sum(count for _, count in answered), weights).tolist()
    return Counter(dict(zip(shares, held, strict=True)))


def _holders(
    domain: Domain, holders: Counter[Value], candidates: Sequence[str]
) -> Holders:
    if domain.most is not None:
        return SetHolders.of(domain, holders)
    if domain.ball is not None:
        return VectorHolders.of(domain.ball, holders)
    if domain.collect:
        return FieldHolders.of(domain, holders)
    if domain.scale is not None and not domain.is_listed:
        return _on_coarser_scale(domain.scale, holders)
    values = domain.values or tuple(
        dict.fromkeys(
            [*map(to_nfc, candidates), *(bytes(text).decode() for text in holders)]
        )
    )
    keys: Sequence[bytes | int] = range(len(values))
    if domain.values is None:
        keys = [value.encode() for value in values]
    counts = np.array([holders[key] for key in keys], dtype=np.int64)
    return holders_of(domain, values, counts)


def _on_coarser_scale(scale: Scale, holders: Mapping[Value, int]) -> Holders:
    """The holders of as many points as can be listed, of a scale that has more."""
    coarser = coarsen(scale)
    counts = np.zeros(coarser.size, dtype=np.int64)
    for value, count in holders.items():
        counts[round(Fraction(int(value) * (coarser.size - 1), scale.size - 1))] += (
            count
        )
    return Holders(tuple(coarser.iter_values()), counts)


def points_of(domain: Domain) -> tuple[str, ...]:
    """The values of a domain, of a scale of very many points coarser ones; none of an
    open one.

    Of vectors the coordinates.
    """
    if domain.ball is not None:
        return domain.ball.names
    if domain.scale is not None and not domain.is_listed:
        return tuple(coarsen(domain.scale).iter_values())
    return domain.values or ()


def coarsen(scale: Scale) -> Scale:
    """Return the same range in the steps of the finest grid that numbers are dithered
    on.
    """
    size = FINEST_GRID + 1
    return scale._replace(size=size, step=(scale.high - scale.low) / FINEST_GRID)


def synthetic(
    survey: Survey,
    respondents: int = 10_000,
    distribution: str = "zipf:1.1",
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> Population:
    """That many respondents who all answer, in the proportions of a distribution.

    distribution  zipf:EXPONENT, uniform, geometric[:RATIO], normal, or
                  file:WEIGHTS.csv, over the values in their order
    candidates    the texts that open questions are answered with

    Raises `PopulationError`.

    >>> import ldp, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> ldp_simulations.synthetic(survey, 90, "zipf:1")["mode"].counts.tolist()
    [60, 30]
    """
    candidates = candidates or {}
    population: Population = {}
    weights_of = _reader(distribution)
    for question in survey:
        if question.domain.collect:
            population[question.name] = _synthetic_fields(
                question, respondents, distribution
            )
            continue
        texts = map(to_nfc, candidates.get(question.name, ()))
        values = points_of(question.domain) or tuple(texts)
        if not values:
            raise PopulationError(
                f"question {question.name!r} is open and has no candidates to draw "
                "answers from: add candidates to the survey, or give a table of "
                "answers: ldp simulate --population"
            )
        weights = weights_of(question, values)
        population[question.name] = _synthetic(
            question.domain, values, respondents, weights=weights
        )
    return population


def _synthetic_fields(
    question: Question, respondents: int, distribution: str
) -> FieldHolders:
    if distribution.startswith("file:"):
        raise PopulationError(
            f"question {question.name!r}: expected a distribution that each field has, "
            "or a table of answers (--population), got a file of weights, which has no "
            "combinations of values"
        )
    return synthetic_fields(
        question.domain,
        respondents,
        lambda field: _weights(distribution, field.domain.values or ()),
    )


def _synthetic(
    domain: Domain, values: tuple[str, ...], respondents: int, weights: Floats
) -> Holders:
    if domain.key_scale is not None:
        return synthetic_pairs(domain, respondents, weights)
    if domain.ball is not None:
        return synthetic_vectors(domain.ball, respondents, weights)
    if domain.most is not None:
        return synthetic_sets(domain, respondents, weights)
    return holders_of(domain, values, apportion(respondents, weights))


def _reader(distribution: str) -> Callable[[Question, Sequence[str]], Floats]:
    """Return a function that gives the weights of a question's values.

    A file is read once: a pipe can be read no more often.
    """
    name, _, parameter = distribution.partition(":")
    if name == "file" and parameter:
        return partial(
            _weights_of_rows, Path(parameter), _rows_of_file(Path(parameter))
        )
    return lambda _, values: _weights(distribution, values)


def _weights(distribution: str, values: Sequence[str]) -> Floats:
    name, _, parameter = distribution.partition(":")
    rank = np.arange(1, len(values) + 1, dtype=float)
    if name == "uniform" and not parameter:
        return np.ones(len(values))
    if name == "normal" and not parameter:
        middle, spread = (len(values) + 1) / 2, len(values) / 6
        return np.exp(-(((rank - middle) / spread) ** 2) / 2)
    if name == "zipf":
        return rank ** -_number(distribution, parameter, 0, most=20)
    if name == "geometric":
        ratio = _number(distribution, parameter or "0.7", 0.01, most=1)
        return np.asarray(ratio ** np.minimum(rank - 1, 300))
    raise PopulationError(
        f"expected a distribution ({DISTRIBUTIONS}), got {distribution!r}"
    )


def _number(distribution: str, text: str, least: float, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not least <= number <= most:
        raise PopulationError(
            f"expected a number from {least} to {most} after the colon, got "
            f"{distribution!r}"
        )
    return number


def _rows_of_file(path: Path) -> list[dict[str, str]]:
    try:
        with opened_text(path) as file:
            return list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PopulationError(
            f"expected to read weights from {path}, got {error}"
        ) from None


def _weights_of_rows(
    path: Path,
    rows: Sequence[Mapping[str, str]],
    question: Question,
    values: Sequence[str],
) -> Floats:
    """Rows of question, value, weight under a header; values without a row have weight
    zero.
    """
    try:
        weights = {
            row["value"]: float(row["weight"])
            for row in rows
            if row["question"] == question.name
        }
    except (KeyError, TypeError, ValueError):
        raise PopulationError(
            f"expected columns question, value, weight in {path}, weights being numbers"
        ) from None
    unknown = sorted(weights.keys() - set(values))
    if (
        unknown
        or not all(0 <= weight < np.inf for weight in weights.values())
        or sum(weights.values()) <= 0
    ):
        came = f"{len(weights)} usable rows"
        if unknown:
            came = f"unknown values: {', '.join(unknown[:5])}"
        raise PopulationError(
            f"expected weights of at least 0 for values of question {question.name!r} "
            f"in {path}, some above 0; got {came}"
        )
    return np.array([weights.get(value, 0.0) for value in values])
