"""The table of formats: each shows what it should, and whatever offers formats follows
from it.
"""

import re
from collections import Counter

import click
import pytest
from format_specimens import READERS, SHEET, latex_of
from places import ROOT

from ldp.errors import EstimateError
from ldp_aggregator import Tally, estimate, parse_survey
from ldp_aggregator.commands.main import main
from ldp_aggregator.output.formats.formats import (
    FORMATS,
    format_of_file,
    formats_of,
    render_sheet,
)
from ldp_aggregator.output.sheet import Sheet
from ldp_service.page.sections.downloads import DOWNLOADS

ESTIMATES = ("tables", "record", "rows", "bars")
OFFERED = {
    "estimate": ESTIMATES,
    "rappor import": ESTIMATES,
    "simulate": ESTIMATES,
    "analyze associate": ("tables", "record", "rows"),
    "plan": ("tables", "record"),
    "survey simulate-attacks": ("tables", "record"),
}

NEEDED = {"parquet": "pyarrow", "prometheus": "prometheus_client"}
"""What reads these formats back."""


def choices(words):
    """What `--format` of a command takes."""
    command = main
    for word in words.split():
        command = command.get_command(click.Context(command), word)
    (option,) = (parameter for parameter in command.params if parameter.name == "form")
    return list(option.type.choices)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.needs(NEEDED[name])] if name in NEEDED else []
        )
        for name in FORMATS
    ],
)
def test_every_format_shows_the_sheet(name):
    """What people wrote is shown as it is, whatever markup it looks like."""
    row = FORMATS[name]
    READERS[name](row.whole(SHEET))
    content = render_sheet(SHEET, name)
    assert row.whole(SHEET) == (
        content if isinstance(content, bytes) else content.encode()
    )


@pytest.mark.parametrize("name", FORMATS)
def test_no_rows_are_no_error(name):
    """A sheet without rows is a file as well."""
    sheet = Sheet("none", tables=list, record=dict, columns=("value", "frequency"))
    if FORMATS[name].available and FORMATS[name].needs != "bars":
        FORMATS[name].whole(sheet)


@pytest.mark.parametrize("name", FORMATS)
def test_a_shape_that_a_result_lacks_is_refused(name):
    """A file of nothing would pass for a result."""
    with pytest.raises(EstimateError, match="nothing: this result has no"):
        render_sheet(Sheet("nothing"), name)


def test_texts_alone_are_no_gauges():
    """Prometheus would be given an empty file."""
    sheet = Sheet("people", columns=("sex",), rows=lambda: [("male",)])
    with pytest.raises(EstimateError, match="people: this result has no numbers"):
        render_sheet(sheet, "prometheus")


def test_names_and_endings_are_unique():
    """A file's ending says which format it is."""
    endings = Counter(row.ending for row in FORMATS.values())
    assert max(endings.values()) == 1
    assert {name: row.name for name, row in FORMATS.items()} == {
        name: name for name in FORMATS
    }
    for row in FORMATS.values():
        assert format_of_file(f"some.folder/file.{row.ending}", FORMATS.values()) == row
    assert format_of_file("some.folder/file", FORMATS.values()) is None
    assert format_of_file("picture.svg", formats_of("tables")) is None


@pytest.mark.parametrize("command", OFFERED)
def test_commands_offer_what_the_table_has(command):
    """A row more is a choice more of every command whose results have its shape."""
    assert choices(command) == [row.name for row in formats_of(*OFFERED[command])]


def test_downloads_are_the_formats_of_estimates():
    """The service offers what the command does."""
    assert list(DOWNLOADS) == choices("estimate")


def test_unknown_formats_are_told_what_there_is():
    """The message lists the table."""
    survey = parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "x"\ntype = "boolean"\n'
        'mechanism = "grr"\nepsilon = 1\n'
    )
    with pytest.raises(
        EstimateError, match=re.escape(", ".join(FORMATS)) + ", got 'docx'"
    ):
        estimate(Tally.empty(survey)).rendered("docx")


def test_every_format_is_documented():
    """The page on estimates has a row for each, with how its files end."""
    page = (ROOT / "docs" / "estimates.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `\.(\w+)` \|", page, re.MULTILINE)
    assert rows == [(row.name, row.ending) for row in FORMATS.values()]


def test_brackets_are_no_room_between_rows_in_latex():
    """What begins a row with one would be taken for a length."""
    assert latex_of("[30, 45)") == r"{}[30, 45) & 0.5 \\"
    assert latex_of("thirty") == r"thirty & 0.5 \\"
