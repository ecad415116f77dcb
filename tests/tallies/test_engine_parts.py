"""Counting in parts: the law that engines rely on, with the steps of an engine done by
hand.

And objects in stores.
"""

import pytest
from engine_files import FILES, GROUPED_FILES, GROUPED_WHOLE, WHOLE, written
from listening import Handler, listening
from wire_samples import GROUPED_TEXT, TEXT

from ldp_aggregator.output.files import FileError
from ldp_aggregator.tallies.engines.parts import (
    PartitionResult,
    count_part,
    find_repetitions,
    merge_snapshots,
    split,
)


def whole(
    parts, again=count_part, shared=find_repetitions, text=TEXT, *, allow_equal=False
):
    """The snapshot of all parts: each alone, and again if it shares ids with an earlier
    one.
    """
    counted = [count_part(text, part) for part in parts]
    seen = shared(counted)
    last = [
        again(text, part, seen[part.number])
        if part.number in seen
        else counted[part.number]
        for part in parts
    ]
    snapshots = [part.snapshot for part in reversed(last)]
    return merge_snapshots(text, snapshots, allow_equal=allow_equal)


@pytest.mark.parametrize("most", range(1, len(FILES) + 2))
def test_every_split_gives_the_bytes_of_one_process(most, tmp_path):
    """However many parts: counts, duplicates and rejects are one process's, merged any
    way.
    """
    parts = split(written(tmp_path), most)
    assert [path for part in parts for path in part.paths] == written(tmp_path)
    assert (
        max(len(part.paths) for part in parts) - min(len(part.paths) for part in parts)
        <= 1
    )
    assert whole(parts) == WHOLE


@pytest.mark.parametrize("most", [1, 2, 3])
def test_counts_by_attribute_are_those_of_one_process(most, tmp_path):
    """With batches that come again in another part."""
    parts = split(written(tmp_path, GROUPED_FILES), most)
    assert whole(parts, text=GROUPED_TEXT) == GROUPED_WHOLE


def backwards(counted):
    """Wrong: the last part with an id has it."""
    shared = find_repetitions(part._replace(number=-part.number) for part in counted)
    return {-number: ids for number, ids in shared.items()}


def no_one_has_them(counted):
    """Wrong: the earliest part does without the ids that it shares as well."""
    return {
        part.number: part.ids
        & set().union(*(other.ids for other in counted if other is not part))
        for part in counted
    }


BROKEN = {
    "ids are not compared": {"shared": lambda _: {}},
    "ids that are known are not left out": {
        "again": lambda text, part, _: count_part(text, part)
    },
    "the last one counts": {"shared": backwards},
    "none of them counts": {"shared": no_one_has_them},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_engine_is_found_out(name, tmp_path):
    """The files tell an engine that compares ids wrongly from a right one."""
    parts = split(written(tmp_path), len(FILES))
    assert whole(parts, **BROKEN[name], allow_equal=True) != WHOLE


def test_parts_that_share_nothing_are_counted_once():
    """Only ids that an earlier part accepted are repeated, in the order of numbers."""
    parts = [
        PartitionResult(2, b"", {b"x", b"y"}),
        PartitionResult(0, b"", {b"x"}),
        PartitionResult(1, b"", {b"z"}),
    ]
    assert find_repetitions(parts) == {2: {b"x"}}


def test_merging_nothing_gives_the_tally_of_no_reports():
    """The unit of the monoid."""
    assert (
        merge_snapshots(TEXT, [WHOLE])
        == merge_snapshots(TEXT, [merge_snapshots(TEXT, []), WHOLE])
        == WHOLE
    )


class Bucket(Handler):
    """A store of objects that speaks enough of S3 to be read: `/bucket/name`, or ranges
    of it.
    """

    def do_HEAD(self):
        """Size and version alone."""
        self._answer()

    def do_GET(self):
        """With content."""
        self.wfile.write(self._answer())

    def _answer(self):
        content = FILES.get(self.path.removeprefix("/bucket/"))
        known = content is not None
        content = content or b""
        first, _, last = (
            self.headers.get("Range", f"bytes=0-{len(content) - 1}")
            .removeprefix("bytes=")
            .partition("-")
        )
        piece = content[int(first) : int(last) + 1]
        sound = 206 if "Range" in self.headers else 200
        self.send_response(sound if known else 404)
        self.send_header("Content-Length", str(len(piece)))
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.send_header("ETag", '"1"')
        self.end_headers()
        return piece


@pytest.fixture
def bucket(monkeypatch):
    """The URL of a bucket with the files."""
    for name, value in {
        "ALLOW_HTTP": "true",
        "SKIP_SIGNATURE": "true",
        "REGION": "here",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    with listening(Bucket) as address:
        monkeypatch.setenv("AWS_ENDPOINT", address)
        yield "s3://bucket"


@pytest.mark.needs("obstore")
def test_objects_count_like_files(bucket):
    """From a bucket over HTTP, the same bytes.

    And an object that is not there is named, in one line.
    """
    assert whole(split([f"{bucket}/{name}" for name in FILES], 3)) == WHOLE
    with pytest.raises(
        FileError, match=r"^expected to read s3://bucket/nothing, got .*not found.*$"
    ):
        whole(split([f"{bucket}/nothing"], 1))


@pytest.mark.needs("obstore")
@pytest.mark.parametrize(
    "url", ["s3://", "gopher://bucket/name", "az://container/name"]
)
def test_urls_of_no_store_are_refused(url):
    """With the URL and the reason, in one line."""
    with pytest.raises(FileError, match=rf"^expected to read {url}, got [^\n]+$"):
        whole(split([url], 1))
