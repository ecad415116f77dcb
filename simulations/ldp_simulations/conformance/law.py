"""Randomness of a client: the length of reports, their law, and anew in each process.

Reports are made by a device of its own for each, with the client's own randomness.

Where the law of a report can be written down, its every probability is tried: how often
each report came of n, against the binomial law, both tails, exactly. Where it cannot,
each bit of the report is compared with that of as many reports of the core, by Fisher's
exact test. All tests of a run together have a false alarm rate of at most
`FALSE_ALARMS`, shared out equally among them (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy

from ldp.errors import LDPError
from ldp.numbers.channel import Row
from ldp.numbers.randomness import system
from ldp.survey.survey import Question, Survey
from ldp_aggregator.numerics.arrays import Counts
from ldp_simulations.conformance.bench import (
    Bench,
    FailedError,
    SkippedError,
    batches_of,
    expect,
)
from ldp_simulations.conformance.specimens import RULES, answers_of, law_survey

FALSE_ALARMS = 9e-7
"""Of all tests in a run; what points beside this one draw fails by chance once in
10^12.
"""
POWER = 0.999
_MOST_CELLS = 1 << 12
_MOST_BITS = 10
_CHUNK = 2000
_FEW = 64


class LawTest(NamedTuple):
    """How likely a count as far off is, if the law holds."""

    question: str
    what: str
    p_value: float


def lengths(bench: Bench) -> str:
    """Every report to a question has the length of its layout, whatever was
    answered.
    """
    bench.needs("sample")
    questions = 0
    for survey in _surveys(bench):
        bench.device(survey)
        for question in survey:
            questions += 1
            for answer in answers_of(question.domain):
                widths = {len(row) for row in _rows(bench, question, [answer] * _FEW)}
                if widths != {question.width}:
                    raise FailedError(
                        f"{question.name}: expected reports of {question.width} bytes, "
                        f"got {sorted(widths)}"
                    )
    return f"{questions} questions"


def law(bench: Bench) -> str:
    """Reports come as often as they have to."""
    bench.needs("sample")
    tests: list[LawTest] = []
    for survey in _surveys(bench):
        bench.device(survey)
        for question in survey:
            tests += _tests(bench, question)
    level = FALSE_ALARMS / len(tests)
    worst = min(tests, key=lambda test: test.p_value)
    if worst.p_value < level:
        raise FailedError(
            f"{worst.question}, {worst.what}: not the law of the survey's integers (p "
            f"= {worst.p_value:.1g}, where {level:.1g} is the least of {len(tests)} "
            "tests)"
        )
    return (
        f"{len(tests)} probabilities, each of {bench.samples:,} reports; one that is "
        f"off by {detectable(bench.samples, level):.3f} is noticed in {POWER:.1%} of "
        "runs"
    )


def fresh(bench: Bench) -> str:
    """Two processes draw different reports and different ids."""
    bench.needs("sample", "send")
    drawn = []
    for _ in range(2):
        process = bench.start()
        try:
            device = bench.device(RULES, process=process)
            question = device.survey["first"]
            answer = answers_of(question.domain)[0]
            asked = {"question": question.name, "answers": [answer] * bench.samples}
            rows = tuple(expect(process.ask("sample", **asked))["reports"])
            device.record(question.name, answer)
            (batch,) = batches_of(device.wait_for_payloads())
            drawn.append((rows, batch.id))
        finally:
            process.close()
    for what, parts in zip(("reports", "id"), zip(*drawn, strict=True), strict=True):
        if parts[0] == parts[1]:
            raise FailedError(f"expected other {what} of another process, got the same")
    return f"{bench.samples:,} reports and an id of two processes differ"


def detectable(samples: int, level: float) -> float:
    """The deviation of a probability that is noticed with `POWER`, wherever the
    probability is.
    """
    reach = scipy.stats.norm.isf(level / 2) + scipy.stats.norm.isf(1 - POWER)
    return float(reach / 2 / math.sqrt(samples))


def _surveys(bench: Bench) -> list[Survey]:
    surveys = [law_survey(bench.mechanisms), bench.survey]
    asked = [survey for survey in surveys if survey is not None]
    if not asked:
        raise SkippedError("no survey of the client's mechanisms")
    return asked


def _rows(bench: Bench, question: Question, answers: list[object]) -> list[bytes]:
    """Reports, each by a device of its own."""
    rows: list[bytes] = []
    for start in range(0, len(answers), _CHUNK):
        asked = {"question": question.name, "answers": answers[start : start + _CHUNK]}
        answer = expect(bench.process.ask("sample", **asked))
        rows += map(bytes.fromhex, answer["reports"])
    if len(rows) != len(answers):
        raise FailedError(f"expected {len(answers)} reports, got {len(rows)}")
    return rows


def _tests(bench: Bench, question: Question) -> Iterator[LawTest]:
    rows_of_law = law_of(question)
    for answer in answers_of(question.domain):
        rows = _rows(bench, question, [answer] * bench.samples)
        reports = [int.from_bytes(row, "little") for row in rows]
        if rows_of_law is None:
            yield from _bit_tests(question, answer, reports)
        else:
            value = int(question.value(answer))
            yield from _exact_tests(
                question, value, rows_of_law[value], reports=reports
            )


def law_of(question: Question, most: int = _MOST_CELLS) -> tuple[Row, ...] | None:
    """The probabilities of its reports, in their order, by value; None beyond
    `most`.
    """
    layout, size = question.layout, question.domain.size
    if size is None or question.domain.most is not None or layout.bits > _MOST_BITS:
        return None
    if layout.modulus or layout.codewords or layout.places > 1:
        return None
    if layout.cohorts > 1 and question.memoizes:  # its channel is that of one cohort
        return None
    columns = layout.cohorts * (layout.symbols or 1 << layout.bits)
    if size * columns > most:
        return None
    rows = question.randomizer.channel().rows
    # Of reports that are numbered otherwise nothing is known here.
    if len(rows) == size and len(rows[0]) == columns:
        return rows
    return None


def _exact_tests(
    question: Question, value: int, masses: Row, *, reports: list[int]
) -> Iterator[LawTest]:
    """One for each report that there can be."""
    bodies = len(masses) // question.layout.cohorts
    shift = 8 * question.layout.prefix_width
    prefixes = (1 << shift) - 1
    columns = [(report & prefixes) * bodies + (report >> shift) for report in reports]
    if max(columns) >= len(masses):
        raise FailedError(
            f"{question.name}: expected reports of its layout, got another"
        )
    # shape: columns
    counts: Counts = np.bincount(columns, minlength=len(masses))
    expected = np.array([float(mass) for mass in masses])
    below = scipy.stats.binom.cdf(counts, len(reports), expected)
    above = scipy.stats.binom.sf(counts - 1, len(reports), expected)
    p_values = np.minimum(2 * np.minimum(below, above), 1.0)
    for column, p_value in enumerate(p_values.tolist()):
        yield LawTest(question.name, f"value {value}, report {column}", p_value)


def _bit_tests(
    question: Question, answer: object, reports: list[int]
) -> Iterator[LawTest]:
    """One for each bit of a report, beside as many of the core's."""
    number = len(reports)
    try:
        ours = [
            question.randomizer.randomize(question.value(answer, system), system)
            for _ in range(number)
        ]
    except LDPError:  # an example that this question does not take
        return
    for bit in range(8 * question.width):
        mine = sum(report >> bit & 1 for report in ours)
        theirs = sum(report >> bit & 1 for report in reports)
        below = scipy.stats.hypergeom.cdf(theirs, 2 * number, mine + theirs, number)
        above = scipy.stats.hypergeom.sf(theirs - 1, 2 * number, mine + theirs, number)
        yield LawTest(
            question.name, f"bit {bit}", min(2 * float(min(below, above)), 1.0)
        )
