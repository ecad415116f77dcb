"""Counts against what is declared: lower bounds of epsilon, and tests of the law.

All bounds and tests of a look at an audit share its false-alarm rate: half of it goes
to the tests, each an equal share; a quarter to the bounds from declared events; a
quarter to those from single bits, and from events that were learned. How many there are
follows from the survey, not from what was drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.audit.bounds import binomial_chances, fisher_chances, least_epsilon
from ldp_simulations.audit.learning import Learned
from ldp_simulations.audit.parts import EnvelopePart, distant_places

Tallied = Mapping[str, Counts]

TESTS, DECLARED, OTHERS = 0.5, 0.25, 0.25
"""Shares of the false-alarm rate."""


class CountTest(NamedTuple):
    """How likely counts as far off are, if what is declared holds; and how many were
    looked at.

    Of `tests` counts the least likely is named.
    """

    where: str
    what: str
    p_value: float
    tests: int = 1


class Bound(NamedTuple):
    """How often an event happened with two answers, of how many reports."""

    where: str
    what: str
    counts: tuple[int, int]
    draws: tuple[int, int]
    is_declared: bool
    allowed: float
    """The epsilon that is declared."""
    answers: tuple[int, int] = (0, 1)
    tests: int = 1

    def epsilon(self, alpha: float) -> float:
        """At least so much, if all bounds together may be wrong with probability
        alpha.
        """
        return float(least_epsilon(self.counts, self.draws, alpha))


def certain(where: str, what: str) -> CountTest:
    """Return a failed test that no chance explains."""
    return CountTest(where, what, 0.0)


def worst_of(where: str, names: Sequence[str], chances: Floats) -> CountTest:
    """The least likely of several counts."""
    worst = int(np.argmin(chances))
    return CountTest(
        where, names[worst], float(chances.ravel()[worst]), tests=chances.size
    )


def bit_name(part: EnvelopePart, place: int) -> str:
    """The name of a bit of a row; the first and the last of the answer's own are said
    to be.
    """
    layout = part.question.layout
    start = 8 * layout.prefix_width
    if place < start:
        return f"bit {place}, of the cohort or seed"
    own = place - start
    last = (layout.bits or 8 * layout.body_width) - 1
    ends = {0: ", the first", last: ", the last"}
    return f"bit {own} of 0 to {last}{ends.get(own, '')}"


def law_tests(
    part: EnvelopePart, number: int, counts: Tallied, core: Tallied | None = None
) -> Iterator[CountTest]:
    """Whether reports of one answer came as often as declared.

    `core` are counts of the core's own reports, where the law is not written down.
    """
    draws = int(counts["draws"][0])
    if not draws:
        return
    where = f"{part.name}, {answer_name(part, number)}"
    places = 8 * part.width
    names = [bit_name(part, place) for place in range(places)]
    twos = [f"{name} and the next together" for name in names[:-1]]
    if part.columns is not None:
        chances = binomial_chances(counts["columns"], draws, part.columns[number])
        yield worst_of(where, [f"report {at}" for at in range(len(chances))], chances)
    if part.bits is not None:
        yield worst_of(
            where, names, binomial_chances(counts["bits"], draws, part.bits[number])
        )
    elif core is not None:
        others = int(core["draws"][0])
        yield worst_of(
            where,
            names,
            fisher_chances(counts["bits"], draws, core["bits"], other_draws=others),
        )
        if twos:
            chances = fisher_chances(
                counts["pairs"], draws, core["pairs"], other_draws=others
            )
            yield worst_of(where, twos, chances)
        if part.counts_within:
            yield from _within(part, where, counts, core=core)
    if part.pairs is not None and part.pairs.shape[1]:
        yield worst_of(
            where, twos, binomial_chances(counts["pairs"], draws, part.pairs[number])
        )
    yield from _distant(part, number, counts, core=core)
    for event, happened in zip(part.events, counts["events"].tolist(), strict=True):
        if event.chances is not None and number in (event.one, event.other):
            chance = event.chances[number == event.other]
            p_value = float(binomial_chances(happened, draws, chance))
            yield CountTest(where, event.what, p_value)


def _distant(
    part: EnvelopePart, number: int, counts: Tallied, core: Tallied | None
) -> Iterator[CountTest]:
    """Every two bits that are no neighbours, by their law or beside the core's.

    The least likely two share what one test has of the false-alarm rate with all
    others.
    """
    draws = int(counts["draws"][0])
    if part.distant is not None:
        chances = binomial_chances(counts["distant"], draws, part.distant[number])
    elif part.bits is None and core is not None:
        others = int(core["draws"][0])
        chances = fisher_chances(
            counts["distant"], draws, core["distant"], other_draws=others
        )
    else:
        return
    if not chances.size:
        return
    least = int(np.argmin(chances))
    one, other = (
        bit_name(part, int(at[least])) for at in distant_places(8 * part.width)
    )
    where = f"{part.name}, {answer_name(part, number)}"
    chance = min(float(chances[least]) * chances.size, 1.0)
    yield CountTest(where, f"{one} and {other} together", chance)


def _within(
    part: EnvelopePart, where: str, counts: Tallied, *, core: Tallied
) -> Iterator[CountTest]:
    """Each bit in each cohort by itself, and each cohort, beside the core's.

    The least likely one shares what one test has of the false-alarm rate with all
    others.
    """
    own, ours = counts["cohorts"], core["cohorts"]
    draws, others = int(counts["draws"][0]), int(core["draws"][0])
    cohort_chances = fisher_chances(own, draws, ours, other_draws=others)
    # shape: bits, cohorts
    shape = (-1, len(own))
    bit_chances = fisher_chances(
        counts["within"].reshape(shape),
        own,
        core["within"].reshape(shape),
        other_draws=ours,
    )
    at, cohort = divmod(int(np.argmin(bit_chances)), len(own))
    name = bit_name(part, 8 * part.question.layout.prefix_width + at)
    for what, chances in (
        (f"cohort {int(np.argmin(cohort_chances))}", cohort_chances),
        (f"{name}, in cohort {cohort}", bit_chances),
    ):
        yield CountTest(where, what, min(float(chances.min()) * chances.size, 1.0))


def bounds_of(
    part: EnvelopePart, counts: Mapping[int, Tallied], learned: Sequence[Learned] = ()
) -> Iterator[Bound]:
    """Bounds of epsilon: by declared events, by every bit, and by learned events."""
    for place, event in enumerate(part.events):
        pair = (event.one, event.other)
        first, second = (counts[number] for number in pair)
        happened = (int(first["events"][place]), int(second["events"][place]))
        yield _bound(
            part,
            pair,
            event.what,
            happened=happened,
            draws=_draws(first, second),
            declared=True,
        )
    for pair in permutations(sorted(counts), 2):
        yield from _bit_bounds(part, pair, *(counts[number] for number in pair))
    for place, one in enumerate(learned):
        pair = (one.one, one.other)
        first, second = (counts[number] for number in pair)
        if "after" in first and "after" in second:
            happened = (int(first["learned"][place]), int(second["learned"][place]))
            after = (int(first["after"][0]), int(second["after"][0]))
            yield _bound(
                part, pair, one.what, happened=happened, draws=after, declared=False
            )


def _draws(first: Tallied, second: Tallied) -> tuple[int, int]:
    return int(first["draws"][0]), int(second["draws"][0])


def _bound(
    part: EnvelopePart,
    pair: tuple[int, int],
    what: str,
    happened: tuple[int, int],
    *,
    draws: tuple[int, int],
    declared: bool,
) -> Bound:
    return Bound(
        part.name,
        what,
        happened,
        draws=draws,
        is_declared=declared,
        allowed=part.epsilon,
        answers=pair,
    )


def _bit_bounds(
    part: EnvelopePart, pair: tuple[int, int], first: Tallied, second: Tallied
) -> Iterator[Bound]:
    draws = _draws(first, second)
    if min(draws):
        names = [bit_name(part, place) for place in range(8 * part.width)]
        ones = (first["bits"], second["bits"])
        what, happened = best_bit(ones, draws, names)
        yield Bound(
            part.name,
            what,
            happened,
            draws=draws,
            is_declared=False,
            allowed=part.epsilon,
            answers=pair,
            tests=2 * len(names),
        )


def best_bit(
    ones: tuple[Counts, Counts], draws: tuple[int, int], names: Sequence[str]
) -> tuple[str, tuple[int, int]]:
    """The bit, and its state, that tells most; all are paid for."""
    zeros = (draws[0] - ones[0], draws[1] - ones[1])
    alpha = 1e-6 / (2 * len(names))
    bounds = np.array(
        [least_epsilon(happened, draws, alpha) for happened in (ones, zeros)]
    )
    state, place = np.unravel_index(int(bounds.argmax()), bounds.shape)
    counted = (ones, zeros)[int(state)]
    return (
        f"{names[int(place)]} is {1 - int(state)}",
        (int(counted[0][place]), int(counted[1][place])),
    )


def answer_name(part: EnvelopePart, number: int) -> str:
    """The name of an answer: a declared test value, and no one's."""
    text = str(part.answers[number])
    return f"answer {number + 1} ({text if len(text) <= 30 else text[:27] + '...'})"


class TestLevels(NamedTuple):
    """Levels of each test and each bound, shares of the false-alarm rate of a look."""

    test: float
    declared: float
    other: float

    def of(self, bound: Bound) -> float:
        """The share of a bound, and of those that it was chosen from, each."""
        if bound.is_declared:
            return self.declared
        return self.other

    def epsilon(self, bound: Bound) -> float:
        """The least epsilon that the draws of a bound prove."""
        return bound.epsilon(self.of(bound))


def levels(
    tests: Iterable[CountTest], bounds: Iterable[Bound], alpha: float
) -> TestLevels:
    """The shares, where all together may raise a false alarm with probability alpha."""
    counted = {True: 0, False: 0}
    for bound in bounds:
        counted[bound.is_declared] += bound.tests
    number = sum(test.tests for test in tests)
    return TestLevels(
        alpha * TESTS / max(number, 1),
        alpha * DECLARED / max(counted[True], 1),
        alpha * OTHERS / max(counted[False], 1),
    )
