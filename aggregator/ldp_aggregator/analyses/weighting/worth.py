"""Worth of a report to each value of its question, or to the mean of its numbers.

Every estimate is a mean of scores that are unbiased given what a respondent holds.
Weights and regressions need the scores themselves: they stand where the answers of
plain data would.

    values  one score for each value, whose expectation is 1 for holders of the value
            and 0 for others (`ldp_aggregator.decoders.moments.scores`)
    mean    one score, whose expectation is the number that a respondent holds, where a
            mechanism is for means: what its decoder makes of one report alone
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer
from ldp.survey.survey import Question
from ldp_aggregator.analyses.association.scores import joint_scores
from ldp_aggregator.answers.results.means import ends_of
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.counting.joint_counting import marks_of

MOST_SCORES = 1 << 25
"""Rows of reports times values: beyond, a table would not fit into memory."""
MOST_COLUMNS = 1 << 12
"""Reports of a channel that is written out."""


class AnswerScores(NamedTuple):
    """Scores of M values (or of one mean) for C cells of a tally."""

    ones: Floats
    """1 in every cell that each report marks once, (C,)."""
    scores: Floats
    """(M, C)."""
    moments: Callable[[Floats], Floats]
    """From cell counts (C,) to the sums of products of scores, (M, M)."""
    once: bool
    """Whether a report marks one cell, so that the counts of a tally are counts of
    reports.
    """
    is_mean: bool
    """Whether the one score is that of a number."""
    law: Floats | None
    """P[report | value], (M, C), where reports are marks of one cell and it is known.
    """


def worth_of(question: Question, counts: Counts) -> AnswerScores:
    """What reports of a question are worth, whose tally is `counts`.

    Raises `EstimateError` where reports tell neither shares of values nor a mean.
    """
    layout = question.layout
    once = bool(
        layout.symbols and layout.places == 1 and not (layout.modulus or layout.folding)
    )
    once = once and not layout.codewords
    values = question.domain.values
    if values and question.domain.most is None and not question.domain.collect:
        try:
            scores = joint_scores(question, counts, values)
        except EstimateError:
            return _of_mean(question, once=once)
        law = None
        if once:
            law = scores.law()
        return AnswerScores(
            scores.ones,
            scores.scores,
            scores.moments,
            once=once,
            is_mean=False,
            law=law,
        )
    return _of_mean(question, once=once)


def _of_mean(question: Question, *, once: bool) -> AnswerScores:
    """Of numbers whose mechanism is for their mean: what the decoder makes of each
    report.
    """
    ends = ends_of(question.domain)
    if ends is None or not once:
        raise EstimateError(
            f"question {question.name!r}: expected one whose reports tell shares of "
            f"listed values, or the mean of a number, got {question.mechanism} for "
            f"{question.domain.summary}"
        )
    low, high, step = ends
    layout, decoder = question.layout, decoder_of(question.randomizer)
    shape = (layout.cohorts, layout.symbols)
    scores = np.empty(layout.cells)
    for cell in range(layout.cells):
        alone = np.zeros(layout.cells, dtype=np.int64)
        alone[cell] = 1
        parts = decoder.mean.parts(question.randomizer, None, alone.reshape(shape))
        if parts is None:
            raise EstimateError(
                f"question {question.name!r}: expected one that has a mean"
            )
        scores[cell] = (low + high) / 2 + step * parts.estimate

    def moments(counts: Floats) -> Floats:
        return np.asarray([[scores**2 @ counts]])

    ones = np.ones(layout.cells)
    return AnswerScores(ones, scores[None], moments, once=True, is_mean=True, law=None)


def row_scores(question: Question, worth: AnswerScores, rows: Rows) -> Floats:
    """The scores of reports, one in each row of bytes: of shape (reports, M)."""
    if len(rows) * len(worth.scores) > MOST_SCORES:
        raise EstimateError(
            f"expected at most {MOST_SCORES:,} scores (reports times values), got "
            f"{len(rows) * len(worth.scores):,}; give counts by combination instead of "
            "rows"
        )
    marks, reports = marks_of(rows, question.layout)
    if worth.once:
        # One mark each, (reports,), in the order of the rows.
        return np.ascontiguousarray(
            worth.scores.T[marks[np.argsort(reports, kind="stable")]]
        )
    scores = np.zeros((len(rows), len(worth.scores)))
    np.add.at(scores, reports, worth.scores.T[marks])
    return scores


def row_law(question: Question, worth: AnswerScores, rows: Rows) -> Floats | None:
    """P[report | value] of each row, (reports, M); None where no channel is written
    out.
    """
    if worth.is_mean:
        return None
    if worth.law is not None:
        marks, reports = marks_of(rows, question.layout)
        return np.ascontiguousarray(
            worth.law.T[marks[np.argsort(reports, kind="stable")]]
        )
    layout = question.layout
    if not 0 < layout.bits <= 8 or layout.cohorts > 1:
        return None
    return np.ascontiguousarray(_columns(question.randomizer)[rows[:, 0]])


def _columns(randomizer: Randomizer) -> Floats:
    """The channel by report, (reports, M)."""
    rows = randomizer.channel().rows
    return np.array([[float(mass) for mass in row] for row in rows]).T


def reports_in(question: Question, counts: Counts) -> int:
    """How many reports were counted."""
    return total_reports(counts, question.layout)
