"""`ldp new`: a survey file from a few questions, with what it costs and how many it
takes.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp_aggregator.commands.main import OUTPUT_FILE, FiniteRange
from ldp_aggregator.output.files import FileError, write_whole

if TYPE_CHECKING:
    from ldp.survey.survey import Survey

_POINTS = 3.0
"""The usual half-width of intervals, in percentage points."""
_KINDS = ("yes/no", "choice", "number")
_WORDS_OF_NAME = 6
_EPSILON = "1"


@click.command()
@click.option(
    "--yes-no",
    "text",
    metavar="QUESTION",
    help=(
        "Ask this yes/no question, at epsilon 1; without it, you are asked what to ask."
    ),
)
@click.option(
    "--output",
    "-o",
    type=OUTPUT_FILE,
    help="The file to write.  [default: named as the survey]",
)
def new(text: str | None, output: Path | None) -> None:
    """Write a survey file, and say what it reveals and how many answers it takes."""
    import ldp

    keys: dict[str, Any] = {"type": "boolean", "epsilon": _EPSILON}
    name, points = _short_name(text or ""), _POINTS
    if text is None:
        text = click.prompt("What do you want to ask")
        keys = _ask_answer_keys()
        name = click.prompt("A short name for it", default=_short_name(text))
        keys["epsilon"] = click.prompt(
            "Epsilon (0.5: strong privacy, 1: usual, 2: weak)", default=_EPSILON
        )
        points = click.prompt(
            "How exact, in percentage points",
            type=FiniteRange(0.01, 50),
            default=_POINTS,
        )
    survey = ldp.survey(name, ldp.question(name, text=text, **keys))
    path = output or Path(f"{name}.toml")
    if path.exists():
        raise FileError(f"{path} exists already. Choose another file: --output FILE")
    answers = _needed_respondents(survey, points / 100)
    write_whole(path, survey.to_toml())
    click.echo(f"Wrote {path}.\n\n{_cost(survey)}\n")
    unit = "% of the range" if keys["type"] == "number" else "percentage points"
    click.echo(
        f"You need {answers:,} answers to be within {points:g} {unit} (95 % "
        "confidence).\n\n"
        f"Next:\n  ldp simulate {path} --respondents {answers}\n  ldp serve {path} "
        "--public"
    )


def _ask_answer_keys() -> dict[str, Any]:
    """The keys of the answers, as people say them in the terminal."""
    kind = click.prompt(
        "How do people answer", type=click.Choice(_KINDS), default=_KINDS[0]
    )
    if kind == "yes/no":
        return {"type": "boolean"}
    if kind == "choice":
        listed = click.prompt("The answers, with commas between them")
        return {
            "type": "category",
            "values": [value.strip() for value in listed.split(",")],
        }
    ends = click.prompt("The smallest and the largest number, such as 0, 24")
    low, _, high = (end.strip() for end in ends.partition(","))
    return {"type": "number", "low": low, "high": high, "goal": "mean"}


def _short_name(text: str) -> str:
    """The first words of a question, as a name for it and its survey."""
    plain = (
        unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    )
    words = re.findall("[a-z0-9]+", plain)[:_WORDS_OF_NAME]
    return "_".join(words)[:60] or "survey"


def _cost(survey: Survey) -> str:
    """Describe the privacy of a report in words."""
    from ldp.mechanisms.contract import Pure
    from ldp.numbers.accounting import posterior
    from ldp.numbers.exact import log_text
    from ldp.privacy.certificate import exact_ratios

    [question] = survey
    ratio = exact_ratios(question)[0]
    said = (
        "Privacy: someone who thinks it 50 % likely that a person gave an answer can "
        "become\n"
        f"{100 * float(posterior(ratio)):.0f} % sure of it at most, after seeing the "
        "report "
        f"(epsilon {log_text(ratio, 2)})."
    )
    if not isinstance(question.randomizer, Pure):
        return said
    true, other = question.randomizer.support
    return (
        f"{said}\nOf 100 reports about {100 * float(true):.0f} include the true "
        f"answer; each other answer is in about {100 * float(other):.0f}."
    )


def _needed_respondents(survey: Survey, half_width: float) -> int:
    """Return how many answers give a half-width of shares, or of a mean in parts of its
    range.
    """
    from ldp_simulations import plan

    [question] = survey
    scale = question.domain.scale
    if scale is None:
        [shares] = plan(survey, half_width=half_width, estimand="population").plans
        return shares.respondents or 0
    width = float(scale.high - scale.low) * half_width
    [mean] = plan(survey, mean_half_width=width, estimand="population").means
    return mean.respondents or 0
