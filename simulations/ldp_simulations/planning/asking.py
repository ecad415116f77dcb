"""What a plan is asked, apart from the question itself.

Without numpy, so that commands load quickly.
"""

from __future__ import annotations

from dataclasses import dataclass

MOST_RESPONDENTS = 10**15


@dataclass(frozen=True)
class Ask:
    """What a plan is to tell, and what it has to keep."""

    level: float = 0.95
    power: float = 0.8
    estimand: str = "respondents"
    simultaneous: str | None = None
    """How all intervals of a question are made to hold together, if at all."""
    frequency: float | None = None
    """The frequency that is typical of a value; None for one value's even share."""
    half_width: float | None = None
    """The largest half-width allowed."""
    detect: float | None = None
    """A frequency that has to be detectable."""
