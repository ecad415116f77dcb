"""Merkle trees: published heads, an independent slow implementation, and proofs of
nothing.
"""

import random

import pytest
import slow_tree

from ldp.transparency.tree import (
    consistency_path,
    inclusion_path,
    is_consistent,
    leaf_hash,
    root_of,
    verify_inclusion,
)

# The inputs and the heads that the logs of Certificate Transparency are tested with.
PUBLISHED = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"]
PUBLISHED = [
    bytes.fromhex(text) for text in (*PUBLISHED, "606162636465666768696a6b6c6d6e6f")
]
HEADS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
NODES = {
    "2 to 3": "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "4": "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    "4 to 5": "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "6 to 7": "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "0 to 3": HEADS[4],
}
LARGEST = 24
ENTRIES = [bytes([number]) * (number % 5) + b"entry" for number in range(LARGEST)]
LEAVES = [leaf_hash(entry) for entry in ENTRIES]


def test_published_heads():
    """Those of no entry to eight."""
    leaves = [leaf_hash(entry) for entry in PUBLISHED]
    assert tuple(root_of(leaves[:size]).hex() for size in range(9)) == HEADS


def test_published_paths():
    """An inclusion path and two consistency paths, by the nodes that they consist
    of.
    """
    leaves = [leaf_hash(entry) for entry in PUBLISHED]
    inclusion = [node.hex() for node in inclusion_path(leaves, 5)]
    assert inclusion == [NODES["4"], NODES["6 to 7"], NODES["0 to 3"]]
    from_six = [node.hex() for node in consistency_path(leaves, 6)]
    assert from_six == [NODES["4 to 5"], NODES["6 to 7"], NODES["0 to 3"]]
    from_two = [node.hex() for node in consistency_path(leaves[:5], 2)]
    assert from_two == [NODES["2 to 3"], NODES["4"]]


@pytest.mark.parametrize("size", range(1, LARGEST + 1))
def test_all_proofs(size):
    """Of every entry and every shorter log: as defined, and accepted."""
    entries, leaves = ENTRIES[:size], LEAVES[:size]
    root = root_of(leaves)
    assert root == slow_tree.root(entries)
    for index in range(size):
        path = inclusion_path(leaves, index)
        assert list(path) == slow_tree.path(index, entries)
        assert verify_inclusion(leaves[index], index, size, path=path, root=root)
    for first in range(1, size + 1):
        path = consistency_path(leaves, first)
        assert list(path) == slow_tree.proof(first, entries)
        old = root_of(leaves[:first])
        assert is_consistent(first, size, first_root=old, second_root=root, path=path)


def test_changed_proofs_prove_nothing():
    """Whatever is changed in a proof, both implementations say the same of it.

    Of 20,000 changed proofs at least half have to be refused by both: a check that
    takes anything does not pass, nor does one that refuses everything, as
    `test_all_proofs` has it.
    """
    draw = random.Random(20261124)
    refused = 0
    for _ in range(10_000):
        size = draw.randrange(1, LARGEST + 1)
        index, first = draw.randrange(size), draw.randrange(1, size + 1)
        root = root_of(LEAVES[:size])
        path = changed(draw, list(inclusion_path(LEAVES[:size], index)))
        index += draw.choice((0, 0, 1, -1))
        leaf = LEAVES[index % LARGEST]
        said = verify_inclusion(leaf, index, size, path=path, root=root)
        if 0 <= index < size:
            assert said == (slow_tree.root_by_path(leaf, (index, size), path) == root)
        refused += not said
        old = root_of(LEAVES[:first])
        path = changed(draw, list(consistency_path(LEAVES[:size], first)))
        said = is_consistent(first, size, first_root=old, second_root=root, path=path)
        both = slow_tree.roots_by_proof((first, size), path, old)
        assert said == (both == (old, root))
        refused += not said
    assert refused > 10_000


def changed(draw, path):
    """A path with a hash taken out, put in, moved or flipped; or as it was."""
    how = draw.randrange(5)
    place = draw.randrange(len(path) + 1)
    if how == 0 and path:
        del path[min(place, len(path) - 1)]
    elif how == 1:
        path.insert(place, draw.choice(LEAVES))
    elif how == 2:
        draw.shuffle(path)
    elif how == 3 and path:
        node = bytearray(path[min(place, len(path) - 1)])
        node[draw.randrange(32)] ^= 1 << draw.randrange(8)
        path[min(place, len(path) - 1)] = bytes(node)
    return path


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0), (4, 3)])
def test_entries_that_are_none(index, size):
    """No index outside the log is included, nor has a path."""
    assert not verify_inclusion(LEAVES[0], index, size, path=(), root=LEAVES[0])
    with pytest.raises(ValueError, match="expected an entry from 0"):
        inclusion_path(LEAVES[:size], index)


@pytest.mark.parametrize("first", [0, 4])
def test_logs_that_are_none(first):
    """Nothing goes on from an empty log, nor from a longer one."""
    root = root_of(LEAVES[:3])
    assert not is_consistent(first, 3, first_root=root, second_root=root, path=())
    with pytest.raises(ValueError, match="expected 1 to 3 entries"):
        consistency_path(LEAVES[:3], first)


def test_an_entry_is_no_node():
    """Two hashes as an entry do not stand for the tree over them: the prefixes
    differ.
    """
    root = root_of(LEAVES[:2])
    assert leaf_hash(LEAVES[0] + LEAVES[1]) != root
