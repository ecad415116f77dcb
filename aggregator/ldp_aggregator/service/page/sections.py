"""The parts of the page: what holds for the service, a survey's questions, its batches, what to
download.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from ldp.wire import REASONS
from ldp_aggregator.service.counting.submissions import QUARANTINED, summed_up
from ldp_aggregator.service.page.downloads import DOWNLOADS
from ldp_aggregator.service.page.elements import many, row, table
from ldp_aggregator.service.page.markup import Safe, joined, tag
from ldp_aggregator.service.page.questions import question_section
from ldp_aggregator.service.page.views import Asked, ServiceView, SurveyView

_OUTCOMES = {
    "accepted": "counted",
    "duplicate": "came again, and were not counted twice",
    QUARANTINED: "put aside: of no question that is served; counted when a survey is served that "
    "has it",
}


def survey_section(view: SurveyView, service: ServiceView, asked: Asked) -> Safe:
    """A survey's questions, what became of batches, and what to download."""
    questions = [question_section(each, asked) for each in view.questions]
    return joined([*questions, _batches(view, service), _exports(asked)])


def summary(view: SurveyView) -> str:
    """One sentence on what is there."""
    most = max((each.estimates.reports for each in view.questions), default=0)
    return f"{many(len(view.questions), 'question')}, up to {many(most, 'report')} each."


def service_section(view: ServiceView) -> Safe:
    """The conservation line of the whole service, and what is wrong with it."""
    told = summed_up(view.accounts.outcomes)
    terms = (told["accepted"], told["duplicate"], sum(told["rejected"].values()), told[QUARANTINED])
    names = ("accepted", "duplicate", "rejected", QUARANTINED)
    sums = " + ".join(f"{count:,} {name}" for name, count in zip(names, terms, strict=True))
    received = tag("strong", f"{view.accounts.received:,}")
    line = tag("p", received, f" batches received = {sums}", class_="sums", id="accounts")
    wrong = (
        []
        if view.balances
        else ["These do not add up: the store is damaged. Run ldp doctor on it."]
    )
    wrong += [] if view.trouble is None else [f"No reports are taken: {view.trouble}"]
    return joined([line, *(tag("p", words, class_="problem") for words in wrong)])


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


def _exports(asked: Asked) -> Safe:
    survey = asked.served.survey
    path, query = f"v1/surveys/{quote(survey.name)}", asked.query(survey=None, over_time=None)
    links = [
        tag(
            "li",
            tag(
                "a",
                form.words,
                href=f"{path}/estimates?{urlencode({**query, 'format': form.name})}",
                download=True,
            ),
        )
        for form in DOWNLOADS.values()
        if form.available
    ]
    links.append(
        tag(
            "li",
            tag(
                "a", "Tally", href=f"{path}/tally?version={asked.served.fingerprint}", download=True
            ),
        )
    )
    heading = tag("h2", "Download", id="heading-exports")
    return tag(
        "nav",
        heading,
        tag("ul", *links),
        class_="question exports",
        aria_labelledby="heading-exports",
    )
