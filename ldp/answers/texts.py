"""Texts as they are compared and hashed: in Unicode's normalization form C (NFC).

Unicode writes many characters in two ways: an é is one code point, or an e and an
accent. They look the same, and keyboards and file systems differ in which they give
(macOS takes names of files apart). So answers are composed before anything else, and a
listed value is told by its composed form; the value itself, its fingerprint and its
bytes stay as the survey file has them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ldp.errors import AnswerError

LONGEST_TEXT = 4096


def to_nfc(text: str) -> str:
    """The text in NFC."""
    if text.isascii():
        return text
    # Imported where it is needed: most devices never do.
    from unicodedata import normalize

    return normalize("NFC", text)


def first_repetition(texts: Iterable[str]) -> str | None:
    """The first text that is another one before it, if both are composed; None if all
    differ.
    """
    known = set()
    for text in texts:
        plain = to_nfc(text)
        if plain in known:
            return text
        known.add(plain)
    return None


def lines_of(text: str) -> list[str]:
    r"""The lines of a file: only \n, \r\n and \r end one.

    `str.splitlines` also ends them at form feeds, U+2028 and others, which may be parts
    of texts.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1]:
        return lines
    return lines[:-1]


def text_bytes(answer: str) -> bytes:
    """Return the bytes of a text to hash. Raises `AnswerError`, which does not repeat
    it.
    """
    try:
        encoded = to_nfc(answer).encode()
    except UnicodeEncodeError:
        encoded = None
    if encoded is None:
        # Raised out here, because the codec's error holds the answer and would come
        # along as the context of ours.
        raise AnswerError("expected text that UTF-8 can encode, got lone surrogates")
    if not 0 < len(encoded) <= LONGEST_TEXT:
        raise AnswerError(
            f"expected text of 1 to {LONGEST_TEXT} bytes, got {len(encoded)}"
        )
    return encoded
