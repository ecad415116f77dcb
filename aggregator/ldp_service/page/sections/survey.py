"""A survey as a whole: one sentence on it, its batches, what to download."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from ldp.wire.wire import REASONS
from ldp_aggregator.output.markup import Safe
from ldp_service.analysis.notes import Note
from ldp_service.counting.submissions import QUARANTINED, summed_up
from ldp_service.page.markup.elements import many, row
from ldp_service.page.sections.downloads import DOWNLOADS
from ldp_service.page.views.service import ServiceView
from ldp_service.page.views.survey import SurveyView
from ldp_service.page.views.view_request import ViewRequest

_OUTCOMES = {
    "accepted": "counted",
    "duplicate": "came again, and were not counted twice",
    QUARANTINED: "put aside: of no question that is served; counted when a survey is "
    "served that has it",
}

MOST_MIXED = 20
"""Batches of relays that the page lists; `/v1/surveys/NAME/batches` has all."""

_OF_THE_PAGE = (
    *("survey", "over_time", "way", "axes"),
    *("since", "until", "values_of", "find", "page"),
)
"""What the API is not asked for."""


def summary(view: SurveyView) -> str:
    """One sentence on what is there."""
    most = max((question.estimates.reports for question in view.questions), default=0)
    return (
        f"{many(len(view.questions), 'question')}, up to {many(most, 'report')} each."
    )


def outcome_rows(view: SurveyView, service: ServiceView) -> list[Safe]:
    """Return a row for each thing that batches become, of this survey and of all."""
    # Damaged bytes are of no survey, so those of the service are more than those of its
    # surveys.
    outcomes = service.accounts.outcomes
    rejected = summed_up(outcomes)["rejected"]
    words = _OUTCOMES | {
        reason: f"rejected: {REASONS.get(reason, reason)}" for reason in rejected
    }
    return [
        row(name, f"{view.outcomes[name]:,}", f"{outcomes[name]:,}", meaning)
        for name, meaning in words.items()
    ]


def mixed_rows(view: SurveyView) -> list[Safe]:
    """Return what relays had mixed, the newest first, and what that was worth."""
    newest = [*reversed(view.mixed)][:MOST_MIXED]
    return [
        row(batch.question, "" if batch.epoch is None else f"{batch.epoch}", words)
        for batch, words in newest
    ]


def note_rows(notes: Sequence[Note]) -> list[Safe]:
    """Return the notes of a survey, the last one first."""
    return [
        row(note.day, note.question or "all", note.text) for note in reversed(notes)
    ]


def exports(asked: ViewRequest) -> list[tuple[str, str]]:
    """Return what can be downloaded: words and addresses."""
    survey = asked.served.survey
    path = f"v1/surveys/{quote(survey.name)}"
    page_only = dict.fromkeys(_OF_THE_PAGE)
    query = asked.query(**page_only)
    files = [
        (form.words, f"{path}/estimates?{urlencode({**query, 'format': form.name})}")
        for form in DOWNLOADS.values()
        if form.available
    ]
    if not survey.attributes:
        files.append(("Tally", f"{path}/tally?version={asked.served.fingerprint}"))
    return files
