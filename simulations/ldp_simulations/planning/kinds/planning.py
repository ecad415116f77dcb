"""Plans: how well a question can be answered, before anyone is asked.

Every error comes from the decoder's own code (`moments`, `intervals`), run on the tally
that the question can expect:

    rare error, typical error   standard errors of a value that no one holds, and of one
                                held by `frequency`
    half-width                  of the interval at `frequency`, before it is cut to [0,
                                1]
    detectable                  the least F such that a value held by F passes the
                                one-sided test of frequency 0, at `level` over all
                                values together (Bonferroni), with probability `power`
    reach                       how many reports' worth one forged report can shift a
                                value's estimate, see
                                `ldp_aggregator.answers.results.manipulation`
    efficiency                  R* / R, see `ldp.mechanisms.values.optimum`

Where few reports are expected, chances and intervals come from the exact law of a
count, or from that of a scaled Poisson count, as the analyst's do. Where values differ
in their errors (`forced`, `matrix`, Bloom filters) the value that is named counts, or
else the worst of them, in a population of which those who do not hold it are spread
evenly over the others. Solved the other way round by bisection: respondents in whole
numbers, epsilon in steps of 1/10000, each step being a design of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp.answers.booleans import canonical_value
from ldp.answers.domain import Domain
from ldp.answers.keys import MOST_EPSILON, Keys
from ldp.errors import UnknownNameError
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.contract import Declared, Mechanism, Randomizer
from ldp.mechanisms.values.optimum import efficiency
from ldp_aggregator.answers.results.manipulation import frequency_reach
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.intervals.intervals import (
    careful_interval,
    miss,
    standard_error,
)
from ldp_aggregator.decoders.intervals.null_chances import chance_to_pass
from ldp_aggregator.decoders.intervals.rescaled_moments import held_by
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.bisection import least_share, least_whole
from ldp_simulations.planning.kinds.asking import MOST_RESPONDENTS, Ask
from ldp_simulations.sampling.table import expected_counts

EPSILON_STEPS = 10_000
"""Steps of epsilon to 1: what is solved for has four decimals."""


@dataclass(frozen=True)
class PlannedMechanism:
    """A mechanism for a question's values or candidates, with the moments of its
    estimator.
    """

    name: str
    declared: Declared
    randomizer: Randomizer
    values: Sequence[str]
    moments: Moments
    """Of the values that differ: of one only, where all have the same errors, or one is
    named.
    """
    value: str | None = None
    """The value that is named."""

    @classmethod
    def of(
        cls,
        name: str,
        declared: Declared,
        randomizer: Randomizer,
        values: Sequence[str],
        value: str | None = None,
    ) -> PlannedMechanism:
        """The design, decoding the tally that it can expect.

        Raises `UnknownNameError` for a value that is not listed.
        """
        even = np.full(len(values), 1 / len(values))
        moments = moments_of(
            randomizer, expected_counts(randomizer, values, even), values
        )
        if value is not None:
            value = canonical_value(value, values)
            if value not in values:
                raise UnknownNameError(value, values, "one of the values")
            place = values.index(value)
            moments = moments.of_values(slice(place, place + 1))
        elif np.ptp(moments.variance_if_held) == np.ptp(moments.variance_if_not) == 0:
            moments = moments.of_values(slice(1))
        return cls(name, declared, randomizer, values, moments, value)

    def at(self, frequency: float, respondents: int) -> Moments:
        """The moments of values that are held by `frequency` of n respondents."""
        return held_by(self.moments, frequency, respondents)

    def error(self, frequency: float, respondents: int, ask: Ask) -> Floats:
        """Standard errors, by value."""
        return standard_error(self.at(frequency, respondents), ask.estimand)

    def half_width(self, respondents: int, ask: Ask) -> float:
        """Half the widest interval."""
        return float(self._half_widths(respondents, ask).max())

    def planned_value(self, respondents: int, ask: Ask) -> str | None:
        """The value that errors are of; None where they are those of every value."""
        if self.value is not None or len(self.moments.variance_if_not) == 1:
            return self.value
        return self.values[int(self._half_widths(respondents, ask).argmax())]

    def _half_widths(self, respondents: int, ask: Ask) -> Floats:
        moments = self.at(self.typical(ask), respondents)
        low, high = careful_interval(
            moments, miss(ask.level, len(self.values), ask.simultaneous), ask.estimand
        )
        return (high - low) / 2

    def typical(self, ask: Ask) -> float:
        """The frequency that errors are told for."""
        if ask.frequency is None:
            return 1 / len(self.values)
        return ask.frequency

    def chance(self, frequency: float, respondents: int, ask: Ask) -> float:
        """The worst value's probability to be found if it is held by `frequency`."""
        tested = 1
        if self.value is None:
            tested = len(self.values)
        missing = miss(ask.level, tested, "bonferroni")
        return float(
            chance_to_pass(self.at(frequency, respondents), missing, ask.estimand).min()
        )

    def detectable(self, respondents: int, ask: Ask) -> float | None:
        """The smallest frequency found with the probability asked for; None if not even
        1 is.
        """
        return least_share(
            lambda frequency: self.chance(frequency, respondents, ask) >= ask.power
        )

    def meets(self, respondents: int, ask: Ask) -> bool:
        """Whether everything that is asked for is kept with n respondents."""
        return (
            ask.half_width is None
            or self.half_width(respondents, ask) <= ask.half_width
        ) and (
            ask.detect is None or self.chance(ask.detect, respondents, ask) >= ask.power
        )

    @property
    def reach(self) -> float | None:
        """How many reports' worth one forged report can shift a value; None for Bloom
        filters.
        """
        shift = frequency_reach(self.randomizer)
        if shift is None:
            return None
        return float(shift)

    @property
    def efficiency(self) -> float | None:
        """R* / R at the declared epsilon; None where it depends on the frequencies."""
        exact = efficiency(self.randomizer, self.declared.bound)
        if exact is None:
            return None
        return float(exact)


def rows_for(domain: Domain) -> list[Mechanism]:
    """The mechanisms that can serve a domain and need nothing but an epsilon.

    Sketches are left out: part of their error is the same for any number of
    respondents, and depends on who holds what.
    """
    serving = [
        row
        for row in MECHANISMS.values()
        if "epsilon" in row.keys and row.accepts(domain) is None
    ]
    designs = [(row, design_parts(row, domain, "1")) for row in serving]
    return [
        row for row, parts in designs if parts is not None and parts[0].kind != "sketch"
    ]


def design_parts(
    row: Mechanism, domain: Domain, epsilon: str
) -> tuple[Randomizer, Declared] | None:
    """Design a mechanism for an epsilon; None if it wants other keys, or cannot
    serve.
    """
    keys = Keys("plan", {"epsilon": epsilon})
    parts = row.design(keys, domain)
    if keys.problems:
        return None
    return parts


def design_for(row: Mechanism, domain: Domain, epsilon: str) -> PlannedMechanism | None:
    """Design a mechanism for an epsilon, ready to be planned with."""
    parts = design_parts(row, domain, epsilon)
    if parts is None:
        return None
    return PlannedMechanism.of(row.name, parts[1], parts[0], values=domain.values or ())


def least_respondents(plan: PlannedMechanism, ask: Ask) -> int | None:
    """How many respondents it takes to keep what is asked for; None if 10^15 do not."""
    return least_whole(
        1, MOST_RESPONDENTS, lambda respondents: plan.meets(respondents, ask)
    )


def least_epsilon(
    row: Mechanism, domain: Domain, respondents: int, ask: Ask
) -> PlannedMechanism | None:
    """The design with the smallest epsilon that keeps what is asked for.

    None if the largest does not.
    """

    def at(step: int) -> PlannedMechanism | None:
        return design_for(row, domain, f"{step}/{EPSILON_STEPS}")

    def meets(step: int) -> bool:
        plan = at(step)
        return plan is not None and plan.meets(respondents, ask)

    step = least_whole(1, int(MOST_EPSILON * EPSILON_STEPS), meets)
    if step is None:
        return None
    return at(step)
