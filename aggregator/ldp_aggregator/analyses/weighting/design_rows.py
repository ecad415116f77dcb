"""Answers from rows that a design randomized, which may differ from row to row.

A column names the sample of each row: the design that its respondent was asked by, or
the numbers of one. Whatever it was, the row has the chance of its answer for each type
of respondent (its likelihood) and an unbiased score (a right inverse of its own
sample), so that weights and regressions pool all samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp.numbers.channel import Channel, right_inverse
from ldp_aggregator.analyses.designs.law import NO, YES, Arm
from ldp_aggregator.analyses.designs.rows import DesignRows, answers_of
from ldp_aggregator.analyses.designs.survey_design import Design, design
from ldp_aggregator.analyses.rows.columns import Table
from ldp_aggregator.analyses.rows.reading import SurveyRows
from ldp_aggregator.analyses.weighting.answers import ReportAnswers, ReportPart
from ldp_aggregator.analyses.weighting.reading import check_reports
from ldp_aggregator.analyses.weighting.rows import (
    RowAnswers,
    SamplingFrame,
    answers_beside,
    answers_of_rows,
    with_covariates,
)
from ldp_aggregator.numerics.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class DesignedRows:
    """A table of respondents whose answers a survey design randomized.

    >>> import ldp_aggregator
    >>> table = {"z": ["yes", "no", "no", "no"] * 50}
    >>> rows = ldp_aggregator.DesignedRows("warner p=.8", table, "z")
    """

    words: str
    """The design, such as "warner p=.7"; several with semicolons between, or columns in
    braces.
    """
    table: Table
    """As for `ldp_aggregator.read_rows`."""
    answers: str
    """The column of answers."""
    arm: str | None = None
    """The column that says the sample of each row, where there are several."""
    codes: Mapping[str, Any] | None = None
    """The cell that says each answer, such as {"yes": 1, "no": 2}."""

    @cached_property
    def design(self) -> Design:
        """The design. Raises `EstimateError` for one with people who do not follow."""
        named_design = design(self.words, self.table)
        law = named_design.law
        if set(law.types) != {YES, NO} or law.honest < len(law.types):
            raise EstimateError(
                f"expected a design that everybody follows, with the types {YES} and "
                f"{NO}, got {', '.join(law.types)}: ldp estimate --design has their "
                "shares"
            )
        return named_design

    @cached_property
    def rows(self) -> DesignRows:
        """The table, read."""
        return DesignRows.read(self.table)

    @cached_property
    def read(self) -> tuple[Integers, list[str]]:
        """The place of each row's answer, -1 for none, and how they were read."""
        return answers_of(
            self.rows, [self.answers], self.design.law.answers, codes=self.codes
        )

    def said(self) -> tuple[str, ...]:
        """How the answers were read, and what was left out."""
        return tuple(self.read[1])


def answers_of_any(
    rows: SurveyRows | DesignedRows,
    name: str,
    *,
    attributes: Sequence[str],
    frame: SamplingFrame = SamplingFrame(),  # noqa: B008 (it is never changed)
) -> ReportAnswers:
    """What rows say of a question, or of the answers that a design randomized."""
    if isinstance(rows, SurveyRows):
        return answers_of_rows(rows, name, attributes=attributes, frame=frame)
    if name != rows.answers:
        raise UnknownNameError(name, [rows.answers], "the column of answers")
    law, (places, _) = rows.design.law, rows.read
    arms = rows.design.arms_of(rows.rows, rows.arm)
    chosen = np.flatnonzero((places >= 0) & (arms >= 0))
    kept, lacking = with_covariates(rows.rows, chosen, attributes)
    chosen = chosen[kept]
    check_reports(name, len(chosen))
    order = [law.types.index(one) for one in (NO, YES)]
    # P[answer | type] and scores of each sample, (samples, answers, types).
    chances = np.array([arm.rows for arm in law.arms], dtype=float)[:, order].transpose(
        0, 2, 1
    )
    scores = np.stack([_scores(own, order) for own in law.arms])
    by_answers = RowAnswers(
        name,
        (f"privacy: {rows.design.privacy}",),
        (ReportPart(name, (NO, YES), None),),
        is_mean=False,
        scores=scores[arms[chosen], places[chosen]],
        law=chances[arms[chosen], places[chosen]],
    )
    return answers_beside(
        rows.rows,
        chosen,
        by_answers,
        attributes=attributes,
        frame=frame,
        left_out=lacking,
    )


def fields_of(rows: SurveyRows | DesignedRows, name: str) -> set[str]:
    """The fields of a question, which are no columns of the table."""
    if not isinstance(rows, SurveyRows):
        return set()
    return {field.name for field in rows.survey[name].domain.fields}


def _scores(arm: Arm, order: Sequence[int]) -> Floats:
    """Return the worth of each answer to each type, (answers, types)."""
    inverse = right_inverse(Channel(tuple(arm.rows[place] for place in order)))
    if inverse is None:
        raise EstimateError(
            f"sample {arm.name}: expected answers that tell {YES} from {NO} by "
            "themselves"
        )
    return np.array(inverse, dtype=float)
