"""Key-value answers: keys, each with a number, such as minutes by app.

A respondent holds up to `most` of a question's keys, and a number from low to high with
each. The number becomes one of the two ends of the range, drawn in proportion to how
near it is, so that no mean is biased. What a mechanism of sets then takes is a set of
*signed items*:

    item 2k       key k, at the lower end
    item 2k + 1   key k, at the upper end

A set never holds both items of a key. Pad and sample reports one item of the set. Of
those who report the items of a key, the difference tells the mean, and the sum how many
hold it.

As one number of an answer is reported at most, one draw of eight bytes rounds all of
them: the law of a report is the same as if each had a draw of its own. It is drawn
whatever the answer is, and if no key is held.

Source: Gu, Li, Cheng, Xiong and Cao 2020 (PCKV: padding and sampling of pairs); the
rest is that of sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ldp.answers.domain import SEPARATOR, Domain, Placed
from ldp.answers.scales import ROUNDING_BITS, Scale, read_number
from ldp.answers.sets import set_of
from ldp.errors import AnswerError
from ldp.numbers.randomness import Random

ENDS = 2
"""Items of a key."""

IS = "="
"""What stands between a key and its number in a cell of a table."""


def round_items(places: Iterable[Placed], random: Random) -> int:
    """The set of signed items that an answer becomes."""
    drawn = int.from_bytes(random(ROUNDING_BITS // 8), "little")
    return set_of(int(item) + (drawn < rest) for item, rest in places)


def cell_text(pairs: Iterable[tuple[str, str]]) -> str:
    """The cell of a table that holds these keys with these numbers."""
    return SEPARATOR.join(f"{key}{IS}{number}" for key, number in pairs) or SEPARATOR


def _number(text: str) -> object:
    number = read_number(text)
    if number is None:
        return text
    return number


class KeyValueDomain(Domain):
    """Up to `most` keys of a list, each with a number on a scale of two ends."""

    __slots__ = ("_ends",)

    def __init__(self, keys: tuple[str, ...], most: int, ends: Scale) -> None:
        super().__init__("key-value", keys)
        self.most = most
        self.key_scale = self._ends = ends
        self.unit = ends.unit
        self.missing = ends.missing

    @property
    def has_between(self) -> bool:
        """Whether a number may lie between the ends of the scale: always."""
        return True

    @property
    def _choice(self) -> str:
        return (
            f"{self.type}, up to {self.most} of {self.size:,} keys "
            f"{self._ends.range_text}"
        )

    def parts(self) -> Iterator[str]:
        """Return what tells the keys and their scale from others, for a fingerprint."""
        yield from super().parts()
        yield from self._ends.parts()

    @property
    def estimand(self) -> str:
        """Treatment of numbers outside of the scale."""
        return self._ends.estimand

    def _value_at(self, places: tuple[Placed, ...]) -> int:
        return set_of(int(item) for item, _ in places)

    def places(self, answer: object) -> tuple[Placed, ...]:
        """Return the lower item of each pair, and 2^64 times the chance of the upper
        one.

        A number that is the upper end has that item itself. Raises `AnswerError`.
        """
        if not isinstance(answer, Mapping):
            raise AnswerError(
                f"expected a mapping from keys to numbers, got something of type "
                f"{type(answer).__name__}"
            )
        indexes = [self.index_of(key) for key in answer]
        keys = [key for key in indexes if key is not None]
        if len(keys) < len(indexes):
            raise AnswerError(
                f"expected some of the question's {self.size} keys, got something else "
                "among them"
            )
        if len(set(keys)) < len(keys):
            raise AnswerError(
                "expected keys that all differ, got one of them in two forms of Unicode"
            )
        if len(keys) > (self.most or 0):
            raise AnswerError(f"expected at most {self.most} keys, got more")
        ends = map(self._ends.place, answer.values())
        return tuple(
            (ENDS * key + end, rest)
            for key, (end, rest) in zip(keys, ends, strict=True)
        )

    def parse(self, cell: str) -> object:
        """Parse the cell of a table, such as `maps=12|mail=3.5`; `|` alone holds no
        key.
        """
        parts = []
        if cell != SEPARATOR:
            parts = cell.split(SEPARATOR)
        pairs = [part.rpartition(IS) for part in parts]
        answer = {key.strip(): _number(text.strip()) for key, _, text in pairs}
        # What says one key twice is no answer, and is refused as the text that it is.
        if len(answer) == len(parts):
            return answer
        return cell
