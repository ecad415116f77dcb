"""Leftovers: what is left of a crowd less those of its parts that are shown.

It is the first thing that anyone works out. A crowd is divided by an attribute into
parts, one for each value. Who is shown the crowd and some of the parts knows how many
reports the others have together, the *leftover*: it has to be of nobody, or of enough.
To look at leftovers takes no time, and tells of nearly all crowds that may not be
shown; `span` decides about the rest, as more than one crowd and its parts may go into a
figure. What a leftover forbids it would forbid, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ldp_aggregator.analyses.groups.crowds import ANY, Crowd

_Division = tuple[Crowd, int]
"""A crowd, and the place of the attribute that divides it."""


class Leftovers:
    """The leftovers of crowds that are shown, which have so many reports."""

    def __init__(self, shown: Mapping[Crowd, int], least: int) -> None:
        self._shown = shown
        self._least = least
        self._taken: dict[_Division, int] = {}

    def allows(self, crowd: Crowd, size: int) -> bool:
        """Whether every leftover would stay safe if that crowd were shown as well."""
        return all(
            left <= 0 or left >= self._least
            for left in (
                self._left(division) - size for division in self._divisions(crowd)
            )
        )

    def take(self, crowd: Crowd, size: int) -> None:
        """Show it."""
        for division in self._divisions(crowd):
            self._taken[division] = self._taken.get(division, 0) + size

    def copy(self) -> Leftovers:
        """The same, to try something out on."""
        other = Leftovers(self._shown, self._least)
        other._taken.update(self._taken)
        return other

    def _left(self, division: _Division) -> int:
        return self._shown[division[0]] - self._taken.get(division, 0)

    def _divisions(self, crowd: Crowd) -> Iterator[_Division]:
        """The crowds that are shown of which it is a part."""
        for place, label in enumerate(crowd):
            whole = (*crowd[:place], ANY, *crowd[place + 1 :])
            if label != ANY and whole in self._shown:
                yield whole, place
