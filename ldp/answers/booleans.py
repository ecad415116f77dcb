"""Answers that are true or false."""

from __future__ import annotations

from collections.abc import Collection

from ldp.answers.domain import Domain
from ldp.errors import AnswerError

BOOLEAN_VALUES = ("false", "true")
_LABELS = dict(zip(BOOLEAN_VALUES, ("No", "Yes"), strict=True))

_BOOLEANS = {
    "false": False,
    "no": False,
    "0": False,
    "true": True,
    "yes": True,
    "1": True,
}


def canonical_value(value: str, values: Collection[str]) -> str:
    """Return a value as the survey lists it: yes and no are the true and false of a
    boolean.
    """
    number = _BOOLEANS.get(value.lower())
    if number is None or value in values or tuple(values) != BOOLEAN_VALUES:
        return value
    return BOOLEAN_VALUES[number]


class BooleanDomain(Domain):
    """False and true."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("boolean", BOOLEAN_VALUES)

    def label(self, value: str) -> str:
        """Return Yes or No for true or false."""
        return _LABELS.get(value, value)

    def _value(self, answer: object) -> int:
        if answer is True or answer is False:
            return int(answer)
        raise AnswerError(
            f"expected True or False, got something of type {type(answer).__name__}"
        )

    def parse_record(self, cell: str) -> object:
        """Parse true, yes, 1, false, no or 0; any other text stays as it is."""
        return _BOOLEANS.get(cell.strip().lower(), cell)

    def index_of(self, value: object) -> int | None:
        """Return the place of true, yes, 1, false, no or 0; None for anything else."""
        if not isinstance(value, str):
            return None
        return super().index_of(canonical_value(value, BOOLEAN_VALUES))
