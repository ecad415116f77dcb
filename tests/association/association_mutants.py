"""Associations that are wrong as people have been wrong, each with the law that catches
it.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from association_laws import Estimator, counting, functions, pearson, unbiased

from ldp_aggregator.analyses.association import association
from ldp_aggregator.analyses.association.scores import joint_scores
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.tallies.counting.joint_counting import count_together


class Mutant(NamedTuple):
    """A broken estimator, and the law that tells it from the genuine one."""

    name: str
    law: Any
    broken: Estimator


def functions_with(name, change):
    """The estimator of which `change(functions)` is made of the functions of a
    report.
    """

    def changed(question, counts, values):
        return change(joint_scores(question, counts, values))

    return Mutant(name, functions, Estimator(functions=changed))


def associated_with(name, law, change):
    """The estimator of which `change(association)` is made of what comes out."""

    def changed(*arguments, **keys):
        return change(association.associate(*arguments, **keys))

    return Mutant(name, law, Estimator(associate=changed))


def _singly(group, rows):
    """Respondents whose reports have another's marks: the last question's rows, shifted
    by one.
    """
    width = group.members[-1].width
    moved = rows.copy()
    moved[:, -width:] = np.roll(rows[:, -width:], 1, axis=0)
    return count_together(group, moved)


def debiased_chi_square(association):
    """Pearson's statistic of the de-biased table, as if it had been counted."""
    expected = association.reports * np.outer(
        association.frequency.sum(axis=1), association.frequency.sum(axis=0)
    )
    statistic = (
        (association.reports * association.frequency - expected) ** 2 / expected
    ).sum()
    return replace(
        association,
        independence=ChiSquare(float(statistic), association.independence.freedom),
    )


def _as_counted(association):
    """The covariance of frequencies that were counted without noise."""
    flat = association.frequency.ravel()
    return replace(
        association,
        covariance=(np.diag(flat) - np.outer(flat, flat)) / association.reports,
    )


MUTANTS = (
    functions_with(
        "scores that are not centred",
        lambda functions: replace(functions, scores=np.maximum(functions.scores, 0)),
    ),
    functions_with(
        "squares of the mean, not of scores",
        lambda functions: replace(functions, squares=functions.scores),
    ),
    functions_with(
        "holding adds no variance",
        lambda functions: replace(functions, own=np.ones_like(functions.own)),
    ),
    functions_with(
        "no one else varies",
        lambda functions: replace(
            functions, alike=functions.least * 0, least=functions.least * 0
        ),
    ),
    functions_with(
        "every mark makes a report",
        lambda functions: replace(functions, ones=np.ones_like(functions.ones) * 2),
    ),
    functions_with(
        "marks as scores",
        lambda functions: replace(functions, law=lambda: functions.scores),
    ),
    functions_with(
        "scores of different values do not vary together",
        lambda functions: replace(
            functions,
            moments=lambda counts: np.diag(np.diag(functions.moments(counts))),
        ),
    ),
    Mutant(
        "reports of different respondents linked", counting, Estimator(count=_singly)
    ),
    Mutant(
        "only margins kept",
        counting,
        Estimator(count=lambda group, rows: count_together(group, rows) * 0),
    ),
    associated_with(
        "the table turned over",
        unbiased,
        lambda association: replace(association, frequency=association.frequency.T),
    ),
    associated_with(
        "negative shares cut",
        unbiased,
        lambda association: replace(
            association, frequency=association.frequency.clip(0)
        ),
    ),
    associated_with("noise taken for sampling", unbiased, _as_counted),
    associated_with(
        "Pearson's statistic on de-biased counts", pearson, debiased_chi_square
    ),
    associated_with(
        "a degree of freedom for each cell",
        pearson,
        lambda association: replace(
            association,
            independence=association.independence._replace(
                freedom=association.frequency.size
            ),
        ),
    ),
)
