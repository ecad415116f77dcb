"""Epochs: equal stretches of time, numbered from 1970.

A collector knows a batch that comes again by its id. With epochs it need not remember
ids for ever.

    epoch      floor(seconds since 1970, UTC / length)
    id         with epochs: the epoch in which the batch was made (4 bytes,
               little-endian), and 12 random bytes; without: 16 random bytes

Rules
- A retry sends the same id, hence the same epoch: a collector that knows all ids of an
  open epoch counts nothing twice.
- Once an epoch is closed, what still comes for it is refused unseen, so its ids can be
  forgotten.
- An id tells when its batch was made no better than the epoch does: the length is a
  choice about privacy as well.

No clock of its own: the time is an argument. Clocks of devices are wrong in every way,
so that any time has an epoch.
"""

from __future__ import annotations

import re

from ldp.numbers.randomness import Random

ID_SIZE = 16
NUMBER_SIZE = 4
LAST = (1 << 8 * NUMBER_SIZE) - 1

UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
SHORTEST, LONGEST = UNITS["m"], 366 * UNITS["d"]

_LENGTH = re.compile(r"([1-9][0-9]{0,5})([mhdw])")


def parse_length(text: object) -> int:
    """The seconds of a text such as "30m", "1h", "1d" or "2w". Raises `ValueError`."""
    match = None
    if isinstance(text, str):
        match = _LENGTH.fullmatch(text)
    seconds = 0
    if match:
        seconds = int(match[1]) * UNITS[match[2]]
    if not SHORTEST <= seconds <= LONGEST:
        raise ValueError(
            'expected a length of time from "1m" to "366d", such as "12h" or "2w"'
        )
    return seconds


def length_text(seconds: int) -> str:
    """Write a length of time in the longest unit that it is a multiple of."""
    unit, most = max(
        ((unit, size) for unit, size in UNITS.items() if seconds % size == 0),
        key=lambda pair: pair[1],
    )
    return f"{seconds // most}{unit}"


def epoch_at(seconds: float, length: int) -> int:
    """The epoch at a time, for epochs of `length` seconds."""
    return int(seconds // length)


def epoch_of(id_: bytes) -> int:
    """The epoch in which a batch was made, of a survey that has epochs."""
    return int.from_bytes(id_[:NUMBER_SIZE], "little")


def batch_id(random: Random, length: int | None, seconds: float) -> bytes:
    """An id for a batch that is made at a time.

    Of a survey with epochs of `length` seconds, or with none.
    """
    if length is None:
        return random(ID_SIZE)
    epoch = min(max(epoch_at(seconds, length), 0), LAST)
    return epoch.to_bytes(NUMBER_SIZE, "little") + random(ID_SIZE - NUMBER_SIZE)
