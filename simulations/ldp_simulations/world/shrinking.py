"""A smaller world that fails in the same way.

For someone new to it: a seed that fails has dozens of events, of which two or three matter. Parts
of them are left out, first halves, then ever smaller parts, as long as what is left still fails
(Zeller and Hildebrandt's delta debugging); then devices, and the settings that a world can do
without.

Rules
- To fail in the same way is to break a rule of the same name (the word before the colon).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ldp_simulations.world.scenario import HOUR, Event, Scenario

MOST_TRIES = 600

Fails = Callable[[Scenario], frozenset[str]]
"""The names of the rules that a world breaks."""


class Shrunk(NamedTuple):
    """What is left, and how many worlds it took."""

    scenario: Scenario
    tries: int


def shrink(scenario: Scenario, fails: Fails, *, most: int = MOST_TRIES) -> Shrunk:
    """The smallest world that was found to fail like a scenario, in so many tries at most."""
    rules = fails(scenario)
    tries = 0

    def still(smaller: Scenario) -> bool:
        nonlocal tries
        tries += 1
        return bool(rules & fails(smaller))

    best, before = scenario, scenario.size + 1
    while best.size < before and tries < most:
        before = best.size
        for smaller in _simpler(best):
            if tries < most and still(smaller):
                best = smaller
        best = _fewer_events(best, lambda smaller: tries < most and still(smaller))
    return Shrunk(best, tries)


def _fewer_events(scenario: Scenario, still: Callable[[Scenario], bool]) -> Scenario:
    part = max(1, len(scenario.events) // 2)
    while scenario.events:
        start = 0
        while start < len(scenario.events):
            left = scenario.events[:start] + scenario.events[start + part :]
            if still(scenario._replace(events=left)):
                scenario = scenario._replace(events=left)
            else:
                start += part
        if part == 1:
            break
        part //= 2
    return scenario


def _simpler(scenario: Scenario) -> Iterator[Scenario]:
    """With a device less, the last ones first; with settings that are simpler."""
    for number in reversed(range(len(scenario.surveys))):
        if len(scenario.surveys) > 1 and number == len(scenario.surveys) - 1:
            events = tuple(event for event in scenario.events if event.device != number)
            yield scenario._replace(surveys=scenario.surveys[:number], events=events)
    if scenario.events:
        hours = (scenario.events[-1].at + 60.0) / HOUR
        if hours < scenario.hours:
            yield scenario._replace(hours=hours)
    yield scenario._replace(least=1, minutes=None)
    for number in range(len(scenario.surveys)):
        yield _without(scenario, number)


def _without(scenario: Scenario, number: int) -> Scenario:
    """A device that does nothing; those behind it keep their numbers, and so their luck."""
    events: tuple[Event, ...] = tuple(event for event in scenario.events if event.device != number)
    return scenario._replace(events=events)
