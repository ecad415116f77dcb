"""Arguments of a plan: its targets, and which of them go together.

Without numpy, so that commands load quickly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MOST_RESPONDENTS = 10**15


@dataclass(frozen=True)
class Ask:
    """Targets of a plan, and its limits."""

    level: float = 0.95
    power: float = 0.8
    estimand: str = "population"
    simultaneous: str | None = None
    """How all intervals of a question are made to hold together, if at all."""
    frequency: float | None = None
    """The frequency that is typical of a value; None for one value's even share."""
    half_width: float | None = None
    """The largest half-width allowed."""
    detect: float | None = None
    """A frequency that has to be detectable."""
    mean_half_width: float | None = None
    """The largest half-width allowed of a mean, in the unit of the answers."""
    median_half_width: float | None = None
    """The same of a median."""
    value: str | None = None
    """The value that errors are of; None for the one with the widest interval."""
    response_rate: float | None = None
    """The share of those who are asked that answer; None for all."""


@dataclass(frozen=True)
class PlanRequest:
    """All that a plan is called with; None for what was left out."""

    survey: object | None
    values: int | None
    epsilon: object | None
    respondents: int | None
    forged: int | None
    ask: Ask

    def misfit(self, named: Callable[[str], str] = str) -> str | None:
        """Return why no plan is found by these arguments; None if one can be.

        `named` gives an argument the name that the one who asks knows it by: commands
        have options.
        """
        survey, values, epsilon, respondents = map(
            named, ("survey", "values", "epsilon", "respondents")
        )
        goals = f"{named('half_width')} or {named('detect')}"
        in_units = {
            "mean_half_width": self.ask.mean_half_width,
            "median_half_width": self.ask.median_half_width,
        }
        of_numbers = next(
            (name for name, width in in_units.items() if width is not None), None
        )
        if self.survey is None and self.ask.value is not None:
            return f"{named('value')}: expected a {survey} beside it, got none"
        if self.survey is None and self.values is None:
            wanted = f"a {survey}, or {values} with {epsilon} or {respondents}"
            return f"expected {wanted}; got neither"
        if self.survey is not None and (
            self.values is not None or self.epsilon is not None
        ):
            return f"expected a {survey}, or {values} and {epsilon}; got both"
        known = self.survey is not None or self.epsilon is not None
        if self.respondents is None and not known:
            return (
                f"expected {epsilon} or {respondents}, the other of which can be found"
            )
        if self.respondents is not None and known:
            if self.ask.half_width is not None:
                finding = f"{named('half_width')} finds {respondents} or {epsilon}"
                return f"{finding}: leave one of them out"
            if of_numbers is not None:
                return f"{named(of_numbers)} finds {respondents}: leave one of them out"
        elif self.survey is not None and of_numbers is not None:
            return None
        elif self.ask.half_width is None and self.ask.detect is None:
            missing = respondents if known else epsilon
            return f"expected {missing}, or {goals} to find it by; got none of them"
        if (
            self.respondents is None
            or self.forged is None
            or self.forged <= self.respondents
        ):
            return None
        most = f"at most as many as {respondents} ({self.respondents:,})"
        return f"{named('forged')}: expected {most}, got {self.forged:,}"
