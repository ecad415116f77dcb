"""Rows with their scores and weights, for other programs such as R's `survey`.

A score is unbiased for what its respondent holds: 1 on average for who holds a value,
0 for who does not. So a weighted mean of scores is the weighted share, and its error by
strata and clusters is right, noise included.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.weighting.answers import ReportAnswers
from ldp_aggregator.analyses.weighting.calibration import factors_for, targets_of
from ldp_aggregator.analyses.weighting.margins import Margin
from ldp_aggregator.analyses.weighting.weighing import outcome_of

WEIGHT = "final_weight"


def scored_rows(
    answers: ReportAnswers,
    columns: Mapping[str, Sequence[Any]],
    margins: Sequence[Margin],
    of: str | None,
    method: str,
) -> str:
    """The rows that count, as CSV: their columns, a score of each value, and weights.

    Raises `EstimateError` where answers are no rows, or margins are randomized.
    """
    factors = factors_for(answers, targets_of(answers, margins), method)
    units = answers.units
    if units is None or units.row is None or not factors.public:
        raise EstimateError(
            "expected rows, with margins in the clear, for the scores of each"
        )
    (_, labels), outcome = outcome_of(answers, margins, of)
    scores = units.scores @ outcome
    weights = units.design * factors.factors[units.combination, 0]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, *(f"score_{label}" for label in labels), WEIGHT])
    numbers = np.column_stack([scores, weights]).tolist()
    for row, own in zip(units.row.tolist(), numbers, strict=True):
        writer.writerow([*(column[row] for column in columns.values()), *own])
    return text.getvalue()
