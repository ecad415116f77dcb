"""What a survey estimates: everything twice, of the respondents and of a population.

Every survey has two parts. In the first the respondents are the same people in all
surveys, and what is estimated is their frequencies; in the second they are drawn from a
population anew, and it is the population's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numpy.random import Generator
from numpy.typing import NDArray

from lab.coverage.cells import Cell
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.holders import apportion

RESPONDENTS, POPULATION = "respondents", "population"

Seen = NDArray[Any] | float
"""What one survey shows: a number for each value, or one."""
Observed = Iterator[tuple[str, Seen]]
Survey = Callable[[Generator, int], Observed]
"""A survey by its number; hash functions that all respondents share differ between
surveys.
"""

_SLACK = 1e-12
"""An interval may end at the truth, and both are rounded."""


def twice(
    cell: Cell, shares: Floats, generator: Generator
) -> Iterator[tuple[str, Counts, Floats]]:
    """(estimand, who holds what, the truth): of the same respondents, and of some drawn
    anew.
    """
    fixed = apportion(cell.respondents, shares)
    yield RESPONDENTS, fixed, fixed / cell.respondents
    yield POPULATION, generator.multinomial(cell.respondents, shares), shares


def misses(low: Any, high: Any, truth: Any, slack: float = _SLACK) -> Any:
    """Whether intervals do not hold the truth."""
    return (truth < low - slack) | (high + slack < truth)
