"""Batching: when reports that wait are a batch, and how it is mixed.

Rules
- A batch is all that waits of one question or group and one epoch, and has at least n
  reports. What is below n is never forwarded.
- The order is a permutation drawn uniformly from the operating system's randomness
  (Fisher and Yates), and says nothing of what was before.
- A batch that is too large for one upload goes in parts, of equal size as far as can
  be: they are cut from the whole after it was mixed.
- An epoch is closed at the relay when half of its survey's grace is over, so that what
  it forwards then is not too late at the collector. By then what has not reached n is
  discarded, and counted; or kept, if the relay was told so, and its epoch stays open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ldp.numbers.epochs import ID_SIZE, batch_id, epoch_at
from ldp.numbers.randomness import Random, shuffle, system
from ldp.survey.survey import Survey
from ldp.wire.sealed import Mixed, encode_mixed_part
from ldp.wire.wire import encode_frame
from ldp_service.counting.clock import graces_of
from ldp_service.relay.pool import Crowd

LEAST, EPOCH = WAITS = ("least", "epoch")
"""Whether a batch is made as soon as n reports wait, or of all that came when its epoch
closes.
"""
DISCARD, KEEP = UNRIPE = ("discard", "keep")
MOST_IN_PART = 4096
MOST_BYTES_IN_PART = 8 << 20


class Terms(NamedTuple):
    """Terms of a relay: n, when batches are made, and the fate of those that are too
    few.
    """

    least: int
    wait: str = LEAST
    unripe: str = DISCARD


class BatchPart(NamedTuple):
    """A part of a batch: its id, and the frame that is sent, the same each time."""

    id: bytes
    frame: bytes


def closing(surveys: Sequence[Survey], now: float) -> dict[int, int]:
    """The last epoch of each length that is over at the relay; of one length the
    longest grace.
    """
    graces = graces_of(surveys)
    return {
        length: epoch_at(now - grace / 2, length) - 1
        for length, grace in graces.items()
    }


def is_over(crowd: Crowd, closed: Mapping[int, int]) -> bool:
    """Whether its epoch is closed."""
    return crowd.epoch.number <= closed.get(crowd.epoch.length, -1)


def is_ripe(crowd: Crowd, number: int, terms: Terms, closed: Mapping[int, int]) -> bool:
    """Whether so many reports that wait are a batch."""
    waits_on = terms.wait == EPOCH and crowd.epoch.length and not is_over(crowd, closed)
    return number >= terms.least and not waits_on


def mix(
    crowd: Crowd, envelopes: Sequence[bytes], terms: Terms, random: Random = system
) -> list[BatchPart]:
    """The parts of a batch of these envelopes, in an order that is drawn."""
    order = shuffle(envelopes, random)
    size = len(order[0])
    most = max(1, min(MOST_IN_PART, MOST_BYTES_IN_PART // size))
    parts = -(-len(order) // most)
    batch = random(ID_SIZE)
    length = crowd.epoch.length or None
    cut: list[BatchPart] = []
    for number in range(parts):
        start, end = (len(order) * place // parts for place in (number, number + 1))
        id_ = batch_id(random, length, crowd.epoch.start)
        part = Mixed(
            crowd.fingerprint,
            id_,
            end - start,
            envelopes=b"".join(order[start:end]),
            batch=batch,
            size=len(order),
            least=terms.least,
        )
        cut.append(BatchPart(id_, encode_frame(encode_mixed_part(part))))
    return cut
