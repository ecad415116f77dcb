"""Gauges as text for Prometheus: scraped, pushed to a gateway, or put into a
collector's folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ldp.errors import EstimateError
from ldp_aggregator.output.monitoring.series import Series, series_of
from ldp_aggregator.output.sheet import Sheet


def write(sheet: Sheet) -> Iterator[str]:
    """The text format, version 0.0.4. Raises `EstimateError` for rows without a
    number.
    """
    gauges = series_of(sheet)
    if not gauges:
        raise EstimateError(
            f"{sheet.title}: this result has no numbers, which prometheus needs"
        )
    return _lines(gauges)


def _lines(gauges: Iterable[Series]) -> Iterator[str]:
    for series in gauges:
        yield f"# HELP {series.name} {series.words}\n# TYPE {series.name} gauge\n"
        for labels, number in series.points:
            yield f"{series.name}{{{_label_text(labels)}}} {number!r}\n"


def _label_text(labels: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{_escape(text)}"' for name, text in labels.items())


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
