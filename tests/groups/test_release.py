"""Which groups are shown: whoever has all that is shown learns nothing of few
people.
"""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest

from ldp.survey.attributes import Attribute, size_of
from ldp_aggregator.analyses.groups.crowds import everyone, members, tables_of
from ldp_aggregator.analyses.groups.release import release
from ldp_aggregator.analyses.groups.span import LEAST_TRIALS, LinearSpan, rests_on

LEAST = 100


def attributes_of(*sizes):
    """Attributes with so many values each, beside unknown."""
    return tuple(
        Attribute(
            f"attribute {place}", tuple(f"{place}-{value}" for value in range(size))
        )
        for place, size in enumerate(sizes)
    )


def population(sizes, reports, seed, evenness=0.5):
    """Reports by combination, as uneven as people are."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.full(size_of(attributes_of(*sizes)), evenness))
    return dict(enumerate(random.multinomial(reports, shares).tolist()))


def reduced(rows):
    """The row echelon form of rows, in exact fractions."""
    rows = [[Fraction(int(cell)) for cell in row] for row in rows]
    pivots = []
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows[len(pivots) :] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(len(pivots), [cell / pivot[column] for cell in pivot])
        for place, row in enumerate(rows):
            if place != len(pivots) and row[column]:
                weight = row[column]
                ahead = zip(row, rows[len(pivots)], strict=True)
                rows[place] = [cell - weight * of_pivot for cell, of_pivot in ahead]
        pivots.append(column)
    return rows[: len(pivots)]


def follows(basis, wanted):
    """Whether a sum is a combination of others, whose echelon form this is."""
    rest = [Fraction(int(cell)) for cell in wanted]
    for row in basis:
        pivot = next(place for place, cell in enumerate(row) if cell)
        weight = rest[pivot]
        rest = [cell - weight * of_row for cell, of_row in zip(rest, row, strict=True)]
    return not any(rest)


def small_crowds(attributes, reports):
    """Crowds of some, but too few, reports; all of them, whatever is shown."""
    for table in tables_of(attributes):
        inside = members(attributes, table, list(reports))
        sizes = inside @ np.array([*reports.values()])
        for place in np.flatnonzero((sizes > 0) & (sizes < LEAST)):
            yield table[place], inside[place]


def attack(attributes, sizes, shown):
    """The small crowds that linear algebra recovers from everything that is shown.

    The attacker knows which combinations no one has.
    """
    reports = {number: count for number, count in sizes.items() if count}
    basis = reduced(members(attributes, [*shown], [*reports]))
    return [
        crowd
        for crowd, sums in small_crowds(attributes, reports)
        if follows(basis, sums)
    ]


@pytest.mark.parametrize(
    ("sizes", "reports", "seed"),
    [
        ((2,), 900, 1),
        ((2, 3), 3_000, 2),
        ((2, 3), 900, 3),
        ((3, 4), 9_000, 4),
        ((1, 2, 2), 4_000, 5),
    ],
)
def test_no_small_group_can_be_recovered(sizes, reports, seed):
    """By any linear algebra on all that is shown; without complementary suppression
    many can.
    """
    attributes = attributes_of(*sizes)
    counts = population(sizes, reports, seed)
    released = release(attributes, counts, LEAST)
    assert min(released.shown.values()) >= LEAST
    assert not attack(attributes, counts, released.shown)


def test_the_attack_works():
    """Where groups are suppressed for their own size alone, it recovers some."""
    attributes, counts = attributes_of(2, 3), population((2, 3), 3_000, 2)
    reports = {number: count for number, count in counts.items() if count}
    careless = [everyone(attributes)]
    for table in tables_of(attributes):
        inside = members(attributes, table, [*reports]) @ np.array([*reports.values()])
        careless += [
            crowd for crowd, size in zip(table, inside, strict=True) if size >= LEAST
        ]
    assert attack(attributes, counts, careless)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_that_is_shown_rests_on_few_reports(seed):
    """Of small tables every figure on few reports is tried: none is in the span of what
    is shown.

    A figure on a set of combinations is in the span if rows that vanish on all others
    are.
    """
    sizes = [(2, 2), (3, 1), (1, 1, 1), (4,)][seed % 4]
    attributes, counts = attributes_of(*sizes), population(sizes, 1_200, seed)
    assert rests_on_enough(
        attributes, counts, release(attributes, counts, LEAST).shown, least=LEAST
    )


def rests_on_enough(attributes, counts, shown, *, least):
    """Whether no figure that follows from crowds rests on fewer reports than the
    least.
    """
    reports = {number: count for number, count in counts.items() if count}
    rows = members(attributes, [*shown], [*reports]).astype(np.float64)
    masses = np.array([*reports.values()])
    places = range(len(masses))
    for few in chain.from_iterable(
        combinations(places, number) for number in range(1, 8)
    ):
        if masses[[*few]].sum() < least:
            others = np.delete(rows, few, axis=1)
            # As many independent rows without these columns: nothing vanishes on the
            # others alone.
            if np.linalg.matrix_rank(others) < np.linalg.matrix_rank(rows):
                return False
    return True


ISOLATED = {4: 1, 5: 260, 7: 99, 8: 2000}
"""Reports of two attributes with two values each: by 100 both margins are shown, by 300
a cell.
"""


def test_two_releases_that_do_not_know_of_each_other_show_one_report():
    """Each is safe; the margins of one less a cell of the other are a group of one."""
    attributes = attributes_of(2, 2)
    shown = [release(attributes, ISOLATED, least).shown for least in (LEAST, 3 * LEAST)]
    assert not attack(attributes, ISOLATED, shown[0])
    assert not attack(attributes, ISOLATED, shown[1])
    assert ("0-0", "1-0") in attack(attributes, ISOLATED, shown[0] | shown[1])


@pytest.mark.parametrize("seed", range(40))
def test_releases_by_other_leasts_are_part_of_that_by_the_lowest(seed):
    """So that all of them together show no more; and each by itself is safe by its own
    least.
    """
    sizes = [(2, 2), (3, 1), (1, 1, 1), (4,)][seed % 4]
    attributes, counts = attributes_of(*sizes), population(sizes, 2_500, seed)
    counts = counts if seed else ISOLATED
    lowest = release(attributes, counts, LEAST).shown
    for least in (LEAST, 150, 3 * LEAST):
        shown = release(attributes, counts, least, within=(LEAST,)).shown
        assert shown.items() <= lowest.items()
        assert rests_on_enough(attributes, counts, shown, least=least)
        later = release(attributes, counts, 2 * least, within=(LEAST, least)).shown
        assert later.items() <= shown.items()


def test_what_is_shown_is_no_less_than_it_has_to_be():
    """All groups of one attribute are shown where they are large, and all where every
    cell is.
    """
    attributes = attributes_of(2, 3)
    even = dict.fromkeys(range(12), LEAST)
    assert len(release(attributes, even, LEAST).shown) == 1 + 3 + 4 + 12
    thin = dict.fromkeys(range(12), 40)
    shown = release(attributes, thin, LEAST).shown
    assert len(shown) == 1 + 3 + 4


def test_one_small_group_takes_another_with_it():
    """Of 3 groups, of which one is small, the total would give it away."""
    (platform,) = attributes = attributes_of(2)
    shown = release(attributes, {0: 30, 1: 500, 2: 700}, LEAST).shown
    assert shown == {("",): 1230, (platform.values[1],): 700}
    # Two that are small together have enough.
    together = release(attributes_of(3), {0: 60, 1: 70, 2: 500, 3: 800}, LEAST).shown
    assert together == {("",): 1430, ("0-1",): 500, ("0-2",): 800}


def test_a_crowd_of_too_few_has_no_groups():
    """And is known to have so many."""
    assert release(attributes_of(2), {0: 30, 1: 60}, LEAST).shown == {("",): 90}
    assert release(attributes_of(2), {}, LEAST).shown == {("",): 0}


def test_no_difference_of_two_releases_is_a_small_group():
    """A group that grew by few is not shown again until it has grown by more, or not at
    all.
    """
    attributes = attributes_of(2)
    before = {1: 500, 2: 700}
    assert ("0-0",) in release(attributes, before, LEAST).shown
    grown = {1: 520, 2: 1200}
    assert ("0-0",) in release(attributes, grown, LEAST).shown
    assert ("0-0",) not in release(attributes, grown, LEAST, earlier=[before]).shown
    assert ("0-1",) not in release(attributes, grown, LEAST, earlier=[before]).shown
    later = {1: 640, 2: 1200}
    assert ("0-0",) in release(attributes, later, LEAST, earlier=[before]).shown
    same = release(attributes, before, LEAST, earlier=[before])
    assert same.shown == release(attributes, before, LEAST).shown
    with pytest.raises(
        ValueError, match="expected no more reports at an earlier release"
    ):
        release(attributes, before, LEAST, earlier=[grown])


def test_what_is_shown_hangs_on_neither_order_nor_question():
    """It is decided for all tables at once, of the counts alone."""
    attributes, counts = attributes_of(3, 4), population((3, 4), 9_000, 4)
    turned = dict(reversed(counts.items()))
    assert release(attributes, counts, LEAST) == release(attributes, turned, LEAST)


@pytest.mark.parametrize("seed", range(8))
def test_leftovers_only_save_time(seed):
    """What is shown is what trying one crowd at a time would show, whatever is looked
    at first.
    """
    sizes = [(2, 3), (1, 2, 2)][seed % 2]
    attributes, counts = attributes_of(*sizes), population(sizes, 2_500, seed)
    numbers = [number for number, count in counts.items() if count]
    reports = np.array([counts[number] for number in numbers])
    span = LinearSpan(reports, LEAST)
    span.show(np.ones((1, len(numbers)), dtype=np.bool_))
    shown = {everyone(attributes)}
    for table in tables_of(attributes):
        inside = members(attributes, table, numbers)
        of_each = inside @ reports
        order = [
            place
            for place in np.argsort(-of_each, kind="stable")
            if of_each[place] >= LEAST
        ]
        shown |= {table[place] for place in order if span.show_safe(inside[[place]])}
    assert release(attributes, counts, LEAST).shown.keys() == shown


def test_tables_are_decided_to_the_end():
    """Crowds of 98 combinations take 130 bounds, and as many may be taken as time
    allows.
    """
    attributes, counts = attributes_of(2, 2, 2, 3), population((2, 2, 2, 3), 10_000, 1)
    assert sum(map(bool, counts.values())) == 98
    assert len(release(attributes, counts, LEAST).shown) == 86
    assert LinearSpan(np.ones(98), LEAST).trials > 10_000
    assert LinearSpan(np.ones(1_000), LEAST).trials == LEAST_TRIALS


def test_the_bound_is_one():
    """On random spans it is never above the truth, which is found by trying all sets of
    cells.
    """
    random = np.random.default_rng(7)
    for _ in range(60):
        sizes = random.integers(1, 60, 7).astype(np.float64)
        rows = (random.random((3, 7)) < 0.5).astype(np.float64)
        if np.linalg.matrix_rank(rows) < 3:
            continue
        basis = np.linalg.svd(rows, full_matrices=False)[2]
        bound = rests_on(basis, sizes, np.zeros(7, dtype=np.bool_))
        sets = chain.from_iterable(
            combinations(range(7), number) for number in range(1, 8)
        )
        truth = min(
            sizes[[*some]].sum()
            for some in sets
            if np.linalg.matrix_rank(np.delete(rows, some, axis=1)) < 3
        )
        assert 0 < bound <= truth + 1e-6
