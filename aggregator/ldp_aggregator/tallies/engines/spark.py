"""`ldp aggregate --engine spark`: executors count parts, and their tallies merge in a
tree.

    parts ──> count ──> rows of a tally, or of ids ──> ids that came earlier ──> count
    again
                             │                                                        │
                             └── tallies of the other parts ────> merge <─────────────┘

Rules
- Paths are shipped, never contents; so is the survey's text. Executors have to reach
  the paths, and need this package.
- What a task hands back is all that it does. A task that is lost, or run twice, changes
  nothing: no accumulators.
- Ids are compared by Spark, on all executors; a part has at most one tally on its way,
  and the driver holds a few.
- A row holds a snapshot, an id or an error; all errors come back, and the one of the
  first path is raised.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ldp.errors import LDPError
from ldp_aggregator.output.files import FileError
from ldp_aggregator.tallies.engines.parts import (
    Partition,
    count_part,
    merge_snapshots,
    split,
)

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame, Row, SparkSession

    from ldp_aggregator.tallies.engines.parts import PartitionResult

MOST_PARTS = 1024
"""More paths than this share parts: each part costs a task, and a tally to merge."""

FAN_IN = 16
"""Tallies that one task merges."""

IDS_AT_ONCE = 1 << 16

PARTS = "part int, paths array<string>, seen array<binary>"
ROWS = "part int, again boolean, snapshot binary, id binary, error string"


class EngineError(LDPError):
    """An engine that cannot be started, or that gave up."""


def start_spark(master: str, *, show_progress: bool) -> SparkSession:
    """A session of our own, or the one that runs already. Raises `EngineError`."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise EngineError(
            f"expected PySpark for --engine spark, got {error}; install it with "
            f"'ldpkit-aggregator[spark]'"
        ) from None
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        raise EngineError(
            "expected Java for --engine spark, found none; install a Java runtime (17 "
            "or later), or set JAVA_HOME"
        )
    # Else executors on this machine would take whichever Python comes first.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("ldp aggregate").master(master)
    builder = builder.config("spark.ui.showConsoleProgress", str(show_progress).lower())
    with _trouble(f"expected Spark to start at {master}, whose log says more"):
        return builder.config("spark.log.level", "ERROR").getOrCreate()


def count_on_spark(
    spark: SparkSession,
    survey_text: str | bytes,
    paths: Sequence[str],
    *,
    allow_equal: bool = False,
) -> bytes:
    """The snapshot of all paths, as one process would write it.

    Raises `FileError` for a path, else `EngineError`.
    """
    with _trouble(
        "expected executors with this version of ldp_aggregator and its extra 'spark'"
    ):
        counting = partial(count_part, survey_text, allow_equal=allow_equal)
        merging = partial(merge_snapshots, survey_text, allow_equal=allow_equal)
        result = _count(spark, counting, merging, paths=paths)
    if result.error is not None:
        raise FileError(result.error)
    return bytes(result.snapshot)


def _count(
    spark: SparkSession,
    counting: Callable[[Partition, Iterable[bytes]], PartitionResult],
    merging: Callable[[Iterable[bytes]], bytes],
    paths: Sequence[str],
) -> Row:
    """The row of all parts together."""
    from pyspark.sql import functions
    from pyspark.storagelevel import StorageLevel

    places = [
        (part.number, list(part.paths), list[bytes]())
        for part in split(paths, MOST_PARTS)
    ]
    count = partial(_count_rows, counting)
    merge = partial(_merge_rows, merging)
    parts = spark.createDataFrame(places, PARTS)
    counted = _dealt(parts, len(places)).mapInArrow(count, ROWS)
    counted = counted.persist(StorageLevel.MEMORY_AND_DISK)
    # Of each id that several parts accepted, all parts but the first.
    holders = functions.array_sort(functions.collect_list("part"))
    shared = (
        counted.where("id is not null")
        .groupBy("id")
        .agg(holders.alias("parts"))
        .where("size(parts) > 1")
    )
    later = shared.selectExpr("id", "explode(slice(parts, 2, size(parts))) as part")
    # In order, since what a lost task did is done again and has to come out the same,
    # to the order of rows.
    ids = functions.array_sort(functions.collect_list("id"))
    seen = later.groupBy("part").agg(ids.alias("seen"))
    again = _dealt(parts.drop("seen").join(seen, "part"), len(places)).mapInArrow(
        count, ROWS
    )
    tallies = counted.union(again).where("id is null")
    left = len(places)
    while left > 1:
        left = math.ceil(left / FAN_IN)
        tallies = tallies.repartition(left, "part").mapInArrow(merge, ROWS)
    try:
        (result,) = tallies.collect()
    finally:
        counted.unpersist()
    return result


def _dealt(rows: DataFrame, tasks: int) -> DataFrame:
    """Deal out rows, one a task, from one place, since rows from several may meet."""
    return rows.coalesce(1).repartition(tasks)


def _count_rows(
    counting: Callable[[Partition, Iterable[bytes]], PartitionResult],
    batches: Iterator[RecordBatch],
) -> Iterator[RecordBatch]:
    """From rows of `PARTS` to `ROWS`: the snapshot and the ids of each part, or its
    error.
    """
    for batch in batches:
        columns = (column.to_pylist() for column in batch.columns)
        for part, paths, seen in zip(*columns, strict=True):
            rows = partial(_rows, part, bool(seen))
            try:
                counted = counting(Partition(part, tuple(paths)), seen)
            except LDPError as error:
                yield rows("error", [str(error)])
                continue
            yield rows("snapshot", [counted.snapshot])
            ids = list(counted.ids)
            for start in range(0, len(ids), IDS_AT_ONCE):
                yield rows("id", ids[start : start + IDS_AT_ONCE])


def _merge_rows(
    merging: Callable[[Iterable[bytes]], bytes], batches: Iterator[RecordBatch]
) -> Iterator[RecordBatch]:
    """One row for those of a task: the first error, or all tallies together.

    Of a part that was counted again the second tally counts.
    """
    rows = sorted(
        (row for batch in batches for row in batch.to_pylist()),
        key=itemgetter("part", "again"),
    )
    last = {row["part"]: row for row in rows}
    for part, row in last.items():
        if row["error"] is not None:
            yield _rows(part, True, "error", values=[row["error"]])
            return
    if rows:
        place = partial(_rows, rows[0]["part"], True)
        try:
            yield place("snapshot", [merging(row["snapshot"] for row in last.values())])
        except LDPError as error:
            yield place("error", [f"among the paths given: {error}"])


def _rows(part: int, again: bool, name: str, values: list[Any]) -> RecordBatch:
    """Rows of a part that hold something in one column."""
    import pyarrow as pa

    types = {
        "part": pa.int32(),
        "again": pa.bool_(),
        "snapshot": pa.binary(),
        "id": pa.binary(),
        "error": pa.string(),
    }
    count = len(values)
    cells: dict[str, list[Any]] = {
        "part": [part] * count,
        "again": [again] * count,
        name: values,
    }
    columns = [
        pa.array(cells[key], kind) if key in cells else pa.nulls(count, kind)
        for key, kind in types.items()
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(types))


@contextmanager
def _trouble(expected: str) -> Iterator[None]:
    """Errors of Spark as `EngineError`, with the line of their traces that names what
    happened.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        named = re.search(
            r"^\W*([\w.]+(?:Error|Exception): .+)", str(error), re.MULTILINE
        )
        reason = named[1] if named else str(error).partition("\n")[0]
        raise EngineError(f"{expected}, got {reason}") from None
