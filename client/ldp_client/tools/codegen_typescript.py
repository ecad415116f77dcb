"""A survey as a typed TypeScript module, so that a wrong value fails in the editor.

It has one function for each question (and another one that records daily where that can
be), and the survey itself, in its compiled form and with the parts of `ldpkit-client`
that it needs: a bundler leaves out all others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import cast

from ldp.answers.domain import Domain
from ldp.survey.compiled import compile_survey
from ldp.survey.survey import Envelope, Group, Survey
from ldp_client.tools.codegen import MOST_LITERALS, is_daily

_CLIENT = "ldpkit-client"
_READERS = {
    **dict.fromkeys(("boolean", "category", "integer", "text"), "choices"),
    **dict.fromkeys(("table", "place"), "tables"),
    "number": "numbers",
    "vector": "vectors",
    "multi": "sets",
    "key-value": "pairs",
}
"""What reads the answers of each type."""

_PLAIN_TYPES = {
    "boolean": "boolean",
    "integer": "number | bigint",
    "number": "number | bigint",
    "vector": "Vector",
}
"""Of answers that are told by no list of values."""


_INTERFACE_DAILY = """\
/** A client that records the answer to a question at most once a day. */
interface RecordingDaily<Outcome> {
  recordDaily(name: string, answer: Answer): Outcome;
}"""


def module(survey: Survey) -> str:
    """The source of the module.

    Questions whose names look alike as names of TypeScript are told apart by numbers.
    """
    envelopes = survey.envelopes
    repeated = [envelope.name for envelope in envelopes if is_daily(envelope)]
    # Those of all questions come first, so that a name depends on no other question's
    # kind.
    wanted = [envelope.name for envelope in envelopes] + [
        f"{name}-daily" for name in repeated
    ]
    names = iter(_unlike(_identifier(f"record-{name}") for name in wanted))
    once = [next(names) for _ in envelopes]
    daily = dict(zip(repeated, names, strict=True))
    functions = [
        function
        for name, envelope in zip(once, envelopes, strict=True)
        for function in _functions(name, envelope, daily.get(envelope.name))
    ]
    return "\n\n".join([*_head(survey, "".join(functions)), *functions]) + "\n"


def _head(survey: Survey, functions: str) -> list[str]:
    readers = sorted(
        {reader for question in survey for reader in _readers(question.domain)}
    )
    mechanisms = sorted({_identifier(question.mechanism) for question in survey})
    types = [
        "type Answer",
        *(["type Vector"] if "Vector" in functions else []),
        "embeddedSurvey",
    ]
    answers = [reader for reader in readers if reader != "records"]
    parts = [
        f"mechanisms: [{', '.join(mechanisms)}]",
        f"answers: [{', '.join(answers)}]",
    ]
    parts += [reader for reader in readers if reader == "records"]
    text = json.dumps(_client_form(survey), ensure_ascii=False, indent=2)
    by_group = [
        "/** A client that records the answers to all questions of a group. */",
        "interface RecordingTogether<Outcome> {",
        "  recordTogether(answers: Readonly<Record<string, Answer>>): Outcome;",
        "}",
    ]
    return [
        f"// Typed answers to the survey {survey.name}. Written by `ldp client codegen "
        "--language typescript`: change the survey, not this file.",
        f"import {{ {', '.join(types)} }} from {_quote(_CLIENT)};\n"
        f"import {{ {', '.join(readers)} }} from {_quote(f'{_CLIENT}/answers')};\n"
        f"import {{ {', '.join(mechanisms)} }} from {_quote(f'{_CLIENT}/mechanisms')};",
        (
            "/** What a respondent agrees to. */\nexport const TERMS = "
            f"{_quote(survey.terms.hex())};"
        ),
        "/** The survey, for `new Client(survey)`. */\n"
        f"export const survey = /* @__PURE__ */ embeddedSurvey({text}, {{ "
        f"{', '.join(parts)} }});",
        *([_attributes(survey)] if survey.attributes else []),
        "/** A client that records the answer to a question. */\n"
        "interface Recording<Outcome> {\n"
        "  record(name: string, answer: Answer): Outcome;\n"
        "}",
        *([_INTERFACE_DAILY] if any(map(is_daily, survey.envelopes)) else []),
        *(["\n".join(by_group)] if survey.groups else []),
    ]


def _attributes(survey: Survey) -> str:
    """The type of what reports say openly of a device."""
    lines = [
        (
            f"  readonly {_quote(attribute.name)}?: "
            f"{' | '.join(map(_quote, attribute.values))};\n"
        )
        for attribute in survey.attributes
    ]
    return (
        "/** What reports say openly of a device, for the option `attributes` of a "
        "client. */\n"
        f"export interface Attributes {{\n{''.join(lines)}}}"
    )


def _client_form(survey: Survey) -> dict[str, object]:
    """The compiled form, without what clients make no use of."""
    form = compile_survey(survey)
    lifetime = None
    if survey.lifetime is not None:
        lifetime = {"epsilon": survey.lifetime.text}
    questions = cast(list[dict[str, object]], form["questions"])
    shorter = [
        {name: part for name, part in own.items() if name != "levels"}
        for own in questions
    ]
    return {**form, "lifetime": lifetime, "questions": shorter}


def _readers(domain: Domain) -> set[str]:
    fields = {_READERS[field.domain.type] for field in domain.fields}
    return {_READERS[domain.type], *fields, *(["records"] if domain.per_device else [])}


def _functions(name: str, envelope: Envelope, daily: str | None) -> list[str]:
    if isinstance(envelope, Group):
        return [_joint(name, envelope)]
    text = envelope.text or envelope.name
    parameter = f"answer: {_type(envelope.domain)}"
    named = _quote(envelope.name)
    functions = [
        _recording(
            name,
            text,
            "Recording<Outcome>",
            parameter=parameter,
            call=f"record({named}, answer)",
        )
    ]
    if daily is not None:
        functions.append(
            _recording(
                daily,
                f"{text} (Once a day: the first answer counts.)",
                "RecordingDaily<Outcome>",
                parameter=parameter,
                call=f"recordDaily({named}, answer)",
            )
        )
    return functions


def _joint(name: str, group: Group) -> str:
    texts = (question.text or question.name for question in group.members)
    answers = {question.name: _type(question.domain) for question in group.members}
    return _recording(
        name,
        "; ".join(texts),
        client="RecordingTogether<Outcome>",
        parameter=f"answers: {_object(answers)}",
        call="recordTogether(answers)",
    )


def _recording(name: str, text: str, client: str, parameter: str, call: str) -> str:
    comment = " ".join(text.split()).replace("*/", "*\\/")
    return (
        f"/** {comment} */\n"
        f"export function {name}<Outcome>(client: {client}, {parameter}): Outcome {{\n"
        f"  return client.{call};\n"
        "}"
    )


def _type(domain: Domain) -> str:
    one = _type_of_record(domain)
    if domain.per_device:
        return f"readonly ({one})[]"
    return one


def _type_of_record(domain: Domain) -> str:
    if domain.fields:
        return _object(
            {field.name: _type_of_record(field.domain) for field in domain.fields}
        )
    if domain.type in _PLAIN_TYPES:
        return _PLAIN_TYPES[domain.type]
    one = "string"
    if domain.values is not None and len(domain.values) <= MOST_LITERALS:
        one = " | ".join(map(_quote, domain.values))
    if domain.key_scale is not None:
        number = "number | bigint"
        return (
            f"{{ readonly [Key in {one}]?: {number} }} | ReadonlyMap<{one}, {number}>"
        )
    if domain.most is None:
        return one
    return f"readonly ({one})[] | ReadonlySet<{one}>"


def _object(types: Mapping[str, str]) -> str:
    inside = "; ".join(
        f"readonly {_quote(name)}: {type_}" for name, type_ in types.items()
    )
    return f"{{ {inside} }}"


def _quote(text: str) -> str:
    # What JSON escapes, TypeScript reads in the same way.
    return json.dumps(text, ensure_ascii=False)


def _identifier(name: str) -> str:
    """A name in the manner of TypeScript: `pad-grr` as `padGrr`. No word of the
    language is one.
    """
    first, *others = re.split(r"\W+|_+", name)
    return first + "".join(f"{word[:1].upper()}{word[1:]}" for word in others)


def _unlike(names: Iterable[str]) -> list[str]:
    """Names that are all different, in the order of these."""
    different: list[str] = []
    for name in names:
        unique, number = name, 2
        while unique in different:
            unique = f"{name}{number}"
            number += 1
        different.append(unique)
    return different
