"""`ldp demo --terminal`: what happens to one answer, and to 1,000, line by line."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from ldp_simulations.demo.crowd import (
    NAME,
    NO,
    PEOPLE,
    QUESTION,
    STOPS,
    TRUTH,
    USUAL_EPSILON,
    YES,
    answers,
    is_sent_as_yes,
    reports_of,
    survey_of,
    truth_probability,
)

if TYPE_CHECKING:
    from ldp.survey.survey import Survey
    from ldp_aggregator.answers.results.values import Estimate
    from ldp_client import Report

_EPSILONS = ("0.5", USUAL_EPSILON, "2")
_WIDTH = 51
_PAUSE = 0.7
"""Seconds between two lines, for people who watch."""


def show_in_terminal() -> None:
    """Ask the question, show what is sent, and let made-up people answer."""
    survey = survey_of(USUAL_EPSILON)
    click.secho(QUESTION, bold=True)
    answer = click.prompt("Your answer", type=click.Choice([YES, NO]))
    _show_own(survey, answer)
    people = answers()
    click.echo(
        f"\nNow {PEOPLE:,} made-up people answer. For {100 * TRUTH:.0f} % the truth "
        "is Yes (│).\n"
        "Only their reports are counted. ● is the estimate, ━ its 95 % confidence "
        "interval.\n"
    )
    reports = reports_of(survey, people)
    for count in STOPS:
        _pause()
        estimate = _estimate(survey, reports[:count])
        click.echo(f" {count:>5,} people  {_bar(estimate)}  {_percent(estimate)}")
    click.echo(
        "\nMore privacy costs precision. Epsilon sets both:\n\n"
        " epsilon   answers flipped   a 50 % suspicion becomes   estimate (truth 30 %)"
    )
    for epsilon in _EPSILONS:
        _pause()
        other = survey_of(epsilon)
        estimate = _estimate(other, reports_of(other, people))
        kept = round(100 * truth_probability(other))
        most = f"at most {kept} %"
        click.echo(
            f" {epsilon:>7}   {100 - kept:>13} %   {most:>24}   {_percent(estimate)}"
        )
    click.echo("\nAsk your own question: ldp new")


def _show_own(survey: Survey, answer: str) -> None:
    """Randomize one answer as a device does, and say what came of it."""
    [report] = reports_of(survey, [answer == YES])
    sent = YES if is_sent_as_yes(report) else NO
    kept = round(100 * truth_probability(survey))
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


def _estimate(survey: Survey, reports: list[Report]) -> Estimate:
    from ldp_aggregator import Options, estimate
    from ldp_client import report_bytes

    options = Options(estimand="population")
    return estimate(survey, report_bytes(reports), options=options)[NAME]["true"]


def _bar(estimate: Estimate) -> str:
    """The interval from 0 to 1, with the estimate and the truth in it."""
    low, middle, high, truth = (
        round(min(max(share, 0), 1) * (_WIDTH - 1))
        for share in (estimate.low, estimate.frequency, estimate.high, TRUTH)
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
