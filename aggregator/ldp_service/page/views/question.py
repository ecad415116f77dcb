"""One question: its estimates, the places of the values shown, and what lies beside
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_aggregator.analyses.series.changes import Changes
from ldp_aggregator.answers.distributions.distribution import Distribution
from ldp_aggregator.answers.distributions.distribution_estimates import (
    distribution_behind,
)
from ldp_aggregator.answers.lines.answers import Quantile
from ldp_aggregator.answers.means.room import ShapeEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.detection import adjusted_p_values
from ldp_aggregator.numerics.arrays import Floats, Indices
from ldp_aggregator.output.checks import Check
from ldp_aggregator.output.sheet import MOST_BARS, Bars
from ldp_service.page.views.course import CourseView
from ldp_service.page.views.series import Series
from ldp_service.page.views.view_request import ALL_VALUES, ValueSearch

CORRECTION = "bonferroni"


@dataclass(frozen=True)
class QuestionView:
    """One question: its estimates, the places of the values shown, and what lies beside
    them.
    """

    estimates: QuestionEstimates
    shown: Sequence[int]
    chances: Floats
    """By value, the simultaneous p-value of its not being there at all."""
    checks: Sequence[Check]
    series: Series | None
    """The last epochs, where they were asked for."""
    changes: Changes | None = None
    """What has changed over closed epochs, where there are any."""
    search: ValueSearch = ALL_VALUES
    matching: int = 0
    """How many values have the text that is looked for."""
    course: CourseView | None = None
    """Levels behind the epochs, where they were asked for."""
    quantiles: Sequence[Quantile] = ()
    """Of a number, those that the options ask for."""

    @classmethod
    def of(
        cls,
        estimates: QuestionEstimates,
        checks: Sequence[Check] = (),
        series: Series | None = None,
        *,
        changes: Changes | None = None,
        search: ValueSearch | None = None,
        course: CourseView | None = None,
    ) -> QuestionView:
        """Build the view from the estimates of a question, its checks and its
        history.
        """
        if isinstance(estimates, ShapeEstimates):
            estimates = estimates.merged(MOST_BARS)
        asked = search or ValueSearch(estimates.name)
        places = _matching(estimates, asked.text)
        page = min(asked.page, max(1, pages_of(len(places))))
        return cls(
            estimates=estimates,
            shown=_on_page(estimates, places, page),
            chances=adjusted_p_values(estimates, CORRECTION),
            checks=checks,
            series=series,
            changes=changes,
            search=asked._replace(page=page),
            matching=len(places),
            course=course,
            quantiles=estimates.marked_quantiles(),
        )

    @property
    def panel(self) -> Bars:
        """The picture of the values that are shown."""
        if self.complete:
            return self.estimates.bars()
        return self.estimates.only(np.array(self.shown, dtype=np.intp)).bars()

    @property
    def distribution(self) -> Distribution | None:
        """The distribution of numbers on a line, whose curve is shown."""
        known = None
        if self.estimates.reports:
            known = distribution_behind(self.estimates)
        if known is None or known.line.circular:
            return None
        return known

    @property
    def complete(self) -> bool:
        """Whether all values are shown."""
        return len(self.shown) == len(self.estimates)

    @property
    def pages(self) -> int:
        """How many pages there are of the values that match."""
        return pages_of(self.matching)

    @property
    def present(self) -> int:
        """How many values are there, surely."""
        return int((self.chances <= self.miss).sum())

    @property
    def miss(self) -> float:
        """The chance that any value is taken to be there wrongly."""
        return 1 - self.estimates.options.level


def pages_of(values: int) -> int:
    """How many pages so many values fill."""
    return -(-values // MOST_BARS)


def _matching(estimates: QuestionEstimates, text: str) -> Indices:
    """The places of the values that have a text in them, whatever its case."""
    if not text:
        return np.arange(len(estimates), dtype=np.intp)
    wanted = text.casefold()
    places = [
        place
        for place, value in enumerate(estimates.values)
        if wanted in value.casefold()
    ]
    return np.array(places, dtype=np.intp)


def _on_page(estimates: QuestionEstimates, places: Indices, page: int) -> list[int]:
    """Return the values of a page: in their order, or of many the most frequent
    first.
    """
    if len(places) > MOST_BARS:
        order = np.argsort(-estimates.frequency[places], kind="stable")
        places = places[order[(page - 1) * MOST_BARS : page * MOST_BARS]]
    shown: list[int] = places.tolist()
    return shown
