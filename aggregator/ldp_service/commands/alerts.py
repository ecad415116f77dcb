"""`ldp store test-alert`: whether the webhook of `ldp serve` takes messages.

Exit codes: 0 when it took one; 1 when it did not.
"""

from __future__ import annotations

import os
import sys
import time

import click

from ldp_service.alerts.flags import alert_flags, webhook_of
from ldp_service.alerts.webhook import AlertError, DeliveryError, Message, new_id
from ldp_service.commands.serve import serve
from ldp_service.commands.settings import config_option


@click.command()
@alert_flags
def test_alert(alert_webhook: str, alert_name: str) -> None:
    """Send a message to the webhook, and say whether it took it."""
    webhook = webhook_of(alert_webhook, os.environ)
    if webhook is None:
        raise AlertError("expected --alert-webhook, the address that is told, got none")
    now = time.time()
    words = "this is a trial of `ldp store test-alert`; nothing is wrong"
    message = Message(
        new_id(),
        kind="test",
        state="test",
        time=now,
        service=alert_name,
        subject="",
        summary=words,
    )
    try:
        webhook.send(message, now)
    except DeliveryError as error:
        click.echo(f"{webhook.name}: did not take it: {error}", err=True)
        sys.exit(1)
    click.echo(f"{webhook.name}: took {message.id}")


config_option(test_alert, wider=serve)
