"""Merkle trees over the entries of a log, and the two proofs that transparency logs
give.

The root of a tree is one hash that stands for all entries in their order. Whoever keeps
it can be shown, by some thirty hashes for a billion entries,

    inclusion     that an entry is at a place of the log whose root this is
    consistency   that a longer log begins with all entries of a shorter one: nothing
                  was changed, moved or taken out

    leaf(d)     = SHA-256(0x00 || d)
    node(l, r)  = SHA-256(0x01 || l || r)
    MTH({})     = SHA-256()
    MTH(D[n])   = node(MTH(D[0:k]), MTH(D[k:n])),  k the largest power of two below n

The two prefixes keep an entry from being taken for two hashes. Paths are listed from
the entry up.

Source: RFC 9162, section 2.1.1 (MTH), 2.1.3.1 (PATH), 2.1.3.2 (its verification),
2.1.4.1 (PROOF), 2.1.4.2 (its verification).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

HASH_SIZE = 32
MOST_ENTRIES = 1 << 32
LONGEST_PATH = 64
"""Hashes of a proof: twice as many as a log of `MOST_ENTRIES` can come to."""

_LEAF, _NODE = b"\x00", b"\x01"

Path = tuple[bytes, ...]


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry."""
    return hashlib.sha256(_LEAF + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of what lies below two nodes."""
    return hashlib.sha256(_NODE + left + right).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root of a tree with these hashes of entries (MTH)."""
    if not leaves:
        return hashlib.sha256().digest()
    return _root(leaves, 0, len(leaves))


def inclusion_path(leaves: Sequence[bytes], index: int) -> Path:
    """Return the proof that entry `index` is in the tree (PATH).

    Raises `ValueError` for an index of no entry.
    """
    if not 0 <= index < len(leaves):
        raise ValueError(f"expected an entry from 0 to {len(leaves) - 1}, got {index}")
    beside: list[bytes] = []
    low, high = 0, len(leaves)
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            beside.append(_root(leaves, middle, high))
            high = middle
        else:
            beside.append(_root(leaves, low, middle))
            low = middle
    return tuple(reversed(beside))


def consistency_path(leaves: Sequence[bytes], first: int) -> Path:
    """Return the proof that the tree goes on from that of its `first` entries (PROOF).

    Raises `ValueError` for a number of entries that it has not.
    """
    if not 1 <= first <= len(leaves):
        raise ValueError(f"expected 1 to {len(leaves)} entries, got {first}")
    beside: list[bytes] = []
    low, high = 0, len(leaves)
    # Whether the part that is looked at begins the log: then its root is known to who
    # asks.
    begins = True
    while first < high:
        middle = low + _split(high - low)
        if first <= middle:
            beside.append(_root(leaves, middle, high))
            high = middle
        else:
            beside.append(_root(leaves, low, middle))
            low = middle
            begins = False
    last = [] if begins else [_root(leaves, low, high)]
    return (*last, *reversed(beside))


def verify_inclusion(
    leaf: bytes, index: int, size: int, *, path: Sequence[bytes], root: bytes
) -> bool:
    """Whether a path proves that the entry of a hash is number `index` of `size` under
    a root.
    """
    if not 0 <= index < size:
        return False
    node, last, current = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if node & 1 or node == last:
            current = node_hash(sibling, current)
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            current = node_hash(current, sibling)
        node >>= 1
        last >>= 1
    return last == 0 and current == root


def is_consistent(
    first: int,
    second: int,
    *,
    first_root: bytes,
    second_root: bytes,
    path: Sequence[bytes],
) -> bool:
    """Whether a path proves that a tree of `second` entries begins with one of
    `first`.
    """
    if not 1 <= first <= second:
        return False
    if first == second:
        return not path and first_root == second_root
    # A first tree whose size is a power of two is a node of the second one, and known.
    nodes = [first_root, *path] if first & (first - 1) == 0 else list(path)
    if not path:
        return False
    node, last = first - 1, second - 1
    while node & 1:
        node >>= 1
        last >>= 1
    old = new = nodes[0]
    for sibling in nodes[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            new = node_hash(new, sibling)
        node >>= 1
        last >>= 1
    return last == 0 and old == first_root and new == second_root


def _split(size: int) -> int:
    """The largest power of two below a size of 2 or more."""
    return 1 << ((size - 1).bit_length() - 1)


def _root(leaves: Sequence[bytes], low: int, high: int) -> bytes:
    if high - low == 1:
        return leaves[low]
    middle = low + _split(high - low)
    return node_hash(_root(leaves, low, middle), _root(leaves, middle, high))
