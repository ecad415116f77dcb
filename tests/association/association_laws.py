"""The laws of associations: each takes an estimator and returns the violations it
finds.

An estimator is what turns tallies into associations: `functions(question, counts,
values)`, as `ldp_aggregator.analyses.association.scores`, and `associate`. All laws but
the last two are exact: expectations over every report, in the probabilities of the
channel written out.
"""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from associations import (
    KEYS,
    candidates_of,
    drawn_from,
    law_of,
    rows_of,
    survey_of,
    tally_of,
)
from written_out import declared_law, scores

from ldp_aggregator import Options
from ldp_aggregator.analyses.association.association import associate
from ldp_aggregator.analyses.association.scores import joint_scores
from ldp_aggregator.tallies.counting.counting import count_rows, empty_counts
from ldp_aggregator.tallies.counting.joint_counting import count_together

PAIRS = (
    ("grr", "matrix"),
    ("oue", "ss"),
    ("hr", "rappor"),
    ("pgr", "oue"),
    ("exponential", "geometric"),
    ("grr", "oue", "hr"),
)
TABLES, REPORTS = 2000, 1000
"""Of the laws that are tried by sampling."""


class Estimator(NamedTuple):
    """What is tried."""

    functions: Callable[..., Any] = joint_scores
    count: Callable[..., Any] = count_together
    associate: Callable[..., Any] = associate


def functions(estimator):
    """One report's marks have the stated expectations, and its scores are unbiased."""
    problems = []
    for mechanism in KEYS:
        survey = survey_of(mechanism, "grr")
        question = survey["a"]
        rows, law = law_of(question)
        values = question.domain.values or candidates_of(survey)["a"]
        marks = np.array(
            [count_rows(row[None], question.layout).ravel() for row in rows]
        )
        # Every cohort has its share of these reports.
        even = (
            np.rint(marks.T @ law.mean(axis=0) * 3_000_000)
            .astype(int)
            .reshape(empty_counts(question.layout).shape)
        )
        functions = estimator.functions(question, even, values)
        score = marks @ functions.scores.T
        if question.domain.size is not None:
            each_exact = np.array(scores(question.randomizer), dtype=float)[
                _columns(question, rows)
            ]
            problems += (
                []
                if np.allclose(score, each_exact)
                else [f"{mechanism}: another score"]
            )
        claims = {
            "ones": (np.ones(3), law @ (marks @ functions.ones)),
            "scores": (np.eye(3), law @ score),
            "squares": (law @ score**2, law @ (marks @ functions.squares.T)),
            "own": (np.diag(law @ score**2), functions.own),
            "alike": (_of_others(law @ score**2, max), functions.alike),
            "least": (_of_others(law @ score**2, min), functions.least),
            "law": (law @ marks, functions.law()),
            "moments": (
                np.einsum("vy,yx,yz->vxz", law, score, score),
                np.array([functions.moments(mean) for mean in law @ marks]),
            ),
        }
        problems += [
            f"{mechanism}: {name} {got.round(6).tolist()}, not {want.round(6).tolist()}"
            for name, (want, got) in claims.items()
            if not np.allclose(want, got, rtol=1e-6, atol=1e-6)
        ]
    return problems


def counting(estimator):
    """Joint counts are products of what the rows add to the tallies of their questions,
    summed.
    """
    generator, problems = np.random.default_rng(1), []
    for mechanisms in (
        *PAIRS,
        ("she", "bloom"),
        ("bloom", "grr"),
        ("bloom", "oue", "she"),
    ):
        survey = survey_of(*mechanisms)
        group = survey.groups[0]
        rows = rows_of(
            survey, generator.integers(0, 3, (20, len(mechanisms))), generator
        )
        total = 0
        for row in rows:
            product_of_counts, start = np.ones(1, dtype=int), 0
            for question in group.members:
                own = count_rows(
                    row[None, start : start + question.width], question.layout
                ).ravel()
                product_of_counts = np.multiply.outer(product_of_counts, own)
                start = start + question.width
            total = total + product_of_counts.reshape(-1, question.layout.cells)
        if not np.array_equal(estimator.count(group, rows), total):
            problems.append(f"{mechanisms}: other counts")
    return problems


def unbiased(estimator):
    """Over all combinations of reports, frequencies are those held and variances the
    true ones.
    """
    problems = []
    for mechanisms in PAIRS:
        survey = survey_of(*mechanisms)
        laws = [law_of(question) for question in survey]
        names = [question.name for question in survey]
        every = list(product(*(range(len(rows)) for rows, _ in laws)))
        cases = [
            _one_report(estimator, survey, names, laws=laws, case=case)
            for case in every
        ]
        frequency, covariance = (
            np.array([case[part] for case in cases]) for part in (0, 1)
        )
        for value in product(range(3), repeat=len(names)):
            mass = np.array(
                [
                    np.prod(
                        [
                            law[v, y]
                            for (_, law), v, y in zip(laws, value, case, strict=True)
                        ]
                    )
                    for case in every
                ]
            )
            truth = np.zeros([3] * len(names))
            truth[value] = 1
            mean = mass @ frequency
            if not np.allclose(mean, truth.ravel(), atol=1e-9):
                problems.append(
                    f"{mechanisms}: {value} is estimated as {mean.round(4).tolist()}"
                )
            spread = np.einsum("y,yi,yj->ij", mass, frequency, frequency) - np.diag(
                truth.ravel()
            )
            stated = np.einsum("y,yij->ij", mass, covariance)
            if not np.allclose(spread, stated, atol=1e-7):
                problems.append(f"{mechanisms}: the covariance for {value} is another")
    return problems


def pearson(estimator):
    """Where a report is one symbol a value, the test is Pearson's on the table of
    reports.
    """
    from scipy.stats import chi2_contingency

    generator, problems = np.random.default_rng(2), []
    for mechanisms in (("grr", "matrix"), ("matrix", "matrix")):
        survey = survey_of(*mechanisms)
        rows = rows_of(survey, generator.integers(0, 3, (500, 2)) // (1, 2), generator)
        test = estimator.associate(tally_of(survey, rows), ["a", "b"]).independence
        table = np.zeros((3, 3))
        np.add.at(table, tuple(rows.T), 1)
        known = chi2_contingency(table, correction=False)
        if not np.allclose(
            [test.statistic, test.freedom, test.p_value],
            [known.statistic, known.dof, known.pvalue],
        ):
            problems.append(
                f"{mechanisms}: {test}, not {known.statistic} with {known.dof}"
            )
    return problems


def size(estimator):
    """Of tables of independent answers, .04 to .06 are called dependent at the level
    .05.

    The share of 2,000 has a standard error of .0049; the seed is fixed. A size of .075
    is caught with probability .99. Of one symbol a value, the test is Pearson's, which
    has a law of its own.
    """
    problems = []
    for mechanisms in (("oue", "ss"), ("bloom", "grr")):
        joint = np.outer((0.5, 0.3, 0.2), (0.6, 0.25, 0.15))
        rejected = rejections(estimator, survey_of(*mechanisms), joint, tables=TABLES)
        if not 0.04 <= rejected <= 0.06:
            problems.append(f"{mechanisms}: {rejected}")
    return problems


def coverage(estimator):
    """Of the intervals of cells and of conditional shares, 94 to 96.5 % hold the truth.

    4,500 intervals of each kind in 500 tables: a standard error of .0033 if they were
    independent, .0098 if those of a table were all one. Fieller's intervals, which are
    cut to [0, 1], hold a little more often.
    """
    generator, problems = np.random.default_rng(4), []
    joint = np.array([[0.30, 0.10, 0.05], [0.05, 0.20, 0.05], [0.05, 0.05, 0.15]])
    for mechanisms in (("ss", "matrix"), ("bloom", "grr")):
        survey, covered = survey_of(*mechanisms), []
        for _ in range(TABLES // 4):
            holders = drawn_from(joint, 2 * REPORTS, generator)
            tally = tally_of(survey, rows_of(survey, holders, generator))
            counted = np.zeros((3, 3))
            np.add.at(counted, tuple(holders.T), 1 / len(holders))
            for estimand, truth in (("respondents", counted), ("population", joint)):
                options = Options(estimand=estimand)
                association = estimator.associate(
                    tally, ["a", "b"], options, candidates=candidates_of(survey)
                )
                conditional = truth / truth.sum(axis=1, keepdims=True)
                _, low, high = association.conditional
                covered.append(
                    ((association.low <= truth) & (truth <= association.high)).mean()
                )
                covered.append(((low <= conditional) & (conditional <= high)).mean())
        shares = np.reshape(covered, (-1, 4)).mean(axis=0)
        if not ((shares >= 0.94) & (shares <= 0.965)).all():
            problems.append(f"{mechanisms}: {shares}")
    return problems


def rejections(estimator, survey, joint, tables, seed=3):
    """How often independence is rejected at the level .05."""
    generator = np.random.default_rng(seed)
    tests = [
        _associated(
            estimator,
            survey,
            drawn_from(joint, REPORTS, generator),
            generator=generator,
        )
        for _ in range(tables)
    ]
    return np.mean([test.independence.p_value < 0.05 for test in tests])


LAWS = (functions, counting, unbiased, pearson, size, coverage)


def _associated(estimator, survey, holders, generator):
    tally = tally_of(survey, rows_of(survey, holders, generator))
    return estimator.associate(
        tally, [question.name for question in survey], candidates=candidates_of(survey)
    )


def _one_report(estimator, survey, names, laws, case):
    row = np.concatenate([rows[y] for (rows, _), y in zip(laws, case, strict=True)])[
        None
    ]
    options = Options(estimand="respondents", covariance=True)
    association = estimator.associate(tally_of(survey, row), names, options)
    return association.frequency.ravel(), association.covariance


def _of_others(squares, choose):
    """Of each value, one of E[s^2 | another]; `squares` has a row for each value that
    is held.
    """
    return np.array(
        [choose(np.delete(column, value)) for value, column in enumerate(squares.T)]
    )


def _columns(question, rows):
    """Where each row stands among the reports of the channel written out."""
    order = list(declared_law(question.randomizer, 0))
    return [order.index(int.from_bytes(row.tobytes(), "little")) for row in rows]
