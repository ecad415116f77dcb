"""Pictures of plans: the error of a share by respondents, and by epsilon.

The latter where mechanisms are compared, with a line for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ldp.answers.domain import Domain
from ldp.mechanisms import MECHANISMS
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.sheet import Bars
from ldp_simulations.planning.kinds.asking import Ask
from ldp_simulations.planning.kinds.planning import PlannedMechanism, design_for
from ldp_simulations.planning.plans import Plan

_RESPONDENTS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
_EPSILONS = ("1/4", "1/2", "1", "2", "4", "8")
_MOST_LINES = 6

Line = tuple[str, Sequence[float]]


def pictures(plans: Sequence[Plan], ask: Ask) -> Iterator[Bars]:
    """Yield a panel by respondents, and one by epsilon where mechanisms are
    compared.
    """
    known = [plan for plan in plans if plan.design and plan.respondents][:_MOST_LINES]
    designs = [(plan.label, plan.design) for plan in known if plan.design]
    if not designs:
        return
    lines = [
        (label, [_error(design, number, ask) for number in _RESPONDENTS])
        for label, design in designs
    ]
    epsilons = {design.declared.text for _, design in designs}
    at = "epsilons of the table"
    if len(epsilons) == 1:
        at = f"epsilon {epsilons.pop()}"
    ticks = [
        f"{number // 1000}k" if number >= 1000 else f"{number}"
        for number in _RESPONDENTS
    ]
    yield _panel("Error by respondents", at, ticks, lines=lines, ask=ask)
    if any(label != design.name for label, design in designs):
        return
    lines = [
        (plan.label, [_error_at(plan, epsilon, ask) for epsilon in _EPSILONS])
        for plan in known
    ]
    numbers = {plan.respondents for plan in known}
    at = "those of the table"
    if len(numbers) == 1:
        at = f"{numbers.pop():,} respondents"
    yield _panel("Error by epsilon", at, _EPSILONS, lines=lines, ask=ask)


def _error(design: PlannedMechanism, respondents: int, ask: Ask) -> float:
    return float(design.error(design.typical(ask), respondents, ask).max())


def _error_at(plan: Plan, epsilon: str, ask: Ask) -> float:
    """Return the error at another epsilon; NaN where the mechanism has no design."""
    if plan.design is None or plan.respondents is None:
        return np.nan
    domain = Domain("category", tuple(plan.design.values))
    design = design_for(MECHANISMS[plan.label], domain, epsilon)
    if design is None:
        return np.nan
    return _error(design, plan.respondents, ask)


def _panel(
    title: str, at: str, labels: Sequence[str], *, lines: Sequence[Line], ask: Ask
) -> Bars:
    empty = np.empty(0)
    return Bars(
        title,
        f"standard error of a share for {WHOM[ask.estimand]}; {at}",
        labels,
        lengths=empty,
        low=empty,
        high=empty,
        lines=_together(lines),
        unit=PERCENT,
    )


def _together(lines: Sequence[Line]) -> list[tuple[str, Sequence[float]]]:
    """Return lines of which those alike are one, under all their names."""
    by_places: dict[tuple[str, ...], Line] = {}
    for name, places in lines:
        key = tuple(f"{place:.2g}" for place in places)
        before = by_places.get(key)
        names = name
        if before is not None:
            names = f"{before[0]}, {name}"
        by_places[key] = names, places
    return list(by_places.values())
