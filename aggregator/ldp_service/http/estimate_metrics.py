"""Estimates for Prometheus, with their bounds: what analysts see anyway, for who asks
for it.

ldp_estimate_frequency{survey, question, value}, and so for standard_error, low, high,
count

They are made of what is shown of the tallies (`counting.publication`), so that whoever
scrapes, at whatever pace, sees no report by itself. Of the newest version of each
survey, pooled with earlier ones where that is sound, over all epochs. A question with
more than `MOST_VALUES` values has none: each value would be five series.
"""

from __future__ import annotations

from dataclasses import replace

from prometheus_client.core import GaugeMetricFamily, Metric

from ldp_aggregator.output.monitoring.series import series_of
from ldp_service.service import Service

MOST_VALUES = 100


def estimate_metrics(service: Service) -> list[Metric]:
    """The gauges of all surveys."""
    families: dict[str, GaugeMetricFamily] = {}
    for name in service.catalogue.by_name:
        estimates = service.analysis.pool(name)
        few = {
            question.name: question
            for question in estimates
            if len(question) <= MOST_VALUES
        }
        for series in series_of(replace(estimates, questions=few).sheet()):
            if not series.points:
                continue
            labels = list(series.points[0][0])
            family = families.setdefault(
                series.name, GaugeMetricFamily(series.name, series.words, labels=labels)
            )
            for known, number in series.points:
                family.add_metric(list(known.values()), number)
    return list(families.values())
