"""Metrics for Prometheus: batches in the store, the writer, and the health of the
reports.

ldp_batches_received_total                             batches, from the store, exact
ldp_batches_total{outcome, reason}                     the same, by what became of them
ldp_batches_quarantined                                those put aside
ldp_reports{survey, version, question}                 reports in the tallies
ldp_check_p_value{survey, version, question, check}    small where reports do not look like the
                                                       mechanism's
ldp_change_evidence{survey, version, question}         e-value against "nothing has changed" over
                                                       closed epochs
ldp_changed{survey, version, question}                 whether that is an alarm; false ones, ever,
                                                       in at most .01 of all versions of
                                                       surveys
ldp_batches_late_share{survey, version}                of the last two epochs
ldp_token_reports_today{token}                         reports that were accepted under
                                                       a token
ldp_token_uses_total{token}                            how often a token was good for
                                                       something
ldp_batches_early_total, ldp_clock_in_order            early batches that were told to come again;
                                                       0 for a clock that has jumped
ldp_estimate_*{survey, question, value} see `estimate_metrics`, if asked for
ldp_uploads_total{status}, ldp_upload_seconds          requests
ldp_ready, ldp_writer_*, ldp_source_*{source}          the writer: whether it takes uploads, what
                                                       waits, what went wrong how often;
                                                       what it stands on is in
                                                       `machine_metrics`

What is not read from the store each process knows for itself. Where there are several
(`ldp serve --workers`), they write it to a folder that they share, and whoever is
scraped adds up all of them: counters of processes that are gone included, of what is
under way only those that live; where one of them is not ready, `ldp_ready` is 0.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock, Thread

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from ldp_aggregator.analyses.series.changes import ALARM_RATE
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE
from ldp_service.analysis.punctuality import punctuality
from ldp_service.counting.persistent_errors import TROUBLES
from ldp_service.counting.submissions import QUARANTINED
from ldp_service.http.estimate_metrics import estimate_metrics
from ldp_service.http.machine_metrics import watch_machine
from ldp_service.service import Service
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import open_snapshot

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable with the folder that processes share, if there are several."""
PAUSE = 30.0
"""Seconds for which reports and checks are remembered: finding them out outlasts a
scrape.
"""
_REFRESHED = 1.0
"""Seconds between what a process among several says of itself."""
_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Metrics:
    """The metrics of one service."""

    def __init__(self, service: Service) -> None:
        self._registry = CollectorRegistry()
        self._statuses = service.statuses
        self._own = _Own(service, self._registry)
        self._from_store = _FromStore(service)
        self._url = service.url
        self._watch(self._registry)
        self._folder = os.environ.get(SHARED)
        self._by_status: dict[int, Counter] = {}
        self._uploads = Counter(
            "ldp_uploads", "Uploads answered", ["status"], registry=self._registry
        )
        self._seconds = Histogram(
            "ldp_upload_seconds",
            "Seconds until an upload is answered",
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._registry.register(self._from_store)
        if self._folder is not None:
            Thread(target=self._go_on_telling, name="ldp-metrics", daemon=True).start()

    def tell(self, status: int, seconds: float) -> None:
        """Count an answer."""
        self._statuses[status] += 1
        if status not in self._by_status:
            self._by_status[status] = self._uploads.labels(status)
        self._by_status[status].inc()
        self._seconds.observe(seconds)

    def text(self) -> bytes:
        """All of them, in the format that is scraped."""
        self._own.refresh()
        if self._folder is None:
            return generate_latest(self._registry)
        _bury(Path(self._folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, self._folder)  # type: ignore[no-untyped-call]
        registry.register(self._from_store)
        self._watch(registry)
        return generate_latest(registry)

    def _watch(self, registry: CollectorRegistry) -> None:
        watch_machine(registry, self._url, partial(open_snapshot, self._url))

    def _go_on_telling(self) -> None:
        while True:
            self._own.refresh()
            time.sleep(_REFRESHED)


def _bury(folder: Path) -> None:
    """Forget what processes that are gone said of what was under way."""
    for path in folder.glob("gauge_live*_*.db"):
        process = path.stem.rpartition("_")[2]
        if _lives(int(process)):
            continue
        # Another process may be about to do the same.
        with suppress(FileNotFoundError):
            mark_process_dead(int(process), str(folder))  # type: ignore[no-untyped-call]


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class _Own:
    """Metrics of this process, taken over whenever they are asked for."""

    def __init__(self, service: Service, registry: CollectorRegistry) -> None:
        self._service = service
        self._lock = Lock()
        self._ready = Gauge(
            "ldp_ready",
            "Whether uploads are taken",
            multiprocess_mode="livemin",
            registry=registry,
        )
        self._waiting = Gauge(
            "ldp_writer_waiting",
            "Submissions without an answer",
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._sources = Gauge(
            "ldp_source_ready",
            "Whether a source is being read",
            ["source"],
            multiprocess_mode="livemin",
            registry=registry,
        )
        self._turns = Counter(
            "ldp_writer_turns", "Commits of submissions", registry=registry
        )
        self._busy = Counter(
            "ldp_writer_busy_seconds", "Seconds in turns", registry=registry
        )
        self._trouble = Counter(
            "ldp_writer_trouble",
            "Times that something could not be written, by why",
            ["why"],
            registry=registry,
        )
        self._skipped = Counter(
            "ldp_source_skipped",
            "Pieces of a source passed over",
            ["source"],
            registry=registry,
        )
        self._early = Counter(
            "ldp_batches_early",
            "Batches told to come again as they are early",
            registry=registry,
        )
        self._clock = Gauge(
            "ldp_clock_in_order",
            "Whether the clock has gone on as it should",
            multiprocess_mode="livemin",
            registry=registry,
        )
        self._uses = Counter(
            "ldp_token_uses", "Uses of a token", ["token"], registry=registry
        )
        self._known: dict[Counter, float] = {}
        for why in TROUBLES:
            self._trouble.labels(why)

    def refresh(self) -> None:
        """Say what is so now."""
        with self._lock:
            self._refresh(self._service)

    def _refresh(self, service: Service) -> None:
        writer = service.writer
        self._ready.set(service.trouble is None)
        self._waiting.set(writer.waiting)
        self._clock.set(writer.clock_trouble is None)
        self._count(self._early, writer.early)
        self._count(self._turns, writer.turns)
        self._count(self._busy, writer.busy_seconds)
        for why, times in writer.lasting.counts.copy().items():
            self._count(self._trouble.labels(why), times)
        use = service.settings.token_use
        for name, times in use.times.copy().items() if use is not None else ():
            self._count(self._uses.labels(name), times)
        for source in service.sources:
            self._sources.labels(source.name).set(source.failure is None)
            self._count(self._skipped.labels(source.name), source.skipped)

    def _count(self, counter: Counter, total: float) -> None:
        counter.inc(max(0.0, total - self._known.get(counter, 0.0)))
        self._known[counter] = total


class _FromStore(Collector):
    """Metrics of the store, the same whoever asks."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._looked = float("-inf")
        self._slow: list[Metric] = []

    def describe(self) -> list[Metric]:
        """Nothing in advance: registering must not read the store."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Everything that is not counted by request."""
        # Of a store that cannot be read all the rest is said: above all that it cannot
        # be.
        with suppress(StoreError):
            yield from self._read()

    def _read(self) -> list[Metric]:
        service = self._service
        quick = [*_batches(service), _by_token(service)]
        if time.monotonic() - self._looked > PAUSE:
            self._slow = list(_by_question(service))
            if service.settings.metrics_estimates:
                self._slow += estimate_metrics(service)
            self._looked = time.monotonic()
        return quick + self._slow


def _batches(service: Service) -> Iterator[Metric]:
    accounts = service.analysis.accounts()
    yield CounterMetricFamily(
        "ldp_batches_received", "Batches received", accounts.received
    )
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


def _by_token(service: Service) -> Metric:
    reports = GaugeMetricFamily(
        "ldp_token_reports_today",
        "Reports accepted under a token, by day in UTC",
        labels=["token"],
    )
    for token, count in sorted(service.analysis.sent_today(service.clock()).items()):
        reports.add_metric([token], count)
    return reports


def _by_question(service: Service) -> Iterator[Metric]:
    labels = ["survey", "version", "question"]
    reports = GaugeMetricFamily("ldp_reports", "Reports counted", labels=labels)
    checks = GaugeMetricFamily(
        "ldp_check_p_value",
        "How likely chance alone shows as much",
        labels=[*labels, "check"],
    )
    evidence = GaugeMetricFamily(
        "ldp_change_evidence",
        "Evidence (e-value) that anything has changed over closed epochs",
        labels=labels,
    )
    changed = GaugeMetricFamily(
        "ldp_changed",
        (
            f"Whether anything has changed; false alarms ever: at most {ALARM_RATE:g} "
            "of all surveys"
        ),
        labels=labels,
    )
    late = GaugeMetricFamily(
        "ldp_batches_late_share", "Share of batches that are late", labels=labels[:2]
    )
    for served in service.catalogue.all:
        share = punctuality(service.analysis.outcomes(served)).share
        late.add_metric([served.survey.name, served.fingerprint], share)
        tally = service.analysis.tally(served)
        for question in served.survey:
            where = [served.survey.name, served.fingerprint, question.name]
            reports.add_metric(
                where, total_reports(tally.counts[question.name], question.layout)
            )
        for name, those in service.analysis.health(served).items():
            for check in those:
                checks.add_metric(
                    [served.survey.name, served.fingerprint, name, check.name],
                    check.p_value,
                )
        for name, known in service.analysis.changes(served).items():
            where = [served.survey.name, served.fingerprint, name]
            evidence.add_metric(where, known.evidence)
            changed.add_metric(where, float(known.alarm))
    yield from (reports, checks, evidence, changed, late)
