"""The parts of the page: the service, a survey's questions, its batches, what to download."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlencode

from ldp.wire.wire import REASONS
from ldp_service.counting.submissions import QUARANTINED, summed_up
from ldp_service.page.markup.elements import many, row, table
from ldp_service.page.markup.tags import Safe, joined, tag
from ldp_service.page.sections.downloads import DOWNLOADS
from ldp_service.page.sections.groups import groups_section
from ldp_service.page.sections.questions import question_section
from ldp_service.page.sections.sharing import notes_section
from ldp_service.page.views.asked import Asked
from ldp_service.page.views.service import ServiceView
from ldp_service.page.views.survey import SurveyView

_OUTCOMES = {
    "accepted": "counted",
    "duplicate": "came again, and were not counted twice",
    QUARANTINED: "put aside: of no question that is served; counted when a survey is served that "
    "has it",
}

MOST_MIXED = 20
"""Batches of relays that the page lists; `/v1/surveys/NAME/batches` has all."""

_OF_THE_PAGE = (
    *("survey", "over_time", "way", "axes"),
    *("since", "until", "values_of", "find", "page"),
)
"""What the API is not asked for."""


def survey_section(view: SurveyView, service: ServiceView, asked: Asked) -> Safe:
    """A survey's questions, what became of batches, and what to download."""
    survey = asked.served.survey.name
    questions = [
        question_section(
            question,
            asked,
            [note for note in service.notes if note.is_for(survey, question.estimates.name)],
        )
        for question in view.questions
    ]
    if view.groups is not None:
        questions.append(groups_section(view.groups, view.groups_over_time))
    notes = notes_section([note for note in service.notes if note.is_for(survey)])
    parts = [notes, *_mixed(view), _batches(view, service), *_closing(survey, service)]
    return joined([*questions, *parts, _exports(asked)])


def summary(view: SurveyView) -> str:
    """One sentence on what is there."""
    most = max((question.estimates.reports for question in view.questions), default=0)
    return f"{many(len(view.questions), 'question')}, up to {many(most, 'report')} each."


def service_section(view: ServiceView) -> Safe:
    """The conservation line of the whole service, and what is wrong with it."""
    outcomes = summed_up(view.accounts.outcomes)
    terms = (
        outcomes["accepted"],
        outcomes["duplicate"],
        sum(outcomes["rejected"].values()),
        outcomes[QUARANTINED],
    )
    names = ("accepted", "duplicate", "rejected", QUARANTINED)
    sums = " + ".join(f"{count:,} {name}" for name, count in zip(names, terms, strict=True))
    received = tag("strong", f"{view.accounts.received:,}")
    line = tag("p", received, f" batches received = {sums}", class_="sums", id="accounts")
    notes = []
    if view.together > 1:
        words = (
            f"Answers are shown {view.together:,} reports at a time, by question and epoch, and "
            f"none before so many have come; batches are counted as they come."
        )
        notes.append(tag("p", words, class_="note", id="together"))
    wrong = []
    if not view.balances:
        wrong.append("These do not add up: the store is damaged. Run ldp doctor on it.")
    if view.trouble is not None:
        wrong.append(f"No reports are taken: {view.trouble}")
    wrong += view.warnings
    return joined([line, *notes, *(tag("p", words, class_="problem") for words in wrong)])


def _batches(view: SurveyView, service: ServiceView) -> Safe:
    # Damaged bytes are of no survey, so those of the service are more than those of its surveys.
    outcomes = service.accounts.outcomes
    rejected = summed_up(outcomes)["rejected"]
    words = _OUTCOMES | {reason: f"rejected: {REASONS.get(reason, reason)}" for reason in rejected}
    rows = [
        row(name, f"{view.outcomes[name]:,}", f"{outcomes[name]:,}", meaning)
        for name, meaning in words.items()
    ]
    head = ("outcome", "this survey", "all surveys", "meaning")
    counts = table("Batches by what became of them", head, rows, id="batches", class_="worded")
    heading = tag("h2", "Batches", id="heading-batches")
    return tag("section", heading, counts, class_="question", aria_labelledby="heading-batches")


def _closing(survey: str, service: ServiceView) -> Iterator[Safe]:
    """How to close a survey, for who may; or that it is closed."""
    if survey in service.closed:
        yield tag("p", "This survey is closed: all reports are shown.", class_="note", id="closed")
    elif service.operates:
        words = (
            "The survey takes no more reports from then on, for good, and all that came are shown. "
            "Of epochs that are over nothing more is shown."
        )
        form = tag(
            "form",
            tag("button", "Close and show all"),
            method="post",
            action=f"v1/surveys/{quote(survey)}/close",
        )
        yield tag("details", tag("summary", "Close this survey"), tag("p", words), form, id="close")


def _mixed(view: SurveyView) -> list[Safe]:
    """What relays had mixed, the newest first, and what that was worth; nothing without a relay."""
    if not view.mixed:
        return []
    newest = [*reversed(view.mixed)][:MOST_MIXED]
    rows = [
        row(batch.question, "" if batch.epoch is None else f"{batch.epoch}", words)
        for batch, words in newest
    ]
    head = ("question", "epoch", "what the batch was worth")
    counts = table("Batches that a relay mixed", head, rows, id="mixed", class_="worded")
    heading = tag("h2", "Mixed by relays", id="heading-mixed")
    return [tag("section", heading, counts, class_="question", aria_labelledby="heading-mixed")]


def _exports(asked: Asked) -> Safe:
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
    links = [tag("li", tag("a", words, href=href, download=True)) for words, href in files]
    heading = tag("h2", "Download", id="heading-exports")
    return tag(
        "nav",
        heading,
        tag("ul", *links),
        class_="question exports",
        aria_labelledby="heading-exports",
    )
