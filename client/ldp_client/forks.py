"""A forked child inherits locks that nobody will release and connections that are not its own: it renews them first."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    """Something that a forked child must not share with its parent."""

    def renew(self) -> None:
        """Called in the child, which has one thread then."""


_living: WeakSet[Renewable] = WeakSet()


def renew_in_children(each: Renewable) -> None:
    """From now on, forked children renew this for as long as it lives."""
    _living.add(each)


def _renew_all() -> None:
    for each in list(_living):
        each.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
