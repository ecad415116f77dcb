"""One question: its estimates, the places of the values shown, and what lies beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ldp_aggregator.arrays import Floats
from ldp_aggregator.checks import Check
from ldp_aggregator.estimates.detection import adjusted_p_values
from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.rendering.bars import MOST_BARS, shown_places
from ldp_aggregator.series.changes import Changes
from ldp_aggregator.service.page.views.series import Series

CORRECTION = "bonferroni"


@dataclass(frozen=True)
class QuestionView:
    """One question: its estimates, the places of the values shown, and what lies beside them."""

    estimates: QuestionEstimates
    shown: Sequence[int]
    chances: Floats
    """By value, the simultaneous p-value of its not being there at all."""
    checks: Sequence[Check]
    series: Series | None
    """The last epochs, where they were asked for."""
    changes: Changes | None = None
    """What has changed over closed epochs, where there are any."""

    @classmethod
    def of(
        cls,
        estimates: QuestionEstimates,
        checks: Sequence[Check] = (),
        series: Series | None = None,
        *,
        changes: Changes | None = None,
    ) -> QuestionView:
        """What follows from the estimates of a question, and what is known beside them."""
        estimates = estimates.merged(MOST_BARS)
        return cls(
            estimates=estimates,
            shown=shown_places(estimates.frequency),
            chances=adjusted_p_values(estimates, CORRECTION),
            checks=checks,
            series=series,
            changes=changes,
        )

    @property
    def complete(self) -> bool:
        """Whether all values are shown."""
        return len(self.shown) == len(self.estimates)

    @property
    def found(self) -> int:
        """How many values are there, surely."""
        return int((self.chances <= self.miss).sum())

    @property
    def miss(self) -> float:
        """The chance that any value is taken to be there wrongly."""
        return 1 - self.estimates.options.level
