"""Flags of alerts, the same for `ldp serve` and `ldp store test-alert`.

The secret that signs is no flag: LDP_ALERT_SECRET has it, or LDP_ALERT_SECRET_FILE its
path.
"""

from __future__ import annotations

from collections.abc import Mapping

import click

from ldp_aggregator.commands.address_types import SECRET_ADDRESS
from ldp_aggregator.commands.main import with_options
from ldp_aggregator.output.files import secret_of
from ldp_service.alerts.webhook import AlertError, Webhook, read_secret

SECRET = "LDP_ALERT_SECRET"  # noqa: S105 - the name of a variable

alert_flags = with_options(
    click.option(
        "--alert-webhook",
        type=SECRET_ADDRESS,
        default="",
        help=(
            "Tell this address, by a signed message, what goes wrong and when it is "
            "over."
        ),
    ),
    click.option(
        "--alert-name",
        default="ldp",
        show_default=True,
        help="What messages call this service.",
    ),
)


def webhook_of(url: str, environment: Mapping[str, str]) -> Webhook | None:
    """The webhook of an address, if there is one. Raises `AlertError` and
    `FileError`.
    """
    if not url:
        return None
    text = secret_of(SECRET, environment)
    if not text:
        raise AlertError(
            f"--alert-webhook: expected {SECRET} or {SECRET}_FILE, by which whoever is "
            "told knows that it was us, got neither"
        )
    return Webhook(url, read_secret(text))
