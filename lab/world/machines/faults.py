"""Faults by name, and how often each of them happened.

A fault that was planned need not happen: a crash that comes while nothing runs is none.
So each is counted where it takes effect, and a run in which one never happened has
shown less than it says.
"""

from __future__ import annotations

from collections import Counter

FAULTS = {
    "service crash": "the service's process ends, between any two steps of its store",
    "torn write": "it ends while its log is written, a part of which is on the disk",
    "full disk": "a commit of the service finds no room",
    "slow sync": "a commit of the service takes seconds or minutes",
    "lost store connection": (
        "a commit over a connection ends, and no one knows whether it lasts"
    ),
    "lost before": "a connection ends before the request has arrived",
    "lost after": "a connection ends after the request has arrived, before the answer",
    "duplicate": "a request arrives twice, the second time up to hours later",
    "reorder": "a request arrives after one that was sent later",
    "truncated": "a connection ends in the middle of a body",
    "proxy retry": "a proxy sends a request again by itself",
    "joined": "a relay sends the bytes of several requests as one, up to an hour later",
    "proxy gives up": (
        "a proxy answers for the collector, and sends the request on later"
    ),
    "offline": "a device has no network",
    "skew": "a clock is wrong by less than ten minutes",
    "jump ahead": "the service's clock jumps ahead by more than one epoch",
    "jump back": "the service's clock jumps back by more than one epoch",
    "device jump": "a device's clock jumps, by hours",
    "device crash": "an app's process ends, between any two steps of its state file",
    "power loss": "a device loses power, and what was not synced",
    "device full": "a device has no room for its state file",
    "restored": "a device's state file is replaced by a backup",
    "long stop": "the service is down for more than one epoch",
}


class Faults:
    """What happened in one life of a world."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def happened(self, name: str) -> None:
        """Count one."""
        if name not in FAULTS:
            raise KeyError(name)
        self.counts[name] += 1


def missing(counts: Counter[str]) -> list[str]:
    """The faults that never happened."""
    return [name for name in FAULTS if not counts[name]]
