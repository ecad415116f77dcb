"""Computations of a client from its survey: fingerprints, reports of tapes, valid
answers.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ldp.errors import LDPError
from ldp.numbers.randomness import Replay
from ldp.survey.compiled import compile_survey
from ldp.survey.survey import Question, Survey
from ldp.survey.survey_file import parse_survey
from ldp_simulations.conformance.bench import (
    RECORDED,
    Bench,
    FailedError,
    SkippedError,
    expect,
    outcome,
    words_of,
)
from ldp_simulations.conformance.specimens import (
    RULES,
    answers_of,
    json_answer,
    law_survey,
)

_TAPES = 3
_TAPE = 1 << 16


class ReadingCase(NamedTuple):
    """An answer, the tape that is drawn in full, and the report."""

    answer: Any
    tape: str
    report: str


def survey(bench: Bench) -> str:
    """Fingerprints and terms are those of the survey, and a survey that was altered is
    refused.
    """
    device = bench.device(RULES)
    expected = {
        "fingerprints": {
            question.name: question.fingerprint.hex() for question in device.survey
        },
        "terms": device.survey.terms.hex(),
    }
    for name, part in expected.items():
        if device.opened.get(name) != part:
            raise FailedError(f"expected {name} {part}, got {device.opened.get(name)}")
    if bench.reads != "compiled":
        return "fingerprints and terms"
    for what, altered in _alterations(compile_survey(device.survey)):
        words = words_of(device.survey, None) | {"survey": altered}
        if outcome(bench.process.ask("open", **words)) != "survey":
            raise FailedError(f"expected a survey with another {what} to be refused")
    return "fingerprints and terms; what was altered is refused"


def vectors(bench: Bench) -> str:
    """Tapes give the reports that they have to give, and are used up."""
    bench.needs("randomize")
    cases = questions = 0
    skipped = set()
    for whole, by_question in _vectors(bench):
        missing = {question.mechanism for question in whole} - set(bench.mechanisms)
        if missing:
            skipped |= missing
            continue
        bench.device(whole)
        for name, of_question in by_question.items():
            question = whole[name]
            try:
                for case in of_question:
                    _replay(bench, question, case)
            except SkippedError:
                skipped.add(f"{question.mechanism} of type {question.domain.type}")
                continue
            questions += 1
            cases += len(of_question)
    if not questions:
        raise SkippedError("no vectors of the client's mechanisms")
    without = ""
    if skipped:
        without = f"; without {', '.join(sorted(skipped))}"
    return f"{cases:,} tapes of {questions} questions{without}"


def answers(bench: Bench) -> str:
    """An answer that does not fit is refused, costs nothing, and the next one is
    taken.
    """
    device = bench.device(RULES)
    unfit = ("", "a telling answe", None, 3, True, ["a telling answer"], {"first": 1})
    for answer in unfit:
        if (became := device.record("first", answer)) != "answer":
            raise FailedError(
                f"expected an answer that does not fit to be refused, got {became}"
            )
    if (became := device.record("no such question", "a telling answer")) != "answer":
        raise FailedError(f"expected an unknown question to be refused, got {became}")
    if "ledger" in bench.does and device.ledger().charges:
        raise FailedError("expected no charge for an answer that was refused")
    if device.record("first", "a telling answer") != RECORDED:
        raise FailedError(
            "expected an answer that fits to be taken after one that does not"
        )
    return f"{len(unfit)} that do not fit"


def _alterations(form: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The compiled form with one thing changed."""
    for what in ("name", "terms", "fingerprint"):
        changed = copy.deepcopy(form)
        changed[what] = changed[what][:-1] + ("1" if changed[what][-1] == "0" else "0")
        yield what, changed
    changed = copy.deepcopy(form)
    integers = changed["questions"][0]["integers"]
    integers["truth"] = str(2 * int(integers["truth"]))
    yield "integer", changed
    changed = copy.deepcopy(form)
    changed["questions"][0]["charges"] += 1
    yield "number of charges", changed


def _replay(bench: Bench, question: Question, case: ReadingCase) -> None:
    asked = {"question": question.name, "answer": case.answer, "tape": case.tape}
    answer = expect(bench.process.ask("randomize", **asked))
    expected = {"report": case.report, "used": len(case.tape) // 2}
    for name, part in expected.items():
        if answer.get(name) != part:
            raise FailedError(
                f"{question.mechanism}, tape {case.tape[:32]}...: expected {name} "
                f"{part}, got {answer.get(name)}"
            )


_Vectors = Iterator[tuple[Survey, dict[str, list[ReadingCase]]]]


def _vectors(bench: Bench) -> _Vectors:
    """Surveys, and cases by the names of their questions."""
    if bench.vectors is not None:
        yield from _of_files(bench.vectors)
    surveys = [
        law_survey(bench.mechanisms) if bench.vectors is None else None,
        bench.survey,
    ]
    for whole in surveys:
        if whole is not None:
            yield whole, {question.name: _make_cases(question) for question in whole}


def _of_files(folder: Path) -> _Vectors:
    """Read the project's vector files."""
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="ascii"))
        for vector in content if isinstance(content, list) else ():
            if "integers" in vector and "cases" in vector:
                whole = parse_survey(vector["survey"])
                (question,) = whole
                cases = [
                    ReadingCase(
                        json_answer(question.domain, case["value"]),
                        case["tape"],
                        case["report"],
                    )
                    for case in vector["cases"]
                ]
                yield whole, {question.name: cases}


def _make_cases(question: Question) -> list[ReadingCase]:
    """Cases by the reference: the core's own randomizers."""
    cases = []
    for answer in answers_of(question.domain):
        for number in range(_TAPES):
            seed = f"{question.name} {number}".encode()
            source = Replay(hashlib.shake_256(seed).digest(_TAPE))
            try:
                value = question.value(answer, source)
            except LDPError:  # an example that this question does not take
                continue
            row = question.randomizer.randomize(value, source)
            tape = hashlib.shake_256(seed).hexdigest(source.used)
            cases.append(
                ReadingCase(answer, tape, row.to_bytes(question.width, "little").hex())
            )
    return cases
