"""The surveys that a client is asked, and answers that fit a question, as JSON tells
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

from ldp.answers.domain import Domain
from ldp.answers.scales import Scale
from ldp.survey.survey import Survey
from ldp.survey.survey_file import parse_survey

TELLING = ("a telling answer", "another that tells", "none of your business")
"""Texts that stand in no other place than an answer."""
_VALUES = ", ".join(f'"{value}"' for value in TELLING)
_ONCE = f'type = "category"\nvalues = [{_VALUES}]\nmechanism = "grr"\nepsilon = "1"\n'
_MORE = ", ".join(f'"value {number}"' for number in range(61))
_KEPT = (
    f'type = "category"\nvalues = [{_VALUES}, {_MORE}]\nmechanism = "rappor"\nf = '
    '"0.5"\n'
    'p = "0"\nq = "1"\nmemoized_values = 2\n'
)
"""Its reports show the permanent response: a bit changes once in 2^64.

Of 64 bits, so that two responses are alike once in 10^13.
"""


def _question(name: str, keys: str) -> str:
    return f'[[question]]\nname = "{name}"\n{keys}'


def _survey(name: str, *questions: str, keys: str = "") -> str:
    return f'[survey]\nname = "{name}"\n{keys}\n' + "\n".join(questions)


RULES = _survey(
    "conform-rules",
    *(_question(name, _ONCE) for name in ("first", "second", "third")),
)
"""Questions that are answered once."""
_KEPT_AND_BESIDE = (_question("kept", _KEPT), _question("beside", _ONCE))
KEPT = _survey("conform-kept", *_KEPT_AND_BESIDE)
"""One with permanent responses to two values, and one that is answered once."""
STOPPED = _survey("conform-stopped", *_KEPT_AND_BESIDE, keys='lifetime_epsilon = "4.5"')
"""The same with room for two permanent responses, or for one and the question beside
it.
"""
DRAWN = RULES.replace("conform-rules", "conform-drawn") + (
    '[[draw]]\nquestions = ["first", "second", "third"]\n'
)
"""The same questions, of which a device answers one."""
TOGETHER = RULES.replace("conform-rules", "conform-together").replace(
    "[survey]\n", '[survey]\njoint = ["first", "second"]\n'
)
"""The same questions, two of which are answered together."""
LIMITED = _survey(
    "conform-limited",
    *(_question(name, _ONCE) for name in ("first", "second", "third")),
    keys='lifetime_epsilon = "2"',
)
"""Of three questions that cost 1, it may ask two."""
EPOCHS = _survey(
    "conform-epochs", _question("daily", _ONCE), keys='epoch = "1d"\ngrace = "1w"'
)
MANY = _survey(
    "conform-many",
    *(_question(f"once{number}", _ONCE) for number in range(64)),
    keys='lifetime_epsilon = "64"',
)
"""Enough for devices that are killed."""

_OF_LAW = {
    "warner": 'type = "boolean"\nmechanism = "warner"\nepsilon = "1"\n',
    "grr": _ONCE,
    "oue": (
        f'type = "category"\nvalues = [{_VALUES}]\nmechanism = "oue"\nepsilon = "1"\n'
    ),
    "pgr": 'type = "integer"\nlow = 1\nhigh = 7\nmechanism = "pgr"\nepsilon = "1"\n',
    "dithered": 'type = "number"\nlow = 0\nhigh = 4\nstep = 1\nmechanism = "dithered"\n'
    'epsilon = "3"\n',
    "rappor": f'type = "category"\nvalues = [{_VALUES}]\nmechanism = "rappor"\nf = '
    '"0.5"\n'
    'p = "0.25"\nq = "0.75"\n',
}
"""Small questions, whose law can be written down, by mechanism."""


def later_version(source: str) -> str:
    """A later version of a survey, every question of which costs a little more."""
    return source.replace('epsilon = "1"', 'epsilon = "1.5"')


def law_survey(mechanisms: Sequence[str]) -> Survey | None:
    """The small questions of some mechanisms; None if there are none of these."""
    questions = [
        _question(name, keys) for name, keys in _OF_LAW.items() if name in mechanisms
    ]
    if questions:
        return parse_survey(_survey("conform-law", *questions))
    return None


def json_answer(domain: Domain, answer: Any) -> Any:
    """An answer of a vector file as JSON tells it: there, numbers are texts."""
    if isinstance(answer, dict):
        fields = {field.name: field.domain for field in domain.fields}
        return {
            name: json_answer(fields[name], part) if name in fields else _number(part)
            for name, part in answer.items()
        }
    if isinstance(answer, list):
        return [json_answer(domain, part) for part in answer]
    is_number = domain.scale is not None or domain.ball is not None
    if is_number:
        return _number(answer)
    return answer


def answers_of(domain: Domain) -> list[Any]:
    """A few answers that fit a question."""
    answers = _single(domain)
    if domain.per_device:
        return [[answer] for answer in answers]
    return answers


def _single(domain: Domain) -> list[Any]:
    if domain.fields:
        columns = [(field.name, answers_of(field.domain)) for field in domain.fields]
        most = max(len(column) for _, column in columns)
        rows = [list(islice(cycle(column), most)) for _, column in columns]
        names = [name for name, _ in columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*rows, strict=True)]
    if domain.ball is not None:
        zero = [0] * domain.ball.dimensions
        return [zero, [float(domain.ball.radius) / 2, *zero[1:]]]
    if domain.scale is not None:
        return _on_scale(domain.scale)
    if domain.key_scale is not None:
        keys = domain.values or ()
        low, *_, high = _on_scale(domain.key_scale)
        return [{}, {keys[0]: low}, {keys[-1]: high}]
    if domain.most is not None:
        values = domain.values or ()
        return [[], [values[0]], list(values[-domain.most :])]
    if domain.type == "boolean":
        return [False, True]
    if domain.numbers is not None:
        numbers = domain.numbers
        return [numbers[0], numbers[len(numbers) // 2], numbers[-1]]
    if domain.values is None:
        return ["x", "Gr\N{LATIN SMALL LETTER U WITH DIAERESIS}sse", "long " * 100]
    values = domain.values
    return [values[0], values[len(values) // 2], values[-1]]


def _on_scale(scale: Scale) -> list[int | float]:
    ends = (scale.low, scale.low + (scale.high - scale.low) / 2, scale.high)
    return [_number(end) for end in ends if Fraction(str(_number(end))) == end] or [0]


def _number(written: str | Fraction) -> int | float:
    """A whole number, or the nearest double."""
    exact = Fraction(written)
    if exact.denominator == 1:
        return int(exact)
    return float(exact)
