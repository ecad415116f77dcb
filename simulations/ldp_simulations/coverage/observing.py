"""One survey after the other of a cell, each drawn from its exact law and decoded as analysts
decode: what was missed.

    each      intervals of single values: which of them miss, by value
    all       whether any interval of a simultaneous family (Bonferroni) misses
    wrong     of the values detected (Benjamini-Hochberg), the share that nobody holds; 0 if none is
              detected
    alarm     whether any value that nobody holds is detected (Bonferroni)
    mean      whether the interval of a mean misses
    shift     estimate less truth, in standard errors, by value

Every survey has two parts. In the first the respondents are the same people in all surveys, and
what is estimated is their frequencies; in the second they are drawn from a population anew, and it
is the population's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp.domain import Domain, Value
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.heavy_hitters import HeavyHitters
from ldp.mechanisms.longitudinal import Chain
from ldp.mechanisms.rappor import Rappor
from ldp.mechanisms.sketches import CountMean, HadamardCountMean
from ldp.sets import set_of
from ldp.survey import Question
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.association.association import associate
from ldp_aggregator.association.result import Association
from ldp_aggregator.estimates.detection import detected
from ldp_aggregator.estimates.estimation import estimate_question
from ldp_aggregator.estimates.pooling import Version, estimate_pooled
from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.options import Options
from ldp_aggregator.tallies.tally import Tally
from ldp_simulations.coverage.cells import REPEATS, Cell
from ldp_simulations.coverage.joint_reports import rows_of
from ldp_simulations.coverage.populations import POPULATIONS
from ldp_simulations.coverage.questions import (
    ALPHABET,
    MOST_HELD,
    Row,
    question_of,
    rows_by_label,
    survey_of,
    whole_numbers,
)
from ldp_simulations.holders import Holders, SetHolders, apportion
from ldp_simulations.sampling.bits import ones
from ldp_simulations.sampling.table import sample_counts

RESPONDENTS, POPULATION = "respondents", "population"

Seen = NDArray[Any] | float
"""What one survey shows: a number for each value, or one."""
Observed = Iterator[tuple[str, Seen]]
Survey = Callable[[Generator, int], Observed]
"""A survey by its number; hash functions that all respondents share differ between surveys."""

_SETS = 200
"""Sets that are drawn for a population of sets."""
_SLACK = 1e-12
"""An interval may end at the truth, and both are rounded."""


def surveys_of(cell: Cell) -> Survey:
    """What draws the surveys of a cell."""
    known = rows_by_label()
    rows = tuple(known[label] for label in cell.labels)
    return _SURVEYS[cell.kind if cell.kind != "values" else rows[0].family](cell, rows)


def _values(cell: Cell, rows: tuple[Row, ...], repeats: int = 1) -> Survey:
    question = question_of(rows[0], cell.size, cell.epsilon)
    values, shares = question.domain.values or (), POPULATIONS[cell.population](cell.size)

    def survey(generator: Generator, number: int) -> Observed:
        asked = _with_hashes(question, number)
        for estimand, held, truth in _twice(cell, shares, generator):
            counts = _counts(asked, Holders(values, held), repeats, generator=generator)
            estimate = partial(_estimate, asked, counts, reports_each=repeats)
            yield from _looked_at(estimate, truth, estimand)

    return survey


def _sets(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    question = question_of(rows[0], cell.size, cell.epsilon)
    everybody = _some_sets(question.domain, POPULATIONS[cell.population](cell.size))
    shares = everybody.counts / everybody.respondents
    holds = np.zeros((len(shares), cell.size))
    for place, held in enumerate(everybody.sets):
        holds[place, list(held)] = 1.0

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, held, truth in _twice(cell, shares, generator):
            counts = sample_counts(question, replace(everybody, counts=held), generator)
            yield from _looked_at(partial(_estimate, question, counts), truth @ holds, estimand)

    return survey


def _texts(cell: Cell, rows: tuple[Row, ...], *, same: bool = False) -> Survey:
    """Other texts in each survey, and so other hash functions, unless they are
    to stay the `same`.
    """
    question = question_of(rows[0], cell.size, cell.epsilon)
    shares = POPULATIONS[cell.population](cell.size)

    def survey(generator: Generator, number: int) -> Observed:
        texts = tuple(f"{0 if same else number}/{place}" for place in range(cell.size))
        for estimand, held, truth in _twice(cell, shares, generator):
            counts = sample_counts(question, Holders(texts, held), generator)
            estimate = partial(_estimate, question, counts, candidates=texts)
            yield from _looked_at(estimate, truth, estimand)
            if same and estimand == RESPONDENTS:
                found = estimate(Options())
                yield "shift", (found.unbiased - truth) / found.standard_error

    return survey


def _found(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    """The intervals of texts that were found, in one number: the share that misses."""
    question = question_of(rows[0], cell.size, cell.epsilon)
    shares = POPULATIONS[cell.population](cell.size)
    # Words that are spread over the alphabet, so that those held share some prefixes and not
    # others.
    words = ["".join(letters) for letters in product(ALPHABET, repeat=3)]
    texts = tuple(words[place * 5 % len(words)] for place in range(cell.size))

    def survey(generator: Generator, number: int) -> Observed:
        asked = _with_hashes(question, number)
        for estimand, held, truth in _twice(cell, shares, generator):
            counts = sample_counts(asked, Holders(texts, held), generator)
            known = dict(zip(texts, truth.tolist(), strict=True))
            found = _estimate(asked, counts, Options(estimand=estimand))
            true = np.array([known.get(text, 0.0) for text in found.values])
            if len(true):
                yield f"each, {estimand}", float(_missed(found, true).mean())
            if estimand == RESPONDENTS:
                yield (
                    "wrong",
                    _wrong(detected(found) & (true == 0), detected(found)) if len(true) else 0.0,
                )

    return survey


def _means(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    question = question_of(rows[0], cell.size, cell.epsilon, domain=whole_numbers(cell.size))
    values, shares = question.domain.values or (), POPULATIONS[cell.population](cell.size)
    numbers = np.arange(cell.size)

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, held, truth in _twice(cell, shares, generator):
            counts = sample_counts(question, Holders(values, held), generator)
            mean = _estimate(question, counts, Options(estimand=estimand)).mean
            assert mean is not None  # noqa: S101 (the grid names mechanisms that have one)
            # Sums of rounded shares are off in the last digits; an interval may end at the truth.
            slack = 1e-9 * cell.size
            yield (
                f"mean, {estimand}",
                float(not mean.low - slack <= numbers @ truth <= mean.high + slack),
            )

    return survey


def _joint(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    survey_asked = survey_of(rows, cell.size, cell.epsilon)
    group, shares = survey_asked.groups[0], POPULATIONS[cell.population](cell.size)
    # Half of the population gives the same answer to both questions, and half gives unrelated ones.
    together = (np.outer(shares, shares) + np.diag(shares)) / 2

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, held, truth in _twice(cell, together.ravel(), generator):
            people = np.stack(
                np.divmod(np.repeat(np.arange(cell.size**2), held), cell.size), axis=1
            )
            tally = Tally.empty(survey_asked)
            tally.add(group, rows_of(group.members, people, generator))
            names = [member.name for member in group.members]
            shares_of_cells = truth.reshape(together.shape)
            found = associate(tally, names, Options(estimand=estimand))
            yield f"each, {estimand}", _missed(found, shares_of_cells).ravel()
            family = associate(tally, names, Options(estimand=estimand, simultaneous="bonferroni"))
            yield f"all, {estimand}", float(_missed(family, shares_of_cells).any())
            low, high = found.conditional[1:]
            given = shares_of_cells / shares_of_cells.sum(axis=1, keepdims=True)
            yield f"given, {estimand}", ((given < low - _SLACK) | (high + _SLACK < given)).ravel()

    return survey


def _pooled(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    """A third of the respondents have the first version."""
    questions = [question_of(row, cell.size, cell.epsilon) for row in rows]
    values, shares = questions[0].domain.values or (), POPULATIONS[cell.population](cell.size)
    first = cell._replace(respondents=cell.respondents // 3)
    second = cell._replace(respondents=cell.respondents - first.respondents)

    def survey(generator: Generator, _: int) -> Observed:
        parts = (_twice(part, shares, generator) for part in (first, second))
        for (estimand, one, truth), (_, other, _) in zip(*parts, strict=True):
            versions = [
                Version(question, sample_counts(question, Holders(values, held), generator))
                for question, held in zip(questions, (one, other), strict=True)
            ]
            here = (one + other) / cell.respondents if estimand == RESPONDENTS else truth
            yield from _looked_at(partial(estimate_pooled, versions), here, estimand)

    return survey


def _looked_at(
    estimate: Callable[[Options], QuestionEstimates], truth: Floats, estimand: str
) -> Observed:
    """What the estimates of all values miss, one by one and together, and what
    they find wrongly.
    """
    single = estimate(Options(estimand=estimand))
    yield f"each, {estimand}", _missed(single, truth)
    family = estimate(Options(estimand=estimand, simultaneous="bonferroni"))
    yield f"all, {estimand}", float(_missed(family, truth).any())
    absent = truth == 0
    if estimand == RESPONDENTS and absent.any():
        found = detected(single)
        yield "wrong", _wrong(found & absent, found)
        yield "alarm", float((detected(single, correction="bonferroni") & absent).any())


def _twice(
    cell: Cell, shares: Floats, generator: Generator
) -> Iterator[tuple[str, Counts, Floats]]:
    """(estimand, who holds what, the truth): of the same respondents, and of some who are drawn
    anew.
    """
    fixed = apportion(cell.respondents, shares)
    yield RESPONDENTS, fixed, fixed / cell.respondents
    yield POPULATION, generator.multinomial(cell.respondents, shares), shares


def _estimate(
    question: Question,
    counts: Counts,
    options: Options,
    *,
    candidates: tuple[str, ...] | None = None,
    reports_each: int = 1,
) -> QuestionEstimates:
    asked = replace(options, reports_each=reports_each, frequencies=True)
    return estimate_question(question, counts, asked, candidates=candidates)


def _missed(found: QuestionEstimates | Association, truth: Floats) -> NDArray[np.bool_]:
    missed: NDArray[np.bool_] = (truth < found.low - _SLACK) | (found.high + _SLACK < truth)
    return missed


def _wrong(wrongly: NDArray[np.bool_], found: NDArray[np.bool_]) -> float:
    return int(wrongly.sum()) / max(1, int(found.sum()))


def _counts(question: Question, holders: Holders, repeats: int, generator: Generator) -> Counts:
    """Counts of so many reports from each holder, all of one permanent response."""
    if repeats == 1:
        return sample_counts(question, holders, generator)
    randomizer = question.randomizer
    assert isinstance(randomizer, Chain | Rappor)  # noqa: S101 (the grid names chains)
    if randomizer.layout.bits:
        lasting, fresh = randomizer.steps
        respondents = holders.respondents
        kept = ones(holders.counts, respondents, lasting, generator=generator)
        reports = repeats * respondents
        return np.concatenate(
            [[reports], ones(repeats * kept, reports, fresh, generator=generator)]
        )[None]
    assert isinstance(randomizer, Chain)  # noqa: S101
    symbols = sample_counts(_through(question, randomizer.lasting), holders, generator)[0]
    return sample_counts(
        _through(question, randomizer.fresh), Holders(holders.values, repeats * symbols), generator
    )


def _with_hashes(question: Question, number: int) -> Question:
    """The question with other hash functions, where all respondents share them."""
    randomizer = question.randomizer
    if not isinstance(randomizer, CountMean | HadamardCountMean | HeavyHitters):
        return question
    return _through(question, randomizer._replace(hash_seed=number))


def _through(question: Question, randomizer: Randomizer) -> Question:
    """The question asked through another randomizer."""
    asked = copy(question)
    asked.randomizer = randomizer
    return asked


def _some_sets(domain: Domain, weights: Floats) -> SetHolders:
    """`_SETS` sets of 0 to `MOST_HELD` values, drawn in proportion to the weights.

    The same each time.
    """
    generator = np.random.default_rng(0)
    held: Counter[Value] = Counter()
    for size in generator.integers(0, MOST_HELD, _SETS, endpoint=True).tolist():
        held[set_of(generator.choice(len(weights), size, p=weights).tolist())] += 1
    return SetHolders.of(domain, held)


_SURVEYS: Mapping[str, Callable[[Cell, tuple[Row, ...]], Survey]] = {
    "values": _values,
    "numbers": _values,
    "sets": _sets,
    "texts": _texts,
    "found": _found,
    "means": _means,
    "repeats": partial(_values, repeats=REPEATS),
    "joint": _joint,
    "pooled": _pooled,
    "hashes": partial(_texts, same=True),
}
