"""A share of `python -m lab.changes`, and the page that it has written."""

import math
import re

import pytest
from click.testing import CliRunner
from places import ROOT

from lab.changes.__main__ import main
from lab.changes.page import heading, page, table
from lab.changes.parts import PARTS, Measured, broken, measured
from lab.measured import commit_of, name_commit

PAGE = ROOT / "docs" / "changes-coverage.md"


def as_written(name):
    """A part as the page has it: its runs, and its rows as numbers."""
    part = PARTS[name]
    _, _, section = PAGE.read_text().partition(f"## {part.title}\n")
    section, _, _ = section.partition("\n## ")
    words = " ".join(section.split())
    [runs] = re.findall(r"([\d,]+) runs each", words)
    rows = {}
    for line in section.splitlines():
        label, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        if line.startswith("|") and label not in ("", "---"):
            numbers = zip(part.columns, cells, strict=True)
            rows[label] = {column: float(cell or "nan") for column, cell in numbers}
    return Measured(part, int(runs.replace(",", "")), rows)


def test_the_page_is_what_the_command_writes():
    """For its grid: every row of it and no other, all columns and words, and what does
    not hold.
    """
    parts = [as_written(name) for name in PARTS]
    for known in parts:
        assert list(known.rows) == list(known.part.cells)
        assert next(heading(known.part)) in PAGE.read_text()
    text = PAGE.read_text()
    assert name_commit(page(parts), commit_of(text)) == text


def test_enough_was_measured():
    """A share of .95 has a standard error of .011 and less, but for alarms, which are
    rare.
    """
    runs = {name: as_written(name).runs for name in PARTS}
    assert min(runs["contrasts"], runs["pairs"], runs["panels"]) >= 1_000
    assert runs["bands"] >= 400


def test_power_is_what_theory_makes_of_it():
    """Of single values, within three Monte-Carlo errors of as many runs as there
    are.
    """
    known = as_written("pairs")
    seen = 0
    for row in known.rows.values():
        power, expected = row["power"], row["power by theory"]
        if not math.isnan(expected):
            seen += 1
            assert abs(power - expected) < 3 * math.sqrt(
                power * (1 - power) / known.runs
            )
    assert seen == 6


def test_a_claim_that_does_not_hold_is_named():
    """Beyond what chance may do; what lacks a figure breaks nothing."""
    part = PARTS["contrasts"]
    row = dict.fromkeys(part.columns, 0.95) | {"size": 0.05}
    rows = {
        "a": row,
        "b": row | {"sum": 0.9},
        "c": row | {"sum": 0.935, "ratio": math.nan},
    }
    known = Measured(part, 10_000, rows)
    assert list(broken(known)) == [f"{part.title}: b: sum 0.900, not 0.94 to 0.96"]
    assert "- Sums" in page([known])
    assert "| c | 0.935 | 0.950 | 0.950 |  | 0.050 |" in table(known)


def test_the_command(tmp_path):
    """It writes the parts that are asked for, whose claims hold; rows depend on no
    others.
    """
    path = tmp_path / "page.md"
    result = CliRunner().invoke(
        main, [str(path), "--runs", "40", "--only", "contrasts"]
    )
    assert result.exit_code == 0, result.output
    assert "40 runs each" in path.read_text()
    assert PARTS["pairs"].title not in path.read_text()
    expected = page([measured("contrasts", 40, 1)])
    assert path.read_text() == name_commit(expected)


@pytest.mark.parametrize("name", ["pairs", "panels", "bands", "alarms"])
def test_every_part_has_its_columns(name):
    """In rows that are measured once: the first and the last of each part."""
    part = PARTS[name]
    rows = list(part.cells.values())
    seen = {column for row in (rows[0], rows[-1]) for column in row(1, 1)}
    assert set(part.claims) <= set(part.columns)
    assert seen & set(part.claims)
    # Courses have bands and alarms both.
    assert seen <= {*part.columns, *PARTS["bands"].columns, *PARTS["alarms"].columns}
