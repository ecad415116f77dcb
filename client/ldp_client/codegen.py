"""A survey as a typed Python module, so that a wrong value fails in the editor.

It has one function for each question.
"""

from __future__ import annotations

import json
import keyword
import re

from ldp.survey import Group, Question, Survey

MOST_LITERALS = 200
"""Values up to here become a literal type; an editor gains nothing from more."""


def module(survey: Survey) -> str:
    """The source of the module.

    Questions whose names look alike as Python names are told apart by numbers.
    """
    names = _names([envelope.name for envelope in survey.envelopes])
    functions = [
        _joint(name, envelope) if isinstance(envelope, Group) else _single(name, envelope)
        for name, envelope in zip(names, survey.envelopes, strict=True)
    ]
    head = [
        f'"""Typed answers to the survey {survey.name}. '
        'Written by `ldp codegen`: change the survey, not this file."""',
        "from __future__ import annotations",
        "\n".join(_imports(survey)),
        f"TERMS = {_quoted(survey.terms.hex())}\n"
        '"""What a respondent agrees to: pin it with `EmbeddedClient(..., pins=[TERMS])`."""',
    ]
    return "\n\n".join(head) + "\n\n\n" + "\n\n\n".join(functions) + "\n"


def _imports(survey: Survey) -> list[str]:
    types = "".join(_type(question) for question in survey)
    lines = []
    collections = [name for name in ("Collection", "Sequence") if f"{name}[" in types]
    if collections:
        lines.append(f"from collections.abc import {', '.join(collections)}")
    if "Literal[" in types:
        lines.append("from typing import Literal")
    if lines:
        lines.append("")
    return [*lines, "from ldp_client import EmbeddedClient"]


def _single(name: str, question: Question) -> str:
    return (
        f"def record_{name}(client: EmbeddedClient, value: {_type(question)}) -> bool:\n"
        f"    {_text(question.text or question.name)}\n"
        f"    return client.record({_quoted(question.name)}, value)"
    )


def _joint(name: str, group: Group) -> str:
    names = _names([question.name for question in group.members])
    named = list(zip(names, group.members, strict=True))
    parameters = ", ".join(f"{parameter}: {_type(question)}" for parameter, question in named)
    answers = ", ".join(f"{_quoted(question.name)}: {parameter}" for parameter, question in named)
    return (
        f"def record_{name}(client: EmbeddedClient, *, {parameters}) -> bool:\n"
        f"    {_text('; '.join(question.text or question.name for question in group.members))}\n"
        f"    return client.record_together({{{answers}}})"
    )


_PLAIN_TYPES = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "vector": "Sequence[float]",
}
"""Of answers that are told by no list of values."""


def _type(question: Question) -> str:
    one = _type_of_record(question)
    return f"Sequence[{one}]" if question.domain.per_device else one


def _type_of_record(question: Question) -> str:
    domain = question.domain
    if domain.type in _PLAIN_TYPES:
        return _PLAIN_TYPES[domain.type]
    one = "str"
    if domain.values is not None and len(domain.values) <= MOST_LITERALS:
        one = f"Literal[{', '.join(map(_quoted, domain.values))}]"
    return one if domain.most is None else f"Collection[{one}]"


def _text(text: str) -> str:
    """A docstring of any text, quotes and backslashes included."""
    plain = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{plain}"""'


def _quoted(text: str) -> str:
    # What JSON escapes, Python reads in the same way.
    return json.dumps(text, ensure_ascii=False)


def _names(names: list[str]) -> list[str]:
    """Names that Python takes, all different, in the order of these."""
    identifiers: list[str] = []
    for name in names:
        plain = re.sub(r"\W", "_", name.lower())
        if plain[0].isdigit():
            plain = f"question_{plain}"
        elif keyword.iskeyword(plain):
            plain = f"{plain}_"
        number = 2
        unique = plain
        while unique in identifiers or unique == "client":
            unique = f"{plain}_{number}"
            number += 1
        identifiers.append(unique)
    return identifiers
