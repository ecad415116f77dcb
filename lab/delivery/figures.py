"""Many devices: which share of their reports arrived, and what the rest does to an
estimate.

Losses that have nothing to do with an answer cost precision alone. But people who use
an app for a minute a day may answer otherwise than those who use it for half an hour:
then an estimate of what arrived is biased, and no interval shows it. Here 30 % of light
users and 60 % of heavy ones hold a value, in a population of as many of each; the bias
is that of the share among the reports that arrived, before any noise.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lab.delivery.lives import Device, Life

MINUTES = (1, 3, 30)
OFFLINE = (0, 1, 3, 7, 14, 30)
DAYS_AFTER = 7
"""Days of use once there is a network."""

ENOUGH = 10.0
"""Seconds of network after the answer, without which a report could not have arrived.
"""

GOAL = 0.99
HELD_BY = {1: 0.3, 30: 0.6}
"""The share that holds a value, by minutes of use."""


class Row(NamedTuple):
    """Devices of one life: those with enough network, and the reports of them that
    arrived.

    `next_day` counts those that arrived within a day of the first on which they could.
    """

    name: str
    life: Life
    devices: int
    arrived: int
    next_day: int

    @property
    def share(self) -> float:
        """Of the reports that could arrive."""
        return self.arrived / max(1, self.devices)


def row(name: str, life: Life, devices: int, seed: int, *, keeps: bool = True) -> Row:
    """So many devices of one life; `keeps` says whether the due time outlives a
    process.
    """
    draw = random.Random(f"{seed} {name} {life}")  # a simulation
    able = arrived = soon = 0
    for _ in range(devices):
        device = Device(life, draw, keeps=keeps)
        device.live()
        if device.arrived_on is None and device.seconds_online < ENOUGH:
            continue
        able += 1
        arrived += device.arrived_on is not None
        soon += device.arrived_on is not None and device.arrived_on <= life.offline + 1
    return Row(name, life, devices=able, arrived=arrived, next_day=soon)


def lives() -> Iterator[tuple[str, Life]]:
    """Those whose reports have to arrive."""
    for minutes in MINUTES:
        for offline in OFFLINE:
            yield "comes back", Life(minutes, offline, offline + DAYS_AFTER)
    for minutes in MINUTES:
        yield "ten seconds, once", Life(minutes, 3, 4, window=ENOUGH)


def hard_lives() -> Iterator[tuple[str, Life]]:
    """Those whose reports no schedule saves that does not tell when an answer was
    given.
    """
    for minutes in MINUTES:
        yield "never comes back", Life(minutes, 0, 1)


def bias(light: float, heavy: float) -> float:
    """How far the share among the reports that arrived is from that among people."""
    shares = {1: light, 30: heavy}
    holders = sum(HELD_BY[minutes] * share for minutes, share in shares.items())
    return holders / max(1e-9, light + heavy) - sum(HELD_BY.values()) / 2


def biases(rows: Iterable[Row]) -> Iterator[tuple[str, float, float, float]]:
    """By days offline: the shares of light and heavy users that arrived, and the
    bias.
    """
    by_life = {(one.name, one.life.offline, one.life.minutes): one for one in rows}
    for (name, offline, minutes), light in by_life.items():
        heavy = by_life.get((name, offline, 30))
        if minutes == 1 and heavy is not None:
            yield (
                f"{name}, {offline} days offline",
                light.share,
                heavy.share,
                bias(light.share, heavy.share),
            )
