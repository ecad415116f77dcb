"""Certificates that were tampered with: every part of a sound one altered.

What is not tried, because it says the same: questions and groups in another order,
members of an object in another order, an epsilon written as another text of the same
number.
"""

import json
import math
from itertools import product

from certified_designs import checker

UNORDERED = ("questions", "groups")
_SECOND = "\0"
"""Stands for the name of a member that is to come twice."""


def forgeries(certificate):
    """(where and what, the certificate with one part altered)."""
    yield from (
        (f"{path}: {what}", altered)
        for path, what, altered in _altered(certificate, "")
    )


def doubled(certificate):
    """(where, the text of the certificate with one member twice)."""
    for path, name, text in _doubled(certificate, ""):
        yield (
            f"{path}: {name} twice",
            text.replace(json.dumps(_SECOND), json.dumps(name)),
        )


def mixtures(first, second):
    """Every certificate with some parts of one and some of the other, and neither as it
    is.
    """
    parts = list(_differing(first, second))
    for chosen in product((False, True), repeat=len(parts)):
        if len(set(chosen)) == 2:
            mixed = json.loads(json.dumps(first))
            for (holder, name), other in zip(parts, chosen, strict=True):
                if other:
                    _at(mixed, holder)[name] = _at(second, holder)[name]
            yield (
                [name for (_, name), other in zip(parts, chosen, strict=True) if other],
                mixed,
            )


def refingerprinted(certificate):
    """The certificate with fingerprints and terms that fit what it says.

    Those of the checker, which knows how.
    """
    record = json.loads(json.dumps(certificate))
    of = {}
    for question in record["questions"]:
        of[question["name"]] = checker.fingerprint_of(record, question)
        question["fingerprint"] = of[question["name"]].hex()
    for group in record["groups"]:
        group["fingerprint"] = checker.digest(
            "ldp-joint-1", *(of[name] for name in group["questions"])
        ).hex()
    groups = (bytes.fromhex(group["fingerprint"]) for group in record["groups"])
    whole = checker.digest(
        "ldp-survey-1", record["survey"], *sorted(of.values()), *sorted(groups)
    )
    charges = sorted(
        f"{question['name']}={question['charges']}" for question in record["questions"]
    )
    terms = checker.digest(
        "ldp-terms-1", whole, record["lifetime_epsilon"] or "", *charges
    )
    return {**record, "fingerprint": whole.hex(), "terms": terms.hex()}


def findings(certificate):
    """Why the checker refuses a certificate, or its text; nothing if it accepts it."""
    text = certificate if isinstance(certificate, str) else json.dumps(certificate)
    try:
        lines, sound = checker.verdicts(checker.read(text))
    except checker.UNUSABLE as error:
        return [repr(error)]
    return [] if sound else lines


def _altered(part, path):
    for what, other in _replaced(part, path):
        if other is not part and (type(other) is not type(part) or other != part):
            yield path, what, other
    if isinstance(part, dict):
        for name, inner in part.items():
            for where, what, other in _altered(inner, f"{path}.{name}"):
                yield where, what, {**part, name: other}
    if isinstance(part, list):
        for place in _places(part):
            for where, what, other in _altered(part[place], f"{path}[{place}]"):
                yield where, what, [*part[:place], other, *part[place + 1 :]]


def _replaced(part, path):
    yield "nothing", None
    if isinstance(part, dict):
        yield from (
            ("without " + name, {key: part[key] for key in part if key != name})
            for name in part
        )
        yield "one more", {**part, "more": "1"}
        yield "a list", [part]
    elif isinstance(part, list):
        yield from (
            ("one less", [*part[:place], *part[place + 1 :]]) for place in _places(part)
        )
        yield from (
            ("one twice", [*part[:place], part[place], *part[place:]])
            for place in _places(part)
        )
        yield from (("none", []), ("a text", "x"), ("an object", {}))
        if path.rpartition(".")[2] not in UNORDERED:
            yield "in reverse", part[::-1]
    elif isinstance(part, bool):
        yield from (("the opposite", not part), ("a number", int(part)))
    elif isinstance(part, int):
        yield from (("another", part + step) for step in (-1, 1, 10**6, -part))
        yield from (
            ("a text", str(part)),
            ("a float", float(part)),
            ("a truth", bool(part)),
        )
    elif isinstance(part, float):
        yield from (("close by", math.nextafter(part, end)) for end in (0, math.inf))
        yield from (("near", part * factor) for factor in (1 - 1e-9, 1 + 1e-9, 0.5, -1))
        yield from (
            ("no number", other)
            for other in (math.nan, math.inf, str(part), 0.0, 1, True)
        )
    elif isinstance(part, str):
        yield from (("another", other) for other in _texts(part))
    else:
        yield from (
            ("something", other)
            for other in (0, 1, 0.5, False, "", "1", "ln(3)", [], {})
        )


def _texts(text):
    """Other texts, numbers in particular."""
    yield from (
        "",
        text + "x",
        "x" + text[1:],
        text[:-1],
        text.swapcase(),
        " " + text,
        text + "\n",
        "0" + text,
    )
    yield from (
        7,
        7.0,
        [text],
        "nan",
        "inf",
        "-1",
        "0",
        "1",
        "1000",
        "0.00005",
        "1e9",
        "ln(1000001/1000000)",
    )
    if text.isdigit():
        yield from (str(int(text) + step) for step in (-1, 1, 2**63, 7_000_000_000))
        yield from (
            str(int(text) * 2),
            str(int(text) // 2),
            f"+{text}",
            f"{text}.0",
            f"{text}/1",
            int(text),
        )
    top, _, bottom = text.partition("/")
    if top.isdigit() and bottom.isdigit():
        yield from (
            f"{int(top) + 1}/{bottom}",
            f"{int(top) * 2}/{int(bottom) * 2}",
            f"{top}/{int(bottom) + 1}",
        )


def _places(part):
    """Some places of a list: all of a short one."""
    return range(len(part)) if len(part) <= 4 else (0, 1, len(part) // 2, len(part) - 1)


def _doubled(part, path):
    if isinstance(part, dict):
        for name, inner in part.items():
            yield path, name, json.dumps({**part, _SECOND: inner})
            for where, what, text in _doubled(inner, f"{path}.{name}"):
                yield where, what, _with(part, name, text)
    if isinstance(part, list):
        for place in _places(part):
            for where, what, text in _doubled(part[place], f"{path}[{place}]"):
                yield (
                    where,
                    what,
                    _with(dict(enumerate(part)), place, text, brackets="[]"),
                )


def _with(members, name, text, brackets="{}"):
    """The JSON of an object, or of a list, one of whose parts is a text already."""
    parts = [
        ("" if brackets == "[]" else f"{json.dumps(key)}: ")
        + (text if key == name else json.dumps(inner))
        for key, inner in members.items()
    ]
    return brackets[0] + ", ".join(parts) + brackets[1]


def _differing(first, second):
    """The parts of survey and first question that differ: the way to the object, and
    the name.
    """
    for holder in ((), ("questions", 0)):
        one, other = _at(first, holder), _at(second, holder)
        yield from (
            (holder, name)
            for name in one
            if name != "questions" and one[name] != other[name]
        )


def _at(certificate, holder):
    for name in holder:
        certificate = certificate[name]
    return certificate
