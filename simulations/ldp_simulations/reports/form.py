"""Contract of simulated randomizers: a row of `ldp_simulations.sampling.table`.

    sample    a tally drawn from the law of the reports, without making them one at a
              time
    expected  the tally to be expected: planning runs the decoder on it
    forge     reports that are worth as much as possible to some values together
    repeated  a tally of several reports of each respondent's permanent response

A module of `sampling` holds one way of reporting, and ends with its row (or rows).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.random import Generator

from ldp.errors import EstimateError
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers, Rows
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.holders import Holders

REPORTS = 10**12
"""Of an expected tally: enough that rounding to whole reports changes nothing.

Errors are scaled to the number that is planned.
"""


class Wanted(NamedTuple):
    """Target of forgers."""

    targets: Integers
    """Indices of values."""
    texts: Sequence[str]
    """The texts of an open question, in place of values."""
    reports: int
    hashes: int | None = None
    """Where a report names a hash function: how many it may choose from; all, if None.
    """


def any_tally(
    randomizer: Any,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,  # noqa: ARG001
) -> Counts:
    """One in which all cells are equal, where errors do not depend on frequencies."""
    counts = empty_counts(randomizer.layout)
    counts += REPORTS // counts.shape[1]
    return counts


def no_repeats(
    randomizer: Any,  # noqa: ARG001
    holders: Any,  # noqa: ARG001
    repeats: int,  # noqa: ARG001
    generator: Generator,  # noqa: ARG001
) -> Counts:
    """For classes without a permanent response of a law that is drawn at once."""
    raise EstimateError(
        "expected a memoized mechanism of symbols, or of a bit for each value, to draw "
        "several reports of each respondent"
    )


def same_hashes(randomizer: Any, seed: int) -> Any:  # noqa: ARG001
    """For classes without hash functions that all respondents share."""
    return randomizer


def with_hash_seed(randomizer: Any, seed: int) -> Any:
    """For classes whose hash functions follow from a seed."""
    return randomizer._replace(hash_seed=seed)


@dataclass(frozen=True)
class Form:
    """One row of the table."""

    sample: Callable[[Any, Any, Generator], Counts]
    """From a randomizer and those who hold its values (`Holders`)."""
    forge: Callable[[Any, Wanted, Generator], Rows]
    expected: Callable[[Any, Sequence[str], Floats], Counts] = any_tally
    """From a randomizer, the values (texts, of an open question) and their frequencies.
    """
    repeated: Callable[[Any, Any, int, Generator], Counts] = no_repeats
    """As `sample`, of n reports from each holder, all of one permanent response."""
    with_hashes: Callable[[Any, int], Any] = same_hashes
    """The randomizer with other hash functions, where all respondents share them, by a
    seed.
    """


def by_counts(
    sample: Callable[[Any, Counts, Generator], Counts],
) -> Callable[[Any, Holders, Generator], Counts]:
    """A sampler that has to know no more than how many hold each value."""

    def of_holders(randomizer: Any, holders: Holders, generator: Generator) -> Counts:
        return sample(randomizer, holders.counts, generator)

    return of_holders
