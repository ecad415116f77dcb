"""Remarks: what an analyst has to know before believing a number, as one plain sentence
each.

A remark has a name, for machines to go by, and a text, for people. An estimator may add
its own to its moments (`Moments.remarks`), whatever makes intervals adds those on
intervals, and all outputs show all of them: tables, notebooks, JSON (`remarks`), the
page of a service. CSV has no place for sentences; there the commands say them on
standard error.

    whole-range      intervals that say nothing
    beyond-range     intervals of width 0, since an estimate lies where no frequency
                     would have it
    few-respondents  fewer than it takes for an interval narrower than the whole range
                     (`least_respondents`)
    few-reports      intervals that do not go by normal theory, as too few reports are
                     expected (`few_reports`)
    repeats          how many reports of each device are assumed, of a memoized
                     question with epochs
    no-epsilon       which answers reports rule out, where nothing was promised
    not-followed     an estimate further below zero than noise explains
    cut-cells        districts whose borders cut cells, so that they are approximate
    few-counts       intervals that do, though the law of an estimate is far from
                     normal. Where a score has the variance V for those who do not hold
                     a value, and no report is worth more than w to it, n V / w^2 is
                     about the number of reports that its estimate rests on
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ldp_aggregator.answers.results.means import FEWEST, Mean, ends_of
from ldp_aggregator.decoders.moments.repeats import most_repeats
from ldp_aggregator.output.checks import Remark

if TYPE_CHECKING:
    from ldp.survey.survey import Question
    from ldp_aggregator.answers.results.manipulation import Manipulation
    from ldp_aggregator.decoders.moments.moments import Moments
    from ldp_aggregator.numerics.arrays import Floats

_BEYOND = 0.00135
"""The chance of an estimate three standard errors below zero where nobody holds the
value.
"""

_ROUNDING = 1e-9


def beyond_noise(
    names: Sequence[str], estimates: Floats, errors: Floats
) -> tuple[Remark, ...]:
    """Whether an estimate lies further below zero than noise explains: people may not
    follow.

    `errors` are those of values that no one holds; of many values the lowest is judged
    as such.
    """
    from scipy.special import ndtri

    if not len(names):
        return ()
    distances = estimates / np.maximum(errors, 1e-300)
    lowest = int(np.argmin(distances))
    if estimates[lowest] > -_ROUNDING or distances[lowest] > ndtri(
        _BEYOND / len(names)
    ):
        return ()
    text = (
        f"The share of {names[lowest]!r} lies {-distances[lowest]:.1f} standard errors "
        "below zero, more than noise explains: people may not follow the design. "
        "Models that estimate how many do not: cheater, cheating-triangular, "
        "lie-detector, extended-crosswise, crosswise-anchor, self-protective (`ldp "
        "estimate --design`)."
    )
    return (Remark("not-followed", text),)


def on_groups(groups: Sequence[Sequence[str]]) -> tuple[Remark, ...]:
    """Remark on candidates that are estimated together, because no report tells them
    apart.
    """
    if not groups:
        return ()
    from ldp_aggregator.decoders.bloom.indistinguishable import group_warnings

    return tuple(Remark("alike", text) for text in group_warnings(groups))


def on_privacy(question: Question) -> tuple[Remark, ...]:
    """Whether reports rule answers out, and which."""
    if question.declared.is_finite:
        return ()
    values = list(map(question.domain.label, question.domain.values or ()))
    said = []
    for report, column in enumerate(
        zip(*question.randomizer.channel().rows, strict=True)
    ):
        ruled_out = [
            value for value, chance in zip(values, column, strict=True) if not chance
        ]
        if ruled_out:
            said.append(
                f"the answer {values[report]!r} rules out "
                f"{', '.join(map(repr, ruled_out))}"
            )
    text = (
        f"No finite epsilon, so for analysis only: {'; '.join(said)} (posterior odds "
        "0)."
    )
    return (Remark("no-epsilon", text),)


def on_repeats(
    question: Question, asked: int | None, epochs: Mapping[int, int]
) -> tuple[Remark, ...]:
    """How many reports of each device were assumed, of a memoized question with
    epochs.

    They are as asked, or as the numbers of reports by epoch allow.
    """
    if question.epoch is None or not question.memoizes:
        return ()
    if asked is not None:
        text = (
            f"Each respondent is taken to have sent {asked:,} of the reports, as asked."
        )
    elif not epochs:
        text = (
            "Reports of one epoch are assumed, as their epochs are not known. Over "
            "several, devices repeat their permanent response, and errors are larger: "
            "say how many reports each sent (--reports-per-person)."
        )
    elif len(epochs) == 1:
        return ()
    else:
        text = (
            f"The reports are of {len(epochs):,} epochs, in which devices repeat their "
            "permanent response. Each respondent is taken to have sent "
            f"{most_repeats(epochs):,}, the most that there may be, so errors are the "
            "largest. If you know how many each sent, say so (--reports-per-person)."
        )
    return (Remark("repeats", text),)


def on_respondents(respondents: int, least: int) -> tuple[Remark, ...]:
    """Whether there are too few to narrow anything down."""
    if respondents >= least:
        return ()
    text = (
        f"{respondents:,} respondents are few: below {least:,} not even the best of "
        "these intervals is narrower than the whole range, but for what is cut off at "
        "its ends."
    )
    return (Remark("few-respondents", text),)


def on_intervals(low: Floats, high: Floats) -> tuple[Remark, ...]:
    """Intervals that say nothing, and intervals that look like certainty."""
    whole, points = int(((low <= 0) & (high >= 1)).sum()), int((low >= high).sum())
    remarks = []
    if whole:
        share = _share(whole, low.size, "interval")
        remarks.append(
            Remark(
                "whole-range",
                (
                    f"{share} from 0 to 1: the reports say nothing about these "
                    "frequencies."
                ),
            )
        )
    if points:
        share = _share(points, low.size, "interval")
        text = (
            f"{share} from 0 to 0 or from 1 to 1: the estimate lies beyond all "
            "frequencies. This is no certainty."
        )
        remarks.append(Remark("beyond-range", text))
    return tuple(remarks)


def on_counts(moments: Moments, bound: Manipulation) -> tuple[Remark, ...]:
    """Whether normal theory may fail, for estimates that have nothing to put in its
    place.
    """
    if moments.count is not None or moments.jumps is not None or bound.reach is None:
        return ()
    return on_report_numbers(moments.reports * moments.variance_if_not / bound.reach**2)


def on_report_numbers(counts: Floats) -> tuple[Remark, ...]:
    """The same, of the numbers of reports that estimates rest on."""
    few = int((counts < FEWEST).sum())
    if not few:
        return ()
    share = "The estimate rests"
    if counts.size > 1:
        share = f"{few:,} of {counts.size:,} estimates rest"
    text = (
        f"{share} on fewer than about {FEWEST} reports: intervals go by the normal "
        "law, which does not hold there, and may hold the truth less often than they "
        "say."
    )
    return (Remark("few-counts", text),)


def on_mean(
    question: Question, mean: Mean | None, respondents: int
) -> tuple[Remark, ...]:
    """Whether a mean's interval is all of its range, and whether few reports are behind
    it.
    """
    ends = ends_of(question.domain)
    if mean is None or ends is None:
        return ()
    remarks = []
    if respondents < FEWEST:
        text = (
            f"The mean's interval goes by the normal law, for which {respondents} "
            "respondents are too few: it may hold the truth less often than it says. "
            "How answers spread is not estimated from so few."
        )
        remarks.append(Remark("few-counts", text))
    low, high, _ = ends
    if mean.low > low or mean.high < high:
        return tuple(remarks)
    text = (
        f"The mean's interval is the whole range from {low:g} to {high:g}: the reports "
        "say nothing about it."
    )
    return (*remarks, Remark("whole-range", text))


def _share(some: int, size: int, noun: str) -> str:
    return f"{some:,} of {size:,} {noun}s reach{'es' if some == 1 else ''}"
