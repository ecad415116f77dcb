"""Surveys: what is asked, of what, through which mechanism; and their canonical fingerprints.

The fingerprint of a question is the first 16 bytes of the SHA-256 of netstrings (`<length>:<bytes>,`): a format tag,
the question's name, its type, the number of its values and the values (or `open`), the mechanism, and every integer
of its randomizer as `name=number`. It covers what changes the meaning of a report and nothing else: neither the text
that people read, nor candidates, nor the way an epsilon was written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from ldp.domain import Domain, Value
from ldp.errors import AnswerError
from ldp.mechanisms.contract import Declared, Randomizer

FINGERPRINT_SIZE = 16


class Question:
    """One question. `mechanism` is the resolved one; `candidates` names a file that only an aggregator reads."""

    def __init__(
        self,
        name: str,
        domain: Domain,
        mechanism: str,
        randomizer: Randomizer,
        declared: Declared,
        text: str = "",
        candidates: str | None = None,
    ) -> None:
        self.name = name
        self.domain = domain
        self.mechanism = mechanism
        self.randomizer = randomizer
        self.declared = declared
        self.text = text
        self.candidates = candidates
        self.layout = randomizer.layout
        self.width = self.layout.width
        self.fingerprint = _fingerprint(self)

    def value(self, answer: object) -> Value:
        """What the randomizer takes for an answer. Raises `AnswerError`; it names the question, not the answer."""
        try:
            value = self.domain.value(answer)
        except AnswerError as error:
            raise AnswerError(f"question {self.name!r}: {error}") from None
        if self.randomizer.kind == "bloom" and self.domain.values is not None:
            return self.domain.values[int(value)].encode()
        return value


class Survey:
    """A named set of questions. `survey[name]` is a question."""

    def __init__(self, name: str, questions: tuple[Question, ...]) -> None:
        self.name = name
        self.questions = questions
        self._by_name = {question.name: question for question in questions}
        self.fingerprint = _digest(
            [b"ldp-survey-1", name.encode(), *sorted(question.fingerprint for question in questions)]
        )

    def __getitem__(self, name: str) -> Question:
        question = self._by_name.get(name)
        if question is None:
            raise AnswerError(f"expected one of the survey's questions ({', '.join(self._by_name)}), got {name!r}")
        return question

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)


def _fingerprint(question: Question) -> bytes:
    values = question.domain.values
    listed = ["open"] if values is None else [str(len(values)), *values]
    numbers = [f"{name}={_written(number)}" for name, number in sorted(question.randomizer.integers().items())]
    parts = ["ldp-question-1", question.name, question.domain.type, *listed, question.mechanism, *numbers]
    return _digest(part.encode() for part in parts)


def _digest(parts: Iterable[bytes]) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:%b," % (len(part), part))
    return digest.digest()[:FINGERPRINT_SIZE]


def _written(number: int | tuple[tuple[int, ...], ...]) -> str:
    return str(number) if isinstance(number, int) else ";".join(",".join(map(str, row)) for row in number)
