"""The table that google/rappor's decoder ends in, for whatever reads it today.

One row for each string that is found, the most frequent first. Unlike there, a string
is found if it is significant (5 % false discoveries, or as was asked for), no estimate
is rounded down, and the errors are those that the estimates have. Intervals are
false-coverage-rate intervals: they allow for the strings having been chosen for their
estimates.
"""

from __future__ import annotations

import csv
import io

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.answers.options import DEFAULT
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.detection import find
from ldp_aggregator.output.safe_cells import safe_cell

LEVEL = 0.95
COLUMNS = (
    "string",
    "estimate",
    "std_error",
    "proportion",
    "prop_std_error",
    "prop_low_95",
    "prop_high_95",
)


def results_csv(estimates: QuestionEstimates) -> str:
    """`results.csv`, always of the unbiased estimates, by the correction in their
    options, if any.

    Raises `EstimateError` if the intervals are not of 95 %.
    """
    if estimates.options.level != LEVEL:
        raise EstimateError(
            f"expected level {LEVEL} for results.csv, whose columns are named after "
            f"it, got {estimates.options.level}"
        )
    proportion, error = estimates.unbiased, estimates.standard_error
    people = estimates.respondents
    options = estimates.options
    chosen = find(estimates, options.detect_level, options.detect or DEFAULT)
    columns = (
        proportion * people,
        error * people,
        proportion,
        error,
        chosen.low,
        chosen.high,
    )
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(COLUMNS)
    shown = np.flatnonzero(chosen.found)
    for index in shown[np.argsort(-proportion[shown], kind="stable")].tolist():
        value = safe_cell(estimates.values[index])
        writer.writerow([value, *(float(column[index]) for column in columns)])
    return text.getvalue()
