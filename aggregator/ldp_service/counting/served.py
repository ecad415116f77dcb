"""Surveys of a service, some of them versions of one another.

A question that two surveys have under one fingerprint is one question to the store:
reports to either count for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ldp.errors import LDPError
from ldp.survey.survey import Envelope, Survey


class ServedError(LDPError):
    """Surveys that cannot be served together."""


@dataclass(frozen=True)
class Served:
    """A survey as it is served: its file, and the texts to look for, by open
    question.
    """

    survey: Survey
    source: str
    candidates: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """In hexadecimal digits, as it is written everywhere."""
        return self.survey.fingerprint.hex()


class Catalogue:
    """Surveys by name, each with its versions from the oldest to the newest, as they
    were given.

    Raises `ServedError` for a survey that is given twice.
    """

    def __init__(self, served: Iterable[Served]) -> None:
        self.all = tuple(served)
        self.lengths = {
            item.survey.epoch for item in self.all if item.survey.epoch is not None
        }
        """Those of epochs."""
        self.by_name: dict[str, list[Served]] = {}
        self.owners: dict[bytes, Survey] = {}
        """The survey of each question or group, by fingerprint: the first that has it."""
        self.tally_parts: dict[bytes, Envelope] = {}
        """All questions and groups of which there are tallies, by fingerprint."""
        self.envelopes: dict[bytes, Envelope] = {}
        """Those that reports are sent for."""
        for version in self.all:
            versions = self.by_name.setdefault(version.survey.name, [])
            if version.fingerprint in [other.fingerprint for other in versions]:
                raise ServedError(
                    f"expected surveys that differ, got {version.survey.name} "
                    f"({version.fingerprint}) twice"
                )
            versions.append(version)
            self.envelopes |= {
                envelope.fingerprint: envelope for envelope in version.survey.envelopes
            }
            for envelope in version.survey.tally_parts:
                self.tally_parts[envelope.fingerprint] = envelope
                self.owners.setdefault(envelope.fingerprint, version.survey)
