"""What synthetic people keep: `python -m lab.benchmarks.synthesis [--adult FILE]`.

Eight yes/no questions, told by subsets; for each epsilon, of ten surveys, the root mean
square error of the cells of all tables of two and of three questions: as they are
estimated, without bias, and as they are in as many synthetic people as answered. Beside
them, the sum of absolute errors of all 256 cells, which have no unbiased estimate worth
looking at; and of no noise at all, which is what the model costs.

Without a file the people are those of `lab.benchmarks.subsets`, whose answers go
together.
"""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from lab.benchmarks.subsets import people, question_of
from ldp_aggregator.analyses.association.crosstabs import crosstab_of
from ldp_aggregator.analyses.synthesis.pairs import Pairs, consistent, pairs_of
from ldp_aggregator.analyses.synthesis.synthesis import METHODS, people_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.marginals.marginals import tables_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers
from ldp_simulations.field_holders import FieldHolders
from ldp_simulations.sampling.table import sample_counts

EPSILONS = ("1", "2", "4")
QUESTIONS, SURVEYS = 8, 10
UNBIASED = "unbiased"
Errors = tuple[float, float, float]
"""Of tables of two and of three, and of all cells."""


def bits_of(adult: Path) -> Integers:
    """Eight facts about everyone in the UCI Adult data, of shape (people, 8)."""
    with adult.open(encoding="utf-8") as file:
        rows = [
            row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15
        ]
    facts = [
        (
            row[9] == "Male",
            row[14] == ">50K",
            row[5].startswith("Married"),
            row[8] == "White",
            row[13] == "United-States",
            row[1] == "Private",
            int(row[12]) > 40,
            int(row[0]) > 40,
        )
        for row in rows
    ]
    return np.array(facts, dtype=np.int64)


def joint_of(answers: Integers) -> Floats:
    """The shares of all combinations, an axis for each question."""
    cells = np.ravel_multi_index(tuple(answers.T), (2,) * QUESTIONS)
    shares = np.bincount(cells, minlength=2**QUESTIONS) / len(answers)
    return shares.reshape((2,) * QUESTIONS)


def table_of(joint: Floats, places: tuple[int, ...]) -> Floats:
    """Of some questions."""
    others = tuple(place for place in range(QUESTIONS) if place not in places)
    return np.asarray(joint.sum(axis=others))


def rows_of(
    method: str, pairs: Pairs, rows: int, generator: np.random.Generator
) -> Integers:
    """Synthetic people."""
    return people_of(
        method, pairs.sizes, consistent(pairs), rows=rows, generator=generator
    )


def errors_of(joint: Floats, true: Floats) -> Errors:
    """Of a joint table."""
    two, three = (
        np.concatenate(
            [
                (table_of(joint, places) - table_of(true, places)).ravel()
                for places in combinations(range(QUESTIONS), size)
            ]
        )
        for size in (2, 3)
    )
    return _rms(two), _rms(three), float(np.abs(joint - true).sum())


def survey_errors(answers: Integers, epsilon: str, seed: int) -> dict[str, Errors]:
    """Of one survey, by what is looked at."""
    generator = np.random.default_rng(seed)
    question = question_of(QUESTIONS, epsilon)
    held, often = np.unique(answers, axis=0, return_counts=True)
    holders = FieldHolders.holding(question.domain, held, often)
    counts: Counts = sample_counts(question, holders, generator)
    true = joint_of(answers)
    tables = tables_of(question.randomizer, counts)
    two, three = (
        np.concatenate(
            [
                (tables.table(places).frequency - table_of(true, places)).ravel()
                for places in combinations(range(QUESTIONS), size)
            ]
        )
        for size in (2, 3)
    )
    names = tuple(field.name for field in question.domain.fields)
    pairs = pairs_of(crosstab_of(question, counts, Options()), names)
    errors = {UNBIASED: (_rms(two), _rms(three), float("nan"))}
    for method in METHODS:
        rows = rows_of(method, pairs, len(answers), generator=generator)
        errors[method] = errors_of(joint_of(rows), true)
    return errors


def without_noise(answers: Integers) -> dict[str, Errors]:
    """What each method loses of the true tables."""
    generator = np.random.default_rng(1)
    true = joint_of(answers)
    tables = {pair: table_of(true, pair) for pair in combinations(range(QUESTIONS), 2)}
    pairs = Pairs((2,) * QUESTIONS, tables, {})
    return {
        method: errors_of(
            joint_of(rows_of(method, pairs, len(answers), generator=generator)), true
        )
        for method in METHODS
    }


def _rms(differences: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(differences))))


@click.command()
@click.option(
    "--adult", type=click.Path(exists=True, path_type=Path), help="adult.data of UCI."
)
def main(adult: Path | None) -> None:
    """Print the errors of tables, unbiased and of synthetic people."""
    answers = people(QUESTIONS) if adult is None else bits_of(adult)
    table = Table("epsilon", "method", "two", "three", "all cells, sum")
    for epsilon in EPSILONS:
        surveys = [survey_errors(answers, epsilon, seed) for seed in range(SURVEYS)]
        for method in surveys[0]:
            two, three, cells = np.mean([errors[method] for errors in surveys], axis=0)
            table.add_row(epsilon, method, f"{two:.4f}", f"{three:.4f}", f"{cells:.3f}")
    for method, (two, three, cells) in without_noise(answers).items():
        table.add_row("no noise", method, f"{two:.4f}", f"{three:.4f}", f"{cells:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
