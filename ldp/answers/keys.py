"""Reading one table of a survey file, and remembering everything that is wrong with it.

A reader method always returns a value of the right type: where the file has none, it
notes the problem and returns a harmless stand-in, so that the rest of the table is
still checked. What was read is used only if nothing was noted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from ldp.answers.texts import first_repetition
from ldp.errors import Problem
from ldp.numbers.epochs import parse_length
from ldp.numbers.exact import epsilon_of, fraction

LEAST_EPSILON = Fraction(1, 10_000)
MOST_EPSILON = Fraction(40)

MOST_NOTED = 20
"""Problems of one table that are told one by one; of the others, how many there are."""

_LONGEST_NAME = 64
_LONGEST_SHOWN = 80
_FEW = 20


_NO_WORDS: Mapping[str, str] = {}
_OF_LITERATURE = {"p": "truth", "yes": "forced_true", "no": "forced_false"}
_OF_LITERATURE |= dict.fromkeys(("options", "choices", "answers"), "values")
"""What papers and other programs call our keys."""


class Keys:
    """One TOML table at `place`.

    `problems` collects what was wrong, `finish` reports the keys that nothing asked
    for. `for_analysis` says that the answers are there already, so that no design has
    to protect them.
    """

    def __init__(
        self, place: str, table: Mapping[str, object], *, for_analysis: bool = False
    ) -> None:
        self.place = place
        self.for_analysis = for_analysis
        self.problems: list[Problem] = []
        self.found = 0
        """How many problems there are, also where they are too many to be told."""
        self._table = table
        self._known: set[str] = set()
        self._numbers: dict[str, Fraction] = {}
        """Numbers that were read: several mechanisms to choose from may each ask for them."""

    def __contains__(self, key: str) -> bool:
        self._known.add(key)
        return key in self._table

    def _value(self, key: str, otherwise: Any = None) -> Any:
        """What the table has under a key that is known from now on."""
        if key in self:
            return self._table[key]
        return otherwise

    def problem(self, key: str, expected: str, came: object) -> None:
        """Note, once, that `key` should have been something else."""
        noted = Problem(
            f"{self.place}.{written_name(key)}", expected, _format_value(came)
        )
        if noted in self.problems:
            return
        self.found += 1
        if self.found <= MOST_NOTED:
            self.problems.append(noted)

    def report_problems(self) -> list[Problem]:
        """The problems, and how many more there are."""
        more = self.found - len(self.problems)
        if not more:
            return list(self.problems)
        return [
            *self.problems,
            Problem(self.place, "no more problems", f"{more:,} of them"),
        ]

    def adopt(self, part: Keys) -> None:
        """Take over the problems of a table within this one."""
        self.problems += part.problems
        self.found += part.found

    def with_keys(self, further: Mapping[str, object], giver: str) -> Keys:
        """Return the table with further keys, which it must not have itself."""
        longer = Keys(
            self.place, {**self._table, **further}, for_analysis=self.for_analysis
        )
        longer.problems = self.problems
        longer.found = self.found
        longer._known = self._known
        for key in further:
            if key in self._table:
                longer.problem(key, f"nothing: {giver} gives it", self._table[key])
        return longer

    def without(self, names: Collection[str]) -> dict[str, object]:
        """Return the entries of the table under names other than these."""
        return {key: value for key, value in self._table.items() if key not in names}

    def text(self, key: str, default: str | None = None) -> str:
        """A non-empty string of at most 1,000 characters."""
        if key not in self and default is not None:
            return default
        value = self._table.get(key)
        if isinstance(value, str) and 0 < len(value) <= 1000 and _encodable(value):
            return value
        self.problem(key, "a text of 1 to 1000 characters", value)
        return "?"

    def choice(
        self,
        key: str,
        options: Collection[str],
        ways_out: Mapping[str, str] = _NO_WORDS,
    ) -> str | None:
        """Return one of the options; None, and a problem, for anything else.

        `ways_out` say what to write in place of words that are no options.
        """
        value = self._value(key)
        if isinstance(value, str) and value in options:
            return value
        expected = f"one of {', '.join(options)}"
        if isinstance(value, str):
            word = value.lower()
            known = [*options, *ways_out]
            close = [word] if word in known else _closest(word, known, 2)
            named = dict.fromkeys(ways_out.get(name, f'"{name}"') for name in close)
            expected = " or ".join(named) or expected
        self.problem(key, expected, value)
        return None

    def word_or_fraction(self, key: str, words: Collection[str]) -> str | Fraction:
        """One of the words, or an exact number."""
        value = self._value(key)
        if isinstance(value, str) and value in words:
            return value
        if isinstance(value, str | int | float):
            with suppress(ValueError):
                return fraction(value)
        self.problem(key, f"{', '.join(words)} or a number", value)
        return next(iter(words))

    def texts(self, key: str, least: int, most: int) -> tuple[str, ...]:
        """A list of distinct non-empty strings."""
        value = self._value(key)
        if not isinstance(value, list) or not all(
            isinstance(item, str) and item for item in value
        ):
            expected = "a list of texts, none of them empty"
            numbers = isinstance(value, list) and all(
                isinstance(item, int) for item in value
            )
            if numbers and key == "values":
                expected = 'texts in quotes, or type = "integer" with low and high'
            self.problem(key, expected, value)
        elif not least <= len(value) <= most:
            self.problem(key, f"{least} to {most} values", f"{len(value)} of them")
        elif (twice := first_repetition(value)) is not None:
            often = "twice" if value.count(twice) > 1 else "in two forms of Unicode"
            self.problem(key, "values that all differ", f"{twice!r} {often}")
        elif max(map(len, value)) > 1000 or not _encodable("".join(value)):
            self.problem(
                key, "values of at most 1000 characters that UTF-8 can encode", value
            )
        else:
            return tuple(value)
        return tuple(str(index) for index in range(max(least, 2)))

    def names(self, key: str) -> tuple[tuple[str, ...], ...]:
        """A list of texts or of lists of texts, as the latter; empty if there is
        none.
        """
        value = self._value(key, [])
        if value and _is_list_of_texts(value):
            value = [value]
        if isinstance(value, list) and all(map(_is_list_of_texts, value)):
            return tuple(map(tuple, value))
        self.problem(
            key, 'a list of names, such as ["a", "b"], or a list of such lists', value
        )
        return ()

    def integer(
        self, key: str, least: int, most: int, default: int | None = None
    ) -> int:
        """A whole number from `least` to `most`."""
        if key not in self and default is not None:
            return default
        value = self._table.get(key)
        if (
            isinstance(value, int)
            and not isinstance(value, bool)
            and least <= value <= most
        ):
            return value
        self.problem(key, f"a whole number from {least} to {most}", value)
        return least

    def integers(self, key: str, number: int, most: int) -> tuple[int, ...]:
        """A list of as many whole numbers from 1 to `most`; of ones, if there is
        none.
        """
        ones = (1,) * number
        value = self._value(key, list(ones))
        if (
            isinstance(value, list)
            and len(value) == number
            and all(type(item) is int and 1 <= item <= most for item in value)
        ):
            return tuple(value)
        self.problem(key, f"a list of {number} whole numbers from 1 to {most}", value)
        return ones

    def flag(self, key: str) -> bool:
        """Whether the file says true; without the key, and where it says false, it does
        not.
        """
        value = self._value(key, False)
        if isinstance(value, bool):
            return value
        self.problem(key, "true or false", value)
        return False

    def length(self, key: str) -> int | None:
        """The seconds of a length of time, such as "1d"; None if there is none."""
        if key not in self:
            return None
        value = self._table[key]
        try:
            return parse_length(value)
        except ValueError as error:
            self.problem(key, str(error).removeprefix("expected "), value)
            return None

    def fraction(
        self,
        key: str,
        least: Fraction,
        most: Fraction,
        default: Fraction | None = None,
        *,
        open_ends: bool = False,
        read: Callable[[str | int | float], Fraction] = fraction,
    ) -> Fraction:
        """An exact number between two bounds, the bounds themselves excluded if
        `open_ends`.
        """
        if key not in self and default is not None:
            return default
        stand_in = (least + most) / 2 if open_ends else least
        number = self._numbers.get(key) or self._exact(key, self._table.get(key), read)
        if number is None:
            return stand_in
        if least < number < most or (number in (least, most) and not open_ends):
            self._numbers[key] = number
            return number
        if open_ends:
            range_ = f"strictly between {least} and {most}"
        else:
            range_ = f"from {least} to {most}"
        self.problem(key, f"a number {range_}", self._table[key])
        return stand_in

    def fractions(
        self, key: str, least: int, most: int, furthest: Fraction
    ) -> tuple[Fraction, ...]:
        """A list of `least` to `most` exact numbers, none of them beyond `furthest`
        from 0.
        """
        stand_in = tuple(map(Fraction, range(least)))
        value = self._value(key)
        if not isinstance(value, list) or not least <= len(value) <= most:
            came = value
            if isinstance(value, list):
                came = f"{len(value)} of them"
            self.problem(key, f"a list of {least} to {most} numbers", came)
            return stand_in
        exact = [self._exact(key, entry, fraction) for entry in value]
        numbers = tuple(number for number in exact if number is not None)
        if len(numbers) < len(exact):
            return stand_in
        if not all(-furthest <= number <= furthest for number in numbers):
            self.problem(key, f"numbers from -{furthest} to {furthest}", "one beyond")
            return stand_in
        return numbers

    def probability(self, key: str, default: Fraction | None = None) -> Fraction:
        """An exact probability from 0 to 1."""
        return self.fraction(key, Fraction(0), Fraction(1), default=default)

    def epsilon(self, key: str = "epsilon") -> Fraction:
        """An exact epsilon."""
        return self.fraction(key, LEAST_EPSILON, MOST_EPSILON, read=epsilon_of)

    def rows(
        self, key: str, size: int, most: int | None = None
    ) -> tuple[tuple[Fraction, ...], ...]:
        """A table of `size` rows of exact numbers, square unless there may be `most`
        columns.
        """
        value = self._value(key)
        stand_in = tuple(
            tuple(Fraction(int(i == j)) for j in range(size)) for i in range(size)
        )
        if not isinstance(value, list) or len(value) != size:
            came = value
            if isinstance(value, list):
                came = f"{len(value)} of them"
            self.problem(key, f"a list of {size} rows, one for each value", came)
            return stand_in
        columns = size
        if most and isinstance(value[0], list) and size < len(value[0]) <= most:
            columns = len(value[0])
        expected = f"{columns} probabilities, one for each value"
        if most:
            expected = f"{columns} numbers, one for each output"
        rows = []
        for number, row in enumerate(value, 1):
            if not isinstance(row, list) or len(row) != columns:
                came = row
                if isinstance(row, list):
                    came = f"{len(row)} of them"
                self.problem(f"{key} row {number}", expected, came)
                continue
            exact = [
                self._exact(f"{key} row {number}", entry, fraction) for entry in row
            ]
            rows.append(tuple(entry for entry in exact if entry is not None))
        if not self.problems:
            return tuple(rows)
        return stand_in

    def table(self, key: str) -> Mapping[str, object]:
        """A table of its own."""
        value = self._value(key)
        if isinstance(value, dict):
            return value
        self.problem(key, f"a table [{key}]", value)
        return {}

    def tables(self, key: str) -> list[Mapping[str, object]]:
        """A list of tables."""
        value = self._value(key, [])
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value
        self.problem(key, f"tables [[{key}]]", value)
        return []

    def finish(self, also: Collection[str] = (), *, suggest: bool = True) -> None:
        """Note every key that nothing asked for, with the known key it resembles most.

        Those in `also` count as asked for.
        """
        known = self._known.union(also)
        unknown = [key for key in self._table if key not in known]
        options = []
        if unknown:
            options = sorted(known)
        for key in unknown[:MOST_NOTED]:
            close = _OF_LITERATURE.get(key)
            if close not in options:
                close = None
                if suggest:
                    close = next(iter(_closest(key, options, 1)), None)
            expected = f"one of {', '.join(options)}" if close is None else f'"{close}"'
            self.problem(key, expected, "an unknown key")
        self.found += max(len(unknown) - MOST_NOTED, 0)

    def _exact(
        self, key: str, value: object, read: Callable[[str | int | float], Fraction]
    ) -> Fraction | None:
        try:
            if not isinstance(value, str | int | float):
                raise ValueError('expected a number such as "0.5" or "1/3"')
            return read(value)
        except ValueError as error:
            self.problem(key, str(error).removeprefix("expected "), value)
            return None


def written_name(key: str) -> str:
    """A key or a name as it stands in a message: in one line, and not too long.

    What would steer a terminal is escaped.
    """
    if key.isprintable() and len(key) <= _LONGEST_NAME:
        return key
    return repr(key if len(key) <= _LONGEST_NAME else f"{key[:_LONGEST_NAME]}...")


def _closest(key: str, options: list[str], most: int) -> list[str]:
    # Imported where it is needed: a client that reads a sound survey should not pay for
    # it.
    from difflib import get_close_matches

    if len(key) <= _LONGEST_NAME:
        return get_close_matches(key, options, most)
    return []


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _format_value(came: object) -> str:
    if came is None:
        return "nothing"
    if isinstance(came, str) and " " in came and came.isprintable():
        return _shorten(came)
    try:
        return _shorten(repr(came[:_FEW] if isinstance(came, list) else came))
    except (
        ValueError
    ):  # Python refuses to write out integers of more than some thousand digits.
        return "an enormous number"


def _shorten(text: str) -> str:
    if len(text) <= _LONGEST_SHOWN:
        return text
    return f"{text[: _LONGEST_SHOWN - 3]}..."


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
