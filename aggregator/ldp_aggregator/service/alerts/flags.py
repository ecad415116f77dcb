"""Flags of alerts, the same for `ldp serve` and `ldp alerts test`.

Secrets are no flags: LDP_ALERT_SECRET signs what webhooks are sent, LDP_ALERT_SMTP_PASSWORD is for
mail, each as it is or, with `_FILE` behind, as the path of a secret.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click

from ldp_aggregator.commands.address_types import SECRET_ADDRESS
from ldp_aggregator.commands.main import with_options
from ldp_aggregator.service.alerts.mail import SECURITY, STARTTLS

FLAGS = (
    click.option(
        "--alert-webhook",
        "alert_webhooks",
        type=SECRET_ADDRESS,
        multiple=True,
        help="An address that is told, signed, when something is wrong and when it is over.",
    ),
    click.option(
        "--alert-mail", "alert_mail", metavar="ADDRESS", multiple=True, help="Who is told by mail."
    ),
    click.option("--alert-from", metavar="ADDRESS", default="", help="Who that mail is from."),
    click.option(
        "--alert-smtp", metavar="HOST[:PORT]", default="", help="The server that takes it."
    ),
    click.option(
        "--alert-smtp-security",
        type=click.Choice(SECURITY),
        default=STARTTLS,
        show_default=True,
        help="How mail goes there.",
    ),
    click.option("--alert-smtp-user", default="", help="As whom."),
    click.option(
        "--alert-name",
        default="ldp",
        show_default=True,
        help="What messages call this service.",
    ),
    click.option(
        "--alert-file",
        type=click.Path(path_type=Path),
        default=Path("alerts.json"),
        show_default=True,
        help="Where it is kept what was told, and what still has to be.",
    ),
)


class AlertOptions(NamedTuple):
    """What was asked for."""

    webhooks: tuple[str, ...] = ()
    mail: tuple[str, ...] = ()
    sender: str = ""
    smtp: str = ""
    security: str = STARTTLS
    user: str = ""
    name: str = "ldp"
    path: Path = Path("alerts.json")

    @classmethod
    def of(cls, asked: dict[str, Any]) -> AlertOptions:
        """From the values of the flags, by their names."""
        return cls(
            asked["alert_webhooks"],
            asked["alert_mail"],
            asked["alert_from"],
            smtp=asked["alert_smtp"],
            security=asked["alert_smtp_security"],
            user=asked["alert_smtp_user"],
            name=asked["alert_name"],
            path=asked["alert_file"],
        )


alert_flags = with_options(*FLAGS)
