"""Two tallies of one question, many times: intervals, tests of nothing, and of
something.

difference, ratio, odds    how often intervals of them hold the truth, over values
value                      how often the test of a single value calls it different (.05)
any                        how often that of all values does
alike                      how often a difference is called smaller than a margin that
                           it has
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import ldp
from lab.changes.panels import permanent_counts, reported
from ldp.survey.survey import Question
from ldp_aggregator.analyses.comparisons import mover
from ldp_aggregator.analyses.comparisons.any_change import any_difference
from ldp_aggregator.analyses.comparisons.sharing import sharing_of
from ldp_aggregator.analyses.comparisons.sides import Ends, Side, side_of
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

LEVEL = 0.95
_SLACK = 1e-12


class Pair(NamedTuple):
    """Who is asked, and how."""

    mechanism: str
    epsilon: str
    respondents: tuple[int, int]
    shares: tuple[tuple[float, ...], tuple[float, ...]]
    estimand: str = "population"
    overlap: float | None = None
    """Of memoized devices, how many are in both; None for those that keep nothing."""

    @property
    def question(self) -> Question:
        """The question, of one report or memoized."""
        keys: dict[str, Any] = {"epsilon": self.epsilon}
        if self.overlap is not None:
            keys = {
                "epsilon_first": self.epsilon,
                "epsilon_lifetime": str(2 * float(self.epsilon)),
            }
        values = [f"v{place}" for place in range(len(self.shares[0]))]
        asked = ldp.question("q", values, mechanism=self.mechanism, **keys)
        return ldp.survey("pairs", asked)["q"]


def measured(pair: Pair, runs: int, seed: int) -> dict[str, float]:
    """The shares of runs in which each of these happened, of single values on
    average.
    """
    generator = np.random.default_rng([seed, *str(pair).encode()])
    question = pair.question
    sums: dict[str, float] = {}
    for _ in range(runs):
        for what, seen in _run(pair, question, generator):
            sums[what] = sums.get(what, 0.0) + float(np.mean(seen)) / runs
    return sums


def _run(
    pair: Pair, question: Question, generator: Generator
) -> Iterator[tuple[str, Floats]]:
    options = Options(LEVEL, pair.estimand)
    counts = drawn(pair, question, generator)
    first, second = (estimate_question(question, one, options) for one in counts)
    sides = side_of(first), side_of(second)
    sharing = sharing_of(first, second, pair.overlap)
    together, _ = sharing.correlations(sides[0].error, sides[1].error)
    before, after = (np.array(shares) for shares in pair.shares)
    ends = partial(_ends, sides, together)
    yield "difference", _holds(ends("difference", 1 - LEVEL), after - before)
    if pair.overlap is None:
        yield "ratio", _holds(ends("ratio", 1 - LEVEL), after / before)
        odds = after * (1 - before) / ((1 - after) * before)
        yield "odds", _holds(ends("odds_ratio", 1 - LEVEL), odds)
    yield "value", 1.0 - _holds(ends("difference", 1 - LEVEL), np.zeros_like(before))
    test = any_difference(first, second, np.ones(len(first)))
    assert test is not None
    yield "any", np.array([test.p_value <= 1 - LEVEL])
    low, high = ends("difference", 2 * (1 - LEVEL))
    margin = np.abs(after - before)
    if margin.any():
        yield "alike", ((-margin < low) & (high < margin))[margin > 0].astype(float)
    if pair.overlap is not None:
        widest, _ = sharing_of(first, second, None).correlations(
            sides[0].error, sides[1].error
        )
        low, high = _ends(sides, widest, "difference", missing=1 - LEVEL)
        yield "unknown overlap", _holds((low, high), after - before)


def _ends(
    sides: tuple[Side, Side], together: Floats, what: str, missing: float
) -> Ends:
    ends: Ends = getattr(mover, what)(*sides, missing, together=together)
    return ends


def _holds(ends: Ends, truth: Floats) -> Floats:
    low, high = ends
    return ((low <= truth + _SLACK) & (truth - _SLACK <= high)).astype(float)


def drawn(
    pair: Pair, question: Question, generator: Generator
) -> tuple[Counts, Counts]:
    """A tally of each side."""
    if pair.overlap is None:
        return _apart(pair, question, generator)
    values = np.array(pair.shares[0])
    many = pair.respondents[0]
    both = round(pair.overlap * many)
    staying = _held(values, both, pair, generator=generator)
    kept = permanent_counts(question, staying, generator)
    tallies = []
    for _ in range(2):
        others = _held(values, many - both, pair, generator=generator)
        own = permanent_counts(question, others, generator)
        tallies.append(
            reported(question, [(kept, both), (own, many - both)], generator)
        )
    return tallies[0], tallies[1]


def _apart(
    pair: Pair, question: Question, generator: Generator
) -> tuple[Counts, Counts]:
    tallies = []
    for shares, many in zip(pair.shares, pair.respondents, strict=True):
        held = _held(np.array(shares), many, pair, generator=generator)
        holders = Holders(question.domain.values or (), held)
        tallies.append(sample_counts(question, holders, generator))
    return tallies[0], tallies[1]


def _held(shares: Floats, many: int, pair: Pair, generator: Generator) -> Counts:
    """How many hold each value: those of a population, or always the same
    respondents.
    """
    if pair.estimand == "population":
        return np.asarray(generator.multinomial(many, shares))
    return apportion(many, shares)


def expected_power(pair: Pair, estimates: QuestionEstimates, value: int) -> float:
    """That of the test of a value by normal theory, with the errors of such
    estimates.
    """
    from scipy.special import ndtr, ndtri

    apart = pair.shares[1][value] - pair.shares[0][value]
    error = float(estimates.standard_error[value]) * 2**0.5
    reach = float(ndtri((1 + LEVEL) / 2))
    return float(ndtr(apart / error - reach) + ndtr(-apart / error - reach))
