"""Counting in parts: plain functions of text and bytes, for any engine.

A part is a run of paths, in the order of all paths. A worker counts a part by itself,
given the ids that earlier parts have `seen`, and hands back a snapshot and the ids that
it accepted:

    whole = merge_snapshots(count_part(part, its ids that an earlier part accepts too), all parts)

Rules
- The whole equals the tally of one process bit for bit, intake included, however the
  paths are split: of batches with one id the first in the order of paths counts.
- Counting has no effect but its result, so an engine may count a part twice and throw
  one result away.
- Which ids a part accepts of itself does not depend on those of other parts. So parts
  are counted at once, with nothing seen, and only those that share an id with an
  earlier one are counted again.
- Tallies among the paths are told apart in the same way, by digests of their contents;
  one that comes twice is refused.
- All of this needs files that stay as they are while they are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ldp.survey.survey_file import parse_survey
from ldp_aggregator.tallies.intake.paths import count_paths, is_url
from ldp_aggregator.tallies.tally import Tally
from ldp_aggregator.tallies.tally_file import decode_tally, encode_tally


class Partition(NamedTuple):
    """Part of one worker: its place among the parts, and its paths."""

    number: int
    paths: tuple[str, ...]


class PartitionResult(NamedTuple):
    """Result of a part: a snapshot of its tally, and the ids of the batches it
    accepted.
    """

    number: int
    snapshot: bytes
    ids: set[bytes]


def split(paths: Sequence[str], most: int) -> list[Partition]:
    """At most `most` parts, of nearly the same number of paths.

    Other working directories understand the paths, too.
    """
    places = [path if is_url(path) else str(Path(path).resolve()) for path in paths]
    count = min(len(places), most)
    cuts = pairwise(len(places) * number // count for number in range(count + 1))
    return [
        Partition(number, tuple(places[start:stop]))
        for number, (start, stop) in enumerate(cuts)
    ]


def count_part(
    survey_text: str | bytes,
    part: Partition,
    seen: Iterable[bytes] = (),
    *,
    allow_equal: bool = False,
) -> PartitionResult:
    """Count a part; batches under ids that are `seen` are duplicates.

    Raises `FileError` for a path of no use.

    Tallies have the digest of their counts for an id, and one that is seen is refused
    unless `allow_equal`.
    """
    tally, ids = count_paths(
        parse_survey(survey_text, largest=len(survey_text)),
        part.paths,
        seen,
        allow_equal=allow_equal,
    )
    return PartitionResult(part.number, encode_tally(tally), ids)


def find_repetitions(parts: Iterable[PartitionResult]) -> dict[int, set[bytes]]:
    """By number, the ids of parts that an earlier part accepted too.

    All ids are held in one memory.
    """
    shared: dict[int, set[bytes]] = {}
    seen: set[bytes] = set()
    for part in sorted(parts, key=lambda part: part.number):
        if again := part.ids & seen:
            shared[part.number] = again
        seen |= part.ids
    return shared


def merge_snapshots(
    survey_text: str | bytes, snapshots: Iterable[bytes], *, allow_equal: bool = False
) -> bytes:
    """The snapshot of all together; of none, that of no reports.

    Raises `OverlapError` for tallies that are known to have batches in common, unless
    `allow_equal`: of parts that were counted as above it can only be that a tally among
    the paths counts what another path has.
    """
    survey = parse_survey(survey_text, largest=len(survey_text))
    tallies = (decode_tally(snapshot, survey) for snapshot in snapshots)
    merge = partial(Tally.merge, allow_equal=allow_equal)
    return encode_tally(reduce(merge, tallies, Tally.empty(survey)))
