"""Simulated audits: how near bounds come to epsilon, false alarms, and how soon mutants
are found.

    python -m lab.audit_trials [RUNS [WHOLE]]

Counts are drawn from the exact law of what a client sends, honest or broken, by numpy
under a fixed seed, and judged as those of an audit are. A mutant is found if the bound
of epsilon passes what is declared; the tests of the law are not asked, and see it
sooner.

    only set    a bit is drawn with q, whatever the answer is; that of the answer then
                set with p
    from all    who does not tell the truth draws among all d values, the truth among
                them
    last clear  the last bit of a vector is not randomized

Honest clients are audited in two ways: their counts are drawn from what is declared, by
numpy; and whole audits, events that are learned, ids and runs of reports included, are
made of reports that the core draws, without a process for each.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import ldp
from ldp.numbers.epochs import ID_SIZE
from ldp.numbers.randomness import Random, system
from ldp.survey.survey import Question, Survey
from ldp_simulations.audit.auditing import Audit, AuditEffort
from ldp_simulations.audit.bounds import FALSE_ALARMS, expected_epsilon
from ldp_simulations.audit.clients.client import Audited
from ldp_simulations.audit.clients.frames import Left
from ldp_simulations.audit.counting import Arrays, drawn_rows
from ldp_simulations.audit.parts import EnvelopePart, Event
from ldp_simulations.audit.statistical_tests import bounds_of, law_tests, levels
from ldp_simulations.audit.verdicts import PointVerdict, alarms_of

EXPECTED = (
    ("two values", 2, "grr"),
    ("grr 16", 16, "grr"),
    ("grr 100", 100, "grr"),
    ("ss 100", 100, "ss"),
    ("oue", 25, "oue"),
    ("sue", 25, "sue"),
)
EPSILONS = ("0.5", "1", "2", "4", "8")
DRAWS = (10**5, 10**6, 10**7)
_SEED = 20261124
_HONEST_DRAWS = 100_000
_WHOLE_DRAWS = 2_000


class Mutant(NamedTuple):
    """A broken client: what its survey declares, and the chances of the declared
    event.
    """

    name: str
    mechanism: str
    epsilon: str
    draws: int
    """Ten times as many as it takes to be found."""
    chances: tuple[float, float]


def survey(mechanism: str, size: int, epsilon: str) -> Survey:
    """A survey with one question of so many values."""
    values = [f"v{number}" for number in range(size)]
    asked = ldp.question("q", values, mechanism=mechanism, epsilon=epsilon)
    return ldp.survey("trial", asked)


def question(mechanism: str, size: int, epsilon: str) -> Question:
    """A question of so many values."""
    return survey(mechanism, size, epsilon)["q"]


def chances_of(
    mechanism: str, size: int, epsilon: str, draws: int
) -> tuple[float, float]:
    """How likely the declared event of the last value against the first is with
    either.
    """
    event = EnvelopePart(question(mechanism, size, epsilon), 0, draws).events[-1]
    if event.chances is None:
        raise ValueError(f"expected a mechanism with declared events, got {mechanism}")
    return event.chances


def mutants() -> tuple[Mutant, ...]:
    """The published mistakes, with the draws at which each has to be found."""
    odds = math.e
    rest = 1 / (odds + 1)
    return (
        Mutant("only set", "oue", "1", draws=12_600, chances=_only_set("oue", "1")),
        Mutant("only set", "sue", "1", draws=8_900, chances=_only_set("sue", "1")),
        Mutant("from all", "grr", "1", draws=2_500, chances=(1 - rest / 2, rest / 2)),
        Mutant("last clear", "oue", "1", draws=500, chances=_last_clear("1")),
        Mutant("last clear", "oue", "4", draws=8_900, chances=_last_clear("4")),
    )


def count_detections(mutant: Mutant, runs: int, generator: Generator) -> int:
    """In how many audits the bound passes what is declared."""
    allowed = float(mutant.epsilon)
    happened = [
        generator.binomial(mutant.draws, chance, runs) for chance in mutant.chances
    ]
    bounds = [
        expected_epsilon(one / mutant.draws, other / mutant.draws, mutant.draws)
        for one, other in zip(*happened, strict=True)
    ]
    return sum(bound > allowed for bound in bounds)


def false_alarms(mechanism: str, size: int, runs: int, generator: Generator) -> int:
    """How many audits of an honest client raise an alarm: bounds and tests of the law
    together.
    """
    part = EnvelopePart(question(mechanism, size, "1"), 0, _HONEST_DRAWS)
    alarms = 0
    for _ in range(runs):
        counts = {
            number: _honest(part, number, generator)
            for number in range(len(part.answers))
        }
        tests = [
            test
            for number, arrays in counts.items()
            for test in law_tests(part, number, arrays)
        ]
        bounds = list(bounds_of(part, counts))
        alarms += bool(alarms_of(tests, bounds, levels(tests, bounds, FALSE_ALARMS)))
    return alarms


class _Drawn(Audited):
    """An honest client without a process: the core's own reports, under ids of their
    own.
    """

    random: Random = system

    def ask(
        self,
        lines: Sequence[Any],
        **_circumstances: str | Path,
    ) -> dict[bytes, Left]:
        """Ask one question, to which all devices give one answer."""
        ((name, answer),) = lines[0].items()
        question = self.survey[name]
        rows = drawn_rows(question, answer, len(lines), random=self.random)
        ids = np.frombuffer(self.random(ID_SIZE * len(lines)), np.uint8).reshape(
            -1, ID_SIZE
        )
        return {question.fingerprint: Left(rows, ids, np.arange(len(lines)))}


class _WithoutLives(Audit):
    """Audit without the checks of devices that take processes."""

    def _points(self) -> Iterator[PointVerdict]:
        return iter(())


def whole_alarms(mechanism: str, size: int, runs: int, generator: Generator) -> int:
    """How many whole audits of an honest client raise an alarm."""
    alarms = 0
    with TemporaryDirectory() as folder:
        client = _Drawn("none", survey(mechanism, size, "1"), Path(folder), timeout=1)
        client.random = generator.bytes
        for _ in range(runs):
            audit = _WithoutLives(client, AuditEffort(_WHOLE_DRAWS))
            for _ in audit.steps():
                pass
            alarms += not audit.verdict().passes
    return alarms


def _honest(part: EnvelopePart, number: int, generator: Generator) -> Arrays:
    """Counts of an honest client, each from its law."""
    if part.bits is None or part.pairs is None:
        raise ValueError(
            f"expected bits whose law is written down, got {part.question.mechanism}"
        )
    arrays = {
        "draws": np.array([_HONEST_DRAWS]),
        "bits": generator.binomial(_HONEST_DRAWS, part.bits[number]),
        "pairs": generator.binomial(_HONEST_DRAWS, part.pairs[number]),
    }
    if part.distant is not None:
        arrays["distant"] = generator.binomial(_HONEST_DRAWS, part.distant[number])
    if part.columns is not None:
        arrays["columns"] = generator.multinomial(_HONEST_DRAWS, part.columns[number])
    # Of an event between two other answers nothing is declared here.
    chances = [_chance(event, number) for event in part.events]
    return arrays | {"events": generator.binomial(_HONEST_DRAWS, chances)}


def _chance(event: Event, number: int) -> float:
    if event.chances is None or number not in (event.one, event.other):
        return 0.0
    return event.chances[number == event.other]


def _rates(mechanism: str, epsilon: str) -> tuple[float, float]:
    bits = EnvelopePart(question(mechanism, 25, epsilon), 0, 1).bits
    if bits is None:
        raise ValueError(f"expected a bit for each value, got {mechanism}")
    return float(bits[0, 0]), float(bits[0, 1])


def _only_set(mechanism: str, epsilon: str) -> tuple[float, float]:
    p, q = _rates(mechanism, epsilon)
    own = p + q - p * q
    return own * (1 - q), q * (1 - own)


def _last_clear(epsilon: str) -> tuple[float, float]:
    _, q = _rates("oue", epsilon)
    return 1 - q, 0.0


def expected_table() -> str:
    """The bound of epsilon that is expected of honest clients, as Markdown."""
    lines = [
        "| epsilon | " + " | ".join(name for name, *_ in EXPECTED) + " |",
        "|---" * (len(EXPECTED) + 1) + "|",
    ]
    for epsilon in EPSILONS:
        cells = []
        for _, size, mechanism in EXPECTED:
            bounds = []
            for draws in DRAWS:
                chances = chances_of(mechanism, size, epsilon, draws=draws)
                bounds.append(f"{expected_epsilon(*chances, draws):.3f}")
            cells.append(" / ".join(bounds))
        lines.append(f"| {epsilon} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def figures(runs: int, whole: int) -> Iterator[str]:
    """All figures, line by line, of so many audits each, and of so many whole ones."""
    generator = np.random.default_rng(_SEED)
    yield expected_table()
    yield ""
    for _, size, mechanism in EXPECTED:
        alarms = false_alarms(mechanism, size, runs, generator=generator)
        yield f"honest {mechanism}, {size} values: {alarms} alarms in {runs:,} audits"
    for _, size, mechanism in EXPECTED:
        alarms = whole_alarms(mechanism, size, whole, generator=generator)
        yield (
            f"honest {mechanism}, {size} values: {alarms} alarms in {whole:,} whole "
            "audits"
        )
    for mutant in mutants():
        caught = count_detections(mutant, runs, generator)
        yield (
            f"{mutant.name}, {mutant.mechanism}, declared {mutant.epsilon}: found in "
            f"{caught:,} of {runs:,} audits of {mutant.draws:,} draws"
        )


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]] or [1000]
    for line in figures(numbers[0], numbers[-1]):
        sys.stdout.write(line + "\n")
