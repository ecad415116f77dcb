"""Heads and proofs of a register as they are handed out, and what a client checks
before it asks.

    head          SIZE:ROOT, such as 12:5dc9..., the number of entries and the root over
                  them
    inclusion     {"proof": "inclusion", "entry", "index", "size", "root", "path",
                  "since"}
    consistency   {"proof": "consistency", "first", "first_root", "size", "root",
                  "path"}

Hashes are hexadecimal digits, `entry` is the line as it stands in the register. Where a
client pins an older head than the one that a proof leads to, `since` has the proof that
the log goes on from there: {"size", "path"}; it is null otherwise.

`check_registration` proves to a client: its survey, texts included, is an entry of a
log that begins with the one whose head it pins. Where that head is what others have
seen, a survey cannot be shown to one device alone without standing in the log for all
to read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ldp.survey.survey import Survey
from ldp.transparency.entries import Entry, Register, RegisterError, entry_of, line_of
from ldp.transparency.tree import (
    HASH_SIZE,
    LONGEST_PATH,
    MOST_ENTRIES,
    Path,
    consistency_path,
    inclusion_path,
    is_consistent,
    leaf_hash,
    root_of,
    verify_inclusion,
)

_HEAD = re.compile(r"(0|[1-9][0-9]{0,9}):([0-9a-f]{64})", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHOWN = 80


class Head(NamedTuple):
    """How many entries a register has, and the root over them."""

    size: int
    root: bytes

    @property
    def text(self) -> str:
        """Head as it is written down and pinned: SIZE:ROOT."""
        return f"{self.size}:{self.root.hex()}"


def head_of(register: Register) -> Head:
    """The head of a register."""
    return Head(len(register.entries), register.root)


def parse_head(text: str) -> Head:
    """A head as `Head.text` writes it. Raises `RegisterError`."""
    match = _HEAD.fullmatch(text.strip())
    if match is None or int(match[1]) > MOST_ENTRIES:
        raise RegisterError(
            "expected the head of a register, SIZE:ROOT with 64 hexadecimal digits as "
            f"`ldp survey register head` prints it, got {text[:_SHOWN]!r}"
        )
    return Head(int(match[1]), bytes.fromhex(match[2]))


def prove_inclusion(
    register: Register, number: int, since: int = 0
) -> dict[str, object]:
    """The proof, ready for JSON, that an entry is in the register.

    It serves those who pin its head, or its head when it had `since` entries. Raises
    `RegisterError` for numbers of no entry.
    """
    size = len(register.entries)
    if not 0 <= number < size:
        raise RegisterError(
            f"expected an entry of the register, 0 to {size - 1}, got {number}"
        )
    extension = None
    if since and since != size:
        path = prove_consistency(register, since)["path"]
        extension = {"size": since, "path": path}
    return {
        "proof": "inclusion",
        "entry": line_of(register.entries[number]),
        "index": number,
        "size": size,
        "root": register.root.hex(),
        "path": [node.hex() for node in inclusion_path(register.leaves, number)],
        "since": extension,
    }


def prove_consistency(register: Register, first: int) -> dict[str, object]:
    """The proof, ready for JSON, that the register goes on from its `first` entries.

    Raises `RegisterError` for a number of entries that it has not.
    """
    size = len(register.entries)
    if not 1 <= first <= size:
        raise RegisterError(
            f"expected a size of the register, 1 to {size}, got {first}"
        )
    return {
        "proof": "consistency",
        "first": first,
        "first_root": root_of(register.leaves[:first]).hex(),
        "size": size,
        "root": register.root.hex(),
        "path": [node.hex() for node in consistency_path(register.leaves, first)],
    }


def check_inclusion(proof: object, head: Head) -> Entry:
    """The entry that a proof shows to be in a register with this head, or that goes on
    from it.

    Raises `RegisterError` if it shows no such thing.
    """
    fields = _fields(proof, "inclusion")
    size, root = _number(fields, "size"), _hash(fields, "root")
    _check_goes_on(fields.get("since"), head, Head(size, root))
    line = fields.get("entry")
    if not isinstance(line, str):
        raise _unfit("entry", "the line of an entry")
    leaf = leaf_hash(line.encode(errors="surrogatepass"))
    index, path = _number(fields, "index"), _path(fields)
    if not verify_inclusion(leaf, index, size, path=path, root=root):
        raise RegisterError(
            f"expected a proof that leads from its entry to the root of {size} "
            "entries, got one that leads elsewhere: the entry or the proof was changed"
        )
    return entry_of(line.encode(), "the proof's entry")


def check_consistency(
    proof: object, first: Head | None = None, second: Head | None = None
) -> None:
    """Whether a proof shows that a log with one head goes on from that with another.

    Heads that are given have to be those of the proof. Raises `RegisterError` if it
    does not.
    """
    fields = _fields(proof, "consistency")
    old = Head(_number(fields, "first"), _hash(fields, "first_root"))
    new = Head(_number(fields, "size"), _hash(fields, "root"))
    for known, stated in ((first, old), (second, new)):
        if known is not None and known != stated:
            raise RegisterError(
                f"expected a proof about {known.text}, got one about {stated.text}"
            )
    if not _goes_on(old, new, _path(fields)):
        raise RegisterError(
            f"expected a proof that a log of {new.size} entries begins with {old.size} "
            "older ones, got one that shows no such thing: entries were changed, or "
            "the proof was"
        )


def check_registration(survey: Survey, head: Head, proof: object) -> Entry:
    """The entry of a survey in a register with this head, or that goes on from it.

    Raises `RegisterError` if the proof is none, or is about another survey, or another
    version: also one that differs in nothing but its words.
    """
    if head.size == 0:
        raise RegisterError(
            "expected the head of a register with entries, got that of an empty one"
        )
    entry = check_inclusion(proof, head)
    try:
        text = survey.to_toml()
    except ValueError as error:
        raise RegisterError(str(error)) from None
    if entry.survey().to_toml() != text:
        fingerprint = survey.fingerprint.hex()
        words = ", with other words or another order"
        if entry.fingerprint != fingerprint:
            words = ""
        raise RegisterError(
            f"expected a proof for {survey.name} ({fingerprint}), got one for "
            f"{entry.name} ({entry.fingerprint}{words}): this version is not the one "
            "that is registered"
        )
    return entry


def _check_goes_on(since: object, pinned: Head, head: Head) -> None:
    if head.size < pinned.size:
        raise RegisterError(
            f"expected a proof for a head of {pinned.size} entries or more, got one "
            f"for {head.size}: prove it again from the register as it is now"
        )
    if head.size == pinned.size:
        if head != pinned:
            raise RegisterError(
                f"expected a proof for the pinned head {pinned.text}, got one for "
                f"{head.text}: another register, or one that was changed"
            )
        return
    if not isinstance(since, Mapping) or since.get("size") != pinned.size:
        raise RegisterError(
            "expected a proof that the register goes on from the pinned head of "
            f"{pinned.size} entries to its {head.size}, got none: `ldp survey register "
            f"prove inclusion --since {pinned.size}` adds it"
        )
    if not _goes_on(pinned, head, _path(since)):
        raise RegisterError(
            f"expected a register of {head.size} entries that goes on from the pinned "
            f"head {pinned.text}, got another: entries were changed, or this is "
            "another register"
        )


def _goes_on(old: Head, new: Head, path: Path) -> bool:
    return is_consistent(
        old.size, new.size, first_root=old.root, second_root=new.root, path=path
    )


def _fields(proof: object, kind: str) -> Mapping[str, object]:
    if not isinstance(proof, Mapping) or proof.get("proof") != kind:
        raise RegisterError(
            f'expected a proof of {kind}, {{"proof": "{kind}", ...}} as `ldp survey '
            "register prove "
            f"{kind}` writes it, got something else"
        )
    return proof


def _number(fields: Mapping[str, object], key: str) -> int:
    number = fields.get(key)
    if type(number) is not int or not 0 <= number <= MOST_ENTRIES:
        raise _unfit(key, f"a whole number from 0 to {MOST_ENTRIES}")
    return number


def _hash(fields: Mapping[str, object], key: str) -> bytes:
    return _bytes(fields.get(key), key)


def _path(fields: Mapping[str, object]) -> Path:
    path = fields.get("path")
    if (
        not isinstance(path, Sequence)
        or isinstance(path, str)
        or len(path) > LONGEST_PATH
    ):
        raise _unfit("path", f"a list of at most {LONGEST_PATH} hashes")
    return tuple(_bytes(node, "path") for node in path)


def _bytes(text: object, key: str) -> bytes:
    if not isinstance(text, str) or not _HASH.fullmatch(text):
        raise _unfit(key, f"{2 * HASH_SIZE} hexadecimal digits")
    return bytes.fromhex(text)


def _unfit(key: str, expected: str) -> RegisterError:
    return RegisterError(f"{key} of the proof: expected {expected}, got something else")
