"""Options of every command that ends in estimates, and its output."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.answers.options import (
    CORRECTIONS,
    DEFAULT,
    ESTIMANDS,
    INTERVALS,
    MOST_REPORTS_PER_PERSON,
    POST,
    MapOptions,
    NumberOptions,
    Options,
)
from ldp_aggregator.answers.requests import (
    BY,
    edges_of,
    quantiles_of,
    range_of,
    rectangle_of,
    zoom_of,
)
from ldp_aggregator.commands.main import (
    FILE_PATH,
    OUTPUT_FILE,
    Command,
    FiniteRange,
    take,
    with_options,
)
from ldp_aggregator.output.files import hand_out, write_whole
from ldp_aggregator.output.formats.formats import (
    FORMATS,
    Format,
    format_of_file,
    formats_of,
)
from ldp_aggregator.output.sheet import Shape, Sheet
from ldp_aggregator.output.streams import DASH, check_one_output, is_standard_output

if TYPE_CHECKING:
    from ldp.survey.survey import Question, Survey
    from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
    from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
    from ldp_aggregator.answers.maps.maps import Map
    from ldp_aggregator.answers.maps.regions import Regions
    from ldp_aggregator.numerics.arrays import Counts
    from ldp_aggregator.output.checks import Check

PICTURES = " or ".join(f".{row.ending}" for row in formats_of("bars"))
"""How the files of pictures end."""

_HAVE_ALL = ", ".join(f"--format {row.name}" for row in formats_of("record", "rows"))
_SHOW_ALL = (
    "--top all shows every value in the survey's order, and all are in files for "
    f"machines ({_HAVE_ALL})"
)

EVERY_VALUE = 0
"""What `--top all` asks for."""


def _read_top(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    if text == "all":
        return EVERY_VALUE
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise click.BadParameter(
            f"expected a number of values, such as 20, or all, got {text!r}"
        )
    return int(text)


def _read_with(read: Callable[[str], Any]) -> Callable[..., Any]:
    """A callback that reads what was given, once or several times; None where nothing
    was.
    """

    def callback(_: click.Context, __: click.Parameter, given: Any) -> Any:
        try:
            if isinstance(given, tuple):
                return tuple(map(read, given))
            if given is None:
                return None
            return read(given)
        except EstimateError as error:
            raise click.BadParameter(str(error)) from None

    return callback


TOP = click.option(
    "--top",
    metavar="N",
    callback=_read_top,
    help="Show the N most frequent values of each question, or all.  [default: all; in "
    "tables up to 100]",
)
QUESTION = click.option(
    "--question",
    "names",
    multiple=True,
    metavar="NAME",
    help="Show this question, and others so named, but no more.",
)

OUTPUT = click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=OUTPUT_FILE,
    is_eager=True,  # --format looks at its ending
    help="Write to this file instead of standard output.",
)


TALLIES = click.argument(
    "paths",
    metavar="TALLY_OR_REPORTS...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=str),
)
LEVEL = click.option(
    "--level", default=0.95, show_default=True, help="Coverage of the intervals."
)
ESTIMAND = click.option(
    "--estimand",
    type=click.Choice(ESTIMANDS),
    default="population",
    show_default=True,
    help="Whom the intervals are for.",
)


REPORTS_PER_PERSON = click.option(
    "--reports-per-person",
    type=click.IntRange(1, MOST_REPORTS_PER_PERSON),
    help=(
        "Reports that every respondent sent of one permanent response, to memoized "
        "questions.  [default: the most that the epochs of the reports allow]"
    ),
)


def format_option(
    *shapes: Shape, of_file: bool = True, unless: str | None = None
) -> Callable[[Command], Command]:
    """Return the option that asks for a format, of a result that has these shapes.

    of_file  whether there is a file whose name may tell the format
    unless   an eager option beside which that file is none of the result

    A file whose name ends otherwise is refused before the command begins its work.
    """
    formats = formats_of(*shapes)

    def choose(context: click.Context, _: click.Parameter, name: str | None) -> str:
        output: Path | None = context.params.get("output")
        if name is None and of_file and not (unless and context.params[unless]):
            return _by_ending(output, formats).name
        return name or FORMATS["table"].name

    default = "that of the ending of --output, else table" if of_file else "table"
    return click.option(
        "--format",
        "form",
        type=click.Choice([row.name for row in formats]),
        callback=choose,
        help=f"How to write the result.  [default: {default}]",
    )


def _picture_format(path: Path) -> Format | None:
    """The format of a picture; standard output says nothing of it."""
    if str(path) == DASH:
        return FORMATS["svg"]
    return format_of_file(str(path), formats_of("bars"))


def _check_plot(
    _: click.Context, __: click.Parameter, path: Path | None
) -> Path | None:
    if path is not None and _picture_format(path) is None:
        raise click.UsageError(
            f"--plot: expected a file ending in {PICTURES}, got {path}"
        )
    return path


def draw(sheet: Sheet, path: Path | None) -> None:
    """Draw the picture of a result, if a file is named."""
    form = None
    if path is not None:
        form = _picture_format(path)
    if path is not None and form is not None:
        write_whole(path, form.whole(sheet))


PLOT = click.option(
    "--plot",
    "plot_path",
    metavar="FILE",
    type=OUTPUT_FILE,
    callback=_check_plot,
    help=f"Draw a picture as well, in a file ending in {PICTURES}.",
)

_OPTIONS = (
    TOP,
    LEVEL,
    ESTIMAND,
    click.option(
        "--interval",
        type=click.Choice(INTERVALS),
        default="score",
        show_default=True,
        help="How the intervals are made.",
    ),
    click.option(
        "--simultaneous",
        is_flag=True,
        help="Make all intervals of a question hold together (Bonferroni).",
    ),
    click.option(
        "--post-process",
        type=click.Choice(POST),
        help="A biased, better-looking view of the frequencies.",
    ),
    click.option(
        "--detect",
        type=click.Choice([DEFAULT, *CORRECTIONS]),
        help="Tell which values are there: p-values, q-values by this correction, and "
        "intervals of those found that hold after the choice.",
    ),
    click.option(
        "--detect-level",
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="One less the share of what is found that may be wrong, on average "
        "(bonferroni: less the chance that anything is).",
    ),
    click.option(
        "--at",
        "tree_level",
        metavar="LEVEL",
        help="Of trees: show this level, by its name or its number from the top.",
    ),
    click.option(
        "--finest",
        metavar="WIDTH",
        type=FiniteRange(0, 1, min_open=True),
        help=(
            "Of trees: show in each branch the finest nodes with intervals no wider "
            "than this."
        ),
    ),
    click.option(
        "--crowd",
        metavar="N",
        type=FiniteRange(0),
        default=0,
        help=(
            "Of trees: merge nodes that may have no more than N people into those "
            "above."
        ),
    ),
    click.option(
        "--frequencies",
        is_flag=True,
        help="Of every value, also where a mechanism is for means or distributions.",
    ),
    click.option(
        "--quantiles",
        metavar="SHARES",
        callback=_read_with(quantiles_of),
        help=(
            "Of the distribution of a number, such as .1,.5,.9.  [default: .25,.5,.75]"
        ),
    ),
    click.option(
        "--range",
        "ranges",
        multiple=True,
        metavar="LOW:HIGH",
        callback=_read_with(range_of),
        help=(
            "Show the share of the numbers from LOW up to HIGH, without HIGH; may be "
            "repeated."
        ),
    ),
    click.option(
        "--edges",
        metavar="NUMBERS",
        callback=_read_with(edges_of),
        help=(
            "Of the cells of a histogram, such as 18,25,40,65.  [default: a few round "
            "ones]"
        ),
    ),
    click.option(
        "--rectangle",
        "rectangles",
        multiple=True,
        metavar="X0:X1,Y0:Y1",
        callback=_read_with(rectangle_of),
        help="Show the share of the places with x from X0 up to X1 and y from Y0 up to "
        "Y1; may be repeated.",
    ),
    click.option(
        "--zoom",
        metavar="CELLSxCELLS",
        callback=_read_with(zoom_of),
        help="Of maps for rectangles: so many cells along x and along y, powers of "
        "two.  [default: as many as can be told from empty ones]",
    ),
    click.option(
        "--cells",
        "cells_path",
        metavar="FILE",
        type=OUTPUT_FILE,
        help=(
            "Write the cells of a map as well, as GeoJSON polygons with shares and "
            "intervals."
        ),
    ),
    click.option(
        "--geography",
        "geography_path",
        metavar="FILE",
        type=FILE_PATH,
        help=(
            "Of maps: show the shares of the districts in a GeoJSON file, and their "
            "borders."
        ),
    ),
    click.option(
        "--district-name",
        metavar="PROPERTY",
        default="name",
        show_default=True,
        help="The property that names these districts.",
    ),
    click.option(
        "--districts-by",
        type=click.Choice(BY),
        default="area",
        show_default=True,
        help="How cells are counted that borders of districts cut.",
    ),
    REPORTS_PER_PERSON,
    format_option("tables", "record", "rows", "bars"),
    OUTPUT,
    PLOT,
    click.option(
        "--otlp",
        "otlp_url",
        metavar="URL",
        help="Send the estimates as well, as gauges, to a collector of OpenTelemetry.",
    ),
)


with_output_options = with_options(*_OPTIONS)
"""Gives a command the options that `OutputOptions` is made of."""


@dataclass(frozen=True)
class OutputFiles:
    """Where a result goes, and in which formats."""

    form: str
    output: Path | None
    plot_path: Path | None
    cells_path: Path | None
    otlp_url: str | None

    def __post_init__(self) -> None:
        for name, path in (("--cells", self.cells_path), ("--plot", self.plot_path)):
            if path is not None:
                check_one_output((name, path), ("--output", self.output))

    def write(self, sheet: Sheet) -> None:
        """Draw the picture, if any, and write the result to the file or to standard
        output.

        Raises `EstimateError`.
        """
        draw(sheet, self.plot_path)
        if self.otlp_url is not None:
            from ldp_aggregator.exchange.otlp import send
            from ldp_aggregator.output.monitoring.otlp import request_of

            send(self.otlp_url, request_of(sheet, time.time_ns()))
        present(sheet, self.form, self.output)


@dataclass(frozen=True)
class TreeOptions:
    """Which nodes of trees are shown."""

    tree_level: str | None
    finest: float | None
    crowd: float

    def __post_init__(self) -> None:
        if self.tree_level is not None and self.finest is not None:
            raise click.UsageError("expected --at or --finest, got both")

    def __bool__(self) -> bool:
        return bool(
            self.tree_level is not None or self.finest is not None or self.crowd
        )

    def nodes_of(self, estimates: SurveyEstimates) -> SurveyEstimates:
        """The nodes that were asked for. Raises `EstimateError` if there is no tree."""
        from ldp_aggregator.answers.trees.room import TreeEstimates

        trees = {
            name: question.nodes(self.tree_level, width=self.finest, crowd=self.crowd)
            for name, question in estimates.questions.items()
            if isinstance(question, TreeEstimates) and len(question)
        }
        if not trees:
            raise EstimateError(
                "expected a question whose values have parents for --at, --finest and "
                "--crowd, got none"
            )
        return replace(estimates, questions={**estimates.questions, **trees})


@dataclass(frozen=True)
class OutputOptions:
    """Options of the command."""

    options: Options
    top: int | None
    trees: TreeOptions
    files: OutputFiles

    @classmethod
    def of(cls, asked: dict[str, Any]) -> OutputOptions:
        """Return the options from the values of parameters, by their names."""
        top = asked.pop("top")
        trees, files = take(TreeOptions, asked), take(OutputFiles, asked)
        return cls(_options_of(**asked), top, trees, files)

    def hand_over(self, estimates: SurveyEstimates) -> None:
        """Write the estimates, their picture and their cells, as far as asked for."""
        if self.trees:
            estimates = self.trees.nodes_of(estimates)
        if self.files.cells_path is not None:
            write_whole(self.files.cells_path, _cells_of(estimates))
        if self.top:
            chosen = {
                name: question.top(self.top)
                for name, question in estimates.questions.items()
            }
            estimates = replace(estimates, questions=chosen)
        sheet = estimates.sheet(in_full=self.top is not None, elsewhere=_SHOW_ALL)
        self.files.write(sheet)

    def hand_over_groups(self, groups: GroupEstimates) -> None:
        """The same of estimates by group. Raises `click.UsageError` for what they do
        not have.
        """
        if self.top or self.trees:
            raise click.UsageError(
                "expected --by and --where without --top, --at, --finest, --crowd"
            )
        if self.files.cells_path is not None:
            raise click.UsageError("expected --by and --where without --cells")
        if self.options.detect is not None:
            raise click.UsageError("expected --by and --where without --detect")
        self.files.write(groups.sheet(in_full=self.top is not None))


def _options_of(
    *,
    simultaneous: bool,
    detect: str | None,
    detect_level: float,
    quantiles: tuple[float, ...] | None,
    ranges: tuple[tuple[str, str], ...],
    edges: tuple[str, ...] | None,
    rectangles: tuple[tuple[tuple[str, str], tuple[str, str]], ...],
    zoom: tuple[int, int] | None,
    geography_path: Path | None,
    district_name: str,
    districts_by: str,
    **asked: Any,
) -> Options:
    """Options of estimates, from those of a command."""
    if detect is None and detect_level != Options.detect_level:
        raise click.UsageError("--detect-level: expected --detect too, which it is for")
    geography = None
    if geography_path is not None:
        from ldp_aggregator.answers.maps.geojson import read_geography  # slow to import

        geography = read_geography(geography_path, district_name, districts_by)
    return Options(
        simultaneous="bonferroni" if simultaneous else None,
        detect=detect,
        detect_level=detect_level,
        numbers=NumberOptions(
            quantiles or NumberOptions.quantiles, ranges, edges or ()
        ),
        maps=MapOptions(rectangles, zoom, geography),
        **asked,
    )


def _cells_of(estimates: SurveyEstimates) -> bytes:
    """The map of the question of type place, as GeoJSON. Raises `EstimateError` for
    none or two.
    """
    from ldp_aggregator.answers.maps.map_estimates import MapEstimates
    from ldp_aggregator.answers.maps.region_estimates import RegionEstimates

    maps: list[Map | Regions] = []
    for question in estimates:
        if isinstance(question, MapEstimates) and question.places is not None:
            maps.append(question.map())
        elif isinstance(question, RegionEstimates) and question.regions is not None:
            maps.append(question.regions)
    if len(maps) != 1:
        named = ", ".join(shown.title for shown in maps) or "none"
        raise EstimateError(
            "expected one question of type place with reports for --cells (--question "
            "names it; where cells have names, --geography has their borders), got "
            f"{named}"
        )
    return (json.dumps(maps[0].geojson()) + "\n").encode()


def present(sheet: Sheet, form: str = "table", output: Path | None = None) -> None:
    """Write a sheet to a file or to standard output, in the format that was asked for.

    What a format has no place for is said on standard error.
    """
    chosen = FORMATS[form]
    content = chosen.write(sheet)
    if not chosen.sentences:
        for warning in sheet.warnings:
            click.echo(f"warning: {warning}", err=True)
    if (
        isinstance(content, bytes)
        and is_standard_output(output)
        and sys.stdout.isatty()
    ):
        raise click.UsageError(
            f"expected --output for {chosen.name}, whose bytes no terminal can show"
        )
    hand_out(output, content, data=not chosen.for_terminals)


def _by_ending(output: Path | None, formats: Sequence[Format]) -> Format:
    """The one of these formats that a file's name ends in, a table for a name without
    ending.

    Raises `click.UsageError` for another ending.
    """
    known = format_of_file(str(output), formats)
    if known is None and output is not None and output.suffix:
        endings = ", ".join(f".{row.ending}" for row in formats)
        raise click.UsageError(
            f"--output: expected a file ending in one of {endings}, got {output.name}; "
            "--format says what to write to a file of any other name"
        )
    return known or FORMATS["table"]


def check_names(names: Iterable[str], known: Collection[str]) -> None:
    """Raise `UnknownNameError` unless all names are those of questions."""
    for name in names:
        if name not in known:
            raise UnknownNameError(
                name, known, "--question to be one of the survey's questions"
            )


def say(text: str, json_path: Path | None) -> None:
    """Say to people what they asked for: on standard error if machines have standard
    output.
    """
    click.echo(text, err=json_path is not None and is_standard_output(json_path))


def warn(survey: Survey) -> None:
    """Say what a survey's designer should know of its questions."""
    from ldp_aggregator.explanations.explanation import warnings

    for warning in warnings(survey):
        click.echo(f"warning: {warning}", err=True)


def advise(survey: Survey) -> None:
    """Say which questions others would answer with fewer people."""
    from ldp_aggregator.explanations.alternatives import alternatives

    for sentence in alternatives(survey):
        click.echo(f"advice: {sentence}", err=True)


def warn_of_health(question: Question, counts: Counts, repeats: int) -> None:
    """Say on standard error which checks of a question's counts failed."""
    from ldp_aggregator.analyses.health_checks.report_checks import health

    _warn(
        question.name,
        health(question, counts, reports_per_person=repeats),
    )


def warn_of_draws(survey: Survey, counts: Mapping[str, Counts]) -> None:
    """Warn of odd numbers of reports to questions of which devices draw one."""
    if not survey.draws:
        return
    from ldp_aggregator.analyses.health_checks.draw_checks import draw_health

    for name, checks in draw_health(survey, counts).items():
        _warn(name, checks)


def _warn(name: str, checks: Iterable[Check]) -> None:
    for check in checks:
        if check.suspicious:
            click.echo(f"warning: question {name!r}: {check}", err=True)
