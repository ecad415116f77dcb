"""Forked children inherit locks that nobody will release and connections that are not their own.

So a fork waits until what must not be copied in the middle of something has come to rest, and the
child renews what it must not share with its parent.
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


def renew_in_children(each: Renewable) -> None:
    """From now on, forked children renew this for as long as it lives."""
    _keep(_renewed, each)


def rest_at_forks(each: Resting) -> None:
    """From now on, forks wait for this, and forked children renew it, for as long as it lives."""
    _keep(_rested, each)
    _keep(_renewed, each)


def _keep(kept: dict[int, ref[Each]], each: Each) -> None:
    number = next(_numbers)
    kept[number] = ref(each, lambda _: kept.pop(number, None))


def _living(kept: dict[int, ref[Each]]) -> list[Each]:
    """What still lives, in the order in which it came."""
    found = (reference() for reference in list(kept.values()))
    return [each for each in found if each is not None]


def _hold_all() -> None:
    # In one order, whichever thread forks: two that fork at once do not wait for one another.
    _held.at_rest = [each for each in _living(_rested) if each.hold()]


def _let_go_of_all() -> None:
    for each in _held.__dict__.pop("at_rest", ()):
        each.let_go()


def _renew_all() -> None:
    _held.__dict__.clear()
    for each in _living(_renewed):
        each.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_let_go_of_all, after_in_child=_renew_all)
