"""Those who are told, from what was asked for and the secrets of the environment."""

from __future__ import annotations

from collections.abc import Mapping

from ldp_aggregator.files import secret_of
from ldp_aggregator.service.alerts.flags import AlertOptions
from ldp_aggregator.service.alerts.mail import Mail, check_addresses, server_of
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
    check_addresses("--alert-mail", *options.mail)
    check_addresses("--alert-from", *filter(None, [options.sender]))
    others = {"--alert-smtp": options.smtp, "--alert-from": options.sender}
    if options.mail:
        if lacking := [flag for flag, given in others.items() if not given]:
            raise AlertError(f"--alert-mail: expected {' and '.join(lacking)} as well")
        password = secret_of(PASSWORD, environment)
        server = server_of(options.smtp, options.security, options.user, password=password)
        known.append(Mail(server, options.sender, options.mail))
    elif alone := [flag for flag, given in others.items() if given]:
        raise AlertError(
            f"{alone[0]}: expected --alert-mail as well, without which it does nothing"
        )
    names: dict[str, int] = {}
    for receiver in known:
        names[receiver.name] = number = names.get(receiver.name, 0) + 1
        receiver.name += f" {number}" if number > 1 else ""
    return known
