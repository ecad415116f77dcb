"""The client's end of the line protocol, for adapters that are written in Python.

An adapter is any object with a method for each request, which takes its further members
by name.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from ldp.errors import (
    AlreadyAnsweredError,
    AnswerError,
    BudgetError,
    LDPError,
    NotDrawnError,
    RandomnessError,
    StateError,
    SurveyError,
)

Answer = dict[str, Any]

_REASONS = (
    (AnswerError, "answer"),
    (KeyError, "answer"),
    (AlreadyAnsweredError, "answered"),
    (BudgetError, "budget"),
    (NotDrawnError, "not-drawn"),
    (SurveyError, "survey"),
    (RandomnessError, "randomness"),
    (StateError, "state"),
)


def say(answer: Answer) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def serve(adapter: Any) -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        words = json.loads(line)
        do: Callable[..., Answer] | None = getattr(adapter, words.pop("do"), None)
        try:
            answer = {"refused": "unknown"} if do is None else do(**words)
        except (LDPError, KeyError) as error:
            reasons = (reason for kind, reason in _REASONS if isinstance(error, kind))
            answer = {"refused": next(reasons, "state")}
        say(answer)
    adapter.close()
