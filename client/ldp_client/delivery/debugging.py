"""A debug view: what leaves a device, in plain words, in the log.

`EmbeddedClient(..., debug=True)`, or `LDP_LOG_BATCHES=1` in the environment, logs each
batch at level INFO to `logging.getLogger("ldp_client.batches")` when it is handed to
the transport: the question, the bytes and what each report supports (`wire.decoded`),
and then what became of it. What was answered is nowhere near: by then it has been
forgotten.

Where an app has set up no logging, it goes to standard error: who asks for a view wants
to see it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ldp.wire.decoded import decoded_file

if TYPE_CHECKING:
    from ldp.survey.survey import Survey
    from ldp_client.delivery.outcomes import Outcome
    from ldp_client.delivery.transport import Transport


class LoggingTransport:
    """A transport that logs what it hands on to another one, and what became of it."""

    def __init__(self, transport: Transport, survey: Survey) -> None:
        self._transport = transport
        self._survey = survey
        self._logger = _heard()

    def __getattr__(self, name: str) -> object:
        # Its destination, and whatever else the other one has.
        return getattr(self._transport, name)

    def send(self, payload: bytes) -> Outcome:
        """Log the bytes of one batch, and deliver them. Raises what the other one
        raises.
        """
        lines = "\n".join(decoded_file(payload, [self._survey]))
        self._logger.info("sends %s bytes: %s", len(payload), lines)
        outcome = self._transport.send(payload)
        self._logger.info("what became of it: %s", getattr(outcome, "verdict", outcome))
        return outcome


def _heard() -> logging.Logger:
    """The logger of the view, which someone hears."""
    logger = logging.getLogger("ldp_client.batches")
    logger.setLevel(logging.INFO)
    above: logging.Logger | None = logger
    while above is not None:
        if any(
            not isinstance(handler, logging.NullHandler) for handler in above.handlers
        ):
            return logger
        above = above.parent
    logger.addHandler(logging.StreamHandler())
    return logger
