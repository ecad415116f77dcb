"""Arrays kept on disk: found again, rebuilt where damaged, not missed where they cannot
be.
"""

import io
from pathlib import Path

import numpy as np
import pytest
import xxhash

from ldp_aggregator.numerics.projective import array_cache
from ldp_aggregator.numerics.projective import cyclic_design as cyclic_designs
from ldp_aggregator.numerics.projective.array_cache import load, store

ARRAY = np.arange(12, dtype=np.int32).reshape(3, 4)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of its own, not made yet."""
    monkeypatch.setenv("LDPKIT_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_what_was_stored_is_loaded(folder):
    """The array comes back, and the folder holds its file and nothing else."""
    assert load("numbers", (3, 4), np.int32) is None
    store("numbers", ARRAY)
    assert np.array_equal(load("numbers", (3, 4), np.int32), ARRAY)
    assert [path.name for path in folder.iterdir()] == ["numbers.npy"]


def test_folders_above_are_made(tmp_path, monkeypatch):
    """The user's cache folder need not be there yet."""
    monkeypatch.setenv("LDPKIT_CACHE", str(tmp_path / "cache" / "of" / "arrays"))
    store("numbers", ARRAY)
    assert np.array_equal(load("numbers", (3, 4), np.int32), ARRAY)


@pytest.mark.parametrize(
    ("shape", "dtype"), [((4, 3), np.int32), ((12,), np.int32), ((3, 4), np.int64)]
)
def test_an_array_of_another_shape_or_type_counts_as_none(folder, shape, dtype):
    """What was asked for is what comes, or nothing."""
    store("numbers", ARRAY)
    assert load("numbers", shape, dtype) is None


def test_a_damaged_file_counts_as_none(folder):
    """Any byte changed, or the file cut anywhere, and there is nothing to load."""
    store("numbers", ARRAY)
    path = folder / "numbers.npy"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert load("numbers", (3, 4), np.int32) is None, place
        path.write_bytes(whole[:place])
        assert load("numbers", (3, 4), np.int32) is None, place
    path.write_bytes(whole + b"more")
    assert load("numbers", (3, 4), np.int32) is None


def test_pickles_are_not_loaded(folder):
    """A file of Python objects could run code, so it counts as none."""
    content = io.BytesIO()
    np.save(content, np.array([print], dtype=object), allow_pickle=True)
    folder.mkdir()
    (folder / "numbers.npy").write_bytes(
        content.getvalue() + xxhash.xxh3_128_digest(content.getvalue())
    )
    assert load("numbers", (1,), object) is None


def test_a_folder_that_cannot_be_used_is_no_cache(folder):
    """Where there is a file instead of the folder, nothing is kept, and no one
    complains.
    """
    folder.write_text("in the way")
    store("numbers", ARRAY)
    assert load("numbers", (3, 4), np.int32) is None
    assert folder.read_text() == "in the way"


def test_where_it_is(monkeypatch):
    """LDPKIT_CACHE, else the user's cache folder by the rule of XDG."""
    monkeypatch.setenv("LDPKIT_CACHE", "/chosen")
    monkeypatch.setenv("XDG_CACHE_HOME", "/user")
    assert array_cache.folder() == Path("/chosen")
    monkeypatch.delenv("LDPKIT_CACHE")
    assert array_cache.folder() == Path("/user/ldpkit")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert array_cache.folder() == Path("/home/somebody/.cache/ldpkit")


def test_a_design_is_made_once(folder, monkeypatch):
    """It is kept on disk, taken from there by other processes, and made again if
    damaged.
    """
    designs = []

    def orders(*space, genuine=cyclic_designs.cyclic_orders):
        designs.append(space)
        return genuine(*space)

    monkeypatch.setattr(cyclic_designs, "cyclic_orders", orders)
    counts = np.arange(40)
    outcomes = []
    for damage in (False, False, True, False):
        cyclic_designs.cyclic_design.cache_clear()
        if damage:
            path = next(folder.iterdir())
            path.write_bytes(path.read_bytes()[:-20] + bytes(20))
        outcomes.append(
            cyclic_designs.cyclic_design(3, 4).supports(counts, 40).tolist()
        )
    assert designs == [(3, 4)] * 2
    assert all(outcome == outcomes[0] for outcome in outcomes)
