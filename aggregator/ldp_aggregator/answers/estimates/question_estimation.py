"""Estimates of one question: its room is found, and what there is to know is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.estimates.applicable import check_asked
from ldp_aggregator.answers.estimates.rooms import room_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import (
    OfSomeKind,
    QuestionEstimates,
)
from ldp_aggregator.answers.results.remarks import on_groups, on_privacy
from ldp_aggregator.answers.results.room import CountedQuestion
from ldp_aggregator.decoders.moments.repeats import ONCE_EACH, reports_of_each
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import total_reports

MOST_COVARIANCE = 10_000
_NO_CANDIDATES = (
    "no candidates: name a file of texts to look for, one a line, as candidates in the "
    "survey file"
)
_NO_REPORTS = "no reports yet"


def estimate_question(
    question: Question,
    counts: Counts,
    options: Options,
    candidates: Sequence[str] | None = None,
    design: Any = None,
) -> OfSomeKind:
    """Estimates of one question from its counts (shape as in
    `ldp_aggregator.tallies.counting`).

    `design` gives the bits of the candidates, of shape (cohorts * bits, M), if our hash
    functions did not set them.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> tally = ldp_aggregator.aggregate(survey, reports)
    >>> options = ldp_aggregator.Options()
    >>> mode = ldp_aggregator.estimate_question(survey["mode"], tally.counts["mode"], options)
    >>> mode.reports
    1000
    """
    remarks = on_privacy(question)
    decoder = decoder_of(question.randomizer)
    if (
        decoder.shares.alike
        and candidates
        and design is None
        and total_reports(counts, question.layout)
    ):
        (candidates, design), groups = decoder.shares.alike(
            question.randomizer, counts, candidates
        )
        remarks = (*remarks, *on_groups(groups))
    values, note = decoder.values(question, counts, candidates or ())
    counted = CountedQuestion(
        question, counts, options, values=values, design=design, note=note
    )
    if not counted.reports or (not values and decoder.gives == "frequencies"):
        estimates = _nothing_yet(counted)
    else:
        try:
            estimates = _estimate(counted)
        except EstimateError as error:
            raise EstimateError(f"question {question.name!r}: {error}") from None
    return cast(OfSomeKind, replace(estimates, remarks=(*remarks, *estimates.remarks)))


def _nothing_yet(counted: CountedQuestion) -> QuestionEstimates:
    """Return what is known of values before there is a report: they are from 0 to 1."""
    question, values = counted.question, counted.values
    nothing, zero = np.full(len(values), np.nan), np.zeros(len(values))
    lacks_texts = not values and counted.decoder.gives == "frequencies"
    return room_of(question, counted.options).result(
        question=question,
        reports=counted.reports,
        options=counted.options,
        values=values,
        frequency=nothing,
        unbiased=nothing,
        standard_error=nothing,
        low=zero,
        high=zero + 1,
        chances=zero + 1,
        note=counted.note or (_NO_CANDIDATES if lacks_texts else _NO_REPORTS),
    )


def _estimate(counted: CountedQuestion) -> QuestionEstimates:
    """The estimates of a question with reports, with notes in the order in which they
    are said.
    """
    question, options = counted.question, counted.options
    if options.covariance and len(counted.values) > MOST_COVARIANCE:
        raise EstimateError(
            f"expected at most {MOST_COVARIANCE} values for a covariance"
        )
    check_asked([question], options)
    room = room_of(question, options)
    estimates = room.estimate(counted)
    once = reports_of_each(question.randomizer, options.repeats) < options.repeats
    notes = (
        estimates.note,
        question.domain.estimand,
        *room.about(estimates),
        question.estimand,
        ONCE_EACH if once else "",
    )
    return replace(estimates, note="; ".join(filter(None, notes)))
