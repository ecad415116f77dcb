"""Associations that are wrong as people have been wrong, each with the law that catches it."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from association_laws import Estimator, counting, functions, pearson, unbiased

from ldp_aggregator.association import association
from ldp_aggregator.association.scores import joint_scores
from ldp_aggregator.bloom.regression import ChiSquare
from ldp_aggregator.tallies.joint_counting import count_together


class Mutant(NamedTuple):
    """A broken estimator, and the law that tells it from the genuine one."""

    name: str
    law: Any
    broken: Estimator


def functions_with(name, change):
    """The estimator of which `change(functions)` is made of the functions of a report."""

    def changed(question, counts, values):
        return change(joint_scores(question, counts, values))

    return Mutant(name, functions, Estimator(functions=changed))


def associated_with(name, law, change):
    """The estimator of which `change(association)` is made of what comes out."""

    def changed(*arguments, **keys):
        return change(association.associate(*arguments, **keys))

    return Mutant(name, law, Estimator(associate=changed))


def _singly(group, rows):
    """Respondents whose reports have another's marks: the rows of the last question, one respondent
    further.
    """
    width = group.members[-1].width
    moved = rows.copy()
    moved[:, -width:] = np.roll(rows[:, -width:], 1, axis=0)
    return count_together(group, moved)


def debiased_chi_square(made):
    """Pearson's statistic of the de-biased table, as if it had been counted."""
    expected = made.reports * np.outer(made.frequency.sum(axis=1), made.frequency.sum(axis=0))
    statistic = ((made.reports * made.frequency - expected) ** 2 / expected).sum()
    return replace(made, independence=ChiSquare(float(statistic), made.independence.freedom))


def _as_counted(made):
    """The covariance of frequencies that were counted without noise."""
    flat = made.frequency.ravel()
    return replace(made, covariance=(np.diag(flat) - np.outer(flat, flat)) / made.reports)


MUTANTS = (
    functions_with(
        "scores that are not centred", lambda made: replace(made, scores=np.maximum(made.scores, 0))
    ),
    functions_with(
        "squares of the mean, not of scores", lambda made: replace(made, squares=made.scores)
    ),
    functions_with(
        "holding adds no variance", lambda made: replace(made, own=np.ones_like(made.own))
    ),
    functions_with(
        "nobody else varies", lambda made: replace(made, alike=made.least * 0, least=made.least * 0)
    ),
    functions_with(
        "every mark makes a report", lambda made: replace(made, ones=np.ones_like(made.ones) * 2)
    ),
    functions_with("marks as scores", lambda made: replace(made, law=lambda: made.scores)),
    functions_with(
        "scores of different values do not vary together",
        lambda made: replace(made, moments=lambda counts: np.diag(np.diag(made.moments(counts)))),
    ),
    Mutant("reports of different respondents linked", counting, Estimator(count=_singly)),
    Mutant(
        "only margins kept",
        counting,
        Estimator(count=lambda group, rows: count_together(group, rows) * 0),
    ),
    associated_with(
        "the table turned over", unbiased, lambda made: replace(made, frequency=made.frequency.T)
    ),
    associated_with(
        "negative shares cut",
        unbiased,
        lambda made: replace(made, frequency=made.frequency.clip(0)),
    ),
    associated_with("noise taken for sampling", unbiased, _as_counted),
    associated_with("Pearson's statistic on de-biased counts", pearson, debiased_chi_square),
    associated_with(
        "a degree of freedom for each cell",
        pearson,
        lambda made: replace(
            made, independence=made.independence._replace(freedom=made.frequency.size)
        ),
    ),
)
