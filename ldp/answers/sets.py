"""Sets of a question's values, as integers whose bit x is set if the set holds
value x.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import reduce
from itertools import combinations

from ldp.answers.domain import SEPARATOR, Domain
from ldp.errors import AnswerError


def set_of(members: Iterable[int]) -> int:
    """The set of these values."""
    return reduce(lambda held, member: held | 1 << member, members, 0)


def members(held: int) -> list[int]:
    """The values of a set, in ascending order."""
    values = []
    while held:
        lowest = held & -held
        values.append(lowest.bit_length() - 1)
        held ^= lowest
    return values


def sets_of(size: int, most: int) -> Iterator[int]:
    """Every set of up to `most` of `size` values, small ones first.

    So the rows of a channel are ordered.
    """
    for number in range(most + 1):
        yield from map(set_of, combinations(range(size), number))


class SetDomain(Domain):
    """Up to `most` values of a list at once, or none."""

    __slots__ = ("_most",)

    def __init__(self, values: tuple[str, ...], most: int) -> None:
        super().__init__("multi", values)
        self.most = self._most = most

    @property
    def _choice(self) -> str:
        return f"{self.type}, up to {self.most} of {self.size:,} values"

    def _value(self, answer: object) -> int:
        if not isinstance(answer, Sequence | Set) or isinstance(
            answer, str | bytes | bytearray
        ):
            raise AnswerError(
                "expected a collection of texts, got something of type "
                f"{type(answer).__name__}"
            )
        indexes = [self.index_of(item) for item in answer]
        values = [value for value in indexes if value is not None]
        if len(values) < len(indexes):
            raise AnswerError(
                f"expected some of the question's {self.size} values, got something "
                "else among them"
            )
        if len(set(values)) < len(values):
            raise AnswerError("expected values that all differ, got one of them again")
        if len(values) > self._most:
            raise AnswerError(f"expected at most {self._most} values, got more")
        return set_of(values)

    def parse_record(self, cell: str) -> object:
        """Parse the values of a set; a separator alone is the empty set."""
        texts = []
        if cell != SEPARATOR:
            texts = cell.split(SEPARATOR)
        return tuple(text.strip() for text in texts)
