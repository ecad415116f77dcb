"""How people write designs and counts: `warner p=.7`, `forced yes=1/6 no=1/6`,
`yes=13,no=17`.

The first word names a row of a table; the others are its parameters, with commas
between the numbers of several samples. Whatever is not known is answered with what is.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ldp.errors import EstimateError, UnknownNameError
from ldp.numbers.exact import fraction

SAME_AS = {"true": "yes", "false": "no", "same": "yes", "different": "no"}
"""Other words for the answers yes and no, where a design has these."""

_LONGEST_COUNT = 15


class Parameter(NamedTuple):
    """A number that a design takes, or a list of `least` to `most` of them."""

    meaning: str
    least: int = 1
    most: int = 1
    default: str | None = None
    """What it is where it is left out; None if it may not be, and nothing for no
    number.
    """
    whole: bool = False
    is_chance: bool = True


_LABEL = Parameter("the chance of this answer")


def split(text: str, names: Collection[str]) -> tuple[str, list[str]]:
    """Return the name of a design, one of these, and its further words.

    Raises `EstimateError`, and `UnknownNameError` for another name.
    """
    try:
        name, *rest = shlex.split(text)
    except ValueError:
        raise EstimateError(
            f"expected a design such as 'warner p=.7', got {text!r}; designs are "
            f"{', '.join(names)}"
        ) from None
    if name not in names:
        raise UnknownNameError(name, names, "a design")
    return name, rest


def parameters(
    name: str,
    known: Mapping[str, Parameter],
    words: Sequence[str],
    *,
    labels: bool = False,
) -> dict[str, Any]:
    """Return the numbers of a design, by name; names of answers are parameters too if
    `labels`.

    Raises `EstimateError` and `UnknownNameError`.
    """
    usage = _usage(name, known, labels=labels)
    given: dict[str, Any] = {}
    for word in words:
        key, _, value = word.partition("=")
        if labels:
            key = SAME_AS.get(key, key)
        if not value:
            raise EstimateError(f"design {name}: expected {usage!r}, got {word!r}")
        if key in given:
            raise EstimateError(f"design {name}: expected {key} once, got it twice")
        if key not in known and not labels:
            raise UnknownNameError(key, tuple(known), f"a parameter of {usage!r}")
        given[key] = _read(f"design {name}, {key}", known.get(key, _LABEL), value)
    for key, parameter in known.items():
        if key in given:
            continue
        if parameter.default is None:
            raise EstimateError(
                f"design {name}: expected {key}=..., {parameter.meaning}, as in "
                f"{usage!r}"
            )
        given[key] = None
        if parameter.default:
            given[key] = _read(f"design {name}, {key}", parameter, parameter.default)
    return given


def _read(
    place: str, parameter: Parameter, value: str
) -> int | Fraction | tuple[Fraction, ...]:
    try:
        numbers = tuple(map(fraction, value.split(",")))
    except ValueError as error:
        raise EstimateError(f"{place}: {error}, got {value!r}") from None
    least, most = parameter.least, parameter.most
    if not least <= len(numbers) <= most:
        count = str(least) if least == most else f"{least} to {most}"
        raise EstimateError(
            f"{place}: expected {parameter.meaning}: as many numbers as {count}, got "
            f"{value!r}"
        )
    if parameter.whole:
        if numbers[0].denominator != 1 or numbers[0] < 0:
            raise EstimateError(f"{place}: expected a whole number, got {value!r}")
        return int(numbers[0])
    if parameter.is_chance and not all(0 <= number <= 1 for number in numbers):
        raise EstimateError(f"{place}: expected chances from 0 to 1, got {value!r}")
    if most == 1:
        return numbers[0]
    return numbers


def _usage(name: str, known: Mapping[str, Parameter], *, labels: bool) -> str:
    """A design as it may be written."""
    words = [
        f"{key}={','.join(['...'] * parameter.least)}"
        for key, parameter in known.items()
    ]
    if labels and not words:
        words = ["yes=...", "no=..."]
    return " ".join([name, *words])


def counts_of(text: str) -> dict[str, int]:
    """Return counts by answer, of a text such as `yes=13,no=17`. Raises
    `EstimateError`.
    """
    counts: dict[str, int] = {}
    for part in text.split(","):
        answer, _, number = part.rpartition("=")
        answer, number = answer.strip(), number.strip()
        if not answer or not (
            number.isascii() and number.isdigit() and len(number) <= _LONGEST_COUNT
        ):
            raise EstimateError(
                f"expected counts such as yes=13,no=17, got {part.strip()!r}"
            )
        if answer in counts:
            raise EstimateError(f"expected each answer once, got {answer!r} twice")
        counts[answer] = int(number)
    return counts


def counts_in_order(counts: Mapping[str, int], answers: Sequence[str]) -> list[int]:
    """Return counts in the order of the answers. Raises `UnknownNameError` for other
    answers.
    """
    named: dict[str, int] = {}
    for answer, count in counts.items():
        known = answer if answer in answers else SAME_AS.get(answer, answer)
        if known not in answers:
            raise UnknownNameError(answer, answers, "an answer")
        named[known] = named.get(known, 0) + count
    return [named.get(answer, 0) for answer in answers]
