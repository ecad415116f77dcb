"""Room for the bodies of uploads: what has arrived takes it, not what was announced.

For someone new to it: a request says how long its body is before it sends any of it.
Were room kept for that, a few connections that announce much and send nothing would
keep everyone out.

Rules
- A body takes room as its bytes arrive, until its upload is answered. Where there is no
  more, the body that arrives most slowly makes way; those that are whole stay.
- Small bodies, which are nearly all there are, have a room of their own.
- A large one is not begun while more than half of its room is taken by others.
- A body has to arrive at a least rate, and within its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

SMALL = 64 << 10
"""Bytes of a body, as announced, that is small."""
MOST_BODY = (16 << 20) + (64 << 10)
"""One batch of the greatest size, and some."""


class UploadLimits(NamedTuple):
    """How much is taken, and how long it may take.

    Bytes of one `body`, and of all that are `held`, being read or waiting for an
    answer: large ones and small ones, each in a room of their own. Seconds of
    `patience` for a body to arrive, at a `rate` in bytes a second once the seconds of
    `grace` are over.
    """

    body: int = MOST_BODY
    held: int = 64 << 20
    held_small: int = 32 << 20
    patience: float = 30.0
    grace: float = 10.0
    rate: int = 1 << 10

    def time_for(self, arrived: int) -> float:
        """The seconds after its head by which a body has to be whole, or more of it to
        be there.
        """
        return min(self.patience, self.grace + arrived / self.rate)


class BodyRoom:
    """Room for bodies of one kind."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self.coming: set[Place] = set()
        """Those that have begun to arrive, and are not whole."""


class Place:
    """One body's part of a room."""

    __slots__ = ("_begun", "_room", "arrived", "length", "make_way")

    def __init__(self, room: BodyRoom, length: int) -> None:
        self._room = room
        self.length = length
        """As announced."""
        self.arrived = 0
        self.make_way: Callable[[], None]
        """How its upload ends where others need the room: to be set, and to release the place."""
        self._begun = time.monotonic()

    def take(self, size: int) -> bool:
        """Hold further bytes, which have arrived; False if there is no room for
        them.
        """
        room = self._room
        while room.held + size > room.most:
            slowest = min(room.coming, key=Place.pace, default=self)
            if slowest is self:
                return False
            slowest.make_way()
        room.held += size
        self.arrived += size
        if self.arrived < self.length:
            room.coming.add(self)
        else:
            room.coming.discard(self)
        return True

    def pace(self) -> float:
        """Bytes a second that have arrived so far."""
        return self.arrived / max(time.monotonic() - self._begun, 1e-9)

    def release(self) -> None:
        """Let others have it; harmless where it was done."""
        self._room.coming.discard(self)
        self._room.held -= self.arrived
        self.arrived = 0


class Rooms:
    """The rooms of a service."""

    def __init__(self, limits: UploadLimits) -> None:
        self._small = BodyRoom(limits.held_small)
        self._large = BodyRoom(limits.held)

    def place_for(self, length: int) -> Place | None:
        """A place for a body that is about to come; None if it had better come
        again.
        """
        if length <= SMALL:
            return Place(self._small, length)
        if 2 * self._large.held > self._large.most or length > self._large.most:
            return None
        return Place(self._large, length)
