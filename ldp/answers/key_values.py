"""Key-value answers: keys, each with a number, such as minutes by app.

A respondent holds up to `most` of a question's keys, and a number from low to high with each. The
number becomes one of the two ends of the range, drawn in proportion to how near it is, so that no
mean is biased. What a mechanism of sets then takes is a set of *signed items*:

    item 2k       key k, at the lower end
    item 2k + 1   key k, at the upper end

A set never holds both items of a key. Pad and sample reports one item of the set. Of those who
report the items of a key, the difference tells the mean, and the sum how many hold it.

As one number of an answer is reported at most, one draw of eight bytes rounds all of them: the law
of a report is the same as if each had a draw of its own. It is drawn whatever the answer is, and if
no key is held.

Source: Gu, Li, Cheng, Xiong and Cao 2020 (PCKV: padding and sampling of pairs); the rest is that of
sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ldp.answers.domain import SEPARATOR, Domain, Placed
from ldp.answers.scales import ROUNDING_BITS, Scale, read_number
from ldp.answers.sets import set_of
from ldp.errors import AnswerError
from ldp.numbers.randomness import Random

ENDS = 2
"""Items of a key."""

IS = "="
"""What stands between a key and its number in a cell of a table."""


def placed(domain: Domain, answer: object) -> tuple[Placed, ...]:
    """Of each pair its lower item, and 2^64 times the chance of the upper one.

    Of a number that is the upper end, that item itself. Raises `AnswerError`.
    """
    if not isinstance(answer, Mapping):
        raise AnswerError(
            f"expected a mapping from keys to numbers, got something of type "
            f"{type(answer).__name__}"
        )
    places = [domain.index_of(key) for key in answer]
    keys = [place for place in places if place is not None]
    if len(keys) < len(places):
        raise AnswerError(
            f"expected some of the question's {domain.size} keys, got something else among them"
        )
    if len(set(keys)) < len(keys):
        raise AnswerError("expected keys that all differ, got one of them in two forms of Unicode")
    if len(keys) > (domain.most or 0):
        raise AnswerError(f"expected at most {domain.most} keys, got more")
    ends = map(_scale(domain).place, answer.values())
    return tuple((ENDS * key + end, rest) for key, (end, rest) in zip(keys, ends, strict=True))


def rounded(places: Iterable[Placed], random: Random) -> int:
    """The set of signed items that an answer becomes."""
    drawn = int.from_bytes(random(ROUNDING_BITS // 8), "little")
    return set_of(int(item) + (drawn < rest) for item, rest in places)


def parsed(cell: str) -> object:
    """The answer that a cell of a table holds, such as `maps=12|mail=3.5`; none alone is `|`."""
    parts = [] if cell == SEPARATOR else cell.split(SEPARATOR)
    pairs = [part.rpartition(IS) for part in parts]
    answer = {key.strip(): _number(text.strip()) for key, _, text in pairs}
    # What says one key twice is no answer, and is refused as the text that it is.
    return answer if len(answer) == len(parts) else cell


def written(pairs: Iterable[tuple[str, str]]) -> str:
    """The cell of a table that holds these keys with these numbers."""
    return SEPARATOR.join(f"{key}{IS}{number}" for key, number in pairs) or SEPARATOR


def _number(text: str) -> object:
    number = read_number(text)
    return text if number is None else number


def _scale(domain: Domain) -> Scale:
    assert domain.key_scale is not None  # noqa: S101 (asked for where there is one)
    return domain.key_scale
