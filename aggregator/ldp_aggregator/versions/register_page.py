"""A register as one page to read, and as a table: what was asked when, and why it got
worse.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any

from ldp.survey.survey import Survey
from ldp.transparency.entries import Entry, Register
from ldp.transparency.proofs import head_of
from ldp_aggregator.output.formats.html_page import page, paragraph, table
from ldp_aggregator.output.sheet import NOTHING, Sheet, TextTable
from ldp_aggregator.versions.comparison import VersionChanges, compare_versions

_STYLE = """
pre { overflow-x: auto; }
td { vertical-align: top; }
td, th { text-align: left; }
.worse { font-weight: bold; }
"""
_SHORT = 16


def register_sheet(register: Register) -> Sheet:
    """A row for each entry, the oldest first."""
    head = head_of(register).text
    return Sheet(
        title="Register of surveys",
        lead=(f"{len(register.entries)} entries; head {head}",),
        tables=lambda: [
            TextTable(
                title="",
                caption="",
                headings=(
                    "entry",
                    "day",
                    "survey",
                    "version",
                    "became worse",
                    "accepted because",
                ),
                rows=[_row(entry) for entry in register.entries],
            )
        ],
        record=lambda: {
            "head": head,
            "entries": [_record(entry) for entry in register.entries],
        },
        columns=("entry", "day", "survey", "fingerprint", "terms", "worse", "accepted"),
        rows=lambda: (
            (
                entry.number,
                entry.day,
                entry.name,
                entry.fingerprint,
                entry.terms,
                "; ".join(entry.worse),
                entry.accepted,
            )
            for entry in register.entries
        ),
    )


def _row(entry: Entry) -> tuple[str, ...]:
    return (
        str(entry.number),
        entry.day,
        entry.name,
        entry.fingerprint[:_SHORT],
        "; ".join(entry.worse) or NOTHING,
        entry.accepted or NOTHING,
    )


def _record(entry: Entry) -> dict[str, Any]:
    return {**entry._asdict(), "worse": list(entry.worse)}


def register_page(register: Register) -> str:
    """One page with every version, what it changed for respondents, and the reasons
    given for it.

    It has no script and fetches nothing; all text is escaped. Raises `RegisterError`
    for an entry whose survey is not what it says.
    """
    head = head_of(register)
    body = [
        paragraph(
            f"{head.size} entries. Whoever keeps the head of this register can be "
            "shown that nothing of what stands here was changed or taken out since."
        ),
        f"<p>Head: <code>{html.escape(head.text)}</code></p>",
    ]
    before: dict[str, list[Survey]] = {}
    for entry in register.entries:
        survey = entry.survey()
        versions = before.setdefault(entry.name, [])
        body += _entry(entry, survey, versions)
        versions.append(survey)
    return page("Register of surveys", "".join(body), _STYLE)


def _entry(entry: Entry, survey: Survey, before: Sequence[Survey]) -> Iterator[str]:
    yield (
        f"<h2>{entry.number}: {html.escape(entry.name)}, {html.escape(entry.day)}</h2>"
    )
    yield (
        f"<p>Fingerprint <code>{entry.fingerprint}</code>, terms "
        f"<code>{entry.terms}</code></p>"
    )
    if before:
        yield _changes(compare_versions(survey, before[-1], before[:-1]))
    else:
        yield paragraph("The first version of this name.")
    if entry.accepted is not None:
        yield f'<p class="worse">Accepted because: {html.escape(entry.accepted)}</p>'
        items = "".join(f"<li>{html.escape(line)}</li>" for line in entry.worse)
        yield f"<ul>{items}</ul>"
    yield (
        "<details><summary>The "
        f"survey</summary><pre>{html.escape(entry.toml)}</pre></details>"
    )


def _changes(comparison: VersionChanges) -> str:
    sheet = comparison.sheet()
    lead = "".join(map(paragraph, sheet.lead))
    return lead + "".join(table(shown.headings, shown.rows) for shown in sheet.tables())
