"""Stores of `ldp serve`, which the service reads for the commands of the aggregator."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any


def stores(name: str) -> Any:
    """The function of that name among the entry points of the group `ldp.stores`."""
    [function] = entry_points(group="ldp.stores", name=name)
    return function.load()
