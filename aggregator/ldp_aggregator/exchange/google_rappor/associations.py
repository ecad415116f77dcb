"""Reports to several variables: what goes together, as `decode-assoc` asked of
google/rappor.

    schema   header metric,var,var_type,params, a row for each variable: a string, whose
             bits are those of a Bloom filter, or a boolean, whose one bit is the
             answer. Its parameters are in the file of the name in `params` and the
             ending .csv, in a folder of such
    reports  header client,cohort and the names of variables; a row for each client,
             whose reports are of so many digits, the highest bit first. All reports of
             a row are of one cohort

The bits of a string say more in one cohort and less in another about which text it is,
and with that of another string in the same cohort they do not go together as in cohorts
of their own. So one of two variables may be a string, as it may there; the bit of a
boolean says the same in all cohorts. Products of scores are then as in
`ldp_aggregator.analyses.association`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import lcm
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ldp.answers.domain import Domain
from ldp.errors import EstimateError
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Declared
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.survey.survey import Question
from ldp_aggregator.analyses.association.association import joint_estimates
from ldp_aggregator.analyses.association.result import Association
from ldp_aggregator.analyses.association.scores import MOST_SCORES, joint_scores
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.bloom.bloom import scores_of_design
from ldp_aggregator.decoders.bloom.decoding import background_of
from ldp_aggregator.decoders.bloom.indistinguishable import alike_together
from ldp_aggregator.decoders.moments.scores import Scores
from ldp_aggregator.decoders.other_results import Candidates, Grouped
from ldp_aggregator.exchange.google_rappor.booleans import TRUE
from ldp_aggregator.exchange.google_rappor.decoding import legacy_question
from ldp_aggregator.exchange.google_rappor.dialects import Dialect
from ldp_aggregator.exchange.google_rappor.files import (
    BLANK,
    Parameters,
    check_names,
    read_parameters,
)
from ldp_aggregator.exchange.google_rappor.rows import Row, format_cell, read_rows
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.output.files import FileError
from ldp_aggregator.tallies.counting.counting import count_rows

FALSE = "FALSE"
_SCHEMA = ("metric", "var", "var_type", "params")
_TYPES = ("string", "boolean")
_AT_ONCE = 1 << 16


class Variable(NamedTuple):
    """One variable of a metric, with the question that stands for it."""

    name: str
    parameters: Parameters
    place: str
    """Where its parameters are."""

    @property
    def boolean(self) -> bool:
        """Whether its one bit is the answer."""
        return self.parameters.boolean

    def as_question(self, dialect: Dialect | None) -> Question:
        """The question by itself, as an import of its reports alone has it."""
        return legacy_question(self.parameters, dialect, self.place)


class JointReports(NamedTuple):
    """Sums of reports to two variables."""

    table: Counts
    """With an axis for the cells of each."""
    margins: list[Counts]
    """Of each by itself."""
    skipped: int
    """Rows in which one was blank."""


def read_variables(
    schema: Path, folder: Path, metric: str | None, names: tuple[str, ...]
) -> tuple[Variable, ...]:
    """The variables of these names, of a metric or of the only one. Raises
    `FileError`.
    """
    header, rows = _schema(schema)
    metrics = list(dict.fromkeys(row.cells[header["metric"]] for row in rows))
    if metric is None and len(metrics) > 1:
        raise FileError(
            f"{schema}: expected --metric to be one of {', '.join(metrics)}, got none"
        )
    chosen = metric
    if metric is None and metrics:
        chosen = metrics[0]
    by_name: dict[str, Row] = {}
    for row in rows:
        if row.cells[header["metric"]] == chosen:
            name = row.cells[header["var"]]
            if name in by_name:
                raise row.refusal(
                    "variables whose names differ",
                    f"{format_cell(name)} again",
                    header["var"] + 1,
                )
            by_name[name] = row
    for name in names:
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise FileError(
                f"{schema}: expected a variable of metric {chosen!r} ({known}), got "
                f"{name!r}"
            )
    return tuple(_variable(by_name[name], header, folder) for name in names)


def _schema(path: Path) -> tuple[dict[str, int], list[Row]]:
    """The place of each column, and the rows."""
    header, *rows = list(read_rows(path)) or [Row(path, 1, [])]
    check_names(header)
    if not set(_SCHEMA) <= set(header.cells):
        raise header.refusal(
            f"the columns {', '.join(_SCHEMA)}",
            format_cell(",".join(header.cells)) or "none",
        )
    for row in rows:
        row.check_width(len(header.cells), "as many as the header has")
    return {name: header.cells.index(name) for name in _SCHEMA}, rows


def _variable(row: Row, header: dict[str, int], folder: Path) -> Variable:
    name, kind, params = (
        row.cells[header[column]] for column in ("var", "var_type", "params")
    )
    if kind not in _TYPES:
        raise row.refusal(
            " or ".join(_TYPES), format_cell(kind), header["var_type"] + 1
        )
    path = folder / f"{params}.csv"
    if path.parent != folder or not params:
        raise row.refusal(
            "the name of a file in the folder",
            format_cell(params),
            header["params"] + 1,
        )
    parameters = read_parameters(path)
    if kind == "boolean":
        # The same parameters are given for both kinds; of a boolean's k and h nothing
        # is used.
        parameters = parameters._replace(bits=1)
    return Variable(name, parameters, str(path))


def question_of(variable: Variable, dialect: Dialect | None) -> Question:
    """The question that was asked; that of a boolean has the answers `FALSE` and
    `TRUE`.
    """
    question = variable.as_question(dialect)
    if not variable.boolean:
        return Question(
            variable.name,
            question.domain,
            question.mechanism,
            randomizer=question.randomizer,
            declared=question.declared,
        )
    assert isinstance(question.randomizer, Rappor)  # noqa: S101
    one, zero = question.randomizer.support
    return Question(
        variable.name,
        Domain("category", (FALSE, TRUE)),
        question.mechanism,
        randomizer=_matrix((1 - zero, zero), (1 - one, one)),
        declared=Declared.ratio(question.declared.bound),
    )


def _matrix(*rows: tuple[Fraction, Fraction]) -> StochasticMatrix:
    denominator = lcm(*(entry.denominator for row in rows for entry in row))
    return StochasticMatrix.from_fractions(rows, denominator)


def check_kinds(variables: tuple[Variable, ...]) -> None:
    """Raise `EstimateError` for two strings."""
    strings = [variable.name for variable in variables if not variable.boolean]
    if len(strings) > 1:
        raise EstimateError(
            "expected a string and a boolean, or two booleans, got the strings "
            f"{strings[0]!r} and {strings[1]!r}: all reports of a row are of one "
            "cohort, so that the Bloom filters of two strings do not go together as "
            "those of a survey that asks both"
        )


def read_reports_to(
    variables: Sequence[Variable], path: Path
) -> tuple[list[int], Iterator[list[Row]]]:
    """Where a file has cohort and variables (columns, from 1), and its rows, many at a
    time.

    Raises `FileError`, also while rows are read.
    """
    rows = read_rows(path)
    header = next(rows, None)
    wanted = ["cohort", *(variable.name for variable in variables)]
    if header is None or not set(wanted) <= set(header.cells):
        came = "an empty file"
        if header is not None:
            came = format_cell(",".join(header.cells))
        raise FileError(f"{path}: expected the columns {', '.join(wanted)}, got {came}")
    check_names(header)
    width = len(header.cells)

    def batches() -> Iterator[list[Row]]:
        while batch := list(islice(rows, _AT_ONCE)):
            for row in batch:
                row.check_width(width, "as many as the header has")
            yield batch

    return [header.cells.index(name) + 1 for name in wanted], batches()


def read_joint_reports(
    path: Path, variables: tuple[Variable, ...], *, skip_blank: bool
) -> JointReports:
    """A file of reports, counted. Raises `FileError`.

    A row in which one of the reports is blank, or NA, is left out if that is asked for,
    else refused.
    """
    columns, batches = read_reports_to(variables, path)
    sizes = [_cells(variable) for variable in variables]
    table = np.zeros(sizes, dtype=np.int64)
    skipped = 0
    for batch in batches:
        kept = []
        for row in batch:
            blank = [column for column in columns[1:] if row.cells[column - 1] in BLANK]
            if blank and not skip_blank:
                raise row.refusal(
                    "a report (--skip-blank leaves out rows without)",
                    format_cell(row.cells[blank[0] - 1]),
                    blank[0],
                )
            if blank:
                skipped += 1
            else:
                kept.append(row)
        if kept:
            table += _count(kept, columns, variables)
    if not table.any():
        raise FileError(
            f"{path}: expected reports, got {skipped} rows, each with a blank cell"
        )
    margins = [_margin(table, axis, variables) for axis in range(len(variables))]
    return JointReports(table, margins, skipped)


def _cells(variable: Variable) -> int:
    if variable.boolean:
        return 2
    return variable.parameters.layout.cells


def _count(
    rows: list[Row], columns: list[int], variables: tuple[Variable, ...]
) -> Counts:
    """The joint counts of some rows: those of the first variable for each mark of the
    other.
    """
    string = [not variable.boolean for variable in variables]
    parts = [
        list(_reports(rows, columns[0], column, variable=variable))
        for column, variable in zip(columns[1:], variables, strict=True)
    ]
    counts = np.zeros([_cells(variable) for variable in variables], dtype=np.int64)
    if not any(string):
        np.add.at(counts, tuple(np.array(part, dtype=np.intp) for part in parts), 1)
        return counts
    axis = string.index(True)
    layout = variables[axis].parameters.layout
    packed = np.frombuffer(
        b"".join(report.to_bytes(layout.width, "little") for report in parts[axis]),
        np.uint8,
    ).reshape(len(rows), -1)
    answers = np.array(parts[1 - axis], dtype=np.intp)
    for answer in (0, 1):
        own = count_rows(packed[answers == answer], layout).ravel()
        counts[(slice(None), answer) if axis == 0 else (answer, slice(None))] = own
    return counts


def _reports(
    rows: list[Row], cohort: int, column: int, variable: Variable
) -> Iterator[int]:
    """Yield for a boolean its bit, for a string one of our own reports."""
    parameters = variable.parameters
    layout = parameters.layout
    for row in rows:
        bits = row.bits(column, parameters.bits)
        if variable.boolean:
            yield bits
        else:
            place = row.whole(cohort, 0, parameters.cohorts - 1)
            yield layout.report(bits, place if layout.prefix_width else 0)


def _margin(table: Counts, axis: int, variables: tuple[Variable, ...]) -> Counts:
    """The tally of one variable: a report of the other is one of two symbols, or has a
    cohort.
    """
    other = variables[1 - axis]
    turned = np.moveaxis(table, axis, 0)
    if not other.boolean:
        # The first cell of each cohort counts its reports.
        turned = turned.reshape(len(turned), other.parameters.cohorts, -1)[:, :, 0]
    own: Counts = turned.sum(axis=1)
    if variables[axis].boolean:
        return own[None]
    return own.reshape(variables[axis].parameters.cohorts, -1)


def associate_variables(
    variables: tuple[Variable, ...],
    reports: JointReports,
    candidates: tuple[Candidates | None, ...],
    dialect: Dialect | None,
    options: Options,
    *,
    likelihood: bool = False,
) -> tuple[Association, tuple[tuple[str, ...], ...]]:
    """The joint frequencies of two variables, and the names of candidates that go by
    one.

    candidates  of each variable that is a string

    Raises `EstimateError` if they cannot be told apart, or are too many.
    """
    questions, values, scores = [], [], []
    groups: list[tuple[str, ...]] = []
    for variable, margin, known in zip(
        variables, reports.margins, candidates, strict=True
    ):
        question = question_of(variable, dialect)
        questions.append(question)
        if known is None:
            values.append(question.domain.values or ())
            scores.append(joint_scores(question, margin, values[-1]))
        else:
            grouped = alike_together(known, margin)
            groups += grouped.groups
            values.append(grouped.candidates.names)
            scores.append(_scores(question, margin, grouped))
    association = joint_estimates(
        tuple(questions),
        tuple(values),
        scores,
        margins=reports.margins,
        table=reports.table.astype(float),
        options=options,
        likelihood=likelihood,
    )
    return association, tuple(groups)


def _scores(question: Question, margin: Counts, grouped: Grouped) -> Scores:
    names, design = grouped.candidates
    if len(names) * margin.size > MOST_SCORES:
        most = MOST_SCORES // margin.size
        raise EstimateError(
            f"variable {question.name!r}: expected at most {most:,} candidates for an "
            f"association, got {len(names):,}; those that ldp rappor import finds are "
            "enough"
        )
    randomizer = question.randomizer
    assert isinstance(randomizer, Rappor)  # noqa: S101
    background = background_of(randomizer)
    return scores_of_design(question, margin, design, background=background)
