"""What is to happen in a world: all of it drawn from a seed, before anything does.

A scenario is data. So a failing one can be made smaller, event by event, and what is
left of it happens as it did: every part of a world that needs luck has a source of its
own (`luck`).
"""

from __future__ import annotations

import random
from typing import NamedTuple

HOUR = 3600.0
EPOCH = 3600
GRACE = 3600
BEGINNING = 20_000 * 86_400.0
REAL_FILES = 16
"""One seed in so many has the shipped store, SQLite's, on files."""

SURVEYS = ("app-eu", "app-us", "ever")
LEASTS = (1, 1, 2, 3, 4)


class Event(NamedTuple):
    """Something that happens: when, in seconds; what; to which device, if to one; and
    how much.
    """

    at: float
    what: str
    device: int = -1
    amount: float = 0.0

    def __str__(self) -> str:
        who = "" if self.device < 0 else f" device {self.device}"
        return f"{self.at:9.2f} {self.what}{who} {self.amount:g}"


class Scenario(NamedTuple):
    """A world as it is drawn."""

    seed: int
    surveys: tuple[str, ...]
    """Of the devices, one each."""
    events: tuple[Event, ...]
    hours: float
    interval: float
    least: int
    minutes: float | None
    shared: bool
    """Whether the store is a database over a connection."""
    files: bool
    """Whether the store is the shipped one, on files."""

    @property
    def size(self) -> int:
        """How much there is to it."""
        return len(self.surveys) + len(self.events)


_OF_SERVICE = {
    "service crash": (0.0, 14.0),
    "full disk": (60.0, 2 * HOUR),
    "slow sync": (2.0, 120.0),
    "lost store connection": (0.0, 1.0),
    "skew": (-590.0, 590.0),
    "jump ahead": (3 * HOUR, 400 * 24 * HOUR),
    "jump back": (3 * HOUR, 30 * HOUR),
    "long stop": (2.5 * HOUR, 4 * HOUR),
    "restart": (0.0, 60.0),
}
"""What may happen to the service, and between which amounts."""
_OF_DEVICE = {
    "lost before": (0.0, 1.0),
    "lost after": (0.0, 1.0),
    "duplicate": (0.1, 2.5 * HOUR),
    "reorder": (11.0, HOUR),
    "truncated": (0.0, 1.0),
    "proxy retry": (1.0, 4.0),
    "joined": (0.01, HOUR),
    "proxy gives up": (1.0, 2 * HOUR),
    "offline": (1.0, 4.0),
    "device jump": (-30 * HOUR, 5 * HOUR),
    "skew": (-590.0, 590.0),
    "device crash": (0.0, 30.0),
    "power loss": (0.0, 1.0),
    "device full": (60.0, HOUR),
    "back up": (0.0, 1.0),
    "restored": (0.0, 1.0),
    "reopen": (0.0, 600.0),
    "flush": (0.0, 1.0),
    "impatient": (1.0, 20.0),
}
"""What may happen to a device or its network."""


def luck(seed: int, *parts: object) -> random.Random:
    """A source of luck for a part of a world."""
    text = "/".join(map(str, (seed, *parts)))
    return random.Random(text)  # of a simulation


def scenario(seed: int) -> Scenario:
    """The scenario of a seed."""
    draw = luck(seed, "scenario")
    devices = draw.randint(1, 4)
    hours = draw.uniform(3.0, 9.0)
    surveys = tuple(draw.choice(SURVEYS) for _ in range(devices))
    # Some worlds have few kinds of trouble, so that they come to much; some have all.
    kinds = [
        *((name, False) for name in _OF_SERVICE if draw.random() < 0.5),
        *((name, True) for name in _OF_DEVICE if draw.random() < 0.5),
    ]
    events = [
        Event(
            draw.uniform(0.0, hours * HOUR),
            "answer",
            device,
            amount=float(draw.randint(0, 11)),
        )
        for device in range(devices)
        for _ in range(draw.randint(2, 8))
    ]
    for _ in range(draw.randint(0, 30) if kinds else 0):
        name, is_of_device = draw.choice(kinds)
        at = draw.uniform(0.0, hours * HOUR)
        low, high = (_OF_DEVICE if is_of_device else _OF_SERVICE)[name]
        device = draw.randrange(devices) if is_of_device else -1
        events.append(Event(at, name, device, amount=draw.uniform(low, high)))
    least = draw.choice(LEASTS)
    return Scenario(
        seed,
        surveys,
        tuple(sorted(events)),
        hours=hours,
        interval=draw.choice((300.0, 900.0, 1800.0)),
        least=least,
        minutes=draw.choice((None, 30.0)) if least > 1 else None,
        shared=draw.random() < 0.3,
        files=seed % REAL_FILES == REAL_FILES - 1,
    )
