"""Whether a question is asked at all, by the collector's latest stop list
(`transparency.stops`).

Rules
- A list can only have less asked. It counts if it is signed by the key that the app has
  pinned, is about this survey, and its serial number is not below that of the list
  before.
- Whether a device is among a share is drawn once for each question (and together for
  those of a group, by the least of their shares), whatever the answers are, and kept
  for good: a share that is lowered and raised again asks the same devices.
- `otherwise` says what holds while there is no list, or none since `days`: `"ask"` all
  questions (an outage stops nothing), or `"stop"` (what cannot be stopped is not
  asked).
- What waits to be sent is sent: it was asked before.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple, cast

from ldp.numbers.randomness import Random
from ldp_client.delivery.days import this_day

if TYPE_CHECKING:
    from ldp_client.keeping.store import DeviceStore, Record

STOPS, SAMPLE = "stops", "sample"
STOPPED, NOT_SAMPLED, NO_LIST = "stopped", "not-sampled", "no-stop-list"
ASK, STOP = "ask", "stop"
_NUMBER_SIZE = 8


class StopRule(NamedTuple):
    """The key that signs stop lists, and what holds where there is none.

    key        the public key, as 64 hexadecimal digits
    otherwise  `"ask"` or `"stop"`: what holds where no list was had for `days`
    days       how long a list holds if `otherwise` is `"stop"`

    `docs/client-options.md` has an example.
    """

    key: str
    otherwise: str = ASK
    days: int = 14

    def public_key(self) -> bytes:
        """The key as bytes. Raises `ValueError` for a rule that cannot be followed."""
        if self.otherwise not in (ASK, STOP):
            raise ValueError(
                f"expected otherwise={ASK!r} or {STOP!r}, got {self.otherwise!r}"
            )
        if self.days < 1:
            raise ValueError(f"expected days of 1 or more, got {self.days}")
        try:
            key = bytes.fromhex(self.key)
        except ValueError:
            key = b""
        if len(key) != 32:
            raise ValueError(
                "expected the 64 hexadecimal digits that `ldp survey stop-list key` "
                f"prints, got {self.key[:80]!r}"
            )
        return key


class FollowedStopLists:
    """Stop lists of a survey on a device, kept in a store under the survey's key."""

    def __init__(
        self, store: DeviceStore, rule: StopRule, survey_name: str, key: bytes
    ) -> None:
        self._store = store
        self._rule = rule
        self._public_key = rule.public_key()
        self._survey_name = survey_name
        self._key = key

    def look(self, transport: object, *, sends: bool) -> None:
        """Fetch a list, where the transport can, if it is time to: before something is
        sent.

        Where nothing is asked without a list, that is once a day as well. Raises
        `WireError` for a list that is not to be followed, and whatever the transport
        raises.
        """
        fetch = getattr(transport, "stops", None)
        if fetch is None or not (sends or self._store.transact(self._lacks_today)):
            return
        data = fetch(self._survey_name)
        if data is not None:
            self.take(data)

    def take(self, data: bytes) -> None:
        """Follow a list from now on. Raises `WireError` for one that is not to be
        followed.

        One that is older than what is followed changes nothing.
        """
        from ldp.errors import WireError
        from ldp.transparency.stops import read_stops

        stops = read_stops(data, self._public_key)
        if stops.survey != self._survey_name:
            raise WireError(
                "stop-list",
                (
                    f"expected a list for survey {self._survey_name!r}, got one for "
                    "another"
                ),
            )
        shares = (
            part
            for name, share in stops.shares.items()
            for part in (name, share.numerator, share.denominator)
        )
        self._store.transact(lambda: self._keep((stops.serial, this_day(), *shares)))

    def refusal(self, names: Collection[str], random: Random) -> str | None:
        """Why questions that are answered together are not asked, as it is counted;
        None if so.

        Called in a transaction.
        """
        record = self._store.get(STOPS, self._key)
        if record is None or self._too_old(record):
            if self._rule.otherwise == STOP:
                return NO_LIST
            return None
        numerator, denominator = self._least_share(record, names)
        if numerator == 0:
            return STOPPED
        if numerator == denominator:
            return None
        number = self._number(min(names), random)
        if number * denominator < numerator << 8 * _NUMBER_SIZE:
            return None
        return NOT_SAMPLED

    def _lacks_today(self) -> bool:
        """Whether answers may be lost for want of a list, and none was had today."""
        record = self._store.get(STOPS, self._key)
        return self._rule.otherwise == STOP and (
            record is None or record[1] != this_day()
        )

    def _keep(self, record: Record) -> None:
        before = self._store.get(STOPS, self._key)
        if before is None or cast(int, before[0]) <= cast(int, record[0]):
            self._store.put(STOPS, self._key, record)

    def _too_old(self, record: Record) -> bool:
        """Whether a list no longer holds; a clock that went back cannot tell."""
        return (
            self._rule.otherwise == STOP
            and this_day() - cast(int, record[1]) > self._rule.days
        )

    @staticmethod
    def _least_share(record: Record, names: Collection[str]) -> tuple[int, int]:
        least = (1, 1)
        for place in range(2, len(record), 3):
            name, numerator, denominator = cast(
                "tuple[str, int, int]", record[place : place + 3]
            )
            if name in names and numerator * least[1] < least[0] * denominator:
                least = (numerator, denominator)
        return least

    def _number(self, name: str, random: Random) -> int:
        """The number that a device has drawn for a question, below 2^64."""
        key = self._key + name.encode()
        record = self._store.get(SAMPLE, key)
        if record is None:
            record = (int.from_bytes(random(_NUMBER_SIZE), "little"),)
            self._store.put(SAMPLE, key, record)
        return cast(int, record[0])
