"""Surveys of a cell, drawn from their exact law and decoded as analysts decode: what
was missed.

    each      intervals of single values: which of them miss, by value
    all       whether any interval of a simultaneous family (Bonferroni) misses
    wrong     of the values detected (Benjamini-Hochberg), the share that no one holds;
              0 if none is detected
    alarm     whether any value that no one holds is detected (Bonferroni)
    difference, sum
              whether the interval of the share of one value less that of the next misses, and
              that of the first half of the values together
    mean      whether the interval of a mean misses
    variance  that of a variance of the answers, where reports tell of it
    shift     estimate less truth, in standard errors, by value

What surveys show of distributions is in `lab.coverage.distribution_surveys`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lab.coverage.cells import REPEATS, Cell
from lab.coverage.distribution_surveys import distributions
from lab.coverage.estimands import RESPONDENTS, Observed, Survey, misses, twice
from lab.coverage.joint_reports import rows_of
from lab.coverage.populations import POPULATIONS
from lab.coverage.questions import (
    ALPHABET,
    MOST_HELD,
    Row,
    question_of,
    rows_by_label,
    survey_of,
    whole_numbers,
)
from ldp.answers.balls import UNIT
from ldp.answers.domain import Domain, Value
from ldp.answers.sets import set_of
from ldp.mechanisms.contract import Randomizer
from ldp.survey.survey import Question
from ldp_aggregator.analyses.association.association import associate
from ldp_aggregator.analyses.association.result import Association
from ldp_aggregator.answers.estimates.pooling import Version, estimate_pooled
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.detection import detected
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.decoders.taxonomies.two_passes import totals
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.tally import Tally
from ldp_simulations.holders import Holders, SetHolders
from ldp_simulations.sampling.table import form_of, repeated_counts, sample_counts
from ldp_simulations.vector_holders import VectorHolders

_SETS = 200
"""Sets that are drawn for a population of sets."""


def surveys_of(cell: Cell) -> Survey:
    """What draws the surveys of a cell."""
    known = rows_by_label()
    rows = tuple(known[label] for label in cell.labels)
    family = rows[0].family
    if cell.kind == "few":
        return _FUNCTIONS[family](cell, rows, _look_at_functions)
    return _SURVEYS[family if cell.kind == "values" else cell.kind](cell, rows)


Estimate = Callable[[Options], QuestionEstimates]
Look = Callable[[Estimate, Floats, str], Observed]
"""What estimates are looked at for, given the truth and its estimand."""


def _look_at(estimate: Estimate, truth: Floats, estimand: str) -> Observed:
    """What the estimates of all values miss, singly and together, and what they find
    wrongly.
    """
    single = estimate(Options(estimand=estimand))
    yield f"each, {estimand}", _missed(single, truth)
    family = estimate(Options(estimand=estimand, simultaneous="bonferroni"))
    yield f"all, {estimand}", float(_missed(family, truth).any())
    absent = truth == 0
    if estimand == RESPONDENTS and absent.any():
        detections = detected(single)
        yield "wrong", _wrong(detections & absent, detections)
        yield "alarm", float((detected(single, correction="bonferroni") & absent).any())


def _look_at_functions(estimate: Estimate, truth: Floats, estimand: str) -> Observed:
    """What a difference and a sum of estimates miss."""
    estimates = estimate(Options(estimand=estimand))
    assert isinstance(estimates, ShareEstimates)
    assert estimates.functions is not None
    places = np.arange(len(truth))
    weights = {
        "difference": (places == 0) * 1.0 - (places == 1),
        "sum": (2 * places < len(truth)) * 1.0,
    }
    for name, row in weights.items():
        number = estimates.functions.function(name, row)
        missed = misses(number.low, number.high, row @ truth, slack=1e-9)
        yield f"{name}, {estimand}", missed


def _values(
    cell: Cell, rows: tuple[Row, ...], look: Look = _look_at, repeats: int = 1
) -> Survey:
    question = question_of(rows[0], cell.size, cell.epsilon)
    values = question.domain.values or ()
    shares = POPULATIONS[cell.population](cell.size)

    def survey(generator: Generator, number: int) -> Observed:
        asked = _with_hashes(question, number)
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = repeated_counts(
                asked, Holders(values, holders), repeats, generator=generator
            )
            estimate = partial(_estimate, asked, counts, reports_per_person=repeats)
            yield from look(estimate, truth, estimand)

    return survey


def _sets(cell: Cell, rows: tuple[Row, ...], look: Look = _look_at) -> Survey:
    question = question_of(rows[0], cell.size, cell.epsilon)
    everybody = _some_sets(question.domain, POPULATIONS[cell.population](cell.size))
    shares = everybody.counts / everybody.respondents
    # (sets, values): 1 where the set has the value.
    holds = np.zeros((len(shares), cell.size))
    for place, indices in enumerate(everybody.sets):
        holds[place, list(indices)] = 1.0

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(
                question, replace(everybody, counts=holders), generator
            )
            yield from look(
                partial(_estimate, question, counts), truth @ holds, estimand
            )

    return survey


def _nodes(cell: Cell, rows: tuple[Row, ...], look: Look = _look_at) -> Survey:
    """Surveys of all nodes of a tree."""
    question = question_of(rows[0], cell.size, cell.epsilon)
    values, taxonomy = question.domain.values or (), question.domain.taxonomy
    assert taxonomy is not None
    shares = POPULATIONS[cell.population](cell.size)

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(question, Holders(values, holders), generator)
            of_nodes = totals(
                taxonomy.parents, np.append(np.zeros(len(taxonomy.inner)), truth)
            )
            yield from look(partial(_estimate, question, counts), of_nodes, estimand)

    return survey


def _vectors(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    """Surveys of as many vectors as there are coordinates, with the population's
    shares.

    Each lies along an axis and a little off it, and all are of full length.
    """
    question = question_of(rows[0], cell.size, cell.epsilon)
    ball, shares = question.domain.ball, POPULATIONS[cell.population](cell.size)
    assert ball is not None
    corners = np.eye(cell.size) + 1 / cell.size
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    held: dict[Value, int] = {question.domain.value(row): 1 for row in corners.tolist()}
    everybody = VectorHolders.of(ball, held)

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(
                question, replace(everybody, counts=holders), generator
            )
            estimate = partial(_estimate, question, counts)
            mean = truth @ (everybody.vectors / UNIT)
            for name, missed in _look_at(estimate, mean, estimand):
                if name not in ("wrong", "alarm"):
                    yield name, missed

    return survey


def _fields(cell: Cell, rows: tuple[Row, ...], look: Look = _look_at) -> Survey:
    """Surveys of the values of all of many fields, each of which has two."""
    question = question_of(rows[0], cell.size, cell.epsilon)
    shape = tuple(field.size for field in question.domain.fields)
    shares = POPULATIONS[cell.population](cell.size)

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(question, Holders((), holders), generator)
            # (fields, values)
            table = truth.reshape(shape)
            of_fields = [
                np.moveaxis(table, place, 0).reshape(2, -1)
                for place in range(len(shape))
            ]
            of_values = np.sum(of_fields, axis=2).ravel()
            yield from look(partial(_estimate, question, counts), of_values, estimand)

    return survey


def _texts(cell: Cell, rows: tuple[Row, ...], *, same: bool = False) -> Survey:
    """Surveys of texts that are other ones each time, unless they stay the `same`.

    With other texts come other hash functions.
    """
    question = question_of(rows[0], cell.size, cell.epsilon)
    shares = POPULATIONS[cell.population](cell.size)

    def survey(generator: Generator, number: int) -> Observed:
        texts = tuple(f"{0 if same else number}/{place}" for place in range(cell.size))
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(question, Holders(texts, holders), generator)
            estimate = partial(_estimate, question, counts, candidates=texts)
            yield from _look_at(estimate, truth, estimand)
            if same and estimand == RESPONDENTS:
                estimates = estimate(Options(estimand=estimand))
                yield "shift", (estimates.unbiased - truth) / estimates.standard_error

    return survey


def _found(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    """The intervals of texts that were found, in one number: the share that misses."""
    question = question_of(rows[0], cell.size, cell.epsilon)
    shares = POPULATIONS[cell.population](cell.size)
    # Words that are spread over the alphabet, so that those held share some prefixes
    # and not others.
    words = ["".join(letters) for letters in product(ALPHABET, repeat=3)]
    texts = tuple(words[place * 5 % len(words)] for place in range(cell.size))

    def survey(generator: Generator, number: int) -> Observed:
        asked = _with_hashes(question, number)
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(asked, Holders(texts, holders), generator)
            known = dict(zip(texts, truth.tolist(), strict=True))
            estimates = _estimate(asked, counts, Options(estimand=estimand))
            true = np.array([known.get(text, 0.0) for text in estimates.values])
            if len(true):
                yield f"each, {estimand}", float(_missed(estimates, true).mean())
            if estimand == RESPONDENTS:
                detections = (
                    detected(estimates) if len(true) else np.zeros(0, dtype=bool)
                )
                yield "wrong", _wrong(detections & (true == 0), detections)

    return survey


def _means(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    question = question_of(
        rows[0], cell.size, cell.epsilon, domain=whole_numbers(cell.size)
    )
    values = question.domain.values or ()
    shares = POPULATIONS[cell.population](cell.size)
    numbers = np.arange(cell.size)

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(question, Holders(values, holders), generator)
            mean = _estimate(question, counts, Options(estimand=estimand)).mean
            assert mean is not None
            # Sums of rounded shares are off in the last digits; an interval may end at
            # the truth.
            slack = 1e-9 * cell.size
            middle = float(numbers @ truth)
            yield f"mean, {estimand}", misses(mean.low, mean.high, middle, slack=slack)
            if mean.variance is not None:
                variance = float((numbers - middle) ** 2 @ truth)
                ends = mean.variance.low, mean.variance.high
                yield (
                    f"variance, {estimand}",
                    misses(*ends, variance, slack=slack * cell.size),
                )

    return survey


def _joint(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    survey_asked = survey_of(rows, cell.size, cell.epsilon)
    group, shares = survey_asked.groups[0], POPULATIONS[cell.population](cell.size)
    # Half of the population gives the same answer to both questions, and half gives
    # unrelated ones: shares of shape (values of one, values of the other).
    together = (np.outer(shares, shares) + np.diag(shares)) / 2

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, holders, truth in twice(cell, together.ravel(), generator):
            # Each respondent's place in the table, and of shape (respondents, 2) its
            # two answers.
            pairs = np.repeat(np.arange(cell.size**2), holders)
            people = np.stack(np.divmod(pairs, cell.size), axis=1)
            tally = Tally.empty(survey_asked)
            tally.add(group, rows_of(group.members, people, generator))
            names = [member.name for member in group.members]
            shares_of_cells = truth.reshape(together.shape)
            estimates = associate(tally, names, Options(estimand=estimand))
            yield f"each, {estimand}", _missed(estimates, shares_of_cells).ravel()
            family = associate(
                tally, names, Options(estimand=estimand, simultaneous="bonferroni")
            )
            yield f"all, {estimand}", float(_missed(family, shares_of_cells).any())
            low, high = estimates.conditional[1:]
            # Of the other answer given the one, by rows of the table.
            conditional = shares_of_cells / shares_of_cells.sum(axis=1, keepdims=True)
            yield f"given, {estimand}", misses(low, high, conditional).ravel()

    return survey


def _pooled(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    """A third of the respondents have the first version."""
    questions = [question_of(row, cell.size, cell.epsilon) for row in rows]
    values = questions[0].domain.values or ()
    shares = POPULATIONS[cell.population](cell.size)
    first = cell._replace(respondents=cell.respondents // 3)
    second = cell._replace(respondents=cell.respondents - first.respondents)

    def survey(generator: Generator, _: int) -> Observed:
        parts = (twice(part, shares, generator) for part in (first, second))
        for (estimand, one, truth), (_, other, _) in zip(*parts, strict=True):
            versions = [
                Version(
                    question,
                    sample_counts(question, Holders(values, holders), generator),
                )
                for question, holders in zip(questions, (one, other), strict=True)
            ]
            here = (
                (one + other) / cell.respondents if estimand == RESPONDENTS else truth
            )
            yield from _look_at(partial(estimate_pooled, versions), here, estimand)

    return survey


def _estimate(
    question: Question,
    counts: Counts,
    options: Options,
    *,
    candidates: tuple[str, ...] | None = None,
    reports_per_person: int = 1,
) -> QuestionEstimates:
    asked = replace(options, reports_per_person=reports_per_person, frequencies=True)
    return estimate_question(question, counts, asked, candidates=candidates)


def _missed(
    estimates: QuestionEstimates | Association, truth: Floats
) -> NDArray[np.bool_]:
    missed: NDArray[np.bool_] = misses(estimates.low, estimates.high, truth)
    return missed


def _wrong(wrongly: NDArray[np.bool_], detections: NDArray[np.bool_]) -> float:
    return int(wrongly.sum()) / max(1, int(detections.sum()))


def _with_hashes(question: Question, number: int) -> Question:
    """The question with other hash functions, where all respondents share them."""
    randomizer = question.randomizer
    return _through(question, form_of(randomizer).with_hashes(randomizer, number))


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
    holders: Counter[Value] = Counter()
    for size in generator.integers(0, MOST_HELD, _SETS, endpoint=True).tolist():
        holders[set_of(generator.choice(len(weights), size, p=weights).tolist())] += 1
    return SetHolders.of(domain, holders)


_FUNCTIONS: Mapping[str, Callable[[Cell, tuple[Row, ...], Look], Survey]] = {
    "values": _values,
    "numbers": _values,
    "sets": _sets,
    "tree": _nodes,
    "places": _values,
    "fields": _fields,
}
"""Of families whose shares have differences."""
_SURVEYS: Mapping[str, Callable[[Cell, tuple[Row, ...]], Survey]] = {
    "values": _values,
    "numbers": _values,
    "sets": _sets,
    "tree": _nodes,
    "vectors": _vectors,
    "places": _values,
    "fields": _fields,
    "texts": _texts,
    "found": _found,
    "means": _means,
    "few numbers": _means,
    "distributions": distributions,
    "repeats": partial(_values, repeats=REPEATS),
    "joint": _joint,
    "pooled": _pooled,
    "hashes": partial(_texts, same=True),
}
