"""A survey as a typed Python module, so that a wrong value fails in the editor.

It has one function for each question, and another one that records daily where that can
be.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable

from ldp.answers.domain import Domain
from ldp.survey.survey import Envelope, Group, Question, Survey

MOST_LITERALS = 200
"""Values up to here become a literal type; an editor gains nothing from more."""


def module(survey: Survey) -> str:
    """The source of the module.

    Questions whose names look alike as Python names are told apart by numbers.
    """
    envelopes = survey.envelopes
    repeated = [question for question in envelopes if is_daily(question)]
    # Those of all questions come first, so that a name depends on no other question's
    # kind.
    names = iter(
        _names(
            [
                *_envelope_names(envelopes),
                *(f"{name}-daily" for name in _envelope_names(repeated)),
            ]
        )
    )
    once = [next(names) for _ in envelopes]
    daily = dict(zip(_envelope_names(repeated), names, strict=True))
    functions = [
        function
        for name, envelope in zip(once, envelopes, strict=True)
        for function in _functions(name, envelope, daily.get(envelope.name))
    ]
    head = [
        f'"""Typed answers to the survey {survey.name}. '
        'Written by `ldp client codegen`: change the survey, not this file."""',
        "from __future__ import annotations",
        "\n".join(_imports(survey)),
        f"TERMS = {_quote(survey.terms.hex())}\n"
        '"""What a respondent agrees to: pin it with `EmbeddedClient(..., '
        'pins=[TERMS])`."""',
    ]
    said = []
    if survey.attributes:
        said = [_attributes(survey)]
    return "\n\n".join(head) + "\n\n\n" + "\n\n\n".join([*said, *functions]) + "\n"


def _attributes(survey: Survey) -> str:
    """A function that gives what reports say openly of a device."""
    names = [attribute.name for attribute in survey.attributes]
    plain = _names(names)
    parameters = ", ".join(
        (
            f"{parameter}: Literal[{', '.join(map(_quote, attribute.values))}] | None "
            "= None"
        )
        for parameter, attribute in zip(plain, survey.attributes, strict=True)
    )
    pairs = ", ".join(
        f"{_quote(name)}: {parameter}"
        for name, parameter in zip(names, plain, strict=True)
    )
    return (
        f"def attributes(*, {parameters}) -> dict[str, str]:\n"
        '    """What reports say openly of this device: '
        'for `EmbeddedClient(..., attributes=attributes(...))`."""\n'
        f"    said = {{{pairs}}}\n"
        "    return {name: value for name, value in said.items() if value is not None}"
    )


def _imports(survey: Survey) -> list[str]:
    types = "".join(
        _type(domain) for question in survey for domain in _domains(question.domain)
    )
    lines = []
    names = ("Collection", "Mapping", "Sequence")
    collections = [name for name in names if f"{name}[" in types]
    if collections:
        lines.append(f"from collections.abc import {', '.join(collections)}")
    if "Literal[" in types or survey.attributes:
        lines.append("from typing import Literal")
    if lines:
        lines.append("")
    return [*lines, "from ldp_client import EmbeddedClient, RecordOutcome"]


def _domains(domain: Domain) -> tuple[Domain, ...]:
    """Return the domains of the fields, or the domain itself."""
    return tuple(field.domain for field in domain.fields) or (domain,)


def is_daily(envelope: Envelope) -> bool:
    """Whether a question may be recorded daily."""
    return isinstance(envelope, Question) and envelope.memoizes


def _envelope_names(envelopes: Iterable[Envelope]) -> list[str]:
    return [envelope.name for envelope in envelopes]


def _functions(name: str, envelope: Envelope, daily: str | None) -> list[str]:
    if isinstance(envelope, Group):
        return [_joint(name, envelope)]
    functions = [_single(name, envelope, method="record")]
    if daily is not None:
        functions.append(_single(daily, envelope, method="record_daily"))
    return functions


def _single(name: str, question: Question, method: str) -> str:
    text = question.text or question.name
    if method == "record_daily":
        text = f"{text} (Once a day: the first answer counts.)"
    if question.domain.fields:
        return _table(name, question, text, method=method)
    return (
        f"def record_{name}(client: EmbeddedClient, value: {_type(question.domain)})"
        " -> RecordOutcome:\n"
        f"    {_text(text)}\n"
        f"    return client.{method}({_quote(question.name)}, value)"
    )


def _table(name: str, question: Question, text: str, *, method: str) -> str:
    fields = question.domain.fields
    parameters, answers = _by_name(
        (field.name, _type(field.domain)) for field in fields
    )
    return (
        f"def record_{name}(client: EmbeddedClient, *, {parameters}) -> "
        "RecordOutcome:\n"
        f"    {_text(text)}\n"
        f"    return client.{method}({_quote(question.name)}, {answers})"
    )


def _joint(name: str, group: Group) -> str:
    parameters, answers = _by_name(
        (question.name, _type(question.domain)) for question in group.members
    )
    return (
        f"def record_{name}(client: EmbeddedClient, *, {parameters}) -> "
        "RecordOutcome:\n"
        "    "
        f"{_text('; '.join(question.text or question.name for question in group.members))}\n"
        f"    return client.record_together({answers})"
    )


def _by_name(parts: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Parameters with their types, and the dict of what they get; of names and
    types.
    """
    names, types = zip(*parts, strict=True)
    named = list(zip(_names(list(names)), names, types, strict=True))
    parameters = ", ".join(f"{parameter}: {type_}" for parameter, _, type_ in named)
    answers = ", ".join(f"{_quote(name)}: {parameter}" for parameter, name, _ in named)
    return parameters, f"{{{answers}}}"


_PLAIN_TYPES = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "vector": "Sequence[float]",
}
"""Of answers that are told by no list of values."""


def _type(domain: Domain) -> str:
    one = _type_of_record(domain)
    if domain.per_device:
        return f"Sequence[{one}]"
    return one


def _type_of_record(domain: Domain) -> str:
    if domain.type in _PLAIN_TYPES:
        return _PLAIN_TYPES[domain.type]
    one = "str"
    if domain.values is not None and len(domain.values) <= MOST_LITERALS:
        one = f"Literal[{', '.join(map(_quote, domain.values))}]"
    if domain.key_scale is not None:
        return f"Mapping[{one}, float]"
    if domain.most is None:
        return one
    return f"Collection[{one}]"


def _text(text: str) -> str:
    """A docstring of any text, quotes and backslashes included."""
    plain = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{plain}"""'


def _quote(text: str) -> str:
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
