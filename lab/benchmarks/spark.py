"""The same report files counted by one process and by Spark on two cores, to the same
bytes.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from lab.benchmarks.figures import Figure
from lab.benchmarks.material import closed_survey, frames, survey_text, values
from ldp_aggregator import encode_tally
from ldp_aggregator.tallies.intake.paths import count_paths

_FILES, _REPORTS = 8, 250_000
_SURVEY = survey_text(
    f'type = "category"\n{values(128)}mechanism = "oue"\nepsilon = "1"\n'
)


def figures() -> Iterator[Figure]:
    """Reports and bytes by wall-clock second, Spark's start not included.

    Nothing where Spark or Java is not there.
    """
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        return
    from ldp_aggregator.tallies.engines.spark import count_on_spark, start_spark

    with tempfile.TemporaryDirectory() as folder:
        paths = _written(Path(folder))
        size = sum(Path(path).stat().st_size for path in paths)
        spark = start_spark("local[2]", show_progress=False)
        on_spark = partial(count_on_spark, spark, _SURVEY)
        on_spark(paths[:1])
        results = set()
        for who, count in (("one process", _alone), ("Spark on two cores", on_spark)):
            seconds = _seconds(partial(count, paths), results)
            name = f"files: oue, 128 bits, batches of 1, {who}"
            yield Figure(name, _FILES * _REPORTS / seconds, "reports/s")
            yield Figure(name, size / seconds / 1e6, "MB/s")
        spark.stop()
    if len(results) != 1:
        raise RuntimeError("expected the same bytes of both")


def _written(folder: Path) -> list[str]:
    paths = [folder / f"reports{number}" for number in range(_FILES)]
    for path in paths:
        path.write_bytes(b"".join(frames(closed_survey("oue", 128), _REPORTS, 1)))
    return [str(path) for path in paths]


def _alone(paths: list[str]) -> bytes:
    tally, _ = count_paths(closed_survey("oue", 128), paths)
    return encode_tally(tally)


def _seconds(count: Callable[[], bytes], results: set[bytes]) -> float:
    start = time.perf_counter()
    results.add(count())
    return time.perf_counter() - start


if __name__ == "__main__":
    for figure in figures():
        print(*figure.cells())
