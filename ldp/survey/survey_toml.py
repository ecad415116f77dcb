"""Surveys as the text of a survey file, which parses to an equal survey.

    table      what the reader of survey files reads: `{"survey": {...}, "question": [{...}, ...]}`
    text       the table as TOML: a header for each table, then a line for each key; a list that
               does not fit into a line has one for each of its items

Numbers that TOML has no form for (fractions, decimals) are written as texts, which the reader takes
as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ldp.numbers.epochs import UNITS
from ldp.numbers.exact import decimal_text

if TYPE_CHECKING:
    from ldp.answers.scales import Scale
    from ldp.survey.attributes import Attribute
    from ldp.survey.survey import Question, Survey

_LONGEST_LINE = 100
_MOST_BITS = 10_000
"""Python writes no decimals of integers that are longer."""

_ESCAPES = {number: f"\\u{number:04x}" for number in (*range(32), 127)}
_ESCAPES |= str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def survey_table(survey: Survey) -> dict[str, object]:
    """What the file of a survey says, ready to be read.

    Raises `ValueError` for a question that was made without its keys.
    """
    head: dict[str, object] = {"name": survey.name}
    if survey.groups:
        head["joint"] = [[question.name for question in group.members] for group in survey.groups]
    if survey.lifetime is not None:
        head["lifetime_epsilon"] = survey.lifetime.text
    if survey.epoch is not None:
        head["epoch"] = _length(survey.epoch)
        head["grace"] = _length(survey.grace)
    draws = []
    for draw in survey.draws:
        how = {"weights": list(draw.weights)} if draw.answers == 1 else {"answers": draw.answers}
        draws.append({"questions": list(draw.names), **how})
    between: dict[str, object] = {"draw": draws} if draws else {}
    if survey.attributes:
        head["least_group"] = survey.least_group
        between["attribute"] = list(map(_attribute_table, survey.attributes))
    return {
        "survey": head,
        **between,
        "question": [question_table(question) for question in survey],
    }


def _attribute_table(attribute: Attribute) -> dict[str, object]:
    table: dict[str, object] = {"name": attribute.name, "values": list(attribute.values)}
    if attribute.questions:
        table["questions"] = list(attribute.questions)
    return table


def question_table(question: Question) -> dict[str, object]:
    """What the file of its survey says about a question. Raises `ValueError` as above."""
    if question.keys is None:
        raise ValueError(
            f"question {question.name!r}: expected one that was read from a survey file, or made "
            "by ldp.question, got one without the keys of its mechanism"
        )
    domain = question.domain
    table: dict[str, object] = {"name": question.name}
    if question.text:
        table["text"] = question.text
    table["type"] = domain.type
    if domain.numbers is not None:
        table |= {"low": domain.numbers[0], "high": domain.numbers[-1]}
    elif domain.scale is not None and "edges" not in question.keys:
        table |= _ends(domain.scale)
    elif domain.key_scale is not None:
        table |= {"keys": list(domain.values or ()), **_ends(domain.key_scale)}
    elif domain.ball is not None:
        table |= {
            "dimensions": domain.ball.dimensions,
            "radius": decimal_text(domain.ball.radius),
        }
    elif domain.type in ("category", "multi"):
        table["values"] = list(domain.values or ())
    if domain.most is not None:
        table["most"] = domain.most
    if question.candidates is not None:
        table["candidates"] = question.candidates
    return {**table, **question.keys}


def _ends(scale: Scale) -> dict[str, object]:
    return {"low": decimal_text(scale.low), "high": decimal_text(scale.high)}


def toml_text(table: Mapping[str, object]) -> str:
    """The text of a survey file that says what a survey's table does."""
    parts = []
    for name, content in table.items():
        if isinstance(content, list):
            parts += [[f"[[{name}]]", *_lines(part)] for part in content]
        elif isinstance(content, dict):
            parts.append([f"[{name}]", *_lines(content)])
    return "\n\n".join(map("\n".join, parts)) + "\n"


def _lines(table: Mapping[str, object]) -> Iterator[str]:
    """A line for each key, or more where it holds a long list."""
    for key, value in table.items():
        name = key if _is_bare(key) else _quoted(key)
        line = f"{name} = {_written(value)}"
        if len(line) <= _LONGEST_LINE or not isinstance(value, list):
            yield line
            continue
        yield f"{name} = ["
        yield from (f"    {_written(item)}," for item in value)
        yield "]"


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return format(value, "#x" if value.bit_length() > _MOST_BITS else "d")
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_quoted(key)} = {_written(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return _quoted(str(value))


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _is_bare(key: str) -> bool:
    return key.isascii() and key.replace("-", "_").isidentifier()


def _length(seconds: int) -> str:
    """A length of time in the longest unit that it is a multiple of."""
    unit, most = max(
        ((unit, size) for unit, size in UNITS.items() if seconds % size == 0),
        key=lambda pair: pair[1],
    )
    return f"{seconds // most}{unit}"
