"""What batches are worth by enumeration, in exact fractions: every data set, every
batch.

The oracle of the tests of `ldp.privacy`: it knows nothing of blankets.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod


def batch_law(rows):
    """The law of a batch: how often it has each output, from the rows of its
    respondents.
    """
    law = {(0,) * len(rows[0]): Fraction(1)}
    for row in rows:
        law = one_more(law, row)
    return law


def one_more(law, row):
    """The law of a batch with one more report."""
    grown = Counter()
    for counts, mass in law.items():
        for output, chance in enumerate(row):
            if chance:
                more = (*counts[:output], counts[output] + 1, *counts[output + 1 :])
                grown[more] += mass * chance
    return grown


def divergence(one, other, t):
    """The delta at e^epsilon = t of two laws, the first against the second."""
    return sum(
        (max(mass - t * other[batch], Fraction(0)) for batch, mass in one.items())
    )


def worst_delta(rows, count, t):
    """The largest delta of all data sets of so many respondents, and of all pairs of
    answers.
    """
    worst = Fraction(0)
    for others in combinations_with_replacement(range(len(rows)), count - 1):
        around = (
            batch_law([rows[x] for x in others]) if others else {(0,) * len(rows[0]): 1}
        )
        laws = [one_more(around, row) for row in rows]
        for one, other in product(laws, laws):
            if one is not other:
                worst = max(worst, divergence(one, other, t))
    return worst


def exact_delta(blanket, count, t):
    """What the lemma gives for a blanket, term by term."""
    return max(
        sum(
            comb(count - 1, covers)
            * one_way.covers**covers
            * (1 - one_way.covers) ** (count - 1 - covers)
            * exact_delta_of(one_way, covers + 1, t)
            for covers in range(count)
        )
        for one_way in blanket.directions
    )


def exact_delta_of(blanket, draws, t):
    """delta_m, over all ways in which m draws can fall."""
    chances = blanket.only_first, blanket.only_second, blanket.both, blanket.neither
    first, second = blanket.first, blanket.second
    gains = first - t, 1 - t * second, first - t * second, 1 - t
    total = Fraction(0)
    for counts in product(range(draws + 1), repeat=3):
        if sum(counts) > draws:
            continue
        every = (*counts, draws - sum(counts))
        gain = sum(count * worth for count, worth in zip(every, gains, strict=True))
        if gain > 0:
            ways = factorial(draws) // prod(map(factorial, every))
            total += (
                ways * gain * prod(p**k for p, k in zip(chances, every, strict=True))
            )
    return blanket.gamma * total / draws


def delta_with_neither_hidden(size, ratio, count, t):
    """The mutant: all outputs of k-ary response but two as one, whose law is taken for
    the same.

    That is no bound: how many of a batch are neither tells something of the one who is
    not there.
    """
    whole = ratio + size - 1
    rest = (size - 2) / whole
    victim = ratio / whole, 1 / whole, rest
    swapped = 1 / whole, ratio / whole, rest
    others = [(1 / whole, 1 / whole, 1 - 2 / whole)] * (count - 1)
    return divergence(
        one_more(batch_law(others), victim), one_more(batch_law(others), swapped), t
    )
