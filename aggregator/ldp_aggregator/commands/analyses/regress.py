"""`ldp analyze regress`: what a randomized answer depends on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

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
@click.option(
    "--event", metavar="VALUE", help="The value whose chance a logit explains."
)
@click.option(
    "--model",
    type=click.Choice(["logit", "linear"]),
    help="What is linear in the predictors: log odds, or the number itself.  [default: "
    "logit of "
    "two values, linear of numbers]",
)
@click.option(
    "--method",
    type=click.Choice(["likelihood", "equations"]),
    help="How coefficients are found.  [default: likelihood where predictors lie in "
    "the clear and "
    "the channel is known, else unbiased equations]",
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
    )
    read = formula_of(formula)
    name = question or read.outcome
    if sources.design is not None and name != sources.answers:
        raise click.UsageError(
            f"--design: expected a formula that explains {sources.answers}, the column "
            f"of answers, got {name}"
        )
    answers = sources.read(name, sources.in_the_clear(name, [*read.names]))
    present(fit_answers(answers, read, choices).sheet(), form, output)
