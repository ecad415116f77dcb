"""Texts of an open question: shares of candidates, and of all texts that are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import error_record, share_record
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.results.values import Estimate
from ldp_aggregator.answers.shares.room import numbers_of, shares_of
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.decoders.moments.moments import Moments

UNALLOCATED = "(no candidate)"
"""Where a value would stand, for all texts that are no candidates together."""
_MOST_MISSING = 0.05


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TextEstimates(ShareEstimates):
    """Shares of candidates of an open question."""

    unallocated: Estimate | None = None
    """Those whose text is no candidate, where reports tell.

    Unbiased, and its interval is its own.
    """

    @property
    def lacks_little(self) -> bool:
        """Whether hardly anyone holds a text that is no candidate."""
        fits = [
            not check.suspicious for check in self.checks if check.name == "dictionary"
        ]
        missing = self.unallocated
        # A check of few reports finds nothing whatever is missing.
        known = missing is not None and missing.high < _MOST_MISSING
        return bool(fits) and all(fits) and known

    def listed(self) -> list[Estimate]:
        """The estimates that tables list: of all candidates, and of what is none."""
        return [*self, *([] if self.unallocated is None else [self.unallocated])]

    def own_record(self) -> dict[str, Any]:
        """For JSON: what is no candidate."""
        rest = self.unallocated
        known = {}
        if rest is not None:
            known = {"unallocated": share_record(rest) | error_record(rest)}
        return known | super().own_record()


def unallocated_of(moments: Moments, options: Options) -> Estimate | None:
    """The share of the respondents whose text is no candidate."""
    from scipy.special import ndtri

    if moments.fit.unallocated is None:
        return None
    share, error = moments.fit.unallocated
    if options.estimand == "respondents":
        present = min(max(share, 0.0), 1.0)
        error = max(error**2 - present * (1 - present) / moments.reports, 0.0) ** 0.5
    reach = float(ndtri((1 + options.level) / 2)) * error
    low, high = (min(max(end, 0.0), 1.0) for end in (share - reach, share + reach))
    return Estimate(
        UNALLOCATED,
        moments.reports * share,
        share,
        standard_error=error,
        low=low,
        high=high,
    )


def estimate(counted: CountedQuestion) -> TextEstimates:
    """The shares of the candidates of a question with reports."""
    numbers = numbers_of(counted, counted.values)
    rest = unallocated_of(numbers.moments, counted.options)
    return shares_of(
        counted, numbers, counted.values, kind=TextEstimates, unallocated=rest
    )


ROOM = AnswerKind(TextEstimates, estimate)
