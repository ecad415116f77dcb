"""Tallies: the mergeable statistic of a survey's reports, constant in their number.

Rules
- `merge` is commutative and associative, has the empty tally as its unit, and equals
  having added everything in one.
- Only tallies of the same questions under the same parameters merge; the fingerprints
  decide.
- Where reports carry attributes, those of each combination that came are counted
  besides, by its number; the counts of a question are the sums of these.
- Intake is counted in batches: received = accepted + duplicate + rejected, always.
- Tallies that are known to count some batches both do not merge (`identity`).
- Of memoized questions reports are counted by epoch besides, since devices repeat their
  permanent response from one to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldp.answers.keys import written_name
from ldp.errors import EstimateError, MismatchError, UnknownNameError
from ldp.survey.attributes import Attributes, Combination, labels_of
from ldp.survey.survey import Envelope, Survey
from ldp.wire.wire import REASONS
from ldp_aggregator.numerics.arrays import Counts, Rows
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.counting.joint_counting import count_parts, empty_counts_of
from ldp_aggregator.tallies.identity import SIZE, Identity, OverlapError, overlap

ACCEPTED = "accepted"
DUPLICATE = "duplicate"
MOST_EPOCHS = 1_024
"""That are told apart: those of a larger distance may share a place."""
LARGEST_SUM = 1 << 62
"""Of the counts of a question: sums of two such fit in 64 bits."""


@dataclass
class Intake:
    """Numbers of received batches, by outcome.

    Outcomes other than the first two are reasons of rejection.

    `Tally` has an example.
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
        return {
            reason: self.outcomes[reason] for reason in REASONS if self.outcomes[reason]
        }

    @property
    def received(self) -> int:
        """All of them."""
        return self.accepted + self.duplicate + sum(self.rejected.values())


@dataclass
class Tally:
    """Counts of a survey's reports by question, and by group of questions.

    And the intake that led to them. `combinations` has the counts again, apart for each
    combination of attributes that came, for what carries any. `identity` tells which
    batches they are of, `epochs` how many reports to a memoized question are of each.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> tally = ldp_aggregator.aggregate(survey, reports)
    >>> (tally + ldp_aggregator.Tally.empty(survey)).counts.keys()
    dict_keys(['mode'])
    """

    survey: Survey
    counts: dict[str, Counts]
    intake: Intake = field(default_factory=Intake)
    combinations: dict[str, dict[int, Counts]] = field(default_factory=dict)
    identity: Identity = field(default_factory=Identity)
    epochs: dict[str, Counter[int]] = field(default_factory=dict)

    @classmethod
    def empty(cls, survey: Survey) -> Tally:
        """The tally of no reports."""
        counts = {
            envelope.name: empty_counts_of(envelope) for envelope in survey.tally_parts
        }
        return cls(survey, counts)

    def add(self, envelope: Envelope, rows: Rows, combination: int = 0) -> None:
        """Count rows, of shape (reports, width), that are known to fit the question or
        group.

        All are from devices of one combination.
        """
        for statistic, counts in count_parts(envelope, rows):
            self.counts[statistic.name] += counts
            if statistic.attributes:
                added = {combination: counts}
                known = self.combinations.get(statistic.name, {})
                self.combinations[statistic.name] = sum_by_combination(known, added)

    def add_epoch(self, envelope: Envelope, number: int, reports: int) -> None:
        """Note that some reports to a question or group are of an epoch, by its
        number.
        """
        if envelope.epoch is None:
            return
        for question in envelope.members:
            if question.memoizes:
                known = self.epochs.setdefault(question.name, Counter())
                known[number % MOST_EPOCHS] += reports

    def groups(self, name: str) -> dict[Combination, Counts]:
        """The counts of a question or group apart, by the attributes of those who
        reported.

        A combination is a value, or `attributes.UNKNOWN`, for each attribute that the
        reports carry, in their order; those that came are here. The counts add up to
        `counts[name]`.

        This is what a collector has, and all of it. What may be shown to others is up
        to `ldp_aggregator.analyses.groups`.
        """
        attributes = attributes_of(self.survey, name)
        by_number = self.combinations.get(name, {})
        if not attributes:
            return {(): self.counts[name]}
        return {
            labels_of(attributes, number): counts
            for number, counts in sorted(by_number.items())
        }

    def reports(self, name: str) -> int:
        """How many reports the question called `name` has."""
        return total_reports(self.counts[name], self.survey[name].layout)

    def merge(self, other: Tally, *, allow_equal: bool = False) -> Tally:
        """The tally of both.

        Raises `MismatchError` if they do not count the same questions, `OverlapError`
        if they are known to count some batches both, unless `allow_equal`, and
        `EstimateError` if they count more than fits. Tallies of different batches are
        never taken for such; that two overlap goes unnoticed where what they share is a
        small part of either, or where one has no identity
        (`ldp_aggregator.tallies.intake.overlaps`).
        """
        check_same(self.survey, _fingerprints(other.survey), other.survey.name)
        if not allow_equal:
            check_apart(self.identity, other.identity)
        counts = {
            name: counts + other.counts[name] for name, counts in self.counts.items()
        }
        for name, of_both in counts.items():
            if of_both.sum(dtype=float) >= LARGEST_SUM:
                raise EstimateError(
                    f"question {name!r}: expected counts below 2^62 in all"
                )
        names = self.combinations.keys() | other.combinations.keys()
        combinations = {
            name: sum_by_combination(
                self.combinations.get(name, {}), other.combinations.get(name, {})
            )
            for name in sorted(names)
        }
        return Tally(
            self.survey,
            counts,
            Intake(self.intake.outcomes + other.intake.outcomes),
            combinations=combinations,
            identity=self.identity.join(other.identity),
            epochs=sum_epochs(self.epochs, other.epochs),
        )

    def __add__(self, other: Tally) -> Tally:
        """`merge`, as a sign."""
        return self.merge(other)

    def __eq__(self, other: object) -> bool:
        """Whether counts and intake are equal, whichever batches they are of."""
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            self.survey.fingerprint == other.survey.fingerprint
            and +self.intake.outcomes == +other.intake.outcomes
            and _equal(self.counts, other.counts)
            and self.combinations.keys() == other.combinations.keys()
            and all(
                _equal(own, other.combinations[name])
                for name, own in self.combinations.items()
            )
        )


def sum_by_combination(
    some: Mapping[int, Counts], others: Mapping[int, Counts]
) -> dict[int, Counts]:
    """The counts of both, by combination."""
    total = dict(some)
    for number, counts in others.items():
        total[number] = total[number] + counts if number in total else counts
    return total


def sum_epochs(
    some: Mapping[str, Counter[int]], others: Mapping[str, Counter[int]]
) -> dict[str, Counter[int]]:
    """The reports of both, by question and epoch."""
    return {
        name: some.get(name, Counter()) + others.get(name, Counter())
        for name in sorted(some.keys() | others.keys())
    }


def check_apart(one: Identity, other: Identity) -> None:
    """Raise `OverlapError` if two tallies are known to count some batches both."""
    common = overlap(one, other)
    if common:
        shared = f"{common.hashes} of the {SIZE} batches that each is known by"
        raise OverlapError(
            "expected tallies of different batches, got two that share "
            + (shared if common.hashes else "the store of a service, and its times")
            + "; count the reports of both in one place, or pass allow_equal to add "
            "them up all the same"
        )


def attributes_of(survey: Survey, name: str) -> Attributes:
    """Return the public attributes in the reports of a question, or of a group."""
    for envelope in survey.tally_parts:
        if envelope.name == name:
            return envelope.attributes
    raise UnknownNameError(
        name,
        [envelope.name for envelope in survey.tally_parts],
        "one of the survey's questions",
    )


def _equal(some: Mapping[Any, Counts], others: Mapping[Any, Counts]) -> bool:
    return some.keys() == others.keys() and all(
        np.array_equal(counts, others[key]) for key, counts in some.items()
    )


def check_same(survey: Survey, fingerprints: dict[str, bytes], name: str) -> None:
    """Raise `MismatchError` unless the two agree on the fingerprints of all questions.

    It names both surveys; where they are versions of one, it shows the questions that
    differ.
    """
    if name != survey.name:
        raise MismatchError(
            f"this tally is of survey {written_name(name)}, not {survey.name}: use the "
            "survey file that its reports were made with"
        )
    ours = _fingerprints(survey)
    differences = [
        f"question {name!r}: this survey has {_fingerprint_text(ours.get(name))}, the "
        f"tally has {_fingerprint_text(fingerprints.get(name))}"
        for name in sorted(ours.keys() | fingerprints.keys())
        if ours.get(name) != fingerprints.get(name)
    ]
    if differences:
        raise MismatchError(
            "expected a tally of the same questions and parameters, got another:\n  "
            + "\n  ".join(differences)
        )


def _fingerprints(survey: Survey) -> dict[str, bytes]:
    return {envelope.name: envelope.fingerprint for envelope in survey.tally_parts}


def _fingerprint_text(fingerprint: bytes | None) -> str:
    if fingerprint is None:
        return "no such question"
    return f"fingerprint {fingerprint.hex()}"
