"""What a question may be answered with.

A closed domain lists its values, and an answer becomes its index; an open one takes any text, and an answer becomes
its UTF-8 bytes. An answer that does not fit is refused without being repeated in the message.
"""

from __future__ import annotations

from ldp.errors import AnswerError

BOOLEAN_VALUES = ("false", "true")
LONGEST_TEXT = 4096

_BOOLEANS = {"false": False, "no": False, "0": False, "true": True, "yes": True, "1": True}

Value = int | bytes
"""An answer inside the framework: the index of a closed domain's value, or the bytes of an open one's."""


class Domain:
    """The `type` of a question and, unless it is open, the values in their order."""

    __slots__ = ("_index", "type", "values")

    def __init__(self, type: str, values: tuple[str, ...] | None) -> None:  # noqa: A002
        self.type = type
        self.values = values
        self._index = {value: index for index, value in enumerate(values or ())}

    @property
    def size(self) -> int | None:
        """How many values there are; None for an open domain."""
        return None if self.values is None else len(self.values)

    def value(self, answer: object) -> Value:
        """The index (or bytes) of an answer: a bool for a boolean question, else a str. Raises `AnswerError`."""
        if self.type == "boolean":
            if answer is True or answer is False:
                return int(answer)
            raise AnswerError(f"expected True or False, got something of type {type(answer).__name__}")
        if not isinstance(answer, str):
            raise AnswerError(f"expected text, got something of type {type(answer).__name__}")
        if self.values is None:
            return _text(answer)
        index = self._index.get(answer)
        if index is None:
            raise AnswerError(f"expected one of the question's {len(self.values)} values, got some other text")
        return index

    def parse(self, cell: str) -> object:
        """The answer that a cell of a table holds, ready for `value`; booleans may read true, yes, 1, false, no, 0."""
        if self.type == "boolean":
            return _BOOLEANS.get(cell.strip().lower(), cell)
        return cell


def _text(answer: str) -> bytes:
    try:
        encoded = answer.encode()
    except UnicodeEncodeError:
        encoded = None
    if encoded is None:
        # Raised out here, because the codec's error holds the answer and would come along as the context of ours.
        raise AnswerError("expected text that UTF-8 can encode, got lone surrogates")
    if not 0 < len(encoded) <= LONGEST_TEXT:
        raise AnswerError(f"expected text of 1 to {LONGEST_TEXT} bytes, got {len(encoded)}")
    return encoded
