"""Estimates sent to a collector of OpenTelemetry, by its protocol over HTTP."""

from __future__ import annotations

import json
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from ldp.errors import EstimateError
from ldp_aggregator.output.web_addresses import AddressError, web_address

METRICS = "/v1/metrics"
_PATIENCE = 10.0
_MOST = 1 << 16
_LONGEST = 200


def send(url: str, body: bytes) -> None:
    """Post a request in JSON to a collector, such as http://localhost:4318.

    Without a path, that of metrics is added. Raises `EstimateError` unless all of it
    was taken.
    """
    try:
        web_address(url, query=True)
    except AddressError as error:
        raise EstimateError(
            f"the collector, such as http://localhost:4318: {error}"
        ) from None
    parts = urlsplit(url)
    if parts.path in ("", "/"):
        url = parts._replace(path=METRICS).geturl()
    request = Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 (looked at above)
    try:
        with urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310
            said = answer.read(_MOST)
    except HTTPError as error:
        error.close()
        raise EstimateError(
            f"expected {url} to take metrics, got status {error.code}"
        ) from None
    except (OSError, HTTPException) as error:
        raise EstimateError(f"expected to reach {url}, got {error}") from None
    refused = _rejection(said)
    if refused:
        raise EstimateError(f"expected {url} to take all points, got {refused}")


def _rejection(said: bytes) -> str:
    """Return the rejection in an answer, if any."""
    try:
        partial = json.loads(said or b"{}").get("partialSuccess") or {}
        rejected = int(partial.get("rejectedDataPoints") or 0)
    except (ValueError, AttributeError, TypeError, RecursionError):
        return ""
    reason = str(partial.get("errorMessage", ""))
    if rejected:
        return f"{rejected} left out: {reason[:_LONGEST]!r}"
    return ""
