"""Plans of keys that come with numbers: how well a share is known, and a mean among
those who hold.

The fewer hold a key, the less is known of the mean of its numbers: a table for each
question has a row for some shares, or for the one that is asked about. Errors are those
that the estimator states of a key with a mean in the middle of its range, on the tally
to be expected. The interval of the mean is Fieller's, cut to the range; where it is all
of that, so few hold the key that nothing is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ldp.survey.survey import Question
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.decoders.key_laws import Balances
from ldp_aggregator.decoders.key_values.means import KeyMeans, key_means
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.bisection import least_whole
from ldp_aggregator.output.sheet import TextTable
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.planning.kinds.asking import MOST_RESPONDENTS, Ask
from ldp_simulations.planning.kinds.entries import (
    answering,
    caption_of,
    described_number,
    drawn_in_words,
    short,
)

SHARES = (0.01, 0.03, 0.1, 0.3)
"""Of the respondents, who hold a key."""


class KeyRow(NamedTuple):
    """Errors of a key that a share of the respondents hold."""

    share: float
    frequency_error: float
    mean_error: float
    """NaN where nothing is told."""
    half_width: float
    """Of the interval of the mean."""


class KeyPlan(NamedTuple):
    """Errors of keys from n respondents; `respondents` is None if none are enough."""

    question: Question
    respondents: int | None
    rows: tuple[KeyRow, ...]


def keys_of_survey(
    questions: Sequence[Question], respondents: int | None, ask: Ask
) -> list[KeyPlan]:
    """A plan for each question about keys and numbers, if respondents are given or to
    be found.

    They are found by `mean_half_width` alone, for the share that is asked about, or an
    even one.
    """
    asked = [
        question for question in questions if question.domain.key_scale is not None
    ]
    if respondents is None and ask.mean_half_width is None:
        return []
    return [
        _plan(question, answering(question.share, respondents), ask)
        for question in asked
    ]


def record(plan: KeyPlan) -> dict[str, Any]:
    """Ready for JSON."""
    return {
        **described_number(plan.question, plan.respondents),
        "shares": [
            {
                "share": row.share,
                "frequency_error": row.frequency_error,
                "mean_error": None if np.isnan(row.mean_error) else row.mean_error,
                "mean_half_width": row.half_width,
            }
            for row in plan.rows
        ],
    }


def text_table(plan: KeyPlan, ask: Ask) -> TextTable:
    """A row for each share, and what the columns mean."""
    entry = record(plan)
    rows = [
        (
            short(row["share"]),
            *(
                short(row[key])
                for key in ("frequency_error", "mean_error", "mean_half_width")
            ),
        )
        for row in entry["shares"]
    ]
    unit = ""
    if entry["unit"]:
        unit = f", in {entry['unit']}"
    family = ", of all keys together" if ask.simultaneous else ""
    remarks = [
        f"errors: standard errors for {WHOM[ask.estimand]} of a key that such a share "
        "holds; of the mean of its numbers among them, which is in the middle of the "
        f"range{unit}",
        f"half-width: of the {ask.level:g} interval of that mean{family}; -, and half "
        "of the range, where nothing is told",
        *drawn_in_words([entry]),
    ]
    caption = caption_of(plan.question, plan.respondents)
    headings = (
        "share of\npeople",
        "error of\nfrequency",
        "error of\nmean",
        "half-width\nof mean",
    )
    return TextTable(plan.question.name, caption, headings, rows=rows, remarks=remarks)


def _plan(question: Question, respondents: int | None, ask: Ask) -> KeyPlan:
    width = ask.mean_half_width
    if width is not None:
        share = ask.frequency or 1 / (question.domain.size or 1)
        respondents = least_whole(
            1,
            MOST_RESPONDENTS,
            lambda number: _row(question, number, share, ask=ask).half_width <= width,
        )
        shares: tuple[float, ...] = (share,)
    else:
        shares = SHARES
        if ask.frequency is not None:
            shares = (ask.frequency,)
    if respondents is None:
        return KeyPlan(question, None, ())
    rows = tuple(_row(question, respondents, share, ask=ask) for share in shares)
    return KeyPlan(question, respondents, rows)


def _row(question: Question, respondents: int, share: float, ask: Ask) -> KeyRow:
    numbers = _expect(question, respondents, share, ask=ask)
    law = _balances(question).law
    variance = float(law.of_share.at(np.array([share]))[0])
    variance -= share if ask.estimand == "respondents" else share**2
    mean = numbers.means[0]
    return KeyRow(
        share,
        frequency_error=float(np.sqrt(max(variance, 0.0) / respondents)),
        mean_error=mean.standard_error,
        half_width=(mean.high - mean.low) / 2,
    )


def _expect(question: Question, respondents: int, share: float, ask: Ask) -> KeyMeans:
    """The estimates of a key that is estimated as it is, with a mean in the middle."""
    scale, size = question.domain.key_scale, question.domain.size or 1
    ends = (Fraction(0), Fraction(1)) if scale is None else (scale.low, scale.high)
    balances = _balances(question)._replace(
        reports=respondents, share=np.array([share]), balance=np.zeros(1)
    )
    missing = miss(ask.level, size, ask.simultaneous)
    return key_means(balances, ends, missing, estimand=ask.estimand)


def _balances(question: Question) -> Balances:
    even = empty_counts(question.layout) + 1
    balances = decoder_of(question.randomizer).keys.balances(question.randomizer, even)
    assert balances is not None  # noqa: S101 (what the type of the question is for)
    return balances
