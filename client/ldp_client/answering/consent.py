"""Consent of a person to a survey: nothing yet, no, or yes to these very terms.

Yes is bound to what was agreed to: a digest of the survey's terms (everything that
costs) and of the text of every question. A version with other terms, or other words,
was not agreed to: nothing is recorded for it until the person is asked again. What was
recorded before may still be sent.

No is for everything in a state file: it takes back what was said to any survey in it.
Yes is for one survey.

`state` and `keep`, and `records` and `sends` without what was said, are called in a
transaction of the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_client.keeping.scope import NO_COLLECTOR
from ldp_client.keeping.store import DeviceStore

if TYPE_CHECKING:
    from ldp.survey.survey import Survey

_KIND = "consent"
_ALL = b""

ON, OFF, FORGET = "on", "off", "forget"
NEVER, OTHER, UNKNOWN = "never asked", "other terms", "unknown"

SAID = {
    NEVER: "the person was never asked about this survey: what the app opened the "
    "client with holds",
    OFF: "no",
    ON: "yes, to this version of the survey",
    OTHER: (
        "yes, to another version: nothing is recorded until the person agrees to this "
        "one"
    ),
    UNKNOWN: "the state file cannot be read: nothing is recorded",
}
"""What a person may have said."""


def agreement(survey: Survey) -> bytes:
    """The digest of all that a person agrees to: the terms, and the text of every
    question.
    """
    import hashlib

    parts = [b"ldp-consent-1", survey.terms]
    for question in sorted(survey, key=lambda question: question.name):
        parts += [question.name.encode(), question.text.encode()]
    message = b"".join(b"%d:%b," % (len(part), part) for part in parts)
    return hashlib.blake2b(message, digest_size=16).digest()


class Consent:
    """Consent to one survey, under any collector.

    `otherwise` is what holds as long as the person was not asked. `withdrawn` counts at
    once, whether or not it can be written down.
    """

    __slots__ = ("_digest", "_otherwise", "_place", "_store", "withdrawn")

    def __init__(self, store: DeviceStore, survey: Survey, otherwise: str = ON) -> None:
        self._store = store
        self._place = NO_COLLECTOR.survey_key(survey)
        self._digest = agreement(survey)
        self._otherwise = otherwise
        self.withdrawn = False

    def state(self) -> str:
        """One of `NEVER`, `OFF`, `ON` and `OTHER`."""
        if self.withdrawn:
            return OFF
        record = self._store.get(_KIND, self._place)
        if record is not None:
            if record == (self._digest,):
                return ON
            return OTHER
        of_all = self._store.get(_KIND, _ALL)
        if of_all is None:
            return NEVER
        # Before consent was bound to terms it was one word for a file: of what someone
        # agreed to then it says nothing.
        if of_all == (OFF,):
            return OFF
        return OTHER

    def keep(self, said: str) -> None:
        """Remember yes (`ON`), or no."""
        if said == ON:
            self._store.put(_KIND, self._place, (self._digest,))
            return
        for key in [key for key, _ in self._store.records(_KIND)]:
            self._store.drop(_KIND, key)
        self._store.put(_KIND, _ALL, (OFF,))

    def records(self, said: str | None = None) -> bool:
        """Whether answers may be recorded after what the person said: now, or at some
        time.
        """
        if said is None:
            said = self.state()
        return not self.withdrawn and (self._otherwise if said == NEVER else said) == ON

    def sends(self) -> bool:
        """Whether what waits may be sent: also what was agreed to before the terms
        changed.
        """
        said = self.state()
        return said == OTHER or self.records(said)
