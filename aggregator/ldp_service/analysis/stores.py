"""Stores as sources of the aggregator's commands: entry points of the group
`ldp.stores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldp.survey.survey import Question, Survey
from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.tallies.mixing.batches import MixedBatch
from ldp_service.analysis.groups import GroupReader
from ldp_service.store.opening import open_snapshot
from ldp_service.store.reading import history, mixed_batches


def question_history(
    url: str, question: Question, options: Options, candidates: Sequence[str] | None
) -> list[tuple[int, QuestionEstimates]]:
    """The estimates of a question in each epoch, in the order of time. Raises
    `StoreError`.
    """
    with open_snapshot(url) as snapshot:
        return [
            (
                epoch.number,
                estimate_question(question, counts, options, candidates=candidates),
            )
            for epoch, counts in history(snapshot, question)
            if epoch.length
        ]


def group_history(
    url: str, survey: Survey, name: str, options: Options, **asked: Any
) -> list[tuple[int, GroupEstimates]]:
    """The groups of each closed epoch; `asked` is what `GroupReader.history` takes."""
    with open_snapshot(url) as snapshot:
        by_group = GroupReader().history(
            snapshot, survey, name, options=options, **asked
        )
        return [(epoch.number, groups) for epoch, groups in by_group]


def batches_of_relays(url: str, survey: Survey) -> list[MixedBatch]:
    """Return the batches of relays for a survey."""
    with open_snapshot(url) as snapshot:
        return mixed_batches(snapshot, survey)
