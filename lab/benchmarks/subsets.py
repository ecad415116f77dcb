"""All pairs of yes/no questions, by four ways: `python -m lab.benchmarks.subsets`.

    subsets        a device tells the cell of a subset of the questions; components are
                   pooled
    pairs          a device tells the cell of one pair (CALM with views of two), and
                   each table is estimated from those who told of it; and the same
                   pooled by least squares, which is subsets of two
    InpHT          a device tells the sign of one parity, of one question or of a pair,
                   through Warner's response; of d questions there are d + C(d, 2)
                   parities
    split epsilon  a device tells every answer, with epsilon / d each; tables are
                   products of scores

InpHT and the split are written here from their papers. With parities theta of signs -1
and +1, and C = (E + 1) / (E - 1), the cell (s, t) of a pair is

    (1 + s theta_i + t theta_j + s t theta_ij) / 4       n Var = 3 (parities) C^2 / 16 - 3/16

if answers are spread evenly. All ways see the same people: those of the Adult data,
where they are beside the checkout (eight of their bits), or else 30,000 whose answers
go together.

Sources: Cormode, Kulkarni and Srivastava 2018 (InpHT); Zhang, Wang, Li, He and Chen
2018 (CALM).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.random import Generator

import ldp
from lab.benchmarks.figures import median_seconds
from ldp.mechanisms.sets.subsets import pair_error
from ldp.numbers.exact import odds
from ldp_aggregator.decoders.marginals.marginals import tables_of
from ldp_aggregator.decoders.marginals.subsets import counts_of
from ldp_aggregator.numerics.arrays import Floats, Integers
from ldp_aggregator.tallies.counting.counting import count_rows
from ldp_simulations.field_holders import FieldHolders
from ldp_simulations.planning.kinds.field_plan import bound, by_pairs, by_splitting
from ldp_simulations.reports.rows import symbol_rows
from ldp_simulations.sampling.table import sample_counts

EPSILONS = ("0.5", "1", "2", "4")
SIZES = (8, 16)
RESPONDENTS, RUNS = 30_000, 30
COUNTED = 1_000_000

Tables = dict[tuple[int, int], Floats]
"""The table of each pair, (2, 2)."""
Way = Callable[[Integers, str, Generator], Tables]
"""From the answers of respondents, (respondents, questions), each 0 or 1."""


def people(questions: int, seed: int = 7) -> Integers:
    """Answers that go together: each person is more or less likely to say yes to
    any.
    """
    generator = np.random.default_rng(seed)
    inclined = generator.random((RESPONDENTS, 1))
    often = generator.uniform(0.2, 0.8, questions)
    return (generator.random((RESPONDENTS, questions)) < (inclined + often) / 2).astype(
        np.int64
    )


def question_of(questions: int, epsilon: str, **keys: object) -> ldp.Question:
    """Ours, with so many yes/no fields."""
    fields = [ldp.field(f"f{place}", type="boolean") for place in range(questions)]
    asked = ldp.question("q", fields=fields, collect="subsets", epsilon=epsilon, **keys)
    return ldp.survey("benchmark", asked)["q"]


def true_tables(answers: Integers) -> Tables:
    """What people hold."""
    return {
        (i, j): np.histogram2d(answers[:, i], answers[:, j], bins=2)[0] / len(answers)
        for i, j in combinations(range(answers.shape[1]), 2)
    }


def by_subsets(
    answers: Integers, epsilon: str, generator: Generator, **keys: object
) -> Tables:
    """Our way."""
    question = question_of(answers.shape[1], epsilon, **keys)
    held, often = np.unique(answers, axis=0, return_counts=True)
    holders = FieldHolders.holding(question.domain, held, often)
    tables = tables_of(question.randomizer, sample_counts(question, holders, generator))
    return {pair: tables.shares(pair) for pair in true_tables(answers)}


def by_pooled_pairs(answers: Integers, epsilon: str, generator: Generator) -> Tables:
    """Subsets of two."""
    return by_subsets(answers, epsilon, generator, together=2)


def by_pairs_alone(answers: Integers, epsilon: str, generator: Generator) -> Tables:
    """The same reports, each pair from its own."""
    question = question_of(answers.shape[1], epsilon, together=2)
    held, often = np.unique(answers, axis=0, return_counts=True)
    holders = FieldHolders.holding(question.domain, held, often)
    counts = sample_counts(question, holders, generator)
    tables = tables_of(question.randomizer, counts)
    q, estimates = float(question.randomizer.oracle(4).support[1]), {}  # type: ignore[attr-defined]
    for pair in true_tables(answers):
        (part,) = tables.subsets.parts(pair)
        own = counts_of(part, counts)
        shares = (part.supports @ own / own.sum() - q) / part.excess
        estimates[pair] = shares.reshape(2, 2)
    return estimates


def by_parities(answers: Integers, epsilon: str, generator: Generator) -> Tables:
    """InpHT."""
    respondents, questions = answers.shape
    signs = 1 - 2 * answers
    pairs = list(combinations(range(questions), 2))
    parities = [*((place,) for place in range(questions)), *pairs]
    drawn = generator.integers(len(parities), size=respondents)
    coefficient, truth = _warner(float(Fraction(epsilon)))
    kept = np.where(generator.random(respondents) < truth, 1, -1)
    theta = {}
    for number, parity in enumerate(parities):
        there = drawn == number
        said = signs[there][:, list(parity)].prod(axis=1) * kept[there]
        theta[parity] = coefficient * said.sum() * len(parities) / respondents
    both = np.array([1, -1])
    return {
        (i, j): (
            1
            + both[:, None] * theta[i,]
            + both[None] * theta[j,]
            + np.outer(both, both) * theta[i, j]
        )
        / 4
        for i, j in pairs
    }


def by_split_epsilon(answers: Integers, epsilon: str, generator: Generator) -> Tables:
    """Every answer, with a part of epsilon; products of what reports are worth."""
    respondents, questions = answers.shape
    coefficient, truth = _warner(float(Fraction(epsilon)) / questions)
    kept = np.where(generator.random(answers.shape) < truth, 1, -1)
    # (respondents, questions): what a report is worth to no, and to yes.
    worth = coefficient * (1 - 2 * answers) * kept
    scores = np.stack([1 + worth, 1 - worth]) / 2
    return {
        (i, j): scores[:, :, i] @ scores[:, :, j].T / respondents
        for i, j in combinations(range(questions), 2)
    }


def _warner(epsilon: float) -> tuple[float, float]:
    """What a sign is worth, and how likely it is the true one."""
    above = math.exp(epsilon)
    return (above + 1) / (above - 1), above / (above + 1)


WAYS: dict[str, Way] = {
    "subsets": by_subsets,
    "pairs, pooled": by_pooled_pairs,
    "pairs alone": by_pairs_alone,
    "InpHT": by_parities,
    "split epsilon": by_split_epsilon,
}


def exact(questions: int, epsilon: str) -> dict[str, float]:
    """The mean of n Var of a cell, if answers are spread evenly; and what no way is
    below.
    """
    sizes, share = (2,) * questions, Fraction(epsilon)
    weights = odds(share)
    parities = questions + math.comb(questions, 2)
    coefficient, _ = _warner(float(share))
    together = question_of(questions, epsilon).randomizer.together  # type: ignore[attr-defined]
    return {
        "subsets": float(pair_error(sizes, together, weights)),
        "pairs, pooled": float(pair_error(sizes, 2, weights)),
        "pairs alone": by_pairs(sizes, weights),
        "InpHT": 3 * (parities * coefficient**2 - 1) / 16,
        "split epsilon": by_splitting(sizes, share),
        "bound": bound(sizes, share),
    }


def measured(
    way: Way, answers: Integers, epsilon: str, runs: int = RUNS, seed: int = 1
) -> float:
    """The root mean square error of all cells of all pairs."""
    generator, true = np.random.default_rng(seed), true_tables(answers)
    squares = [
        (table - true[pair]) ** 2
        for _ in range(runs)
        for pair, table in way(answers, epsilon, generator).items()
    ]
    return float(np.sqrt(np.mean(squares)))


def main() -> None:
    """Prints both tables, and how long decoding and counting take."""
    for questions in SIZES:
        answers = people(questions)
        for epsilon in EPSILONS:
            stated = exact(questions, epsilon)
            errors = {
                name: measured(way, answers, epsilon) for name, way in WAYS.items()
            }
            cells = [f"{name} {stated[name]:.4g} ({errors[name]:.4f})" for name in WAYS]
            print(
                f"{questions} questions, epsilon {epsilon}: {', '.join(cells)}; bound "
                f"{stated['bound']:.4g}"
            )
    print(
        f"n Var of a cell, evenly spread (RMSE of {RESPONDENTS:,} people, {RUNS} "
        "surveys)"
    )
    question = question_of(16, "1")
    layout = question.layout
    counts = np.random.default_rng(1).integers(0, 100, (layout.cohorts, layout.symbols))

    def decode() -> None:
        tables = tables_of(question.randomizer, counts)
        for pair in combinations(range(16), 2):
            tables.table(pair)

    print(
        f"all pairs of 16 questions with their errors: {median_seconds(decode):.3f} s"
    )
    generator = np.random.default_rng(2)
    subsets = generator.integers(0, layout.cohorts, COUNTED)
    rows = symbol_rows(layout, subsets, generator.integers(0, 2, (COUNTED, 1)))
    seconds = median_seconds(lambda: count_rows(rows, layout))
    print(f"{COUNTED:,} reports counted: {seconds:.3f} s")


if __name__ == "__main__":
    main()
