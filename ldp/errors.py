"""Every error the framework raises on purpose.

Our own mistakes and the peer's bytes have different types: `WireError` is always about bytes that
someone else made, and carries a short machine-readable `reason` by which they are counted. No
message ever contains an answer.
"""

from __future__ import annotations

from typing import NamedTuple

MOST_TOLD = 100
"""Problems of a survey that its error's message lists."""


class LDPError(Exception):
    """Base of all errors raised by this framework."""


class Problem(NamedTuple):
    """One thing wrong with a survey: where it stands, what was expected there, and what came."""

    place: str
    expected: str
    came: str

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected}, got {self.came}"


class SurveyError(LDPError, ValueError):
    """A survey that cannot be used; `problems` lists everything wrong with it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = [f"{count} in the survey:"]
        lines += [f"  {problem}" for problem in problems[:MOST_TOLD]]
        if len(problems) > MOST_TOLD:
            lines.append(f"  and {len(problems) - MOST_TOLD} more")
        super().__init__("\n".join(lines))


class AnswerError(LDPError, ValueError):
    """An answer that its question cannot take. The message names the question, never the answer."""


class AlreadyAnsweredError(LDPError):
    """A second answer to a question whose whole privacy budget went into the first."""


class BudgetError(LDPError):
    """An answer that would cost more than a device may spend over its lifetime.

    The survey sets a limit, or the app.
    """


class RandomnessError(LDPError):
    """The source of randomness failed; nothing was reported."""


class StateError(LDPError):
    """A device's state that cannot be read or written."""


class WireError(LDPError, ValueError):
    """Bytes from a peer that are not what the format says.

    `reason` is in `ldp.wire.REASONS`, or `snapshot-damaged`.
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(f"{reason}: {detail}")


class MismatchError(LDPError, ValueError):
    """Two things that may not be pooled, because they were made under different parameters."""


class EstimateError(LDPError, ValueError):
    """An estimate that was asked for and cannot be given honestly; the message says what can."""
