"""`ldp analyze regress`: what a randomized answer depends on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ldp.errors import EstimateError
from ldp_aggregator.commands.analyses.weight import Sources, with_sources
from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import LongHelp
from ldp_aggregator.commands.output_options import (
    LEVEL,
    OUTPUT,
    REPORTS_PER_PERSON,
    format_option,
    present,
)


def _read_points(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> tuple[dict[str, str], ...]:
    from ldp_aggregator.analyses.groups.asking import where_of

    try:
        return tuple(dict(where_of(text)) for text in given)
    except EstimateError as error:
        raise click.BadParameter(str(error)) from None


@click.command(cls=LongHelp, headings=HEADINGS)
@with_sources
@click.option(
    "--formula",
    required=True,
    metavar="TEXT",
    help=(
        'What depends on what: "smokes ~ age + sex"; a:b is a product, C(a) categories.'
    ),
)
@click.option(
    "--question",
    metavar="NAME",
    help="The question; `a & b` of linked ones.  [default: what the formula explains]",
)
@click.option("--event", metavar="VALUE", help="The value whose chance is explained.")
@click.option(
    "--model",
    type=click.Choice(["logit", "probit", "cloglog", "linear", "poisson"]),
    help="What is linear in the predictors: log odds, probits, complementary log-logs, "
    "the number itself, or the logarithm of a count.  [default: logit of two values, "
    "linear of numbers]",
)
@click.option(
    "--method",
    type=click.Choice(["likelihood", "equations"]),
    help="How coefficients are found.  [default: likelihood where predictors lie in "
    "the clear and the channel is known, else unbiased equations]",
)
@click.option(
    "--interval",
    type=click.Choice(["wald", "profile"]),
    default="wald",
    show_default=True,
    help="How intervals are made; profiles are for the likelihood.",
)
@click.option(
    "--errors",
    type=click.Choice(["sandwich", "model"]),
    default="sandwich",
    show_default=True,
    help="Right whatever the model, or only where it is right.",
)
@REPORTS_PER_PERSON
@click.option(
    "--penalty",
    type=click.Choice(["firth"]),
    help="Keep coefficients finite where one group has only one answer.",
)
@click.option(
    "--predict",
    multiple=True,
    metavar="PREDICTOR=VALUE,...",
    callback=_read_points,
    help="Predict the mean of those with these values; may be repeated.",
)
@LEVEL
@format_option("tables", "record", "rows")
@OUTPUT
def regress(
    formula: str,
    question: str | None,
    event: str | None,
    model: str | None,
    method: str | None,
    interval: str,
    errors: str,
    reports_per_person: int | None,
    penalty: str | None,
    predict: tuple[dict[str, str], ...],
    level: float,
    form: str,
    output: Path | None,
    **given: Any,
) -> None:
    """Say what a randomized answer of SURVEY depends on, and what its reports cost.

    On fields of the same question (one tally), on public attributes (--strata) or on
    covariates that lie in the clear beside each answer (--rows).
    """
    from ldp_aggregator.analyses.regression.fitting import fit_answers
    from ldp_aggregator.analyses.regression.formula import formula_of
    from ldp_aggregator.analyses.regression.options import RegressionOptions

    sources = Sources(**given)
    choices = RegressionOptions(
        model,
        event,
        method,
        interval=interval,
        errors=errors,
        level=level,
        reports_per_person=reports_per_person,
        penalty=penalty,
        predict=predict,
    )
    read = formula_of(formula)
    name = sources.question(question or read.outcome)
    names = [read.outcome, *read.names]
    answers = sources.read(name, sources.in_the_clear(name, names))
    present(fit_answers(answers, read, choices).sheet(), form, output)
