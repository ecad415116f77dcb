"""The collector's clock: in which epochs it was seen, and whether it has jumped since.

For someone new to it: an epoch that is closed stays closed, and what decides about that is a clock,
which may be wrong. One start with a date of next year would close a year.

    seen     the last epoch of each length in which the service wrote something, in the store
    jump     the clock says that more than one epoch, and `SLACK`, has passed since; or that it is
             earlier than it was

Rules
- While a jump is not confirmed nothing is closed, and nothing that was kept for its days goes.
  Uploads are counted all the same: that ids are known for longer does no harm.
- A service that was down for so long confirms its clock once: `ldp serve --confirm-clock`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ldp.epochs import epoch_at

SLACK = 600
"""Seconds that are no jump, however short epochs are: the clock is looked at once a minute."""


def jumps(seen: Mapping[int, int], lengths: Iterable[int], now: float) -> dict[int, int]:
    """By how many epochs of each length the clock has jumped, ahead or back, where it has."""
    return {
        length: epoch_at(now, length) - seen[length]
        for length in lengths
        if length in seen and not _is_in_order(seen[length], length, now)
    }


def in_words(jumps: Mapping[int, int]) -> str | None:
    """What is wrong with the clock, and what to do; None if nothing is."""
    if not jumps:
        return None
    length, epochs = max(jumps.items(), key=lambda jump: abs(jump[1]))
    way = "ahead" if epochs > 0 else "back"
    return (
        f"expected a clock that goes on, got one that went {way} by {abs(epochs):,} epochs of "
        f"{length:,} s since the last commit: no epoch is closed; if the clock is right now, "
        "start with --confirm-clock"
    )


def _is_in_order(seen: int, length: int, now: float) -> bool:
    return epoch_at(now - SLACK, length) <= seen + 1 and epoch_at(now + SLACK, length) >= seen
