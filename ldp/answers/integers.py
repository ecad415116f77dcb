"""Whole numbers of a range, such as ages and counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ldp.answers.domain import Domain
from ldp.answers.scales import ROUNDING_BITS, stand_in
from ldp.errors import AnswerError

_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")


class IntegerDomain(Domain):
    """A range of whole numbers, which takes no room, however wide it is."""

    __slots__ = ("_range",)

    def __init__(self, numbers: range, outside: str | Fraction = "refuse") -> None:
        super().__init__("integer", None)
        low, high = Fraction(numbers[0]), Fraction(numbers[-1])
        self.numbers = self._range = numbers
        self.size = len(numbers)
        self.is_open, self.is_listed = False, True
        self.spacing = low, Fraction(1)
        self.ends = low, high
        self.outside = outside

    @property
    def has_between(self) -> bool:
        """Whether a device may have a number between two others: an average."""
        return self.per_device == "mean"

    @property
    def _choice(self) -> str:
        return f"{self.type} from {self._range[0]} to {self._range[-1]}"

    def iter_values(self) -> Iterator[str]:
        """Return the numbers as texts, one by one."""
        return map(str, self._range)

    def _own_parts(self) -> Iterator[str]:
        yield from self.iter_values()
        if self.outside != "refuse":
            yield f"outside={self.outside}"

    @property
    def _line(self) -> IntegerDomain:
        return self

    def number(self, answer: object) -> Fraction:
        """Return the exact number that an answer is. Raises `AnswerError`."""
        return Fraction(_whole(answer))

    def within(self, number: Fraction) -> Fraction:
        """Return a number of the range: itself, or what stands in for it outside."""
        low, high = Fraction(self._range[0]), Fraction(self._range[-1])
        counted = stand_in(number, self.outside, low, high=high)
        if counted is None:
            raise AnswerError(
                f"expected a whole number from {low} to {high}, got another"
            )
        return counted

    def locate(self, number: Fraction) -> tuple[int, int]:
        """Return the place of a number of the range, and how far it is from there to
        the next.
        """
        above = number - self._range[0]
        place, rest = divmod(above.numerator, above.denominator)
        return place, (rest << ROUNDING_BITS) // above.denominator

    def _value(self, answer: object) -> int:
        number, low = _whole(answer), self._range[0]
        if not low <= number <= self._range[-1]:
            number = int(self.within(Fraction(number)))
        return number - low

    def parse_record(self, cell: str) -> object:
        """Parse a whole number; any other text stays as it is."""
        if _WHOLE.fullmatch(cell.strip()):
            return int(cell)
        return cell


def _whole(answer: object) -> int:
    if not isinstance(answer, int) or isinstance(answer, bool):
        raise AnswerError(
            f"expected a whole number, got something of type {type(answer).__name__}"
        )
    return answer
