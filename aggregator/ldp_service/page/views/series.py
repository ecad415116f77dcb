"""Estimates by epoch, as the page has them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_service.store.records import DAY, Epoch

MOST_EPOCHS = 60
"""The last ones; the history of the API has all."""

Series = Sequence[tuple[Epoch, QuestionEstimates]]
GroupSeries = Sequence[tuple[Epoch, GroupEstimates]]


def when(epoch: Epoch) -> str:
    """When an epoch begins, UTC, as precisely as its length bears."""
    start = datetime.fromtimestamp(epoch.start, UTC)
    return start.strftime("%Y-%m-%d" if epoch.length % DAY == 0 else "%Y-%m-%d %H:%M")
