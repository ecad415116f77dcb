"""The collector's clock: in which epochs it was seen, and whether it has jumped since.

For someone new to it: an epoch that is closed stays closed, and what decides about that
is a clock, which may be wrong. One start with a date of next year would close a year.

    seen     the last epoch of each length in which the service wrote something, in the
             store
    jump     the clock says that more than one epoch, and `SLACK`, has passed since; or
             that it is earlier than it was

Rules
- Of a length of epochs in which nothing was ever counted nothing is closed either:
  there are no ids to forget, and nothing to compare the clock with, which may be wrong
  at the very first start.
- While a jump is not confirmed nothing is closed, and nothing that was kept for its
  days goes. Uploads are counted all the same: that ids are known for longer does no
  harm.
- A service that was down for so long confirms its clock once: `ldp serve
  --confirm-clock`.
- Closed epochs that have not begun were closed by a clock that was ahead. No clock can
  be confirmed then: they would stay closed until they are over (`repair.reopening`
  opens them again).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from ldp.numbers.epochs import epoch_at
from ldp.survey.survey import Survey
from ldp_service.store.errors import StoreError
from ldp_service.store.records import Epoch

SLACK = 600
"""Seconds that are no jump, however short epochs are: the clock is looked at once a
minute.
"""


def graces_of(surveys: Iterable[Survey]) -> dict[int, int]:
    """The longest grace of the surveys whose epochs are so long."""
    graces: dict[int, int] = {}
    for survey in surveys:
        if survey.epoch is not None:
            graces[survey.epoch] = max(survey.grace, graces.get(survey.epoch, 0))
    return graces


def presume_epochs(
    seen: Mapping[int, int],
    used: Iterable[Epoch],
    graces: Mapping[int, int],
    now: float,
) -> dict[int, int]:
    """In which epochs the clock was seen; where it never was, in which it must have
    been by now.

    That is the last one of which there are ids, and a grace more, as a device may be so
    late. A length of which there are none is not in it.
    """
    known = dict(seen)
    for epoch in sorted(used):
        if epoch.length and epoch.length not in seen:
            late = -(-graces.get(epoch.length, 0) // epoch.length)
            known[epoch.length] = min(epoch.number + late, epoch_at(now, epoch.length))
    return known


def jumps(
    seen: Mapping[int, int], lengths: Iterable[int], now: float
) -> dict[int, int]:
    """By how many epochs of each length the clock has jumped, ahead or back, where it
    has.
    """
    return {
        length: epoch_at(now, length) - seen[length]
        for length in lengths
        if length in seen and not _is_in_order(seen[length], length, now)
    }


def closed_ahead(closed: Mapping[int, int], now: float) -> str | None:
    """Which epochs are closed that have not begun, and what to do; None if none are."""
    for length, number in sorted(closed.items()):
        if number > epoch_at(now + SLACK, length):
            end = datetime.fromtimestamp(length * (number + 1), UTC)
            return (
                f"expected closed epochs to be over, got epochs of {length:,} s that "
                f"are closed until {end:%Y-%m-%d %H:%M} UTC: this clock is behind, or "
                "was ahead when it closed them, and reports to them wait; if the clock "
                "is right now, stop the service and run ldp store doctor STORE --reopen"
            )
    return None


def check_confirmable(closed: Mapping[int, int], now: float) -> None:
    """Raise `StoreError` for a clock that cannot be confirmed."""
    words = closed_ahead(closed, now)
    if words is not None:
        raise StoreError(f"--confirm-clock would leave them closed: {words}")


def in_words(
    jumps: Mapping[int, int], closed: Mapping[int, int], now: float
) -> str | None:
    """Describe a wrong clock, and the remedy; None for a right one.

    `closed` are the last epochs that are closed, by their length.
    """
    ahead = closed_ahead(closed, now)
    if ahead is not None or not jumps:
        return ahead
    length, epochs = max(jumps.items(), key=lambda jump: abs(jump[1]))
    way = "ahead" if epochs > 0 else "back"
    return (
        f"expected a clock that goes on, got one that went {way} by {abs(epochs):,} "
        f"epochs of {length:,} s since the last commit: no epoch is closed; if the "
        "clock is right now, start with --confirm-clock"
    )


def _is_in_order(seen: int, length: int, now: float) -> bool:
    return (
        epoch_at(now - SLACK, length) <= seen + 1
        and epoch_at(now + SLACK, length) >= seen
    )
