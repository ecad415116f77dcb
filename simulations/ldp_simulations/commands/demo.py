"""`ldp demo`: randomized response in a terminal, on the real client and the real
decoder.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ldp.survey.survey import Survey
    from ldp_aggregator.answers.results.values import Estimate
    from ldp_client import Report

_QUESTION = "Have you ever read a message on somebody else's phone?"
_YES, _NO = "yes", "no"
_PEOPLE = 1000
_TRUTH = 0.3
_STOPS = (10, 30, 100, 300, _PEOPLE)
"""After so many people the bar is drawn."""
_EPSILONS = ("0.5", "1", "2")
_WIDTH = 51
_PAUSE = 0.7
"""Seconds between two lines, for people who watch."""


@click.command()
@click.option(
    "--answer",
    type=click.Choice([_YES, _NO]),
    help="Your answer to the question.  [default: you are asked]",
)
def demo(answer: str | None) -> None:
    """Answer a question, and see what randomized response does to it.

    Then 1,000 made-up people answer, at three values of epsilon. Nothing is sent or
    kept.
    """
    survey = _survey("1")
    click.secho(_QUESTION, bold=True)
    if answer is None:
        answer = click.prompt("Your answer", type=click.Choice([_YES, _NO]))
    _show_own(survey, answer)
    answers = [person < _TRUTH * _PEOPLE for person in range(_PEOPLE)]
    random.shuffle(answers)
    click.echo(
        f"\nNow {_PEOPLE:,} made-up people answer. For {100 * _TRUTH:.0f} % the truth "
        "is Yes (│).\n"
        "Only their reports are counted. ● is the estimate, ━ its 95 % confidence "
        "interval.\n"
    )
    reports = _reports(survey, answers)
    for count in _STOPS:
        _pause()
        estimate = _estimate(survey, reports[:count])
        click.echo(f" {count:>5,} people  {_bar(estimate)}  {_percent(estimate)}")
    click.echo(
        "\nMore privacy costs precision. Epsilon sets both:\n\n"
        " epsilon   answers flipped   a 50 % suspicion becomes   estimate (truth 30 %)"
    )
    for epsilon in _EPSILONS:
        _pause()
        other = survey if epsilon == "1" else _survey(epsilon)
        estimate = _estimate(
            other, reports if other is survey else _reports(other, answers)
        )
        kept = round(100 * _truth_probability(other))
        most = f"at most {kept} %"
        click.echo(
            f" {epsilon:>7}   {100 - kept:>13} %   {most:>24}   {_percent(estimate)}"
        )
    click.echo("\nAsk your own question: ldp new")


def _survey(epsilon: str) -> Survey:
    import ldp

    asked = ldp.question("answer", type="boolean", mechanism="grr", epsilon=epsilon)
    return ldp.survey("demo", asked)


def _truth_probability(survey: Survey) -> float:
    """Return how likely an answer is sent as it is; nobody can be surer of it from the
    report.
    """
    from ldp.numbers.accounting import posterior

    return float(posterior(survey["answer"].randomizer.ratio))


def _show_own(survey: Survey, answer: str) -> None:
    """Randomize one answer as a device does, and say what came of it."""
    from ldp_client import Client

    report = Client(survey).record("answer", answer == _YES)
    sent = _NO if report.row == b"\0" else _YES
    kept = round(100 * _truth_probability(survey))
    _pause()
    click.echo(
        f"\nYour device tosses a coin that keeps {kept} of 100 answers and flips the "
        "others."
    )
    _pause()
    said = "keeps your answer" if sent == answer else "flips your answer"
    click.echo(f"  You said  {answer.title()}")
    click.echo(f"  The coin  {said}")
    click.secho(f"  Sent      {sent.title()}", bold=True)
    click.echo(
        f"\nThe collector sees {sent.title()} alone, and cannot know whether the coin "
        "flipped it."
    )


def _reports(survey: Survey, answers: list[bool]) -> list[Report]:
    """The report of a client of its own for each person."""
    from ldp_client import Client

    return [Client(survey).record("answer", answer) for answer in answers]


def _estimate(survey: Survey, reports: list[Report]) -> Estimate:
    from ldp_aggregator import Options, estimate
    from ldp_client import report_bytes

    options = Options(estimand="population")
    return estimate(survey, report_bytes(reports), options=options)["answer"]["true"]


def _bar(estimate: Estimate) -> str:
    """The interval from 0 to 1, with the estimate and the truth in it."""
    low, middle, high, truth = (
        round(min(max(share, 0), 1) * (_WIDTH - 1))
        for share in (estimate.low, estimate.frequency, estimate.high, _TRUTH)
    )
    line = [" "] * _WIDTH
    line[low : high + 1] = "━" * (high + 1 - low)
    line[truth] = "│"
    line[middle] = "●"
    return f"0 {''.join(line)} 100"


def _percent(estimate: Estimate) -> str:
    """The interval, as far as it has shares that can be."""
    low, high = (100 * min(max(share, 0), 1) for share in (estimate.low, estimate.high))
    return f"{low:.0f} to {high:.0f} %"


def _pause() -> None:
    """Let people see one thing after the other; pipes and tests do not wait."""
    if sys.stdout.isatty():
        time.sleep(_PAUSE)
