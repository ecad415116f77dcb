"""The question of `ldp demo`, and 1,000 made-up people whose answers are known."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

import ldp
from ldp.numbers.accounting import posterior
from ldp_client import Client

if TYPE_CHECKING:
    from ldp.survey.survey import Survey
    from ldp_client import Report

QUESTION = "Have you ever read a message on somebody else's phone?"
NAME = "answer"
YES, NO = "yes", "no"
PEOPLE = 1000
TRUTH = 0.3
STOPS = (10, 30, 100, 300, PEOPLE)
"""An estimate is shown after so many people."""
USUAL_EPSILON = "1"


def survey_of(epsilon: str) -> Survey:
    """Return the survey that asks the question at an epsilon."""
    asked = ldp.question(
        NAME, type="boolean", mechanism="grr", epsilon=epsilon, text=QUESTION
    )
    return ldp.survey(f"epsilon-{epsilon}", asked)


def answers() -> list[bool]:
    """Return the answers of the people, in random order."""
    people = [person < TRUTH * PEOPLE for person in range(PEOPLE)]
    random.shuffle(people)
    return people


def reports_of(survey: Survey, people: Iterable[bool]) -> list[Report]:
    """Return the report of a client of its own for each person."""
    return [Client(survey).record(NAME, answer) for answer in people]


def is_sent_as_yes(report: Report) -> bool:
    """Whether a report says Yes."""
    return report.row != b"\0"


def truth_probability(survey: Survey) -> float:
    """Return how likely an answer is sent as it is; nobody can be surer of it from the
    report.
    """
    return float(posterior(survey[NAME].randomizer.ratio))
