"""Margins: known shares of a population, from a file or a mapping, checked before they
are used.

A file is CSV with a line for each value:

    attribute,value,share
    sex,female,.51
    sex,male,.49
    age & sex,18 to 29 & female,.1

`count` in place of `share` gives numbers of people, which also say how many of them
answered. An attribute is public, or a field of the question; several joined by " & "
are known together. Each attribute's shares sum to 1, and each value that occurs in the
reports has one.

In Python a margin is a mapping: {"sex": {"female": .51, "male": .49}}.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ldp.answers.fields import AND
from ldp.errors import EstimateError
from ldp_aggregator.output.csv_rows import csv_rows
from ldp_aggregator.output.files import FileError, read_whole

SLACK = 0.005
"""How far rounded shares may be from adding up to 1; they are scaled to it."""
_HEADERS = (["attribute", "value", "share"], ["attribute", "value", "count"])

Margins = Mapping[str, Mapping[str, float]]
"""Shares (or counts) of the values of attributes, by name."""


class Margin(NamedTuple):
    """Margin: known shares of one attribute, or of several together."""

    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...]
    """They sum to 1."""
    people: float | None
    """How many there are in all, where counts say so."""

    @property
    def name(self) -> str:
        """Name as it is written in a file."""
        return AND.join(self.attributes)


def margins_of(given: str | os.PathLike[str] | Margins) -> tuple[Margin, ...]:
    """The margins in a file, or in a mapping. Raises `EstimateError` and
    `FileError`.
    """
    if isinstance(given, Mapping):
        listed = [(str(name), [*values.items()], 1) for name, values in given.items()]
        as_counts = {
            name: any(
                number > 1 for number in map(_number_or_nan, dict(values).values())
            )
            for name, values, _ in listed
        }
        return _agreeing(
            "margins",
            [
                _margin(f"margin {name!r}", name, values, of_people=as_counts[name])
                for name, values, _ in listed
            ],
        )
    return _from_file(Path(given))


def _agreeing(place: str, margins: Sequence[Margin]) -> tuple[Margin, ...]:
    """The margins, if all counts are of the same people. Raises `EstimateError`."""
    totals = [
        (margin.name, margin.people) for margin in margins if margin.people is not None
    ]
    for name, people in totals:
        first, expected = totals[0]
        if not math.isclose(people, expected, rel_tol=SLACK):
            raise EstimateError(
                f"{place}: expected counts of the same people in each margin, got "
                f"{expected:,.10g} in all by {first!r} and {people:,.10g} by {name!r}; "
                "count the same population, or give shares"
            )
    return tuple(margins)


def _from_file(path: Path) -> tuple[Margin, ...]:
    try:
        text = read_whole(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: expected UTF-8 text, got a stray byte at {error.start}"
        ) from None
    lines = [
        [cell.strip() for cell in line] for line in csv_rows(text, str(path)) if line
    ]
    header = []
    if lines:
        header = lines[0]
    if header not in _HEADERS:
        expected = " or ".join(",".join(names) for names in _HEADERS)
        raise FileError(
            f"{path}: expected the header {expected}, got {','.join(header) or 'none'}"
        )
    by_name: dict[str, list[tuple[str, float]]] = {}
    for number, line in enumerate(lines[1:], 2):
        if len(line) != 3:
            raise FileError(
                f"{path}: line {number}: expected three cells, got {len(line)}"
            )
        name, value, share = line
        by_name.setdefault(name, []).append(
            (value, _number(f"{path}: line {number}", share))
        )
    if not by_name:
        raise FileError(
            f"{path}: expected a line for each value of an attribute, got none"
        )
    of_people = header[2] == "count"
    return _agreeing(
        str(path),
        [
            _margin(f"{path}: attribute {name!r}", name, values, of_people=of_people)
            for name, values in by_name.items()
        ],
    )


def _number(place: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FileError(f"{place}: expected a number, got {text!r}") from None


def _number_or_nan(number: object) -> float:
    if isinstance(number, int | float):
        return float(number)
    return math.nan


def _margin(
    place: str, name: str, listed: Sequence[tuple[str, float]], *, of_people: bool
) -> Margin:
    """A margin whose shares are sound. Raises `EstimateError`."""
    attributes = tuple(part.strip() for part in name.split(AND.strip()))
    values = [
        tuple(part.strip() for part in str(value).split(AND.strip()))
        for value, _ in listed
    ]
    for value in values:
        if len(value) != len(attributes):
            raise EstimateError(
                f"{place}: expected {len(attributes)} values joined by {AND!r}, got "
                f"{AND.join(value)!r}"
            )
        if values.count(value) > 1:
            raise EstimateError(
                f"{place}: expected each value once, got {AND.join(value)!r} again"
            )
    numbers = [_number_or_nan(number) for _, number in listed]
    for value, number in zip(values, numbers, strict=True):
        if not (math.isfinite(number) and number >= 0):
            raise EstimateError(
                f"{place}: expected a share of 0 or more for {AND.join(value)!r}, got "
                f"{number}"
            )
    total = math.fsum(numbers)
    if not of_people and abs(total - 1) > SLACK:
        raise EstimateError(f"{place}: expected shares that sum to 1, got {total:.6g}")
    if total <= 0:
        raise EstimateError(f"{place}: expected more than nobody, got {total:g}")
    shares = tuple(number / total for number in numbers)
    return Margin(
        attributes, tuple(values), shares, people=total if of_people else None
    )
