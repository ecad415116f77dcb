"""The unrelated-question design: answer the sensitive question, or an innocuous one.

The prevalence of the latter is known.

    P[yes | true] = truth + (1 - truth) prevalence,  P[yes | false] = (1 - truth) prevalence

The device draws the innocuous answer itself, with exactly the stated prevalence. On a
question with two values of its own, the second plays the part of "yes".

Source: Greenberg, Abul-Ela, Simmons and Horvitz 1969.
"""

from __future__ import annotations

from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Mechanism, needs_two_values
from ldp.mechanisms.matrices.matrix import StochasticMatrix, design_rows


def design(keys: Keys, domain: Domain) -> tuple[StochasticMatrix, Declared]:  # noqa: ARG001
    """`truth`, the probability of the sensitive question, and `prevalence` of the
    other.
    """
    truth = keys.probability("truth")
    prevalence = keys.probability("prevalence")
    yes_if_true = truth + (1 - truth) * prevalence
    yes_if_false = (1 - truth) * prevalence
    return design_rows(
        keys,
        ((1 - yes_if_false, yes_if_false), (1 - yes_if_true, yes_if_true)),
        "truth, prevalence",
    )


MECHANISM = Mechanism(
    "unrelated",
    "unrelated question with known prevalence",
    ("truth", "prevalence"),
    accepts=needs_two_values,
    design=design,
)
