"""The register of a survey's versions as a text: one entry a line, each bound to the
one before it.

An entry is a line of JSON, in the one spelling that `line_of` gives, and ends with a
newline:

    entry        its number, from 0
    previous     the hash of the line before it (`tree.leaf_hash`, without its newline),
                 in hexadecimal digits; of the first the root of an empty log
    day          when it was added, by the clock of whoever added it: 2026-11-24
    survey       the name of the survey
    fingerprint  that of this version, and
    terms        the digest of all that it costs
    worse        what became worse for respondents, as `place: aspect: before -> after`
    accepted     why that was accepted; null if nothing became worse
    toml         the survey, as `Survey.to_toml` writes it
    page         the SHA-256 of the page file that is shown with it, if there is one

Whoever changes a line in the middle has to change all after it, and with them the head
that others have seen. Nothing here is signed: a head is worth as much as the number of
people who keep it.

Rules
- A text that is not exactly a chain of such lines is refused, with the line and the
  reason. A last line that does not end is torn: `torn` says where, and only who asks
  for it has it mended.
- What an entry says of its survey is what its `toml` parses to; `check_surveys` works
  that out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from ldp.errors import LDPError, SurveyError
from ldp.survey.survey import Survey
from ldp.survey.survey_file import parse_survey
from ldp.survey.survey_text import LARGEST
from ldp.transparency.tree import leaf_hash, root_of

LONGEST_LINE = 4 * LARGEST
"""Bytes of an entry: JSON may take several for a character of a survey."""
LONGEST_REASON = 1000
_BOM = b"\xef\xbb\xbf"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_FINGERPRINT = re.compile(r"[0-9a-f]{32}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHOWN = 60


class RegisterError(LDPError, ValueError):
    """A register that is not what it should be, or a proof that proves nothing."""


class TornError(RegisterError):
    """A register whose last line does not end: a process was killed while it wrote, or
    a disk full.

    `sound` is how many of its bytes are whole entries.
    """

    def __init__(self, sound: int, detail: str) -> None:
        self.sound = sound
        super().__init__(detail)


class Entry(NamedTuple):
    """One version of a survey, as it was registered."""

    number: int
    previous: str
    day: str
    name: str
    fingerprint: str
    terms: str
    worse: tuple[str, ...]
    accepted: str | None
    toml: str
    page: str = ""

    def survey(self) -> Survey:
        """The survey that it registers. Raises `RegisterError` if there is none of that
        name.
        """
        place = f"entry {self.number}"
        try:
            survey = parse_survey(self.toml, place)
        except SurveyError as error:
            raise RegisterError(
                f"{place}: expected the text of a survey, got {error}"
            ) from None
        came = (survey.name, survey.fingerprint.hex(), survey.terms.hex())
        for what, stated, true in zip(
            ("name", "fingerprint", "terms"),
            (self.name, self.fingerprint, self.terms),
            came,
            strict=True,
        ):
            if stated != true:
                raise RegisterError(
                    f"{place}: expected the {what} of its survey, {true}, got {stated}"
                )
        return survey


class Register(NamedTuple):
    """Entries in their order, and the hashes of their lines."""

    entries: tuple[Entry, ...]
    leaves: tuple[bytes, ...]

    @property
    def root(self) -> bytes:
        """The root of the tree over all lines."""
        return root_of(self.leaves)

    @property
    def last_hash(self) -> str:
        """Hash that the next entry names as the one before it."""
        return (self.leaves[-1] if self.leaves else self.root).hex()

    def versions(self, name: str) -> list[Entry]:
        """The entries of a survey, the oldest first."""
        return [entry for entry in self.entries if entry.name == name]

    def find(self, survey: Survey, page: str | None = None) -> Entry | None:
        """The newest entry of exactly this version, its texts included; None if there
        is none.

        And of the page file of this hash, if one is given.
        """
        text = survey.to_toml()
        for entry in reversed(self.versions(survey.name)):
            if page not in (None, entry.page):
                continue
            # What an older release wrote may be spelled otherwise today.
            if entry.toml == text or entry.survey().to_toml() == text:
                return entry
        return None

    def follow(
        self,
        survey: Survey,
        day: date,
        worse: tuple[str, ...],
        reason: str | None,
        page: str = "",
    ) -> str:
        """The line, with its newline, that registers one more version.

        Raises `RegisterError` for a reason that is no line of text.
        """
        if reason is not None:
            check_reason(reason)
        entry = Entry(
            number=len(self.entries),
            previous=self.last_hash,
            day=day.isoformat(),
            name=survey.name,
            fingerprint=survey.fingerprint.hex(),
            terms=survey.terms.hex(),
            worse=worse,
            accepted=reason,
            toml=survey.to_toml(),
            page=page,
        )
        return line_of(entry) + "\n"


def check_reason(reason: str, place: str = "--accept") -> None:
    """Raise `RegisterError` for a reason that says nothing, or is not one line."""
    if not reason.strip() or not reason.isprintable() or len(reason) > LONGEST_REASON:
        raise RegisterError(
            f"{place}: expected a reason of one line and 1 to {LONGEST_REASON:,} "
            f"characters, got {reason[:_SHOWN]!r}"
        )


def line_of(entry: Entry) -> str:
    """The line of an entry, without a newline."""
    fields = {
        "entry": entry.number,
        "previous": entry.previous,
        "day": entry.day,
        "survey": entry.name,
        "fingerprint": entry.fingerprint,
        "terms": entry.terms,
        "worse": list(entry.worse),
        "accepted": entry.accepted,
        "toml": entry.toml,
    }
    if entry.page:
        fields["page"] = entry.page
    return json.dumps(fields, ensure_ascii=False)


def entry_of(line: bytes, place: str) -> Entry:
    """The entry that a line says, without its newline.

    Raises `RegisterError`; `place` names the line.
    """
    if len(line) > LONGEST_LINE:
        raise RegisterError(
            f"{place}: expected at most {LONGEST_LINE:,} bytes, got more"
        )
    try:
        text = line.decode()
        fields = json.loads(text)
        entry = Entry(
            number=fields["entry"],
            previous=fields["previous"],
            day=fields["day"],
            name=fields["survey"],
            fingerprint=fields["fingerprint"],
            terms=fields["terms"],
            worse=tuple(fields["worse"]),
            accepted=fields["accepted"],
            toml=fields["toml"],
            page=fields.get("page", ""),
        )
        is_sound = _has_types(fields) and line_of(entry) == text
    except (ValueError, KeyError, TypeError, RecursionError):
        is_sound = False
    if not is_sound:
        raise RegisterError(
            f"{place}: expected an entry in the spelling that `ldp survey register "
            f"add` gives, got {line[:_SHOWN].decode(errors='replace')!r}"
        )
    return entry


def _has_types(fields: Mapping[str, Any]) -> bool:
    accepted = fields["accepted"]
    texts = (fields["survey"], fields["toml"], *fields["worse"])
    return (
        type(fields["entry"]) is int
        and isinstance(fields["worse"], list)
        and all(isinstance(text, str) for text in texts)
        and _is(_HASH, fields["previous"])
        and _is(_DAY, fields["day"])
        and _is(_FINGERPRINT, fields["fingerprint"])
        and _is(_FINGERPRINT, fields["terms"])
        and ("page" not in fields or _is(_HASH, fields["page"]))
        and (accepted is None or (isinstance(accepted, str) and accepted.isprintable()))
    )


def _is(form: re.Pattern[str], text: object) -> bool:
    return isinstance(text, str) and form.fullmatch(text) is not None


def parse_register(content: bytes, place: str = "register") -> Register:
    """The register that a file's bytes hold, whose chain is sound.

    Raises `RegisterError` at the first line that is not as it should be, and
    `TornError` if that is because the last one does not end. Surveys are not read
    (`check_surveys`).
    """
    if content.startswith(_BOM):
        raise RegisterError(
            f"{place}: expected UTF-8 without a byte-order mark, got one: an editor "
            "has put it there; take the file from version control, or mend it"
        )
    if b"\r\n" in content:
        line = content[: content.index(b"\r\n")].count(b"\n") + 1
        raise RegisterError(
            f"{place}, line {line}: expected lines that end with a newline, got one "
            "that ends with a carriage return too: an editor or git's autocrlf has "
            "changed it (`* -text` in .gitattributes prevents that); take the file "
            "from version control, or mend it"
        )
    entries: list[Entry] = []
    leaves: list[bytes] = []
    previous = root_of(()).hex()
    for number, text in enumerate(_lines(content, place)):
        where = f"{place}, line {number + 1}"
        entry = entry_of(text, where)
        if entry.number != number:
            raise RegisterError(
                f"{where}: expected entry {number}, got {entry.number}: a line was "
                "taken out, put in or moved"
            )
        if entry.previous != previous:
            raise RegisterError(
                f"{where}: expected the hash of the line before it, {previous}, got "
                f"{entry.previous}: that line, or this one, was changed after it was "
                "added"
            )
        leaf = leaf_hash(text)
        entries.append(entry)
        leaves.append(leaf)
        previous = leaf.hex()
    return Register(tuple(entries), tuple(leaves))


def _lines(content: bytes, place: str) -> Iterator[bytes]:
    """The lines, without their newlines."""
    whole, newline, rest = content.rpartition(b"\n")
    if newline:
        yield from whole.split(b"\n")
    if rest:
        raise TornError(
            len(whole) + len(newline),
            f"{place}: expected a last line that ends with a newline, got "
            f"{len(rest):,} bytes without one: whoever wrote it was stopped on the "
            "way; mend it with `ldp survey register verify --mend`",
        )


def repair_text(content: bytes) -> bytes:
    """The bytes without what editors and torn writes did to them, as far as that can be
    undone.

    A byte-order mark and carriage returns are taken out. A last line that does not end
    is given an end if it is a whole entry, else taken out.
    """
    plain = content.removeprefix(_BOM).replace(b"\r\n", b"\n")
    try:
        parse_register(plain)
    except TornError as torn:
        finished = plain + b"\n"
        try:
            parse_register(finished)
        except RegisterError:
            return plain[: torn.sound]
        return finished
    except RegisterError:
        # What is wrong with it is none of these.
        return plain
    return plain


def check_surveys(register: Register) -> list[Survey]:
    """The survey of each entry, whose name, fingerprint and terms are as it says.

    Raises `RegisterError`.
    """
    return [entry.survey() for entry in register.entries]
