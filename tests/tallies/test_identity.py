"""Which batches a tally counts: sketches that merge, under a keyed hash, and stores
with times.
"""

from hashlib import blake2b
from itertools import pairwise, repeat
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp import MismatchError
from ldp_aggregator.tallies.counting.siphash import siphashes
from ldp_aggregator.tallies.identity import (
    EVER_ENDS,
    KEY,
    SIZE,
    Identity,
    Origin,
    overlap,
)

MASK = (1 << 64) - 1
RANDOM = Random(17)
BATCHES = [RANDOM.randbytes(16) for _ in range(4000)]
STORE, OTHER = bytes(16), b"another store's!"


def turned(word, bits):
    return (word << bits | word >> (64 - bits)) & MASK


def siphash(key, message):
    """SipHash-2-4 of one message of 16 bytes, word by word as the paper has it."""
    low, high = (int.from_bytes(part, "little") for part in (key[:8], key[8:]))
    v = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D]
    v += [low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]

    def rounds(count):
        for _ in repeat(None, count):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = turned(v[1], 13) ^ v[0]
            v[0] = turned(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = turned(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = turned(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = turned(v[1], 17) ^ v[2]
            v[2] = turned(v[2], 32)

    words = [
        int.from_bytes(message[:8], "little"),
        int.from_bytes(message[8:], "little"),
        16 << 56,
    ]
    for word in words:
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_hashes_are_siphashes():
    """The vector of the reference code for 16 bytes, and many more one by one."""
    assert siphashes(bytes(range(16)), [bytes(range(16))]).tolist() == [
        0x3F2ACC7F57C29BDB
    ]
    key = bytes(reversed(range(16)))
    some = BATCHES[:200]
    assert siphashes(key, some).tolist() == [siphash(key, id_) for id_ in some]
    many = some * 200  # beyond what is hashed at a time
    assert siphashes(key, many).tolist() == siphashes(key, some).tolist() * 200
    assert siphashes(key, []).tolist() == []


cuts = st.lists(st.integers(0, len(BATCHES)), max_size=5).map(sorted)


@given(cuts, st.randoms(use_true_random=False))
def test_a_sketch_is_one_of_its_batches_alone(cuts, random):
    """However they are cut into parts, in whichever order: the least hashes, no more of
    them.
    """
    edges = [0, *cuts, len(BATCHES)]
    parts = [BATCHES[start:stop] for start, stop in pairwise(edges)]
    random.shuffle(parts)
    apart, one_by_one = Identity(), Identity()
    for part in parts:
        apart = Identity().plus(part).join(apart)
        one_by_one = one_by_one.plus(part)
    whole = Identity().plus(BATCHES)
    assert apart == one_by_one == whole
    assert len(whole.hashes) == SIZE
    key = blake2b(b"", digest_size=16, person=b"ldp tally key").digest()
    assert list(whole.hashes) == sorted(siphashes(key, BATCHES).tolist())[:SIZE]


@given(st.sets(st.sampled_from(BATCHES[:300])), st.sets(st.sampled_from(BATCHES[:300])))
def test_what_is_shared_is_certain(some, others):
    """No overlap is claimed where there is none, and all of few batches are
    compared.
    """
    one, other = Identity().plus(sorted(some)), Identity().plus(sorted(others))
    common = overlap(one, other)
    assert common.hashes <= len(some & others)
    if len(some) <= SIZE and len(others) <= SIZE:
        assert common.hashes == len(some & others)
    assert bool(common) == (common.hashes > 0)


def test_the_share_in_both_is_estimated():
    """Half of 3,000 batches are in both of two tallies of 2,000 and 2,500.

    The number among 64 is hypergeometric: with fixed batches the estimate is fixed, and
    here within five standard deviations, sqrt(.25 / 64) each, of one half. What shares
    nothing has none.
    """
    common = overlap(
        Identity().plus(BATCHES[:2000]), Identity().plus(BATCHES[500:3000])
    )
    assert common.share == pytest.approx(0.5, abs=5 * (0.25 / SIZE) ** 0.5)
    assert common.hashes > SIZE / 4
    nothing = overlap(Identity().plus(BATCHES[:2000]), Identity().plus(BATCHES[2000:]))
    assert (nothing.hashes, nothing.share, bool(nothing)) == (0, 0, False)


def test_sketches_under_two_keys_are_not_compared(monkeypatch):
    """Nor added up; the empty one goes with both. What is under one secret key is
    compared.
    """
    public = Identity().plus(BATCHES[:100])
    monkeypatch.setenv(KEY, "what no sender knows")
    secret, again = (Identity().plus(BATCHES[:100]) for _ in range(2))
    assert overlap(secret, again).hashes == SIZE
    assert secret.hashes != public.hashes
    for fails in (overlap, Identity.join):
        with pytest.raises(MismatchError, match=f"one key, got two.*{KEY}"):
            fails(secret, public)
    assert Identity().join(secret) == secret.join(Identity()) == secret
    assert b"what no sender knows" not in secret.check


def test_times_of_a_store_unite_where_they_touch():
    """And are those of each store, in order."""
    weeks = [Identity.of_store(STORE, [(start, start + 7)]) for start in (14, 0, 7, 28)]
    united = Identity()
    for week in weeks:
        united = week.join(united)
    assert united.origins == (Origin(STORE, 0, 21), Origin(STORE, 28, 35))
    ever = Identity.of_store(STORE, [(0, EVER_ENDS)])
    assert not overlap(weeks[0], weeks[1]).origins
    assert overlap(ever, weeks[1]).origins == ((ever.origins[0], weeks[1].origins[0]),)
    assert not overlap(ever, Identity.of_store(OTHER, [(0, EVER_ENDS)]))
