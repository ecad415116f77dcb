"""How the answers to a question of numbers are counted, in plain words; and many
records of one.
"""

from __future__ import annotations

from ldp.answers.contributions import ONE, SHORT, SUM
from ldp.answers.scales import Scale
from ldp.numbers.exact import decimal_text
from ldp.survey.survey import Question
from ldp_aggregator.decoders.table import decoder_of


def scale_lines(question: Question) -> list[str]:
    """Explain numbers between two steps, outside of the range, and without an
    answer.
    """
    domain = question.domain
    scale = domain.scale
    lines = []
    if scale is not None:
        lines.append(f"  counted in          {_steps_text(question, scale)}")
    if scale is not None or domain.numbers is not None:
        lines.append(f"  outside             {_outside(question)}")
    if domain.missing:
        listed = ", ".join(map(repr, domain.missing))
        lines.append(
            f"  no answer           {listed} in a table, and an empty cell: nothing is "
            "sent"
        )
    return lines


def contribution_lines(question: Question) -> list[str]:
    """Explain the use of a device's records, and the influence of one respondent."""
    domain = question.domain
    if not domain.per_device:
        return []
    drawn = ", drawn anew for each report" if domain.per_device == ONE else ""
    lines = [
        f"  per device          {SHORT[domain.per_device]}{drawn}: it answers once"
    ]
    if domain.numbers is not None and question.rounds:
        lines.append(
            "  counted in          whole numbers; an average goes to either, drawn "
            "unbiased"
        )
    if domain.ends is not None:
        low, high = domain.ends
        width = f"{decimal_text(high - low)} {domain.unit}".rstrip()
        lines.append(
            f"  one respondent      changes the answer by at most {width}, however "
            "many records there are"
        )
    return lines


def _steps_text(question: Question, scale: Scale) -> str:
    if scale.edges:
        return f"{scale.size:,} cells; each number in the one that it lies in"
    step = f"{decimal_text(scale.step)} {scale.unit}".rstrip()
    if not question.rounds:
        return f"steps of {step}; a number between two of them is refused"
    return (
        f"steps of {step}; a number between two of them goes to either, drawn so that "
        "no mean is biased"
    )


def _outside(question: Question) -> str:
    domain = question.domain
    if domain.outside == "refuse":
        low, high = map(decimal_text, domain.ends or ())
        what = "sums" if domain.per_device == SUM else "numbers"
        return f"{what} outside [{low}, {high}] are refused: nothing is sent"
    if domain.per_device:
        return domain.estimand
    counted = "the numbers as they count"
    if domain.outside == "clip":
        counted = "the clipped numbers"
    estimated = "the mean is that"
    if decoder_of(question.randomizer).gives == "frequencies":
        estimated = "estimates are those"
    return f"{domain.estimand}: {estimated} of {counted}"
