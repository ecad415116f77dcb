"""The privacy blanket bounds every data set: against enumeration, in exact
fractions.
"""

import random
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from data_sets import (
    delta_with_neither_hidden,
    exact_delta,
    exact_delta_of,
    worst_delta,
)
from specimens import SMALL

from ldp.mechanisms.blankets import (
    blanket_of,
    furthest,
    of_any,
    of_levels,
    of_rates,
    of_row,
    of_rows,
    round_outward,
    two_levels,
)
from ldp.mechanisms.numbers.one_bit import OneBitMean
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.channel import Channel, worst_ratio

RATES = (Fraction(11, 10), Fraction(3, 2), Fraction(5, 2))


def compact(channel):
    """The rows of a channel without outputs that never come."""
    columns = [column for column in zip(*channel.rows, strict=True) if max(column) > 0]
    return tuple(zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("randomizer", "most"),
    [
        (RandomizedResponse(2, 3, 1), 12),
        (RandomizedResponse(3, 3, 1), 5),
        (RandomizedResponse(4, 3, 1), 4),
        (RandomizedResponse(5, 3, 1), 3),
        (SubsetSelection(4, 2, 3, other=1), 3),
        (ProjectiveResponse(7, 2, 3, truth=3, other=1), 2),
        (UnaryEncoding(3, 4, 2, word=3), 3),
        (HadamardResponse(3, 1, 4, truth=5, other=2), 4),
        (HadamardResponse(4, 2, 8, truth=5, other=2), 3),
    ],
    ids=[
        "warner",
        "grr 3",
        "grr 4",
        "grr 5",
        "ss",
        "Fano",
        "oue",
        "hr",
        "hr, two blocks",
    ],
)
def test_two_levels_bound_every_data_set(randomizer, most):
    """Of up to so many respondents, at three epsilons; next to the truth, where there
    is one.
    """
    rows = compact(randomizer.channel())
    blanket = blanket_of(randomizer)
    for count in range(1, most + 1):
        for t in RATES:
            assert worst_delta(rows, count, t) <= exact_delta(blanket, count, t)
    assert exact_delta(blanket, 1, Fraction(3, 2)) == worst_delta(
        rows, 1, Fraction(3, 2)
    )


@pytest.mark.parametrize(
    ("size", "worst", "hidden"),
    [(4, Fraction(1171, 15552), 0.0749743), (5, Fraction(978, 16807), 0.0567621)],
)
def test_to_hide_those_that_are_neither_is_no_bound(size, worst, hidden):
    """The mutant falls short of the worst data set, which the blanket bounds."""
    rows = RandomizedResponse(size, 3, 1).channel().rows
    blanket = blanket_of(RandomizedResponse(size, 3, 1))
    mutant = delta_with_neither_hidden(size, Fraction(3), 5, t=Fraction(3, 2))
    assert (
        worst_delta(rows, 5, Fraction(3, 2))
        == worst
        <= exact_delta(blanket, 5, Fraction(3, 2))
    )
    assert mutant < worst
    assert float(mutant) == pytest.approx(hidden, abs=1e-7)


def random_rows(values, outputs, draw):
    """Rows of small integers, no entry 0."""
    weights = [[draw.randint(1, 6) for _ in range(outputs)] for _ in range(values)]
    return tuple(tuple(Fraction(entry, sum(row)) for entry in row) for row in weights)


def test_three_numbers_bound_any_channel():
    """E, gamma and the largest distance: 40 random channels, all data sets; and E
    alone.
    """
    draw = random.Random(20261124)
    tried = 0
    for _ in range(40):
        rows = random_rows(draw.choice((2, 3)), draw.choice((2, 3, 4)), draw)
        if len(set(rows)) == 1:
            continue
        count = draw.choice((2, 3))
        for t in (Fraction(11, 10), Fraction(3, 2)):
            worst = worst_delta(rows, count, t)
            ratio = worst_ratio(Channel(rows))
            assert worst <= exact_delta(of_rows(rows), count, t)
            assert worst <= exact_delta(of_any(ratio), count, t)
            tried += worst > 0
    assert tried > 40


COINS = (("1/4", "1/8"), ("1/10", "1/2"), ("1/3", "1/3"))
"""Of two coins each: how often they say yes, and no, whatever is true."""


@pytest.mark.parametrize("chosen", [(0, 1), (0, 0), (1, 2), (0, 1, 2)])
def test_rows_of_uneven_questions_are_bounded_whichever_answers_change(chosen):
    """Yes and no to one may go with no and yes to another: every row, and every data
    set.
    """
    parts = []
    for yes, no in (map(Fraction, COINS[place]) for place in chosen):
        parts.append(((1 - no, no), (yes, 1 - yes)))
    rows = tuple(
        tuple(prod(part, start=Fraction(1)) for part in product(*laws))
        for laws in product(*parts)
    )
    blanket = of_row(tuple(map(of_rows, parts)))
    assert blanket.only_first * blanket.gamma * (blanket.first - 1) == furthest(rows)
    for count in (1, 2, 3) if len(chosen) < 3 else (1, 2):
        for t in RATES:
            assert worst_delta(rows, count, t) <= exact_delta(blanket, count, t)


def test_rows_of_several_questions_are_bounded_as_one_message():
    """Of 2 x 3 values, laws multiplied."""
    one, other = RandomizedResponse(2, 2, 1), RandomizedResponse(3, 3, 1)
    rows = tuple(
        tuple(a * b for a in first for b in second)
        for first in one.channel().rows
        for second in other.channel().rows
    )
    blanket = of_row((blanket_of(one), blanket_of(other)))
    assert blanket.first == 6
    assert blanket.gamma == blanket_of(one).gamma * blanket_of(other).gamma
    assert worst_delta(rows, 3, Fraction(3, 2)) <= exact_delta(
        blanket, 3, Fraction(3, 2)
    )
    assert blanket.only_first * blanket.gamma * 5 == furthest(rows)


@pytest.mark.parametrize("specimen", SMALL, ids=lambda specimen: specimen.name)
def test_the_table_is_that_of_the_channel_or_bounds_it(specimen):
    """E and the distance no less, gamma no more: what a channel that is written out
    has.
    """
    randomizer = specimen.randomizer
    rows = compact(randomizer.channel())
    blanket = blanket_of(randomizer)
    gamma = sum(map(min, zip(*rows, strict=True)))
    # Of the part of the rows that counts as blanket, no entry rises above E times.
    assert blanket.first >= worst_ratio(Channel(rows))
    assert blanket.covers <= gamma
    if blanket.covers == blanket.gamma:
        assert blanket.gamma * blanket.only_first * (blanket.first - 1) >= furthest(
            rows
        )


@pytest.mark.parametrize("specimen", SMALL, ids=lambda specimen: specimen.name)
def test_the_table_bounds_every_data_set_of_two(specimen):
    """Of the mechanisms that have few enough values and outputs to try them all."""
    rows = compact(specimen.randomizer.channel())
    if len(rows) > 4 or len(rows[0]) > 20:
        rows = tuple(row[:20] for row in rows[:4])
        rows = tuple((*row, 1 - sum(row)) for row in rows)
    blanket = blanket_of(specimen.randomizer)
    # Outputs that are taken for one, and values that nobody has, can only hide more.
    assert worst_delta(rows, 2, Fraction(5, 4)) <= exact_delta(
        blanket, 2, Fraction(5, 4)
    )


def test_equal_integers_of_two_classes_are_two_mechanisms():
    """Named tuples compare by their integers alone, and what is kept must not be taken
    for it.
    """
    assert OneBitMean(3, 3, 1) == RandomizedResponse(3, 3, 1)
    assert blanket_of(RandomizedResponse(3, 3, 1)) != blanket_of(OneBitMean(3, 3, 1))


def test_more_covers_and_less_support_of_both_never_hurt():
    """The two facts that blocks and parts rest on: delta_m falls with m, and gains fall
    with U.
    """
    for blanket in (
        two_levels(Fraction(3), Fraction(1, 4), Fraction(1, 4)),
        two_levels(Fraction(7), Fraction(1, 5), Fraction(1, 20)),
    ):
        for t in RATES:
            deltas = [exact_delta_of(blanket, draws, t) for draws in range(1, 9)]
            assert deltas == sorted(deltas, reverse=True)
            assert blanket.first - t * blanket.second <= 1 - t


def test_rounding_only_ever_adds():
    """Shorter numbers: E no less, gamma no more, and a delta no smaller."""
    blanket = two_levels(
        Fraction(10**50 + 1, 3 * 10**49), Fraction(1, 7), Fraction(10**45 + 3, 10**46)
    )
    shorter = round_outward(blanket)
    assert shorter.gamma <= blanket.gamma
    assert shorter.first >= blanket.first
    assert exact_delta(shorter, 4, Fraction(3, 2)) >= exact_delta(
        blanket, 4, Fraction(3, 2)
    )


def test_what_is_no_blanket_is_refused():
    """Outputs that some answer never gives, and numbers that no mechanism has."""
    with pytest.raises(ValueError, match="every report to every value"):
        of_rows(((Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))))
    with pytest.raises(ValueError, match="expected a ratio above 1"):
        of_levels(Fraction(1), Fraction(1, 2), Fraction(1, 4))
    with pytest.raises(ValueError, match="expected a distance"):
        of_levels(Fraction(3), Fraction(1, 2), Fraction(3, 4))
    with pytest.raises(ValueError, match="expected 0 < other rate"):
        of_rates(Fraction(1, 3), Fraction(1, 2))
