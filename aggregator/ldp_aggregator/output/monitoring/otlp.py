"""Gauges as a request of OpenTelemetry's protocol (OTLP/HTTP, JSON): the body of POST
/v1/metrics.

64-bit integers are texts there, and names are in camel case, as in the mapping of
Protocol Buffers to JSON. Points carry the time of sending: when the reports behind them
came, nobody is to know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ldp_aggregator.output.monitoring.series import Series, series_of
from ldp_aggregator.output.sheet import Sheet

SCOPE = "ldpkit"


def request_of(sheet: Sheet, nanoseconds: int) -> bytes:
    """One request, of a time since 1970."""
    now = str(nanoseconds)
    metrics = [_metric(series, now) for series in series_of(sheet) if series.points]
    scope = {"scope": {"name": SCOPE}, "metrics": metrics}
    resource = {"attributes": _attributes({"service.name": SCOPE})}
    request = {"resourceMetrics": [{"resource": resource, "scopeMetrics": [scope]}]}
    return json.dumps(request).encode()


def _metric(series: Series, now: str) -> dict[str, Any]:
    points = [
        {"attributes": _attributes(labels), "timeUnixNano": now, "asDouble": number}
        for labels, number in series.points
    ]
    return {
        "name": series.name,
        "description": series.words,
        "gauge": {"dataPoints": points},
    }


def _attributes(labels: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {"key": name, "value": {"stringValue": text}} for name, text in labels.items()
    ]
