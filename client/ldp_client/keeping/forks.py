"""Forked children inherit locks and connections that are not their own.

A lock that was held at a fork is one that no one will release, and two processes on one
connection see what neither wrote.

So a fork waits until what must not be copied in the middle of something has come to
rest, and the child renews what it must not share with its parent.
"""

from __future__ import annotations

import os
from itertools import count
from threading import local
from typing import Protocol, TypeVar
from weakref import ref


class Renewable(Protocol):
    """Something that a forked child must not share with its parent."""

    def renew(self) -> None:
        """Called in the child, which has one thread then."""


class Resting(Renewable, Protocol):
    """Something that must come to rest before a fork."""

    def hold(self) -> bool:
        """Come to rest. Whether `let_go` is to be called in the parent."""

    def let_go(self) -> None:
        """Go on after the fork, in the parent."""


Each = TypeVar("Each")

_numbers = count()
_renewed: dict[int, ref[Renewable]] = {}
_rested: dict[int, ref[Resting]] = {}
_held = local()


def renew_in_children(renewable: Renewable) -> None:
    """From now on, forked children renew this for as long as it lives."""
    _keep(_renewed, renewable)


def rest_at_forks(resting: Resting) -> None:
    """From now on, forks wait for this, and forked children renew it, for as long as it
    lives.
    """
    _keep(_rested, resting)
    _keep(_renewed, resting)


def _keep(references: dict[int, ref[Each]], thing: Each) -> None:
    number = next(_numbers)
    references[number] = ref(thing, lambda _: references.pop(number, None))


def _living(references: dict[int, ref[Each]]) -> list[Each]:
    """Return the living objects, in the order in which they came."""
    things = (reference() for reference in list(references.values()))
    return [thing for thing in things if thing is not None]


def _hold_all() -> None:
    # In one order, whichever thread forks: two that fork at once do not wait for one
    # another.
    _held.at_rest = [resting for resting in _living(_rested) if resting.hold()]


def _let_go_of_all() -> None:
    for resting in _held.__dict__.pop("at_rest", ()):
        resting.let_go()


def _renew_all() -> None:
    _held.__dict__.clear()
    for renewable in _living(_renewed):
        renewable.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_hold_all, after_in_parent=_let_go_of_all, after_in_child=_renew_all
    )
