"""Warner's randomized response: tell the truth with probability pi, the opposite
otherwise.

    epsilon = |ln(pi / (1 - pi))|
    from an epsilon, pi = R / (R + 1) with R the rational just below e^epsilon

Source: Warner 1965. It is the optimal mechanism for two values.
"""

from __future__ import annotations

from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Mechanism, needs_two_values
from ldp.mechanisms.matrices.matrix import StochasticMatrix, design_rows
from ldp.numbers.exact import odds


def design(keys: Keys, domain: Domain) -> tuple[StochasticMatrix, Declared]:  # noqa: ARG001
    """Either `epsilon` or `truth`, the probability of a truthful answer."""
    if "truth" in keys:
        if "epsilon" in keys:
            keys.problem("truth", "either epsilon or truth", "both")
        truth = keys.probability("truth")
        return design_rows(keys, ((truth, 1 - truth), (1 - truth, truth)), "truth")
    epsilon = keys.epsilon()
    favoured, other = odds(epsilon)
    return StochasticMatrix(((favoured, other), (other, favoured))), Declared.epsilon(
        epsilon
    )


MECHANISM = Mechanism(
    "warner",
    "Warner's randomized response",
    ("epsilon", "truth"),
    accepts=needs_two_values,
    design=design,
)
