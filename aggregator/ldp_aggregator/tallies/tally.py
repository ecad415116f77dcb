"""Tallies: the mergeable statistic of a survey's reports, constant in their number.

Rules
- `merge` is commutative and associative, has the empty tally as its unit, and equals having added
  everything in one.
- Only tallies of the same questions under the same parameters merge; the fingerprints decide.
- Intake is counted in batches: received = accepted + duplicate + rejected, always.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ldp.errors import MismatchError
from ldp.survey import Envelope, Survey
from ldp.wire import REASONS
from ldp_aggregator.arrays import Counts, Rows
from ldp_aggregator.tallies.counting import total_reports
from ldp_aggregator.tallies.joint_counting import counted, empty_counts_of

ACCEPTED = "accepted"
DUPLICATE = "duplicate"


@dataclass
class Intake:
    """What became of the batches received, by outcome.

    Outcomes other than the first two are reasons of rejection.
    """

    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def accepted(self) -> int:
        """Batches counted."""
        return self.outcomes[ACCEPTED]

    @property
    def duplicate(self) -> int:
        """Batches whose id had been accepted before."""
        return self.outcomes[DUPLICATE]

    @property
    def rejected(self) -> dict[str, int]:
        """Batches (or stretches of damaged bytes) refused, by reason."""
        return {reason: self.outcomes[reason] for reason in REASONS if self.outcomes[reason]}

    @property
    def received(self) -> int:
        """All of them."""
        return self.accepted + self.duplicate + sum(self.rejected.values())


@dataclass
class Tally:
    """Counts of a survey's reports by question, and by group of questions.

    And the intake that led to them.
    """

    survey: Survey
    counts: dict[str, Counts]
    intake: Intake = field(default_factory=Intake)

    @classmethod
    def empty(cls, survey: Survey) -> Tally:
        """The tally of no reports."""
        counts = {envelope.name: empty_counts_of(envelope) for envelope in survey.tallied}
        return cls(survey, counts)

    def add(self, envelope: Envelope, rows: Rows) -> None:
        """Count rows, of shape (reports, width), that are known to fit the question or group."""
        for statistic, counts in counted(envelope, rows):
            self.counts[statistic.name] += counts

    def reports(self, name: str) -> int:
        """How many reports the question called `name` has."""
        return total_reports(self.counts[name], self.survey[name].layout)

    def merge(self, other: Tally) -> Tally:
        """The tally of both. Raises `MismatchError` if they do not count the same questions."""
        check_same(self.survey, _fingerprints(other.survey))
        counts = {name: counts + other.counts[name] for name, counts in self.counts.items()}
        return Tally(self.survey, counts, Intake(self.intake.outcomes + other.intake.outcomes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            self.survey.fingerprint == other.survey.fingerprint
            and +self.intake.outcomes == +other.intake.outcomes
            and all(
                np.array_equal(counts, other.counts[name]) for name, counts in self.counts.items()
            )
        )


def check_same(survey: Survey, fingerprints: dict[str, bytes]) -> None:
    """Raise `MismatchError` unless the two agree on the fingerprints of all questions.

    It shows both of each question concerned.
    """
    ours = _fingerprints(survey)
    differences = [
        f"question {name!r}: this survey has {_shown(ours.get(name))}, the tally has "
        f"{_shown(fingerprints.get(name))}"
        for name in sorted(ours.keys() | fingerprints.keys())
        if ours.get(name) != fingerprints.get(name)
    ]
    if differences:
        raise MismatchError(
            "expected a tally of the same questions and parameters, got another:\n  "
            + "\n  ".join(differences)
        )


def _fingerprints(survey: Survey) -> dict[str, bytes]:
    return {envelope.name: envelope.fingerprint for envelope in survey.tallied}


def _shown(fingerprint: bytes | None) -> str:
    return "no such question" if fingerprint is None else f"fingerprint {fingerprint.hex()}"
