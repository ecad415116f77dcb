"""Populations to simulate: how many respondents truly hold each value of each question."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ldp.errors import LDPError
from ldp.survey import Question, Survey
from ldp_aggregator.counting import Counts
from ldp_aggregator.moments import Floats
from ldp_simulations.answers import AnswersError, read_answers

DISTRIBUTIONS = "zipf:EXPONENT, uniform, geometric[:RATIO], normal, or file:WEIGHTS.csv"


class PopulationError(LDPError, ValueError):
    """A population that cannot be made."""


@dataclass(frozen=True)
class Holders:
    """The true state of one question: `counts[i]` respondents hold `values[i]`."""

    values: tuple[str, ...]
    counts: Counts

    @property
    def respondents(self) -> int:
        """How many answer the question."""
        return int(self.counts.sum())

    def frequencies(self, values: Sequence[str]) -> list[float]:
        """The true frequencies of the given values among those who answer."""
        held = dict(zip(self.values, self.counts.tolist(), strict=True))
        return [held.get(value, 0) / max(1, self.respondents) for value in values]


Population = dict[str, Holders]
"""Holders by question name."""


def from_table(path: Path, survey: Survey, candidates: Mapping[str, Sequence[str]]) -> Population:
    """The population of a table of answers. Raises `AnswersError`."""
    tallies: dict[str, Counter[str]] = {question.name: Counter() for question in survey}
    for answers in read_answers(path, survey):
        for name, answer in answers.items():
            tallies[name][str(answer).lower() if isinstance(answer, bool) else str(answer)] += 1
    population = {}
    for question in survey:
        held = tallies[question.name]
        if not held:
            raise AnswersError(f"expected answers to question {question.name!r} in {path}, got none")
        values = question.domain.values or tuple(dict.fromkeys([*candidates.get(question.name, ()), *held]))
        population[question.name] = Holders(values, np.array([held[value] for value in values], dtype=np.int64))
    return population


def synthetic(survey: Survey, users: int, distribution: str, candidates: Mapping[str, Sequence[str]]) -> Population:
    """`users` respondents who all answer, in the proportions of a distribution. Raises `PopulationError`."""
    population = {}
    for question in survey:
        values = tuple(question.domain.values or candidates.get(question.name, ()))
        if not values:
            raise PopulationError(
                f"question {question.name!r} is open and has no candidates to draw answers from: "
                "add candidates to the survey, or give a table of answers with --population"
            )
        weights = _weights(distribution, question, values)
        population[question.name] = Holders(values, apportion(users, weights))
    return population


def apportion(total: int, weights: Floats) -> Counts:
    """`total` shared out in proportion to the weights, by largest remainders."""
    exact = total * weights / weights.sum()
    shares: Counts = np.floor(exact).astype(np.int64)
    left = total - int(shares.sum())
    shares[np.argsort(shares - exact, kind="stable")[:left]] += 1
    return shares


def _weights(distribution: str, question: Question, values: Sequence[str]) -> Floats:
    name, _, parameter = distribution.partition(":")
    rank = np.arange(1, len(values) + 1, dtype=float)
    if name == "file" and parameter:
        return _weights_of_file(Path(parameter), question, values)
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
        raise PopulationError(f"expected a number from {least} to {most} after the colon, got {distribution!r}")
    return number


def _weights_of_file(path: Path, question: Question, values: Sequence[str]) -> Floats:
    """Rows of question, value, weight under a header; values without a row have weight zero."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        weights = {row["value"]: float(row["weight"]) for row in rows if row["question"] == question.name}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PopulationError(f"expected to read weights from {path}, got {error}") from None
    except (KeyError, TypeError, ValueError):
        raise PopulationError(f"expected columns question, value, weight in {path}, weights being numbers") from None
    unknown = sorted(weights.keys() - set(values))
    if unknown or not all(0 <= weight < np.inf for weight in weights.values()) or sum(weights.values()) <= 0:
        came = f"unknown values: {', '.join(unknown[:5])}" if unknown else f"{len(weights)} usable rows"
        raise PopulationError(
            f"expected weights of at least 0 for values of question {question.name!r} in {path}, some above 0; "
            f"got {came}"
        )
    return np.array([weights.get(value, 0.0) for value in values])
