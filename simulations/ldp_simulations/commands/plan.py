"""`ldp plan`: what a survey can tell, and how many respondents or how much epsilon that
takes.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp.answers.keys import LEAST_EPSILON, MOST_EPSILON
from ldp.numbers.exact import fraction
from ldp.survey.survey_file import MOST_VALUES
from ldp_aggregator.commands.batch_options import COLLUDING, DELTA
from ldp_aggregator.commands.main import SURVEY_IF_ANY, LongHelp, number, whole
from ldp_aggregator.commands.output_options import (
    OUTPUT,
    PLOT,
    QUESTION,
    advise,
    check_names,
    draw,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import DESIGN, refuse_others
from ldp_aggregator.output.files import hand_out, read_candidates, read_survey
from ldp_simulations.planning.kinds.asking import MOST_RESPONDENTS, Ask, PlanRequest

if TYPE_CHECKING:
    from ldp_simulations.planning.experiment import ExperimentPlan
    from ldp_simulations.planning.shuffled_plan import BatchPlans

_OF_DESIGNS = {
    "design",
    "respondents",
    "half_width",
    "detect",
    "level",
    "power",
    "frequency",
    "odds_ratio",
    "non_followers",
    "response_rate",
}
_OF_DESIGNS |= {"form", "output"}
_COUNT = whole(1, MOST_RESPONDENTS)
_CHANCE = number(Fraction(1, 10**12), 1 - Fraction(1, 10**12))
_FREQUENCY = number(Fraction(1, 10**6), 1)
"""Below a millionth, the rounding of floating-point numbers would show in what is
solved for.
"""


_HEADINGS = {
    "What is asked": "--values --design --epsilon --respondents --question",
    "What it has to tell": "--half-width --detect --mean-half-width "
    "--median-half-width --level --power --frequency --estimand --simultaneous --forged",
    "Regressions": "--odds-ratio --non-followers",
    "Other plans": "--shares --experiment --range-from",
    "Batches of a relay": (
        "--shuffled --central-epsilon --local-ceiling --delta --colluding-share"
    ),
    "Output": "--format --output --plot",
}


@click.command(cls=LongHelp, headings=_HEADINGS)
@SURVEY_IF_ANY
@DESIGN
@click.option(
    "--values",
    metavar="D",
    type=whole(2, MOST_VALUES),
    help="Compare mechanisms for this number of values.",
)
@click.option(
    "--epsilon",
    metavar="E",
    type=number(LEAST_EPSILON, MOST_EPSILON),
    help="What one report may reveal.",
)
@click.option(
    "--respondents",
    "-n",
    metavar="N",
    type=_COUNT,
    help="How many answer, such as 1e6.",
)
@click.option(
    "--half-width",
    metavar="H",
    type=_FREQUENCY,
    help="Find what it takes for intervals to be no wider than plus-minus this.",
)
@click.option(
    "--detect",
    metavar="F",
    type=_FREQUENCY,
    help="Find what it takes to detect this frequency, or with what chance it is.",
)
@click.option(
    "--mean-half-width",
    metavar="W",
    type=number(Fraction(1, 10**15), 10**15),
    help=(
        "Find what it takes for intervals of means to be no wider than plus-minus this."
    ),
)
@click.option(
    "--median-half-width",
    metavar="W",
    type=number(Fraction(1, 10**15), 10**15),
    help="The same of medians, of questions for a distribution.",
)
@click.option(
    "--level",
    metavar="L",
    type=_CHANCE,
    default="0.95",
    show_default=True,
    help="Of intervals and of detection.",
)
@click.option(
    "--power",
    metavar="P",
    type=_CHANCE,
    default="0.8",
    show_default=True,
    help="With what chance to be detected.",
)
@click.option(
    "--frequency",
    metavar="F",
    type=number(0, 1),
    help=(
        "The frequency of a typical value.  [default: an even share; 0.1 with --design]"
    ),
)
@click.option(
    "--value",
    metavar="VALUE",
    help="Plan for this value.  [default: the one with the widest interval]",
)
@click.option(
    "--response-rate",
    metavar="R",
    type=_FREQUENCY,
    help="The share of those you ask that answers, to be told how many to ask.",
)
@click.option(
    "--odds-ratio",
    metavar="R",
    type=number(Fraction(1, 1000), 1000),
    help="Of --design: find what it takes to detect this odds ratio of a standard "
    "deviation of a predictor.",
)
@click.option(
    "--non-followers",
    metavar="C",
    type=number(0, 1 - Fraction(1, 1000)),
    help="Of --odds-ratio: the share of the people who do not follow the design.",
)
@click.option(
    "--estimand",
    type=click.Choice(["respondents", "population"]),
    default="population",
    show_default=True,
    help="Whom the errors are for.",
)
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make all intervals of a question hold together (Bonferroni).",
)
@click.option(
    "--forged",
    metavar="M",
    type=_COUNT,
    help="How many reports are forged.  [default: 1 % of them]",
)
@click.option(
    "--shares",
    metavar="A[,A...]",
    help="Of trees: the part of the people for each upper level, from the top, such as "
    "0.1,0.2, in place of the survey's.",
)
@click.option(
    "--experiment",
    metavar="VALUE=D,R",
    help="Plan arms instead: a direct question, by which a share D says VALUE, and the "
    "randomized one, by which R does.",
)
@click.option(
    "--range-from",
    "range_from",
    multiple=True,
    metavar="TALLY_OR_REPORTS",
    is_eager=True,
    help="Write a second survey instead: about means, on the ranges that SURVEY found.",
)
@click.option(
    "--shuffled",
    metavar="N",
    type=whole(2, 10**10),
    help="Choose mechanisms for batches of N reports that a relay mixes, instead.",
)
@click.option(
    "--central-epsilon",
    metavar="E",
    type=number(Fraction(1, 10**6), MOST_EPSILON),
    help="Of --shuffled: the most that a batch may reveal of a respondent, at --delta.",
)
@click.option(
    "--local-ceiling",
    metavar="E",
    type=number(LEAST_EPSILON, MOST_EPSILON),
    default="4",
    show_default=True,
    help=(
        "Of --shuffled: the most that one report may, if relay and collector work "
        "together."
    ),
)
@DELTA
@COLLUDING
@QUESTION
@format_option("tables", "record", unless="range_from")
@OUTPUT
@PLOT
@click.pass_context
def plan(
    context: click.Context,
    design: str | None,
    survey_path: Path | None,
    values: int | None,
    epsilon: Fraction | None,
    respondents: int | None,
    half_width: Fraction | None,
    detect: Fraction | None,
    mean_half_width: Fraction | None,
    median_half_width: Fraction | None,
    level: Fraction,
    power: Fraction,
    frequency: Fraction | None,
    value: str | None,
    response_rate: Fraction | None,
    odds_ratio: Fraction | None,
    non_followers: Fraction | None,
    estimand: str,
    simultaneous: bool,
    forged: int | None,
    shares: str | None,
    experiment: str | None,
    range_from: tuple[str, ...],
    shuffled: int | None,
    central_epsilon: Fraction | None,
    local_ceiling: Fraction,
    delta: Fraction,
    colluding: Fraction,
    names: tuple[str, ...],
    form: str,
    output: Path | None,
    plot_path: Path | None,
) -> None:
    """Say what errors to expect of SURVEY's questions, or of every mechanism for
    --values values.

    With --half-width, --mean-half-width, --median-half-width or --detect, leave out
    --respondents or --epsilon to be told what it takes.
    """
    if design is not None:
        _plan_design(context)
        return
    if odds_ratio is not None or non_followers is not None:
        raise click.UsageError(
            "--odds-ratio and --non-followers: expected --design WORDS beside them"
        )
    if experiment is not None:
        for option, given in {
            "--values": values,
            "--epsilon": epsilon,
            "--half-width": half_width,
            "--detect": detect,
            "--mean-half-width": mean_half_width,
            "--median-half-width": median_half_width,
            "--frequency": frequency,
            "--value": value,
            "--response-rate": response_rate,
            "--forged": forged,
            "--shares": shares,
            "--range-from": range_from or None,
            "--shuffled": shuffled,
            "--simultaneous": simultaneous or None,
        }.items():
            if given is not None:
                raise click.UsageError(f"--experiment: expected no {option} beside it")
        wanted = {
            "respondents": respondents,
            "level": float(level),
            "power": float(power),
        }
        shown = _planned_experiment(survey_path, names, experiment, **wanted)
        present(shown.sheet(), form, output)
        return
    if range_from:
        _write_second_survey(survey_path, range_from, names, output=output)
        return
    if names and survey_path is None:
        raise click.UsageError("--question: expected a SURVEY beside it, got none")
    if shuffled is not None:
        if epsilon is not None and epsilon > local_ceiling:
            raise click.UsageError(
                f"--epsilon: expected at most the ceiling of {float(local_ceiling):g}, "
                "which is what a relay that talks leaves a respondent; only "
                "--local-ceiling lifts it"
            )
        batches = _batch_plans(
            survey_path,
            values,
            names,
            reports=floor(shuffled * (1 - colluding)),
            delta=delta,
            central=central_epsilon,
            ceiling=epsilon or local_ceiling,
        )
        present(batches.sheet(), form, output)
        return
    if central_epsilon is not None:
        raise click.UsageError("--central-epsilon: expected --shuffled N beside it")
    from ldp_simulations.planning.planned import plan as planned

    asked: dict[str, Any] = {
        "level": float(level),
        "power": float(power),
        "estimand": estimand,
        "simultaneous": "bonferroni" if simultaneous else None,
        "frequency": None if frequency is None else float(frequency),
        "value": value,
        "response_rate": None if response_rate is None else float(response_rate),
        "half_width": None if half_width is None else float(half_width),
        "detect": None if detect is None else float(detect),
        "mean_half_width": None if mean_half_width is None else float(mean_half_width),
        "median_half_width": None
        if median_half_width is None
        else float(median_half_width),
    }
    # Before files are read: the first thing to know is that the command was called
    # wrongly.
    misfit = PlanRequest(
        survey_path,
        values,
        epsilon,
        respondents=respondents,
        forged=forged,
        ask=Ask(**asked),
    ).misfit(_flag)
    if misfit is not None:
        raise click.UsageError(misfit)
    survey = None
    if survey_path is not None:
        survey = read_survey(survey_path)
    if survey is not None:
        check_names(names, [question.name for question in survey])
    if survey is None or survey_path is None:
        candidates = {}
    else:
        candidates = read_candidates(survey, survey_path)
    done = planned(
        survey,
        values=values,
        epsilon=epsilon,
        respondents=respondents,
        forged=forged,
        candidates=candidates,
        shares=None if shares is None else _shares(shares),
        names=names,
        **asked,
    )
    sheet = done.sheet()
    present(sheet, form, output)
    draw(sheet, plot_path)
    if survey is not None:
        advise(survey)


def _plan_design(context: click.Context) -> None:
    """Sizes of a survey whose answers a coin or a die randomizes."""
    from ldp_aggregator.analyses.designs import design
    from ldp_aggregator.analyses.designs.design_plan import plan_design

    refuse_others(context, _OF_DESIGNS)
    given = context.params
    wanted = {
        name: given[name]
        for name in (
            "frequency",
            "half_width",
            "detect",
            "odds_ratio",
            "non_followers",
            "response_rate",
        )
    }
    shown = plan_design(
        design(given["design"]),
        respondents=given["respondents"],
        level=float(given["level"]),
        power=float(given["power"]),
        **{
            name: None if number is None else float(number)
            for name, number in wanted.items()
        },
    )
    present(shown.sheet(), given["form"], given["output"])


def _planned_experiment(
    survey_path: Path | None, names: tuple[str, ...], text: str, **wanted: Any
) -> ExperimentPlan:
    """Arms for the shares in the text. Raises `click.UsageError`."""
    from ldp_aggregator.commands.sources import asked_question
    from ldp_simulations.planning.experiment import plan_experiment

    value, _, shares = text.rpartition("=")
    numbers = shares.split(",")
    try:
        direct, randomized = (float(fraction(number.strip())) for number in numbers)
    except ValueError:
        value = ""
    if survey_path is None or not value or len(names) > 1:
        raise click.UsageError(
            "--experiment: expected a SURVEY, one --question at most, and a value with "
            f"two shares, such as true=0.25,0.32, got {text!r}"
        )
    question = asked_question(read_survey(survey_path), names[0] if names else None)
    return plan_experiment(
        question, value, direct=direct, randomized=randomized, **wanted
    )


def _batch_plans(
    survey_path: Path | None,
    values: int | None,
    names: tuple[str, ...],
    reports: int,
    delta: Fraction,
    central: Fraction | None,
    ceiling: Fraction,
) -> BatchPlans:
    """Plans of a survey's questions about one of a list of values, or for so many
    values.
    """
    from ldp.answers.domain import Domain
    from ldp_simulations.planning.shuffled_plan import BatchWish, plan_batches

    if (survey_path is None) == (values is None):
        raise click.UsageError("--shuffled: expected SURVEY or --values D, one of them")
    wish = BatchWish(max(reports, 1), delta, epsilon=central, ceiling=ceiling)
    if survey_path is None:
        domain = Domain("category", tuple(map(str, range(values or 2))))
        return plan_batches([(f"{values} values", domain)], wish)
    survey = read_survey(survey_path)
    check_names(names, [question.name for question in survey])
    chosen = [
        (question.name, question.domain)
        for question in survey
        if question.name in (names or [question.name])
    ]
    return plan_batches(chosen, wish)


def _shares(text: str) -> list[Fraction]:
    """Exact numbers with commas between them. Raises `click.UsageError`."""
    try:
        return [fraction(part.strip()) for part in text.split(",")]
    except ValueError as error:
        raise click.UsageError(f"--shares: {error}") from None


def _write_second_survey(
    survey_path: Path | None,
    sources: tuple[str, ...],
    names: tuple[str, ...],
    output: Path | None,
) -> None:
    if survey_path is None:
        raise click.UsageError(
            "--range-from: expected the SURVEY that was answered, got none"
        )
    from ldp_aggregator.tallies.intake.aggregation import aggregate
    from ldp_simulations.planning.narrowing import narrow

    survey = read_survey(survey_path)
    check_names(names, [question.name for question in survey])
    second = narrow(aggregate(survey, sources), names)
    for warning in second.warnings:
        click.echo(f"warning: {warning}", err=True)
    hand_out(output, second.to_toml())


def _flag(argument: str) -> str:
    """How the command calls an argument of `plan`."""
    if argument == "survey":
        return "SURVEY"
    return f"--{argument.replace('_', '-')}"
