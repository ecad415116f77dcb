"""Metrics for Prometheus: batches in the store, the writer, and the health of the reports.

ldp_batches_received_total                             batches, from the store, exact
ldp_batches_total{outcome, reason}                     the same, by what became of them
ldp_batches_quarantined                                those put aside
ldp_reports{survey, version, question}                 reports in the tallies
ldp_check_p_value{survey, version, question, check}    small where reports do not look like the
                                                       mechanism's
ldp_change_evidence{survey, version, question}         e-value against "nothing has changed" over
                                                       closed epochs
ldp_changed{survey, version, question}                 whether that is an alarm; false ones, ever,
                                                       in at most .01 of all versions of surveys
ldp_uploads_total{status}, ldp_upload_seconds          requests, by this process
ldp_token_uses_total{token}                            how often a token was good for something
ldp_writer_*, ldp_ready, ldp_source_*{source}          this process; what it stands on is in
                                                       `machine_metrics`
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ldp_aggregator.series.changes import ALARM_RATE
from ldp_aggregator.service.counting.submissions import QUARANTINED
from ldp_aggregator.service.http.machine_metrics import watch_machine
from ldp_aggregator.service.service import Service
from ldp_aggregator.service.store.opening import open_snapshot
from ldp_aggregator.tallies.counting import total_reports
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PAUSE = 30.0
"""Seconds for which reports and checks are remembered: finding them out outlasts a scrape."""
_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Metrics:
    """The metrics of one service."""

    def __init__(self, service: Service) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_FromService(service))
        watch_machine(self._registry, service.url, partial(open_snapshot, service.url))
        self._uploads = Counter(
            "ldp_uploads", "Uploads answered", ["status"], registry=self._registry
        )
        self._by_status: dict[int, Counter] = {}
        self._seconds = Histogram(
            "ldp_upload_seconds",
            "Seconds until an upload is answered",
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def tell(self, status: int, seconds: float) -> None:
        """Count an answer."""
        if status not in self._by_status:
            self._by_status[status] = self._uploads.labels(status)
        self._by_status[status].inc()
        self._seconds.observe(seconds)

    def text(self) -> bytes:
        """All of them, in the format that is scraped."""
        return generate_latest(self._registry)


class _FromService(Collector):
    def __init__(self, service: Service) -> None:
        self._service = service
        self._looked = float("-inf")
        self._slow: list[Metric] = []

    def describe(self) -> list[Metric]:
        """Nothing in advance: registering must not read the store."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Everything that is not counted by request."""
        service = self._service
        yield from _batches(service)
        if time.monotonic() - self._looked > PAUSE:
            self._slow = list(_by_question(service))
            self._looked = time.monotonic()
        yield from self._slow
        writer = service.writer
        yield GaugeMetricFamily(
            "ldp_ready", "Whether uploads are taken", float(service.trouble is None)
        )
        yield GaugeMetricFamily(
            "ldp_writer_waiting", "Submissions without an answer", writer.waiting
        )
        yield CounterMetricFamily("ldp_writer_turns", "Commits of submissions", writer.turns)
        yield CounterMetricFamily(
            "ldp_writer_busy_seconds", "Seconds in turns", writer.busy_seconds
        )
        uses = CounterMetricFamily("ldp_token_uses", "Uses of a token", labels=["token"])
        use = service.settings.token_use
        for name, times in sorted(use.times.items()) if use is not None else ():
            uses.add_metric([name], times)
        yield uses
        sources = GaugeMetricFamily(
            "ldp_source_ready", "Whether a source is being read", labels=["source"]
        )
        skipped = CounterMetricFamily(
            "ldp_source_skipped", "Pieces of a source passed over", labels=["source"]
        )
        for source in service.sources:
            sources.add_metric([source.name], float(source.failure is None))
            skipped.add_metric([source.name], source.skipped)
        yield from (sources, skipped)


def _batches(service: Service) -> Iterator[Metric]:
    accounts = service.analysis.accounts()
    yield CounterMetricFamily("ldp_batches_received", "Batches received", accounts.received)
    batches = CounterMetricFamily(
        "ldp_batches", "Batches by what became of them", labels=["outcome", "reason"]
    )
    for outcome, count in sorted(accounts.outcomes.items()):
        if outcome in (ACCEPTED, DUPLICATE):
            batches.add_metric([outcome, ""], count)
        elif outcome != QUARANTINED:
            batches.add_metric(["rejected", outcome], count)
    yield batches
    yield GaugeMetricFamily(
        "ldp_batches_quarantined",
        "Batches put aside, of no question that is served",
        accounts.outcomes[QUARANTINED],
    )


def _by_question(service: Service) -> Iterator[Metric]:
    labels = ["survey", "version", "question"]
    reports = GaugeMetricFamily("ldp_reports", "Reports counted", labels=labels)
    checks = GaugeMetricFamily(
        "ldp_check_p_value", "How likely chance alone shows as much", labels=[*labels, "check"]
    )
    evidence = GaugeMetricFamily(
        "ldp_change_evidence",
        "Evidence (e-value) that anything has changed over closed epochs",
        labels=labels,
    )
    changed = GaugeMetricFamily(
        "ldp_changed",
        f"Whether anything has changed; false alarms ever: at most {ALARM_RATE:g} of all surveys",
        labels=labels,
    )
    for served in service.catalogue.all:
        tally = service.analysis.tally(served)
        for question in served.survey:
            where = [served.survey.name, served.fingerprint, question.name]
            reports.add_metric(where, total_reports(tally.counts[question.name], question.layout))
        for name, those in service.analysis.health(served).items():
            for check in those:
                checks.add_metric(
                    [served.survey.name, served.fingerprint, name, check.name], check.p_value
                )
        for name, known in service.analysis.changes(served).items():
            where = [served.survey.name, served.fingerprint, name]
            evidence.add_metric(where, known.evidence)
            changed.add_metric(where, float(known.alarm))
    yield from (reports, checks, evidence, changed)
