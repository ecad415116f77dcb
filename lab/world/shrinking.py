"""A smaller world that fails in the same way.

For someone new to it: a seed that fails has dozens of events, of which two or three
matter. Parts of them are left out, first halves, then ever smaller parts, as long as
what is left still fails (Zeller and Hildebrandt's delta debugging); then devices, and
the settings that a world can do without.

Rules
- What is left out is tried until nothing more can be.
- To fail in the same way is to break a rule of the same name (the word before the
  colon).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lab.world.scenario import HOUR, Scenario

MOST_TRIES = 600

Fails = Callable[[Scenario], frozenset[str]]
"""The names of the rules that a world breaks."""


class Shrunk(NamedTuple):
    """What is left, and how many worlds it took."""

    scenario: Scenario
    tries: int


def shrink(scenario: Scenario, fails: Fails, *, most: int = MOST_TRIES) -> Shrunk:
    """The smallest world that was found to fail like a scenario, in so many tries at
    most.
    """
    rules = fails(scenario)
    tries = 0

    def still(smaller: Scenario) -> bool:
        nonlocal tries
        tries += 1
        return bool(rules & fails(smaller))

    best, before = scenario, None
    while best != before and tries < most:
        before = best
        best = _fewer_events(best, lambda smaller: tries < most and still(smaller))
        for simpler in _SIMPLER:
            while (
                (smaller := simpler(best)) != best and tries < most and still(smaller)
            ):
                best = smaller
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


def _a_device_less(scenario: Scenario) -> Scenario:
    """The last one, so that the others keep their numbers, and so their luck."""
    last = len(scenario.surveys) - 1
    if not last:
        return scenario
    events = tuple(event for event in scenario.events if event.device != last)
    return scenario._replace(surveys=scenario.surveys[:last], events=events)


def _numbered_lower(scenario: Scenario) -> Scenario:
    """Without the first device that does nothing, which the others move up for."""
    busy = {event.device for event in scenario.events}
    idle = [number for number in range(len(scenario.surveys)) if number not in busy]
    if not idle or len(scenario.surveys) == 1:
        return scenario
    gone = idle[0]
    events = tuple(
        event._replace(device=event.device - (event.device > gone))
        for event in scenario.events
    )
    surveys = scenario.surveys[:gone] + scenario.surveys[gone + 1 :]
    return scenario._replace(surveys=surveys, events=events)


def _shorter(scenario: Scenario) -> Scenario:
    """Half an hour less."""
    hours = scenario.hours - 0.5
    ends = scenario.events[-1].at if scenario.events else 0.0
    return scenario._replace(hours=hours) if hours * HOUR > ends else scenario


def _plain(scenario: Scenario) -> Scenario:
    return scenario._replace(least=1, minutes=None)


def _in_a_file(scenario: Scenario) -> Scenario:
    return scenario._replace(shared=False)


def _in_memory(scenario: Scenario) -> Scenario:
    return scenario._replace(files=False)


_SIMPLER = (_a_device_less, _numbered_lower, _shorter, _plain, _in_a_file, _in_memory)
