"""Means alone, of mechanisms that are for means; and shapes without errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ldp.survey.survey import Question
from ldp_aggregator.answers.options import SHAPES, Options
from ldp_aggregator.answers.results.cells import Cell, cells_of
from ldp_aggregator.answers.results.means import FEWEST, Mean, mean_of
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.remarks import on_mean
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.answers.shares.room import bound_of, numbers_of
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.output.sheet import MOST_BARS, Bars

_MEAN_ALONE = (
    "the mean is what this mechanism is for; frequencies, which are far noisier, are "
    "estimated only if asked for (--frequencies, or frequencies=True)"
)
_NO_FREQUENCIES = "this mechanism estimates a mean, and no frequencies"
_SHAPE_IF_ASKED = (
    "the shape of the distribution is a biased view, estimated only if asked for "
    "(--post-process em, or ems for a smooth one; post_process= in Python)"
)
_BARE_SHAPE = (
    "the frequencies are a shape: biased, and without errors or intervals, as none "
    "would hold the truth as often as it says"
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MeanEstimates(QuestionEstimates):
    """The mean of numbers, without shares of them."""

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The mean as a panel of a picture, with the true one, where known."""
        if self.mean is None or self.values:
            return super().bars(truth)
        numbers = (self.mean.estimate, *self.mean.interval)
        length, low, high = (np.array([number]) for number in numbers)
        about, unit = self.describe(), self.question.domain.unit or ""
        return Bars(
            self.title,
            about,
            (MEAN,),
            lengths=length,
            low=low,
            high=high,
            truth=truth,
            unit=unit,
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ShapeEstimates(QuestionEstimates):
    """The mean of numbers beside a biased shape of them, without errors, intervals or
    tests.
    """

    is_shape: ClassVar[bool] = True

    def merged(self, most: int) -> ShapeEstimates:
        """So many values, or fewer, for a picture: neighbours are added up."""
        starts = self.starts_of(most)
        if len(starts) == len(self) or self.left_out:
            return self
        together = starts[1] - starts[0]
        ends = [min(start + together, len(self)) - 1 for start in starts]
        values = tuple(
            self.values[start]
            if start == end
            else f"{self.values[start]} to {self.values[end]}"
            for start, end in zip(starts, ends, strict=True)
        )
        return replace(
            self, **_columns(values, np.add.reduceat(self.frequency, starts))
        )

    def starts_of(self, most: int) -> list[int]:
        """Where values that are added up begin."""
        return list(range(0, len(self), -(-len(self) // most)))

    def cells(self) -> tuple[Cell, ...]:
        """The cells of a histogram, in their order."""
        line = self.line
        if line is None or not self.reports:
            return ()
        together = 1
        if len(self) < line.size:
            together = -(-line.size // MOST_BARS)
        starts = range(0, line.size, together)
        places = [(start, min(start + together, line.size)) for start in starts]
        return cells_of(self, line, places)

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The shape as a panel of a picture, of no more values than that has room
        for.
        """
        shown = self.merged(MOST_BARS)
        if len(shown) == len(self):
            return super().bars(truth)
        if truth is not None:
            truth = np.add.reduceat(truth, self.starts_of(MOST_BARS)).tolist()
        return shown.bars(truth)


def estimate(counted: CountedQuestion) -> QuestionEstimates:
    """The mean of a question with reports; with its shape, in a view that is one."""
    question, options = counted.question, counted.options
    shape_of = counted.decoder.shape
    note = _NO_FREQUENCIES if shape_of is None else _SHAPE_IF_ASKED
    if counted.decoder.gives == "mean":
        mean = mean_of(question, None, counted.counts, options=options)
        bound = bound_of(counted, mean)
    else:
        _, mean, bound = numbers_of(counted, counted.values)
        note = _MEAN_ALONE
    kind: type[QuestionEstimates] = MeanEstimates
    columns = _columns((), np.empty(0))
    if shape_of is not None and options.post_process in SHAPES:
        kind, note = ShapeEstimates, _BARE_SHAPE
        shape = shape_of(question.randomizer, counted.counts, options.post_process)
        columns = _columns(tuple(question.domain.iter_values()), shape)
    return kind(
        question=question,
        reports=counted.reports,
        options=options,
        note=note,
        mean=mean,
        respondents=counted.reports,
        manipulation=bound,
        remarks=(
            *on_mean(question, mean, counted.reports),
            *_on_bound(question, mean, counted.reports, options=options),
        ),
        **columns,
    )


def _columns(values: tuple[str, ...], shape: Floats) -> dict[str, Any]:
    """Those of values about which no error is known, and no test is made."""
    unknown = np.full(len(values), np.nan)
    columns = dict.fromkeys(("unbiased", "standard_error", "low", "high"), unknown)
    return {
        "values": values,
        "frequency": shape,
        **columns,
        "chances": np.ones(len(values)),
    }


def _on_bound(
    question: Question, mean: Mean | None, reports: int, options: Options
) -> tuple[Remark, ...]:
    """Whether the error of a mean for the respondents is a bound."""
    asked = (
        mean is not None and mean.variance is None and options.estimand == "respondents"
    )
    alone = (
        decoder_of(question.randomizer).gives == "mean" and question.domain.size != 2
    )
    if not asked or not alone or reports < FEWEST:
        return ()
    text = (
        "The standard error of the mean is a bound: it has the spread of the answers, "
        "of which these reports tell nothing. Where all of them are at an end of the "
        "range it is far less."
    )
    return (Remark("bound", text),)


ROOM = AnswerKind(MeanEstimates, estimate)
