"""Forced response: chance dictates "yes", dictates "no", or asks for the truth.

    P[yes | true] = 1 - forced_false,  P[yes | false] = forced_true
    epsilon = max(ln((1 - forced_false) / forced_true), ln((1 - forced_true) /
    forced_false))

The maximum is taken as both answers count.

"Toss a coin; heads: answer truthfully; tails: toss again and say yes or no" is
forced_true = forced_false = 1/4, which gives epsilon = ln 3. On a question with two
values of its own, the second plays the part of "yes".

Source: Boruch 1971; Fox and Tracy 1986.
"""

from __future__ import annotations

from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Mechanism, needs_two_values
from ldp.mechanisms.matrices.matrix import StochasticMatrix, design_rows


def design(keys: Keys, domain: Domain) -> tuple[StochasticMatrix, Declared]:  # noqa: ARG001
    """`forced_true` and `forced_false`; the rest is truth."""
    forced_true = keys.probability("forced_true")
    forced_false = keys.probability("forced_false")
    if forced_true + forced_false >= 1:
        came = f"forced_true + forced_false = {forced_true + forced_false}"
        keys.problem("forced_true", "some probability left for the truth", came)
    return design_rows(
        keys,
        ((1 - forced_true, forced_true), (forced_false, 1 - forced_false)),
        "forced_true, forced_false",
    )


MECHANISM = Mechanism(
    "forced",
    "forced response",
    ("forced_true", "forced_false"),
    accepts=needs_two_values,
    design=design,
)
