"""Merkle trees by the definitions of RFC 9162 alone, with nothing done twice as fast as
it is said.

Roots and paths follow the recursive definitions of section 2.1.1, 2.1.3.1 and 2.1.4.1
word by word; a proof is checked by putting the tree together again from its pieces, not
by the algorithms of 2.1.3.2 and 2.1.4.2.
"""

from hashlib import sha256


def root(entries):
    """MTH."""
    if not entries:
        return sha256(b"").digest()
    if len(entries) == 1:
        return sha256(b"\x00" + entries[0]).digest()
    middle = half(len(entries))
    return sha256(b"\x01" + root(entries[:middle]) + root(entries[middle:])).digest()


def half(number):
    """The largest power of two below it."""
    return max(2**power for power in range(64) if 2**power < number)


def path(index, entries):
    """PATH."""
    if len(entries) == 1:
        return []
    middle = half(len(entries))
    if index < middle:
        return [*path(index, entries[:middle]), root(entries[middle:])]
    return [*path(index - middle, entries[middle:]), root(entries[:middle])]


def proof(first, entries, *, is_known=True):
    """PROOF, with SUBPROOF."""
    if first == len(entries):
        return [] if is_known else [root(entries)]
    middle = half(len(entries))
    if first <= middle:
        rest = proof(first, entries[:middle], is_known=is_known)
        return [*rest, root(entries[middle:])]
    return [
        *proof(first - middle, entries[middle:], is_known=False),
        root(entries[:middle]),
    ]


def root_by_path(leaf, place, pieces):
    """The root that a path leads to, from (index, size); None if it has another
    length.
    """
    index, size = place
    if size == 1:
        return leaf if not pieces else None
    if not pieces:
        return None
    middle = half(size)
    *rest, last = pieces
    if index < middle:
        left = root_by_path(leaf, (index, middle), rest)
        return left and sha256(b"\x01" + left + last).digest()
    right = root_by_path(leaf, (index - middle, size - middle), rest)
    return right and sha256(b"\x01" + last + right).digest()


def roots_by_proof(sizes, pieces, known):
    """The roots of trees of two sizes that a proof leads to; None if it has another
    length.
    """
    first, size = sizes
    if first == size:
        if known is not None:
            return (known, known) if not pieces else None
        return (pieces[0], pieces[0]) if len(pieces) == 1 else None
    if not pieces:
        return None
    middle = half(size)
    *rest, last = pieces
    if first <= middle:
        both = roots_by_proof((first, middle), rest, known)
        return both and (both[0], sha256(b"\x01" + both[1] + last).digest())
    both = roots_by_proof((first - middle, size - middle), rest, None)
    return both and tuple(sha256(b"\x01" + last + part).digest() for part in both)
