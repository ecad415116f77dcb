"""Those who are told, from what was asked for and the secrets of the environment."""

from __future__ import annotations

from collections.abc import Mapping

from ldp_aggregator.files import secret_of
from ldp_aggregator.service.alerts.flags import AlertOptions
from ldp_aggregator.service.alerts.mail import Mail, server_of
from ldp_aggregator.service.alerts.outbox import Receiver
from ldp_aggregator.service.alerts.webhook import AlertError, Webhook, read_secret

SECRET, PASSWORD = "LDP_ALERT_SECRET", "LDP_ALERT_SMTP_PASSWORD"  # names of variables


def receivers(options: AlertOptions, environment: Mapping[str, str]) -> list[Receiver]:
    """All of them. Raises `AlertError` and `FileError`, which show no secret."""
    known: list[Receiver] = []
    if options.webhooks:
        text = secret_of(SECRET, environment)
        if not text:
            raise AlertError(
                f"--alert-webhook: expected {SECRET} or {SECRET}_FILE, by which whoever is told "
                "knows that it was us, got neither"
            )
        known += [Webhook(url, read_secret(text)) for url in options.webhooks]
    if options.mail:
        if not options.smtp or not options.sender:
            raise AlertError("--alert-mail: expected --alert-smtp and --alert-from as well")
        password = secret_of(PASSWORD, environment)
        server = server_of(options.smtp, options.security, options.user, password=password)
        known.append(Mail(server, options.sender, options.mail))
    names: dict[str, int] = {}
    for receiver in known:
        names[receiver.name] = number = names.get(receiver.name, 0) + 1
        receiver.name += f" {number}" if number > 1 else ""
    return known
