"""A room: the result of one kind of answer, and how it is estimated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.tallies.counting.counting import total_reports

if TYPE_CHECKING:
    from ldp.survey.survey import Question
    from ldp_aggregator.answers.options import Options
    from ldp_aggregator.decoders.decoder import Decoder
    from ldp_aggregator.numerics.arrays import Counts


class CountedQuestion(NamedTuple):
    """A question with the counts of its reports, and what is asked of them."""

    question: Question
    counts: Counts
    options: Options
    values: tuple[str, ...]
    design: Any = None
    """The bits of candidates, of shape (cohorts * bits, M), if not our hash functions
    set them.
    """
    note: str = ""
    """What there is to know of the values."""

    @property
    def reports(self) -> int:
        """How many were counted."""
        return total_reports(self.counts, self.question.layout)

    @property
    def decoder(self) -> Decoder:
        """The row of the question's mechanism."""
        return decoder_of(self.question.randomizer)


def nothing_more(estimates: QuestionEstimates) -> tuple[str, ...]:  # noqa: ARG001
    """For kinds of which there is no more to know."""
    return ()


class AnswerKind(NamedTuple):
    """One row of the table of kinds of answers (`answers.estimates.rooms`)."""

    result: type[QuestionEstimates]
    estimate: Callable[[CountedQuestion], QuestionEstimates]
    """The estimates of a question with reports. Raises `EstimateError`."""
    about: Callable[[QuestionEstimates], tuple[str, ...]] = nothing_more
    """What to know of its estimates, whatever they are."""
