"""The relay under load: the real `ldp relay serve`, every report acknowledged after its
sync.

`python -m lab.benchmarks.relay` measures the figures. Envelopes are random bytes, which
look to a relay as sealed reports do. Times are wall-clock, with the load generator on
the same cores; those of sealing and opening are processor time of one report.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.benchmarks.figures import Figure
from lab.benchmarks.material import QUESTION, closed_survey, survey_text, values
from lab.benchmarks.processes import printed
from lab.benchmarks.service_load import VALUES
from ldp.wire.sealed import Mixed, decode_sealed_report
from ldp.wire.wire import Batch, read_frames
from ldp_aggregator.tallies.mixing.keys import make_key, read_key
from ldp_aggregator.tallies.mixing.opening import Opener
from ldp_client.delivery.sealing import Relay, sealer
from ldp_service.relay.batching import Terms, mix
from ldp_service.relay.pool import Crowd, Pool
from ldp_service.store.records import EVER

_SURVEY = survey_text(
    f'type = "category"\n{values(VALUES)}mechanism = "grr"\nepsilon = "1"\n'
)
_PATIENCE = 60
_REQUESTS, _CONNECTIONS = 50_000, 200
_SEALED, _MIXED = 1000, 100_000


def figures() -> Iterator[Figure]:
    """What a relay takes, what mixing takes, and what sealing and opening take."""
    with relaying() as port:
        printed(
            "lab.benchmarks.service_load",
            port,
            "none",
            0,
            _REQUESTS // 10,
            _CONNECTIONS,
        )
        load = printed(
            "lab.benchmarks.service_load", port, "none", 0, _REQUESTS, _CONNECTIONS
        )
    seconds, median, late, most = load
    yield Figure("relay: sealed reports, durable", _REQUESTS / seconds, "reports/s")
    yield Figure("relay: sealed reports, half of the answers within", median, "ms")
    yield Figure("relay: sealed reports, 99 % within", late, "ms")
    yield Figure("relay: sealed reports, all within", most, "ms")
    yield Figure("relay: a batch of 100,000, mixed and durable", _mixing(), "s")
    yield from _sealing()


@contextmanager
def relaying() -> Iterator[int]:
    """A relay on a store of its own, whose collector is away; its port."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "survey.toml").write_text(_SURVEY)
        ldp = Path(sys.executable).with_name("ldp")
        away = ["--collector", "http://127.0.0.1:9", "--least-reports", str(1 << 30)]
        command = [ldp, "relay", "serve", "survey.toml", "--port", "0", *away]
        log = Path(folder) / "log"
        environment = os.environ | {"LDP_RELAY_TOKEN": "none"}
        with (
            log.open("w") as file,
            subprocess.Popen(
                command, cwd=folder, stderr=file, env=environment
            ) as process,
        ):
            try:
                yield _port(log)
            finally:
                process.terminate()
                process.wait(_PATIENCE)


def _port(log: Path) -> int:
    """Where a relay listens, once it does."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if listening := re.search(r"relaying at \S+:(\d+)", log.read_text()):
            return int(listening[1])
        time.sleep(0.1)
    raise TimeoutError(f"expected a relay within {_PATIENCE} s, got: {log.read_text()}")


def _mixing() -> float:
    """Seconds until a batch of 100,000 that waits is parts that are to be forwarded."""
    crowd = Crowd(bytes(16), EVER)
    with tempfile.TemporaryDirectory() as folder:
        pool = Pool(Path(folder) / "relay.db")
        with pool.changing():
            pool.add(crowd, [os.urandom(123) for _ in range(_MIXED)])
        begun = time.perf_counter()
        with pool.changing():
            for part in mix(crowd, pool.take_out(crowd), Terms(_MIXED)):
                pool.keep_part(part.id, part.frame)
        seconds = time.perf_counter() - begun
        pool.close()
    return seconds


def _sealing() -> Iterator[Figure]:
    """The processor time of sealing one report, and of opening one."""
    survey = closed_survey("grr", VALUES)
    question = survey[QUESTION]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "key.pem"
        seal = sealer(Relay("https://relay.example", make_key(path)), survey)
        opener = Opener([read_key(path)])
    batches = [
        Batch(question.fingerprint, os.urandom(16), 1, rows=b"\1")
        for _ in range(_SEALED)
    ]
    begun = time.process_time()
    frames = [seal(batch, None) for batch in batches]
    yield _each("relay: a device seals a report", begun)
    envelopes = [
        decode_sealed_report(bytes(*read_frames(frame))).envelope for frame in frames
    ]
    part = Mixed(
        question.fingerprint,
        bytes(16),
        _SEALED,
        envelopes=b"".join(envelopes),
        batch=bytes(16),
        size=_SEALED,
        least=1,
    )
    begun = time.process_time()
    opener.open(part, {question.fingerprint: question})
    yield _each("relay: the collector opens a report", begun)


def _each(name: str, begun: float) -> Figure:
    return Figure(name, (time.process_time() - begun) / _SEALED * 1e6, "us")


if __name__ == "__main__":
    for figure in figures():
        print(figure.name, f"{figure.measured:,.4g}", figure.unit)
