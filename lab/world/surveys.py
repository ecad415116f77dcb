"""The surveys of all worlds: two of the same questions, and one without epochs.

Their mechanisms are the cheapest there are, and their reports are symbols, so that an
oracle can count them with a dictionary.
"""

from __future__ import annotations

from functools import lru_cache

from lab.world.scenario import EPOCH, GRACE, SURVEYS
from ldp import parse_survey
from ldp_service.counting.served import Served

VALUES = ("bus", "car", "walk")
ONCE, DAILY = "way", "mood"
"""A question that is answered once, and one whose responses are memoized."""
MEMOIZED = 2

_EPOCHS = f'epoch = "{EPOCH // 60}m"\ngrace = "{GRACE // 60}m"\n'
_QUESTIONS = f"""
[[question]]
name = "{ONCE}"
type = "category"
values = ["bus", "car", "walk"]
mechanism = "grr"
epsilon = 1

[[question]]
name = "{DAILY}"
type = "category"
values = ["bus", "car", "walk"]
mechanism = "l-grr"
epsilon_first = 1
epsilon_lifetime = 2
memoized_values = {MEMOIZED}
"""


def _text(name: str) -> str:
    epochs = "" if name == "ever" else _EPOCHS
    return f'[survey]\nname = "{name}"\n{epochs}{_QUESTIONS}'


def served() -> dict[str, Served]:
    """All of them by name, made anew: fingerprints are as the code has them now."""
    return {name: Served(parse_survey(_text(name)), _text(name)) for name in SURVEYS}


usual = lru_cache(maxsize=1)(served)
"""The same, made once."""
