"""Populations to simulate: how many respondents truly hold each value of each question."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ldp.domain import Domain, Value
from ldp.errors import LDPError
from ldp.survey import Question, Survey
from ldp_aggregator.arrays import Floats
from ldp_aggregator.files import opened_text
from ldp_simulations.answers import AnswersError, read_answers
from ldp_simulations.holders import Holders, SetHolders, apportion, synthetic_sets

DISTRIBUTIONS = "zipf:EXPONENT, uniform, geometric[:RATIO], normal, or file:WEIGHTS.csv"


class PopulationError(LDPError, ValueError):
    """A population that cannot be made."""


Population = dict[str, Holders]
"""Holders by question name."""


def from_table(
    path: Path,
    survey: Survey,
    candidates: Mapping[str, Sequence[str]],
    *,
    skip_invalid: bool = False,
) -> Population:
    """The population of a table of answers. Raises `AnswersError`."""
    tallies: dict[str, Counter[Value]] = {question.name: Counter() for question in survey}
    for answers in read_answers(path, survey, skip_invalid=skip_invalid):
        for name, answer in answers.items():
            tallies[name][survey[name].domain.value(answer)] += 1
    population = {}
    for question in survey:
        held = tallies[question.name]
        if not held:
            raise AnswersError(
                f"expected answers to question {question.name!r} in {path}, got none"
            )
        population[question.name] = _holders(
            question.domain, held, candidates.get(question.name, ())
        )
    return population


def _holders(domain: Domain, held: Counter[Value], candidates: Sequence[str]) -> Holders:
    if domain.most is not None:
        return SetHolders.of(domain, held)
    values = domain.values or tuple(
        dict.fromkeys([*candidates, *(bytes(text).decode() for text in held)])
    )
    keys = [value.encode() for value in values] if domain.values is None else range(len(values))
    return Holders(values, np.array([held[key] for key in keys], dtype=np.int64))


def synthetic(
    survey: Survey, respondents: int, distribution: str, candidates: Mapping[str, Sequence[str]]
) -> Population:
    """That many respondents who all answer, in the proportions of a distribution.

    Raises `PopulationError`.
    """
    population = {}
    weights_of = _reader(distribution)
    for question in survey:
        values = tuple(question.domain.values or candidates.get(question.name, ()))
        if not values:
            raise PopulationError(
                f"question {question.name!r} is open and has no candidates to draw answers from: "
                "add candidates to the survey, or give a table of answers: ldp simulate "
                "--population"
            )
        weights = weights_of(question, values)
        population[question.name] = (
            Holders(values, apportion(respondents, weights))
            if question.domain.most is None
            else synthetic_sets(question.domain, respondents, weights)
        )
    return population


def _reader(distribution: str) -> Callable[[Question, Sequence[str]], Floats]:
    """What gives the weights of a question's values.

    A file is read once: a pipe can be read no more often.
    """
    name, _, parameter = distribution.partition(":")
    if name == "file" and parameter:
        return partial(_weights_of_rows, Path(parameter), _rows_of_file(Path(parameter)))
    return lambda _, values: _weights(distribution, values)


def _weights(distribution: str, values: Sequence[str]) -> Floats:
    name, _, parameter = distribution.partition(":")
    rank = np.arange(1, len(values) + 1, dtype=float)
    if name == "uniform" and not parameter:
        return np.ones(len(values))
    if name == "normal" and not parameter:
        middle, spread = (len(values) + 1) / 2, len(values) / 6
        return np.asarray(np.exp(-(((rank - middle) / spread) ** 2) / 2))
    if name == "zipf":
        return np.asarray(rank ** -_number(distribution, parameter, 0, 20))
    if name == "geometric":
        ratio = _number(distribution, parameter or "0.7", 0.01, 1)
        return np.asarray(ratio ** np.minimum(rank - 1, 300))
    raise PopulationError(f"expected a distribution ({DISTRIBUTIONS}), got {distribution!r}")


def _number(distribution: str, text: str, least: float, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not least <= number <= most:
        raise PopulationError(
            f"expected a number from {least} to {most} after the colon, got {distribution!r}"
        )
    return number


def _rows_of_file(path: Path) -> list[dict[str, str]]:
    try:
        with opened_text(path) as file:
            return list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PopulationError(f"expected to read weights from {path}, got {error}") from None


def _weights_of_rows(
    path: Path, rows: Sequence[Mapping[str, str]], question: Question, values: Sequence[str]
) -> Floats:
    """Rows of question, value, weight under a header; values without a row have weight zero."""
    try:
        weights = {
            row["value"]: float(row["weight"]) for row in rows if row["question"] == question.name
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
        came = (
            f"unknown values: {', '.join(unknown[:5])}"
            if unknown
            else f"{len(weights)} usable rows"
        )
        raise PopulationError(
            f"expected weights of at least 0 for values of question {question.name!r} in {path}, "
            f"some above 0; "
            f"got {came}"
        )
    return np.array([weights.get(value, 0.0) for value in values])
