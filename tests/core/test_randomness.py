"""Draws: each is compared with its definition, on tapes made for it; sources fail
loudly.
"""

import random as seeded
from itertools import islice, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from specimens import DESIGNED

from ldp import RandomnessError
from ldp.numbers.randomness import (
    WORD,
    Replay,
    bernoulli,
    draw_below,
    draw_bits,
    randbelow,
    shuffle,
    system,
)
from ldp_simulations.audit.tapes.every_tape import every_tape

RESERVE = 16


@st.composite
def bit_draws(draw):
    """Thresholds and words for a vector of bits.

    Many of the words agree with their threshold in the top bits.
    """
    word, size = draw(st.integers(1, WORD)), draw(st.integers(1, 40))
    thresholds = [draw(st.integers(0, (1 << word) - 1)) for _ in range(2)]
    chosen = draw(st.integers(0, (1 << size) - 1))
    planes = min(word, size.bit_length() + 3)
    rest = word - planes
    tops = []
    for bit in range(size):
        own = thresholds[chosen >> bit & 1] >> rest
        tops.append(
            draw(
                st.sampled_from([own, own ^ 1, draw(st.integers(0, (1 << planes) - 1))])
            )
        )
    reserve = draw(st.binary(min_size=3 * RESERVE * 8, max_size=3 * RESERVE * 8))
    padding = draw(st.integers(0, 255))
    return word, size, thresholds, chosen, planes, rest, tops, reserve, padding


def plane_bytes(size, planes, tops, padding):
    """The top bits of every word, plane by plane from the highest.

    The unused bits of a plane are noise.
    """
    width = (size + 7) // 8
    noise = (padding << size) & ((1 << 8 * width) - 1)
    layers = (
        sum((top >> planes - 1 - place & 1) << bit for bit, top in enumerate(tops))
        for place in range(planes)
    )
    return b"".join((layer | noise).to_bytes(width, "little") for layer in layers)


@given(bit_draws())
def test_bits_by_definition(drawn):
    """A bit is 1 exactly where its word is below its threshold.

    Ties in the top bits are settled by the reserve.
    """
    word, size, thresholds, chosen, planes, rest, tops, reserve, padding = drawn
    width = (rest + 7) // 8
    lows = iter(range(0, len(reserve), width or 1))
    expected = 0
    for bit, top in enumerate(tops):
        threshold = thresholds[chosen >> bit & 1]
        low = 0
        if top == threshold >> rest and rest:
            at = next(lows)
            low = int.from_bytes(reserve[at : at + width], "little") & (1 << rest) - 1
        expected |= ((top << rest | low) < threshold) << bit
    tape = Replay(plane_bytes(size, planes, tops, padding=padding) + reserve)
    assert (
        draw_bits(
            chosen, size, thresholds[1], if_other=thresholds[0], random=tape, word=word
        )
        == expected
    )


@given(bit_draws(), st.integers(0, (1 << WORD) - 1), st.integers(0, (1 << 40) - 1))
def test_bits_take_what_they_take(drawn, threshold, chosen):
    """How many bytes a vector draws depends on neither thresholds nor bits, within the
    reserve.
    """
    word, size, thresholds, *_, tops, reserve, padding = drawn
    planes = min(word, size.bit_length() + 3)
    tape = plane_bytes(size, planes, tops, padding=padding) + reserve
    used = []
    for bits, cut in (
        (drawn[3], thresholds[0]),
        (chosen & (1 << size) - 1, threshold & (1 << word) - 1),
    ):
        replay = Replay(tape)
        draw_bits(
            bits,
            min(size, RESERVE),
            cut,
            if_other=thresholds[1],
            random=replay,
            word=word,
        )
        used.append(replay.used)
    assert used[0] == used[1]


def test_reserve_is_drawn_again():
    """With more ties than the reserve has words for, another one is drawn, and still
    exactly.
    """
    size, threshold = 40, 0xABCDEF01_23456789
    planes = size.bit_length() + 3
    rest = WORD - planes
    width = (rest + 7) // 8
    low = threshold & (1 << rest) - 1
    words = [(low - (bit % 3 == 0)).to_bytes(width, "little") for bit in range(size)]
    tape = Replay(
        plane_bytes(size, planes, [threshold >> rest] * size, padding=0)
        + b"".join(words)
        + bytes(8 * width)
    )
    drawn = draw_bits(
        (1 << size) - 1, size, threshold, if_other=0, random=tape, word=WORD
    )
    assert drawn == sum((bit % 3 == 0) << bit for bit in range(size))
    assert tape.used == planes * 5 + 3 * RESERVE * width


@given(st.integers(1, 1 << 70), st.binary(min_size=200, max_size=200))
def test_integers_by_definition(bound, tape):
    """An integer is the remainder of the first whole word below the bound's largest
    multiple.
    """
    size = (bound.bit_length() + 7) // 8
    words = (
        int.from_bytes(tape[at : at + size], "little")
        for at in range(0, 200 - size, size)
    )
    limit = 256**size // bound * bound
    expected = next((word % bound for word in words if word < limit), None)
    if expected is not None:
        assert randbelow(bound, Replay(tape)) == expected


@given(
    st.integers(1, 1 << 70),
    st.lists(st.integers(0, (1 << 82) - 1), min_size=64, max_size=64),
)
def test_streams_of_integers_by_definition(bound, words):
    """A stream has the remainders of all words below the bound's largest multiple, and
    no others.

    Among them are that multiple itself and its neighbours, at either end of a block.
    """
    size = (bound.bit_length() + 11) // 8
    span = 256**size
    limit = span // bound * bound
    words[:3] = words[31:34] = limit, limit - 1, limit + 1
    words = [word % span for word in words]
    tape = Replay(b"".join(word.to_bytes(size, "little") for word in words))
    expected = [word % bound for word in words if word < limit]
    assert list(islice(draw_below(bound, tape), len(expected))) == expected
    assert tape.used == 64 * size


@pytest.mark.parametrize("bound", [3, 5, 100, 255, 257, 1000, 65_535, 3**30])
def test_integers_beside_the_limit(bound):
    """The largest multiple of the bound that fits is refused, and the word before it is
    not.
    """
    size = (bound.bit_length() + 7) // 8
    limit = 256**size // bound * bound
    tape = Replay(
        b"".join(word.to_bytes(size, "little") for word in (limit, limit - 1, limit, 0))
    )
    assert [randbelow(bound, tape), randbelow(bound, tape)] == [bound - 1, 0]
    assert tape.used == 4 * size


def test_every_order_comes_from_as_many_tapes():
    """Four things: the draws below 4, 3 and 2 lead to an order each, and take no byte
    besides.
    """
    tapes = [Replay(bytes(draws)) for draws in product(range(4), range(3), range(2))]
    assert sorted(tuple(shuffle("abcd", tape)) for tape in tapes) == sorted(
        permutations("abcd")
    )
    assert {tape.used for tape in tapes} == {3}


def test_bernoulli_over_every_tape():
    """A probability a / b is a / b, not the nearest float: that share of tapes is
    true.
    """
    for denominator in range(1, 60):
        for numerator in range(denominator + 1):

            def draw(random, numerator=numerator, denominator=denominator):
                return bernoulli(numerator, denominator, random)

            law = every_tape(draw, (8,))
            assert (
                law.get(True, 0) * (denominator - numerator)
                == law.get(False, 0) * numerator
            )


def test_replay_ends():
    """A tape that is too short is an error, and nothing of it is used."""
    tape = Replay(b"abc")
    assert tape(2) == b"ab"
    with pytest.raises(RandomnessError, match="3 bytes is at its end"):
        tape(2)
    assert tape.used == 2
    assert tape(1) == b"c"


def test_system_gives_what_is_asked():
    """Nothing, little and much."""
    assert [len(system(size)) for size in (0, 1, 1000)] == [0, 1, 1000]


@pytest.mark.parametrize("specimen", DESIGNED, ids=lambda specimen: specimen.name)
def test_no_report_from_a_tape_that_ends(specimen):
    """However early randomness fails, there is an error and no report."""
    tape = seeded.Random(3).randbytes(4096)
    replay = Replay(tape)
    # Not `specimen.values`: that writes the channel out, and a channel with seeds of
    # real size fills the memory.
    value = b"text" if specimen.randomizer.kind in ("bloom", "search") else 1
    if specimen.randomizer.kind == "codebook":
        value = specimen.randomizer.probes[0]
    specimen.randomizer.randomize(value, replay)
    for size in range(replay.used):
        with pytest.raises(RandomnessError):
            specimen.randomizer.randomize(value, Replay(tape[:size]))
