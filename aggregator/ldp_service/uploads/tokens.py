"""Tokens: who may send reports, who may look at estimates, and who may read metrics.

    [[token]]
    name = "app-2026"            up to 32 letters, digits, dots, dashes or underscores, a letter or
                                 digit first
    scope = "upload"             upload, analyst (good for metrics too), metrics, relay or operator
                                 (good for what analysts may, and to close a survey)
    sha256 = "..."               of the token, in hexadecimal digits
    expires = 2027-01-01         optional: a date (its first moment) or a date and time, UTC unless
                                 it says otherwise
    surveys = ["notes-2026"]     optional: the surveys that it is for, by name; else all
    most_reports = 100000        optional, of uploads: the reports that one batch may have
    reports_a_day = 5000         optional, of uploads: the reports that it may send in a day, UTC; a
                                 million else

Rules
- A token has 256 bits from the operating system, so a plain hash hides it: there is no
  dictionary to try, and nothing to gain from a slow hash or a salt.
- What comes is hashed, and its hash is compared with those of all tokens, each in
  constant time; none ends it early.
- No token is held longer than a check takes; no token and no hash is in an error or a
  log.
- A file that changes is read anew; one that cannot be used leaves the tokens in force
  that were, and the service is not ready, since no token can be taken from anyone. So
  tokens are changed without loss: add the new one, hand it out, remove the old one.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

from ldp.answers.keys import Keys
from ldp.errors import LDPError, Problem
from ldp_aggregator.output.files import toml_in
from ldp_service.uploads.followed_file import FollowedFile

SCOPES = ("upload", "analyst", "metrics", "relay", "operator")
UPLOAD, ANALYST, METRICS, RELAY, OPERATOR = SCOPES
GRANTED = "granted"
MISSING = "missing"
UNKNOWN = "unknown"
EXPIRED = "expired"
WRONG_SCOPE = "wrong-scope"
WRONG_SURVEY = "wrong-survey"
"""What `check` says, with those above."""

_GOOD_FOR = {
    UPLOAD: (UPLOAD,),
    ANALYST: (ANALYST, METRICS),
    METRICS: (METRICS,),
    RELAY: (RELAY,),
    OPERATOR: (OPERATOR, ANALYST, METRICS),
}
MOST_A_DAY = 1_000_000
"""Reports that a token may send in a day, unless it says otherwise."""
_LIMITS = ("most_reports", "reports_a_day")
_HIGHEST = 1 << 48
_MOST_SURVEYS = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SECRET = re.compile(r"[\w+/=-]{40,}")
"""What may be a token or a hash, wherever it stands."""
_LONGEST = 512
_MOST_BYTES = 1 << 20

_log = logging.getLogger("ldp.service")


class TokenError(LDPError):
    """A token file that cannot be used.

    `problems` lists everything wrong with it, and shows no secret.
    """

    def __init__(self, place: str, problems: Iterable[Problem]) -> None:
        self.problems = tuple(
            Problem(*(_SECRET.sub("(hidden)", part) for part in problem))
            for problem in problems
        )
        count = "1 problem"
        if len(self.problems) != 1:
            count = f"{len(self.problems)} problems"
        lines = [f"{count} in the token file {place}:"]
        lines += [f"  {problem}" for problem in self.problems]
        super().__init__("\n".join(lines))


@dataclass(frozen=True)
class Token:
    """Record of a token."""

    name: str
    scope: str
    digest: bytes = field(repr=False)
    expires: datetime | None = None
    surveys: tuple[str, ...] = ()
    """Those that it is for; all, if there are none."""
    most_reports: int | None = None
    reports_a_day: int | None = None

    def is_for(self, survey: str | None) -> bool:
        """Whether it is good for a survey; None stands for all of them at once."""
        return not self.surveys or survey in self.surveys

    def is_out_of_date(self, now: float) -> bool:
        """Whether it is good no more, at a time in seconds after 1970 began."""
        return self.expires is not None and self.expires.timestamp() <= now


class Tokens:
    """The tokens of a file, in its order."""

    def __init__(self, tokens: Iterable[Token] = ()) -> None:
        self.all = tuple(tokens)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Tokens:
        """Raises `TokenError`."""
        return cls.parse(_content(Path(path)), str(path))

    @classmethod
    def parse(cls, source: bytes, place: str) -> Tokens:
        """Parse the bytes of a file. Raises `TokenError`, which names the file as
        `place`.
        """
        try:
            top = Keys("file", toml_in(source))
        except UnicodeDecodeError as error:
            raise TokenError(
                place, [Problem("file", "UTF-8 text", f"a stray byte at {error.start}")]
            ) from None
        except ValueError as error:
            raise TokenError(place, [Problem("file", "TOML", str(error))]) from None
        tokens: list[Token] = []
        for number, table in enumerate(top.tables("token"), 1):
            keys = Keys(f"token {number}", table)
            tokens.append(_token(keys, table, tokens))
            top.problems += keys.problems
        top.finish()
        if top.problems:
            raise TokenError(place, top.problems)
        return cls(tokens)

    def check(
        self, token: str | None, scope: str, now: float, *, survey: str | None = ""
    ) -> str:
        """Return the verdict on a token for a scope: `GRANTED`, or an error.

        `survey` is the one that is asked for; None stands for all at once, nothing for
        whichever.
        """
        return self.judge(token, scope, now, survey=survey)[0]

    def judge(
        self, token: str | None, scope: str, now: float, *, survey: str | None = ""
    ) -> tuple[str, Token | None]:
        """Return the verdict, and the record of a token if it is granted something."""
        if not token:
            return MISSING, None
        known = self.find(token)
        if known is None:
            return UNKNOWN, None
        if known.is_out_of_date(now):
            return EXPIRED, None
        if scope not in _GOOD_FOR[known.scope]:
            return WRONG_SCOPE, None
        if survey != "" and not known.is_for(survey):
            return WRONG_SURVEY, None
        return GRANTED, known

    def find(self, token: str | None) -> Token | None:
        """Return the record of a token, if it is one of these, expired or not."""
        if not token or len(token) > _LONGEST or not token.isascii():
            return None
        shown = sha256(token.encode()).digest()
        # A list, so that the work does not depend on which token it is.
        matching = [known for known in self.all if compare_digest(known.digest, shown)]
        if matching:
            return matching[0]
        return None

    def to_toml(self) -> str:
        """The file that says so."""
        blocks = [
            "# Made by `ldp store tokens`, which does not keep comments. The hashes "
            "are no secret, the tokens are.\n"
        ]
        for token in self.all:
            block = "[[token]]\n"
            block += f'name = "{token.name}"\n'
            block += f'scope = "{token.scope}"\n'
            block += f'sha256 = "{token.digest.hex()}"\n'
            if token.expires is not None:
                block += f"expires = {token.expires.isoformat()}\n"
            if token.surveys:
                block += f"surveys = {json.dumps(token.surveys)}\n"
            for name in _LIMITS:
                if (limit := getattr(token, name)) is not None:
                    block += f"{name} = {limit}\n"
            blocks.append(block)
        return "\n".join(blocks)


class TokenFile:
    """The tokens of a file that may change at any time.

    Raises `TokenError` if they cannot be read to begin with. Those that are `given`
    stand before them. `used` is told the name of each token that is good for what was
    asked, and when; `changed` the names before and after a change of the file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        given: Iterable[Token] = (),
        used: Callable[[str, float], None] = lambda name, now: None,  # noqa: ARG005
        changed: Callable[[list[str], list[str]], None] = lambda before, after: None,  # noqa: ARG005
    ) -> None:
        self._path = Path(path)
        self._given = tuple(given)
        self._used = used
        self._changed = changed
        self._file = FollowedFile(self._read, self._use, kept="tokens")
        self.tokens = self._with_given(self._file.content)

    def check(
        self, token: str | None, scope: str, now: float, *, survey: str | None = ""
    ) -> str:
        """Return the verdict of `Tokens`, by the file as it was a second ago or
        later.
        """
        return self.judge(token, scope, now, survey=survey)[0]

    def judge(
        self, token: str | None, scope: str, now: float, *, survey: str | None = ""
    ) -> tuple[str, Token | None]:
        """Return the verdict, and the record of a token if it is granted something."""
        self._file.is_current(now)
        verdict, known = self.tokens.judge(token, scope, now, survey=survey)
        if known is not None:
            self._used(known.name, now)
        return verdict, known

    def is_current(self, now: float) -> bool:
        """Whether the file can be used as it is: if not, a token that is removed stays
        good.
        """
        return self._file.is_current(now)

    def _read(self) -> bytes:
        """The content of the file; with tokens of the process's own, there need be
        none.
        """
        absent = bool(self._given) and not self._path.exists()
        if absent:
            return b""
        return _content(self._path)

    def _use(self, content: bytes) -> None:
        """Take over what the file says."""
        before = [token.name for token in self.tokens.all]
        self.tokens = self._with_given(content)
        self._changed(before, [token.name for token in self.tokens.all])

    def _with_given(self, content: bytes) -> Tokens:
        """The tokens that are given, and those of the file. Raises `TokenError`."""
        tokens = Tokens([*self._given, *Tokens.parse(content, str(self._path)).all])
        if not tokens.all:
            # It may be a file that was emptied by mistake, by a full disk for example.
            _log.warning(
                "%s: it has no tokens, so that none is good for anything", self._path
            )
        return tokens


def new_token() -> str:
    """A token that no one has, and no one will guess."""
    return f"ldp_{secrets.token_urlsafe(32)}"


def token_record(
    token: str, name: str, scope: str, *, expires: datetime | None = None, **limits: Any
) -> Token:
    """Make the record of a token; `limits` are those that a token may have
    (`Token`).
    """
    return Token(
        name, scope, sha256(token.encode()).digest(), expires=expires, **limits
    )


def is_name(text: str) -> bool:
    """Whether a token can be called so."""
    return _NAME.fullmatch(text) is not None


def _token(keys: Keys, table: Mapping[str, object], others: Iterable[Token]) -> Token:
    name = keys.text("name")
    if name != "?" and not is_name(name):
        keys.problem(
            "name",
            (
                "up to 32 letters, digits, dots, dashes or underscores, a letter or "
                "digit first"
            ),
            name,
        )
    scope = keys.choice("scope", SCOPES) or UPLOAD
    digits = table["sha256"] if "sha256" in keys else None
    if not isinstance(digits, str) or not _DIGEST.fullmatch(digits):
        keys.problem(
            "sha256",
            "64 hexadecimal digits, in lower case",
            None if digits is None else "something else",
        )
        digits = ""
    expires = _moment(keys, table.get("expires")) if "expires" in keys else None
    surveys = keys.texts("surveys", 1, _MOST_SURVEYS) if "surveys" in keys else ()
    limits = {name: keys.integer(name, 1, _HIGHEST) for name in _LIMITS if name in keys}
    if limits and scope != UPLOAD:
        keys.problem(next(iter(limits)), "a token of scope upload", scope)
    keys.finish()
    for other in others:
        if name == other.name != "?":
            keys.problem("name", "names that all differ", f"{name} twice")
        if digits and bytes.fromhex(digits) == other.digest:
            keys.problem(
                "sha256", "tokens that all differ", f"that of {other.name} again"
            )
    digest = bytes.fromhex(digits)
    return Token(name, scope, digest, expires=expires, surveys=surveys, **limits)


def _moment(keys: Keys, value: object) -> datetime | None:
    if isinstance(value, datetime):
        if value.tzinfo:
            return value
        return value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    keys.problem(
        "expires",
        "a date such as 2027-01-01, or a date and time, without quotes",
        value,
    )
    return None


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise TokenError(
            str(path), [Problem("file", "to read it", error.strerror or str(error))]
        ) from None
    if len(content) > _MOST_BYTES:
        raise TokenError(
            str(path), [Problem("file", f"at most {_MOST_BYTES:,} bytes", "more")]
        )
    return content
