"""`ldp alerts`: whether those who would be told can be told.

Exit codes: 0 when all of them took the message; 1 when one did not.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import click

from ldp_aggregator.commands.main import Group
from ldp_aggregator.service.alerts.flags import AlertOptions, alert_flags
from ldp_aggregator.service.alerts.messages import TEST, Message
from ldp_aggregator.service.alerts.outbox import DeliveryError
from ldp_aggregator.service.alerts.receivers import receivers
from ldp_aggregator.service.alerts.webhook import AlertError
from ldp_aggregator.service.commands.serve import serve
from ldp_aggregator.service.commands.settings import config_option


@click.group(cls=Group)
def alerts() -> None:
    """Look after who is told by `ldp serve` when something is wrong."""


@alerts.command()
@alert_flags
def test(**asked: Any) -> None:
    """Send a message to all who would be told, and say who took it."""
    options = AlertOptions.of(asked)
    known = receivers(options, os.environ)
    if not known:
        raise AlertError("expected someone to tell, got neither --alert-webhook nor --alert-mail")
    now = time.time()
    words = "this is a trial of `ldp alerts test`; nothing is wrong"
    message = Message.new("test", TEST, words, time=now, service=options.name, subject="")
    failed = False
    for receiver in known:
        try:
            receiver.send(message, now)
            click.echo(f"{receiver.name}: took {message.id}")
        except DeliveryError as error:
            failed = True
            click.echo(f"{receiver.name}: did not take it: {error}", err=True)
    sys.exit(int(failed))


config_option(test, wider=serve)
