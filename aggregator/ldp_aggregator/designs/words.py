"""How people write designs and counts: `warner p=.7`, `forced yes=1/6 no=1/6`, `yes=13,no=17`.

The first word is a row of the table, or `matrix` with a file; the others are its parameters, with
commas between the numbers of several samples. Whatever is not known is answered with what is.
"""

from __future__ import annotations

import csv
import shlex
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from ldp.errors import EstimateError, UnknownNameError
from ldp.exact import fraction
from ldp_aggregator.designs.law import Arm, Law, closed
from ldp_aggregator.designs.table import ROWS, Parameter, Row

MATRIX = "matrix"
_MOST_BYTES = 1 << 20
_SAME_AS = {"true": "yes", "false": "no", "same": "yes", "different": "no"}
"""Other words for the answers yes and no, where a design has these."""


def split(text: str) -> tuple[str, list[str]]:
    """Return the name of a design and its further words. Raises `EstimateError`."""
    try:
        name, *rest = shlex.split(text)
    except ValueError:
        raise EstimateError(
            f"expected a design such as 'warner p=.7', got {text!r}; designs are "
            f"{', '.join((*ROWS, MATRIX))}"
        ) from None
    if name not in ROWS and name != MATRIX:
        raise UnknownNameError(name, (*ROWS, MATRIX), "a design")
    return name, rest


def parameters(name: str, words: Sequence[str]) -> dict[str, object]:
    """Return the numbers of a row, by name. Raises `EstimateError` and `UnknownNameError`."""
    row = ROWS[name]
    given: dict[str, object] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if row.labels:
            key = _SAME_AS.get(key, key)
        if not equals or not value:
            raise EstimateError(f"design {name}: expected {usage(name)}, got {word!r}")
        if key in given:
            raise EstimateError(f"design {name}: expected {key} once, got it twice")
        if key in row.parameters:
            given[key] = _read(name, key, row.parameters[key], value=value)
        elif row.labels:
            given[key] = _read(name, key, Parameter("a chance"), value=value)
        else:
            raise UnknownNameError(key, tuple(row.parameters), f"a parameter of {name}")
    for key, parameter in row.parameters.items():
        if key not in given:
            given[key] = _default(name, key, parameter)
    return given


def _default(name: str, key: str, parameter: Parameter) -> object:
    if parameter.default is None:
        raise EstimateError(
            f"design {name}: expected {key}=..., {parameter.meaning}, as in {usage(name)!r}"
        )
    return _read(name, key, parameter, value=parameter.default) if parameter.default else None


def _read(name: str, key: str, parameter: Parameter, value: str) -> object:
    try:
        numbers = tuple(map(fraction, value.split(",")))
    except ValueError as error:
        raise EstimateError(f"design {name}, {key}: {error}, got {value!r}") from None
    least, most = parameter.least, parameter.most
    if not least <= len(numbers) <= most:
        count = str(least) if least == most else f"{least} to {most}"
        raise EstimateError(
            f"design {name}, {key}: expected {count} numbers with commas between them "
            f"({parameter.meaning}), got {value!r}"
        )
    if parameter.whole:
        if numbers[0].denominator != 1 or numbers[0] < 0:
            raise EstimateError(f"design {name}, {key}: expected a whole number, got {value!r}")
        return int(numbers[0])
    if not all(0 <= number <= 1 for number in numbers):
        raise EstimateError(
            f"design {name}, {key}: expected chances from 0 to 1, got {value!r}"
        )
    return numbers[0] if most == 1 else numbers


def usage(name: str) -> str:
    """Return a design as it may be written."""
    row: Row = ROWS[name]
    words = [
        f"{key}={','.join(['...'] * parameter.least)}" for key, parameter in row.parameters.items()
    ]
    if row.labels and not words:
        words = ["yes=...", "no=..."]
    return " ".join([name, *words])


def matrix_law(path: Path) -> Law:
    """Return the law in a CSV file: `type,yes,no`, a line for each type; `arm` may be a column.

    Raises `EstimateError`.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.DictReader(file.read(_MOST_BYTES).splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise EstimateError(f"matrix {path}: {error}") from None
    if not lines or None in lines[0] or "type" not in lines[0]:
        raise EstimateError(
            f"matrix {path}: expected CSV with the columns type and one for each answer, such as "
            "type,yes,no"
        )
    answers = [name for name in lines[0] if name not in ("type", "arm")]
    arms: dict[str, dict[str, tuple[Fraction, ...]]] = {}
    for number, line in enumerate(lines, 2):
        try:
            row = tuple(fraction(line[answer] or "") for answer in answers)
        except ValueError as error:
            raise EstimateError(f"matrix {path}, line {number}: {error}") from None
        if sum(row) != 1 or min(row) < 0:
            raise EstimateError(
                f"matrix {path}, line {number}: expected chances that sum to 1, got {sum(row)}"
            )
        arms.setdefault(line.get("arm") or "", {})[line["type"]] = row
    types = list(next(iter(arms.values())))
    if any(list(rows) != types for rows in arms.values()):
        raise EstimateError(f"matrix {path}: expected the same types in each arm")
    return closed(types, answers, [Arm(name, tuple(rows.values())) for name, rows in arms.items()])


def counts_of(text: str) -> dict[str, int]:
    """Return counts by answer, of a text such as `yes=13,no=17`. Raises `EstimateError`."""
    counts: dict[str, int] = {}
    for part in text.split(","):
        answer, _, number = part.rpartition("=")
        answer, number = answer.strip(), number.strip()
        if not answer or not (number.isascii() and number.isdigit() and len(number) < 16):
            raise EstimateError(f"expected counts such as yes=13,no=17, got {part.strip()!r}")
        if answer in counts:
            raise EstimateError(f"expected each answer once, got {answer!r} twice")
        counts[answer] = int(number)
    return counts


def placed(counts: Mapping[str, int], answers: Sequence[str]) -> list[int]:
    """Return counts in the order of the answers. Raises `UnknownNameError` for other answers."""
    named: dict[str, int] = {}
    for answer, count in counts.items():
        known = answer if answer in answers else _SAME_AS.get(answer, answer)
        if known not in answers:
            raise UnknownNameError(answer, answers, "an answer")
        named[known] = named.get(known, 0) + count
    return [named.get(answer, 0) for answer in answers]
