"""Texts that are in no list of candidates, from reports of their parts (n-grams).

A device reports its text as a whole, and with it some of the text's parts: those at
places that it draws whatever the text is. What the parts at one place can be is known
(all pairs of letters, say), so that those which are there can be found; a text that
someone holds is made of found ones. So

    find      the parts at each place, by the reports of that place
    combine   each part found at the first place with each at the second, and so on: the
              candidates
    decode    the reports of the texts as a whole, as those of any other list of
              candidates

A part that is missed takes all of its texts with it, and one that is found wrongly
costs a few more candidates; so parts may be found at a lower level than texts. Whether
parts go together is left to the reports of whole texts, which say more of it than those
of pairs: up to a million candidates are decoded at once.

    reports   header client,cohort and the names of variables, as in `associations`; a
              row for each client, with blank cells (or NA) for the places that were not
              drawn

Errors hold for the respondents as ever: given what these hold, the reports of a text
are drawn apart from those of its parts, by which candidates were chosen.

Source: Fanti, Pihur and Erlingsson 2016 (unknown texts by n-grams).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.answers.options import DEFAULT, Options
from ldp_aggregator.answers.shares.detection import detected
from ldp_aggregator.decoders.bloom.indistinguishable import group_name
from ldp_aggregator.exchange.google_rappor.associations import Variable, read_reports_to
from ldp_aggregator.exchange.google_rappor.decoding import decode
from ldp_aggregator.exchange.google_rappor.dialects import Dialect
from ldp_aggregator.exchange.google_rappor.files import BLANK
from ldp_aggregator.exchange.google_rappor.rows import Row
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.output.files import FileError
from ldp_aggregator.tallies.counting.counting import count_rows, empty_counts

MOST_TEXTS = 1_000_000


class NgramFindings(NamedTuple):
    """Findings at one place."""

    name: str
    reports: int
    found: tuple[str, ...]


def check_texts(variables: Sequence[Variable]) -> None:
    """Raise `EstimateError` for a boolean."""
    for variable in variables:
        if variable.boolean:
            raise EstimateError(
                f"expected strings, got the boolean {variable.name!r}: a bit is no "
                "part of a text"
            )


def read_separate_reports(path: Path, variables: Sequence[Variable]) -> list[Counts]:
    """The counts of each variable, of the rows in which it is not blank. Raises
    `FileError`.
    """
    (cohort, *columns), batches = read_reports_to(variables, path)
    counts = [empty_counts(variable.parameters.layout) for variable in variables]
    for batch in batches:
        for own, variable, column in zip(counts, variables, columns, strict=True):
            packed = b"".join(_reports(batch, cohort, column, variable=variable))
            width = variable.parameters.layout.width
            own += count_rows(
                np.frombuffer(packed, np.uint8).reshape(-1, width),
                variable.parameters.layout,
            )
    for own, variable in zip(counts, variables, strict=True):
        if not own[:, 0].any():
            raise FileError(
                f"{path}: expected reports in the column {variable.name}, got none"
            )
    return counts


def _reports(
    rows: Sequence[Row], cohort: int, column: int, variable: Variable
) -> Iterator[bytes]:
    """One of our own reports for each row that is not blank, as bytes."""
    parameters = variable.parameters
    layout = parameters.layout
    for row in rows:
        if row.cells[column - 1] not in BLANK:
            place = row.whole(cohort, 0, parameters.cohorts - 1)
            vector = row.bits(column, parameters.bits)
            report = layout.report(vector, place if layout.prefix_width else 0)
            yield report.to_bytes(layout.width, "little")


def find_parts(
    variable: Variable,
    counts: Counts,
    ngrams: tuple[str, ...],
    dialect: Dialect,
    level: float,
) -> NgramFindings:
    """The n-grams at one place: at most a share 1 - level of them wrong, on average.

    Raises `EstimateError` where there are none. N-grams that no report tells apart are
    all there.
    """
    question = variable.as_question(dialect)
    candidates = dialect.candidates(ngrams, variable.parameters)
    estimates, groups = decode(question, counts, candidates, options=Options())
    own = estimates[question.name]
    named = {group_name(group): group for group in groups}
    there: list[str] = []
    for place in np.flatnonzero(detected(own, level, DEFAULT)).tolist():
        there += named.get(own.values[place], (own.values[place],))
    if not there:
        raise EstimateError(
            f"variable {variable.name!r}: expected n-grams that are found at level "
            f"{level:.4g}, got none in {own.reports:,} reports; a lower --part-level "
            "finds more"
        )
    return NgramFindings(variable.name, own.reports, tuple(there))


def texts_of(parts: Sequence[NgramFindings]) -> tuple[str, ...]:
    """All texts that the found parts make. Raises `EstimateError` for more than can be
    decoded.
    """
    many = prod(len(part.found) for part in parts)
    if many > MOST_TEXTS:
        sizes = " x ".join(f"{len(part.found):,}" for part in parts)
        raise EstimateError(
            f"expected parts that make at most {MOST_TEXTS:,} texts, got {sizes} = "
            f"{many:,}; a higher --part-level finds fewer parts"
        )
    return tuple(map("".join, product(*(part.found for part in parts))))
