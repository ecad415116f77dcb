"""The last two epochs side by side: what differs between them, with intervals."""

from __future__ import annotations

from ldp.errors import EstimateError
from ldp_aggregator.analyses.comparisons.comparing import compare
from ldp_aggregator.analyses.comparisons.comparison import Comparison
from ldp_aggregator.output.markup import Safe, join, tag
from ldp_service.page.markup.elements import text_table
from ldp_service.page.views.series import Series, when

MOST_VALUES = 100
"""Each is looked at by itself, whenever the page is made."""


def side_by_side(series: Series) -> Safe:
    """The last epoch less, and over, the one before it; nothing where that says
    nothing.
    """
    comparison = _of_last_two(series)
    if comparison is None:
        return Safe("")
    shown = comparison.text_table()
    sentences = [tag("li", sentence) for sentence in comparison.sentences]
    return join(
        [tag("h3", "The last two epochs"), text_table(shown), tag("ul", *sentences)]
    )


def _of_last_two(series: Series) -> Comparison | None:
    with_reports = [known for known in series if known[1].reports]
    if len(with_reports) < 2 or len(with_reports[-1][1]) > MOST_VALUES:
        return None
    (before, first), (after, second) = with_reports[-2:]
    try:
        return compare(
            first,
            second,
            simultaneous="bh",
            names=(when(before), when(after)),
            allow_equal=True,
        )
    except EstimateError:
        # Such as texts that were found in one of them alone, or a shape without errors.
        return None
