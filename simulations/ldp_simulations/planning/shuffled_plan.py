"""Plans for surveys whose reports a relay mixes: what is best by itself is not best in
a batch.

For each mechanism the largest epsilon of one report, up to a ceiling, at which a batch
keeps to the (epsilon, delta) that is wanted; without one, that of the ceiling. The
ceiling is for a relay that talks: what a batch promises rests on it, and one report's
epsilon does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from ldp.answers.domain import Domain
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.blankets import blanket_of
from ldp.mechanisms.contract import Randomizer
from ldp.numbers.exact import decimal_text
from ldp.privacy.batches import batch_epsilon, delta_text, power, rounded_up
from ldp.privacy.deltas import delta_above, quick
from ldp_aggregator.explanations.trusted_curator import curator_error, rare_count_error
from ldp_aggregator.output.sheet import Sheet, TextTable
from ldp_simulations.planning.kinds.planning import design_parts

CONSIDERED = ("grr", "ss", "pgr", "hr", "oue", "olh")
"""What a plan chooses from: single reports of one value, with an error that is one
number.
"""
USUAL_CEILING = Fraction(4)

_STEPS = 100
"""Local epsilons are tried in hundredths."""


@dataclass(frozen=True)
class BatchWish:
    """Target of a batch of so many honest reports."""

    reports: int
    delta: Fraction
    epsilon: Fraction | None = None
    """The most that one may reveal of a respondent; None where the ceiling says it all.
    """
    ceiling: Fraction = USUAL_CEILING
    """The most that one report may."""


@dataclass(frozen=True)
class BatchPlan:
    """One mechanism, the epsilon of its reports and of their batch, and its error."""

    question: str
    mechanism: str
    values: int
    local: Fraction
    central: Fraction
    error: float
    """The standard error of the count of a value that nobody holds."""
    curator: float
    """The same of a trusted curator's noise at the batch's (epsilon, delta)."""


@dataclass(frozen=True)
class BatchPlans:
    """Plans, the best of each question first; and what they are for."""

    wish: BatchWish
    plans: tuple[BatchPlan, ...]

    def sheet(self) -> Sheet:
        """A table and records, as formats ask for them."""
        wish = self.wish
        return Sheet(
            "Plan", tables=lambda: [self._table()], record=lambda: self._record(wish)
        )

    def _table(self) -> TextTable:
        wish = self.wish
        headings = [
            "question",
            "mechanism",
            "epsilon of\na report",
            "epsilon of\na batch",
        ]
        headings += ["error of\na count", "curator's\nerror"]
        rows = [
            [
                plan.question,
                plan.mechanism,
                decimal_text(plan.local),
                decimal_text(plan.central),
                f"{plan.error:,.1f}",
                f"{plan.curator:,.1f}",
            ]
            for plan in self.plans
        ]
        remarks = [
            "epsilon of a batch: if relay and collector are apart; that of a report, "
            f"if they are not. Delta is {delta_text(wish.delta)}",
            "error: standard error of the count of a value that nobody holds, in "
            f"{wish.reports:,} honest reports; the curator's is that of normal noise "
            "with the batch's epsilon, by someone who holds all answers",
            f"no report has an epsilon above {decimal_text(wish.ceiling)}: a relay "
            "that talks leaves a respondent that and no more (--local-ceiling)",
        ]
        return TextTable("", "", headings, rows=rows, remarks=remarks)

    def _record(self, wish: BatchWish) -> dict[str, Any]:
        return {
            "format": 1,
            "reports": wish.reports,
            "delta": float(wish.delta),
            "epsilon": None if wish.epsilon is None else float(wish.epsilon),
            "local_ceiling": float(wish.ceiling),
            "plans": [
                {
                    "question": plan.question,
                    "mechanism": plan.mechanism,
                    "values": plan.values,
                    "local_epsilon": float(plan.local),
                    "batch_epsilon": float(plan.central),
                    "error": plan.error,
                    "curator_error": plan.curator,
                }
                for plan in self.plans
            ],
        }


def plan_batches(
    questions: Iterable[tuple[str, Domain]], wish: BatchWish
) -> BatchPlans:
    """For each question, given by its name and domain, the mechanisms that can serve,
    best first.

    Those that cannot keep to what is wanted are left out.
    """
    plans: list[BatchPlan] = []
    for name, domain in questions:
        serving = (
            _plan(name, mechanism, domain, wish=wish) for mechanism in CONSIDERED
        )
        reachable = (plan for plan in serving if plan is not None)
        plans += sorted(reachable, key=lambda plan: plan.error)
    return BatchPlans(wish, tuple(plans))


def _plan(
    name: str, mechanism: str, domain: Domain, wish: BatchWish
) -> BatchPlan | None:
    row = MECHANISMS[mechanism]
    if row.accepts(domain) is not None:
        return None
    local = local_epsilon(mechanism, domain, wish)
    randomizer = None
    if local is not None:
        randomizer = _randomizer(mechanism, domain, local)
    if local is None or randomizer is None:
        return None
    central = batch_epsilon(
        blanket_of(randomizer), wish.reports, wish.delta, finely=False
    )
    error = rare_count_error(randomizer, wish.reports)
    size = domain.size or 2
    if error is None:
        return None
    return BatchPlan(
        name,
        mechanism,
        size,
        local=local,
        # What was wanted is kept, even where a figure of its own would be rounded above
        # it.
        central=min(central, rounded_up(local), wish.epsilon or central),
        error=error,
        curator=curator_error(float(central), float(wish.delta), size),
    )


def local_epsilon(mechanism: str, domain: Domain, wish: BatchWish) -> Fraction | None:
    """The largest epsilon of a report, in hundredths, at which a batch is worth what is
    wanted.

    None if the smallest is too much. Without a wish for the batch, the ceiling.
    """
    if wish.epsilon is None:
        return wish.ceiling
    t = power(wish.epsilon)

    def keeps(step: int) -> bool:
        local = Fraction(step, _STEPS)
        if wish.epsilon is not None and local <= wish.epsilon:
            return True
        randomizer = _randomizer(mechanism, domain, local)
        if randomizer is None:
            return False
        blanket = blanket_of(randomizer)
        effort = quick(wish.reports, blanket.both > 0)
        return delta_above(blanket, wish.reports, t, effort=effort) <= wish.delta

    low, high = 0, floor(wish.ceiling * _STEPS)
    if keeps(high):
        return Fraction(high, _STEPS)
    while high - low > 1:
        middle = (low + high) // 2
        if keeps(middle):
            low = middle
        else:
            high = middle
    if low:
        return Fraction(low, _STEPS)
    return None


def _randomizer(mechanism: str, domain: Domain, epsilon: Fraction) -> Randomizer | None:
    parts = design_parts(MECHANISMS[mechanism], domain, decimal_text(epsilon))
    if parts is None:
        return None
    return parts[0]
