"""What commands about surveys say to people, beside what they hand to machines."""

from __future__ import annotations

from pathlib import Path

import click

from ldp.survey import Survey
from ldp_aggregator.streams import is_standard_output


def say(text: str, json_path: Path | None) -> None:
    """Say to people what they asked for: on standard error if machines have standard output."""
    click.echo(text, err=json_path is not None and is_standard_output(json_path))


def warn(survey: Survey) -> None:
    """Say what a survey's designer should know of its questions."""
    from ldp_aggregator.privacy.explanation import warnings

    for warning in warnings(survey):
        click.echo(f"warning: {warning}", err=True)
