"""One-time tokens of respondents: each is good for one report to each question of its
survey.

    invitations.txt      a line `survey NAME`, then the SHA-256 of each token, in
                         hexadecimal digits and sorted, so that a place in the file says
                         nothing of who was given which

What keeps a token from its report
- Spending it leaves 16 bytes of a hash, in one transaction with the counts: in a table
  of its own, without a time and without an order of arrival, in the bytes of its file
  either (`unordered`).
- A batch's id is drawn by the device from a secret of its own, and the token is no part
  of it.
- The hash covers the question as well, so that what one upload lost can be sent again
  by itself; a batch that was counted is a duplicate, and costs nothing.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ldp.answers.texts import lines_of
from ldp.errors import LDPError
from ldp.numbers.epochs import ID_SIZE
from ldp_aggregator.output.files import read_bytes

PREFIX = "ldpr_"
_MOST_BYTES = 1 << 27
_SECRET_SIZE = 16
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 64


class InvitationError(LDPError):
    """A file of invitations that cannot be used; the message shows no hash."""


class Invitation(NamedTuple):
    """A token that is good for a survey, by its hash."""

    digest: bytes
    survey: str

    def spent_as(self, fingerprint: bytes) -> bytes:
        """Return the id that is kept once it was spent on a question or group."""
        return sha256(b"spent" + self.digest + fingerprint).digest()[:ID_SIZE]


class Invitations:
    """The tokens of some surveys, by their hashes."""

    def __init__(self, surveys: Iterable[tuple[str, Iterable[bytes]]] = ()) -> None:
        self._surveys = {
            digest: name for name, digests in surveys for digest in digests
        }

    @classmethod
    def read(cls, paths: Iterable[Path]) -> Invitations:
        """Read some files. Raises `FileError` and `InvitationError`."""
        return cls([_parse(path) for path in paths])

    def find(self, token: str | None) -> Invitation | None:
        """The invitation of a token, if there is one, spent or not."""
        if not token or len(token) > _LONGEST or not token.isascii():
            return None
        # What is looked up is a hash of 128 random bits: the time it takes tells
        # nothing of them.
        digest = sha256(token.encode()).digest()
        survey = self._surveys.get(digest)
        if survey is None:
            return None
        return Invitation(digest, survey)

    @property
    def surveys(self) -> frozenset[str]:
        """The names of the surveys that they are for."""
        return frozenset(self._surveys.values())


def new_invitations(number: int) -> list[str]:
    """Tokens that no one has, short enough for a link."""
    return [PREFIX + secrets.token_urlsafe(_SECRET_SIZE) for _ in range(number)]


def tokens_file(survey: str, tokens: Iterable[str], known: Iterable[bytes] = ()) -> str:
    """The file of these tokens, with what was known before."""
    digests = {sha256(token.encode()).digest() for token in tokens} | set(known)
    return (
        "\n".join([f"survey {survey}", *sorted(digest.hex() for digest in digests)])
        + "\n"
    )


def known_in(path: Path, survey: str) -> list[bytes]:
    """The hashes in a file, if it is there. Raises `InvitationError` if it is another
    survey's.
    """
    if not path.exists():
        return []
    name, digests = _parse(path)
    if name != survey:
        raise InvitationError(
            f"{path}: expected invitations to {survey}, got some to {name}"
        )
    return digests


def _parse(path: Path) -> tuple[str, list[bytes]]:
    try:
        first, *lines = lines_of(read_bytes(path, _MOST_BYTES).decode())
    except (ValueError, UnicodeDecodeError):
        first, lines = "", []
    word, _, name = first.partition(" ")
    if word != "survey" or not name or not all(map(_DIGEST.fullmatch, lines)):
        raise InvitationError(
            f"{path}: expected a line 'survey NAME' and hashes as ldp store tokens "
            "respondents writes them"
        )
    return name, [bytes.fromhex(line) for line in lines]
