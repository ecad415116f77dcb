"""A verdict: what was found, what would have been found, and at which confidence.

For each part: the lower bound of epsilon, the bound that an honest client of its law
would be given by as many draws, and the excess of epsilon that the tests of the law
notice with `POWER`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ldp.survey.survey import Survey
from ldp_aggregator.output.sheet import NOTHING, Sheet, TextTable
from ldp_simulations.audit.bounds import (
    FALSE_ALARMS,
    POWER,
    expected_epsilon,
    noticed_deviation,
    noticed_excess,
)
from ldp_simulations.audit.parts import EnvelopePart
from ldp_simulations.audit.statistical_tests import Bound, CountTest, TestLevels, levels
from ldp_simulations.audit.tapes.exact import Proof

FORMAT = 1
PASSED, FAILED, SKIPPED = "pass", "FAIL", "skip"
_SUMMARY = (
    "question",
    "mechanism",
    "declared",
    "at least",
    "honest",
    "law notices",
    "verdict",
)
_LEGEND = (
    "declared: epsilon of one report",
    "at least: what the draws prove of epsilon. Above declared is an alarm",
    "honest: what they would prove of a client that does as declared",
    f"law notices: an excess of epsilon that the tests of the law find in {POWER:.0%} "
    "of audits; where no event is declared, a deviation of a probability of 1/2",
)


class PointVerdict(NamedTuple):
    """Verdict on a point of `lives`."""

    name: str
    verdict: str
    detail: str
    tests: tuple[CountTest, ...] = ()


class PartVerdict(NamedTuple):
    """Verdict on one part."""

    question: str
    mechanism: str
    declared: float
    epsilon: float
    """At least so much, with all that was tried paid for; 0 if nothing shows more."""
    by: str
    """By which event."""
    honest: float | None
    """What is expected of `epsilon` if all is as declared; None where no event is
    declared.
    """
    excess: float | None
    """Of epsilon, which the tests of the law notice."""
    deviation: float
    """Of a probability of 1/2, which they notice."""
    alarms: tuple[str, ...]


class Verdict(NamedTuple):
    """All of it."""

    survey: Survey
    draws: int
    look: int
    alpha: float
    """The false-alarm rate of this look."""
    parts: tuple[PartVerdict, ...]
    points: tuple[PointVerdict, ...]
    proofs: tuple[Proof, ...]
    others: tuple[str, ...]
    """Alarms that are of no one part."""

    @property
    def alarms(self) -> tuple[str, ...]:
        """Everything that is not as declared."""
        of_parts = (alarm for part in self.parts for alarm in part.alarms)
        of_points = (
            f"{point.name}: {point.detail}"
            for point in self.points
            if point.verdict == FAILED
        )
        of_proofs = (
            f"{proof.question}, every tape: {proof.wrong}"
            for proof in self.proofs
            if proof.wrong
        )
        return (*of_parts, *of_points, *of_proofs, *self.others)

    @property
    def passes(self) -> bool:
        """Whether there is no alarm."""
        return not self.alarms

    def record(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "format": FORMAT,
            "survey": self.survey.name,
            "fingerprint": self.survey.fingerprint.hex(),
            "verdict": "no alarm" if self.passes else "alarm",
            "draws_of_each_answer": self.draws,
            "false_alarm_rate": {
                "of_all_looks": FALSE_ALARMS,
                "of_this_look": self.alpha,
            },
            "look": self.look,
            "questions": [_part_record(part) for part in self.parts],
            "points": [
                {"point": point.name, "verdict": point.verdict, "detail": point.detail}
                for point in self.points
            ],
            "every_tape": [proof._asdict() for proof in self.proofs],
            "alarms": list(self.alarms),
        }

    def sheet(self) -> Sheet:
        """Tables for people, the record for machines."""
        return Sheet(
            f"Audit of {self.survey.name}",
            tables=self._tables,
            legend=_LEGEND,
            record=self.record,
        )

    def _tables(self) -> list[TextTable]:
        caption = (
            f"{self.draws:,} draws of each answer; a false alarm in {self.alpha:.1g} "
            f"of audits, in {FALSE_ALARMS:g} of all looks"
        )
        rows = [_cells(part) for part in self.parts]
        points = [(point.name, point.verdict, point.detail) for point in self.points]
        proofs = [
            (proof.question, proof.integers or NOTHING, _proof_text(proof))
            for proof in self.proofs
        ]
        tables = [
            TextTable("", caption, _SUMMARY, rows=rows),
            TextTable(
                "devices", "what they send", ("point", "verdict", "detail"), rows=points
            ),
            TextTable(
                "every tape",
                "the sampler of the Python core against its channel, exactly",
                ("question", "run with", "verdict"),
                rows=proofs,
            ),
        ]
        if self.alarms:
            alarms = [(alarm,) for alarm in self.alarms]
            tables.append(
                TextTable("alarms", "not as declared", ("alarm",), rows=alarms)
            )
        return tables


def verdict_of(
    survey: Survey,
    parts: Sequence[EnvelopePart],
    draws: int,
    *,
    tests: Sequence[CountTest],
    bounds: Sequence[Bound],
    points: Sequence[PointVerdict],
    proofs: Sequence[Proof],
    alpha: float,
    look: int,
) -> Verdict:
    """Combine tests and bounds to a verdict."""
    shares = levels(tests, bounds, alpha)
    alarms = alarms_of(tests, bounds, shares)
    owned: dict[str, list[str]] = {part.name: [] for part in parts}
    others = []
    pointed = {(test.where, test.what) for point in points for test in point.tests}
    for where, alarm in alarms:
        name = where.partition(",")[0]
        if name in owned:
            owned[name].append(alarm)
        else:
            others.append(alarm)
    # What is certain of a point is said there.
    certain = {f"{where}: {what}" for where, what in pointed}
    said = [alarm for alarm in others if alarm not in certain]
    judged = [
        _part(
            part,
            draws,
            bounds,
            shares=shares,
            alarms=[a for a in owned[part.name] if a not in certain],
        )
        for part in parts
    ]
    return Verdict(
        survey,
        draws,
        look,
        alpha=alpha,
        parts=tuple(judged),
        points=tuple(_judge(point, shares) for point in points),
        proofs=tuple(proofs),
        others=tuple(said),
    )


def alarms_of(
    tests: Sequence[CountTest], bounds: Sequence[Bound], shares: TestLevels
) -> list[tuple[str, str]]:
    """Return all deviations from the declared: where, and in words."""
    alarms = []
    for test in tests:
        if test.p_value == 0:
            alarms.append((test.where, f"{test.where}: {test.what}"))
        elif test.p_value < shares.test:
            text = f"{test.where}: {test.what} is not as often as declared"
            alarms.append((test.where, f"{text} (p = {test.p_value:.1g})"))
    for bound in bounds:
        epsilon = shares.epsilon(bound)
        if epsilon > bound.allowed:
            text = (
                f"{bound.where}: epsilon is at least {_number(epsilon)}, declared are "
            )
            text += f"{_number(bound.allowed)} ({_by(bound)})"
            alarms.append((bound.where, text))
    return alarms


def _judge(point: PointVerdict, shares: TestLevels) -> PointVerdict:
    """A point whose tests are improbable fails as well."""
    wrong = [test for test in point.tests if test.p_value < shares.test]
    if point.verdict == PASSED and wrong:
        detail = "; ".join(
            f"{test.where}: {test.what} (p = {test.p_value:.1g})" for test in wrong
        )
        return point._replace(verdict=FAILED, detail=detail)
    return point


def _part(
    part: EnvelopePart,
    draws: int,
    bounds: Sequence[Bound],
    shares: TestLevels,
    alarms: Sequence[str],
) -> PartVerdict:
    own = [bound for bound in bounds if bound.where == part.name]
    best = max(own, key=shares.epsilon, default=None)
    epsilon = -math.inf if best is None else shares.epsilon(best)
    known = [event.chances for event in part.events if event.chances is not None]
    honest = excess = None
    if known and draws:
        expected = (
            expected_epsilon(p, q, draws, alpha=shares.declared) for p, q in known
        )
        honest = max(max(expected), 0.0)
        excess = min(noticed_excess(p, draws, shares.test) for p, _ in known)
    return PartVerdict(
        part.name,
        part.question.mechanism,
        part.epsilon,
        epsilon=max(epsilon, 0.0),
        by="" if best is None or epsilon <= 0 else _by(best),
        honest=honest,
        excess=excess,
        deviation=noticed_deviation(0.5, max(draws, 1), shares.test),
        alarms=tuple(alarms),
    )


def _by(bound: Bound) -> str:
    one, other = (number + 1 for number in bound.answers)
    return f"{bound.what}; answer {one} against {other}"


def _part_record(part: PartVerdict) -> dict[str, Any]:
    return {
        "question": part.question,
        "mechanism": part.mechanism,
        "declared_epsilon": part.declared,
        "epsilon_at_least": part.epsilon,
        "by": part.by,
        "expected_of_an_honest_client": part.honest,
        "would_have_noticed": {
            "excess_of_epsilon": part.excess,
            "deviation_of_a_probability_of_one_half": part.deviation,
            "with_probability": POWER,
        },
        "alarms": list(part.alarms),
    }


def _cells(part: PartVerdict) -> tuple[str, ...]:
    notices = (
        f"{part.deviation:.2g} of 1/2" if part.excess is None else f"{part.excess:.2g}"
    )
    return (
        part.question,
        part.mechanism,
        _number(part.declared),
        _number(part.epsilon),
        NOTHING if part.honest is None else _number(part.honest),
        notices,
        "ALARM" if part.alarms else "no alarm",
    )


def _proof_text(proof: Proof) -> str:
    if not proof.integers:
        return "not run: no small integers of this mechanism"
    return proof.wrong or "equal, as fractions"


def _number(number: float) -> str:
    return f"{number:.4g}"
