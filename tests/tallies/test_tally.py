"""Merging tallies is adding everything in one place: a commutative monoid, bit for
bit.
"""

import re
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_samples import BATCHES, FOUR, SURVEY, TEXT, batch_of, file_of, taken

from ldp import EstimateError, MismatchError, WireError, parse_survey
from ldp_aggregator import Ingest, Tally, decode_tally, encode_tally

POOL = tuple(batch_of(name, size, "pool") for name in BATCHES for size in (1, 2, 5, 30))
JUNK = b"junk"


@st.composite
def apart(draw, least=1, most=4):
    """The batches of several parts, none of which is in two of them."""
    places = st.one_of(st.none(), st.integers(0, most - 1))
    part_of = draw(st.lists(places, min_size=len(POOL), max_size=len(POOL)))
    return [
        [batch for batch, place in zip(POOL, part_of, strict=True) if place == number]
        for number in range(draw(st.integers(least, most)))
    ]


def tally_of(batches, *, with_junk=True):
    return taken(file_of(*batches) + JUNK * with_junk)


@settings(max_examples=200)
@given(apart())
def test_merging_is_adding_in_one_place(parts):
    """Whatever the parts, their merge is the tally of all batches in one place, to the
    byte.
    """
    merged = reduce(Tally.merge, (tally_of(batches) for batches in parts))
    together = Tally.empty(SURVEY)
    for batches in parts:
        for batch in batches:
            question = next(
                question
                for question in SURVEY
                if question.fingerprint == batch.fingerprint
            )
            alone = taken(file_of(batch)).counts[question.name]
            together.counts[question.name] += alone
        together.identity = together.identity.plus([batch.id for batch in batches])
        together.intake.outcomes["accepted"] += len(batches)
        together.intake.outcomes["frame-damaged"] += 1
    assert merged == together
    assert encode_tally(merged) == encode_tally(together)


@given(st.lists(st.sampled_from(POOL), unique=True), st.integers(0, 16))
def test_merging_parts_of_one_file_is_that_file(batches, cut):
    """A file cut between two frames, taken in apart and merged, is the file taken in
    whole.
    """
    whole = tally_of(batches, with_junk=False)
    apart = tally_of(batches[:cut], with_junk=False).merge(
        tally_of(batches[cut:], with_junk=False)
    )
    assert apart == whole
    assert encode_tally(apart) == encode_tally(whole)


@given(apart(least=3, most=3))
def test_merge_is_a_commutative_monoid(parts):
    """Associative, commutative, with the empty tally as its unit.

    And neither side is changed by it.
    """
    one, two, three = (tally_of(batches) for batches in parts)
    before = [encode_tally(tally) for tally in (one, two, three)]
    unit = Tally.empty(SURVEY)
    for left, right in (
        (one.merge(two).merge(three), one.merge(two.merge(three))),
        (one.merge(two), two.merge(one)),
        (one.merge(unit), one),
        (unit.merge(one), one),
    ):
        assert left == right
        assert encode_tally(left) == encode_tally(right)
    assert [encode_tally(tally) for tally in (one, two, three)] == before


def test_merged_counts_are_their_own():
    """Adding to a merged tally leaves its parts as they were."""
    part = tally_of(POOL[:3])
    before = encode_tally(part)
    merged = part.merge(Tally.empty(SURVEY))
    for counts in merged.counts.values():
        counts += 1
    merged.intake.outcomes["accepted"] += 1
    assert encode_tally(part) == before


def test_sums_that_do_not_fit_are_refused():
    """Counts of 2^62 or more in all would run over: such tallies neither merge nor are
    read.
    """
    half = tally_of(POOL[:3])
    (name, counts), *_ = half.counts.items()
    counts.flat[0] = 1 << 61
    assert half.merge(Tally.empty(SURVEY)) == half
    with pytest.raises(
        EstimateError, match=f"question '{name}': expected counts below 2\\^62"
    ):
        half.merge(half, allow_equal=True)
    assert decode_tally(encode_tally(half), SURVEY) == half
    counts.flat[1] = 1 << 61
    with pytest.raises(WireError, match=r"below 2\^62 in all"):
        decode_tally(encode_tally(half), SURVEY)


def test_the_order_of_questions_does_not_matter():
    """Surveys with the same questions in another order have equal tallies that
    merge.
    """
    head, *questions = TEXT.split("\n[[question]]")
    turned = parse_survey("\n[[question]]".join([head, *reversed(questions)]))
    ingest = Ingest(turned)
    ingest.feed(file_of(*POOL))
    ingest.end_of_stream()
    assert ingest.tally == taken(file_of(*POOL))
    assert encode_tally(ingest.tally) == encode_tally(taken(file_of(*POOL)))
    other = taken(file_of(batch_of("wide", 3, "another")))
    assert encode_tally(ingest.tally + other) == encode_tally(other + ingest.tally)


CHANGES = {
    "epsilon": ('epsilon = "1"', 'epsilon = "1.0000000001"'),
    "mechanism": ('"grr"', '"oue"'),
    "order of values": (FOUR, '["bus", "car", "bike", "walk"]'),
    "a value": (FOUR, '["car", "bus", "bike", "tram"]'),
    "f": ('f = "0.5"', 'f = "0.25"'),
    "cohorts": ("cohorts = 3", "cohorts = 4"),
    "name": ('name = "bits"', 'name = "bytes"'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_match_is_not_merged(change):
    """Any change of a question's meaning refuses the merge, naming it and both
    fingerprints.
    """
    old, new = CHANGES[change]
    assert old in TEXT
    other = parse_survey(TEXT.replace(old, new, 1))
    for left, right in ((SURVEY, other), (other, SURVEY)):
        with pytest.raises(MismatchError) as refused:
            Tally.empty(left).merge(Tally.empty(right))
        ours, theirs = (
            {question.fingerprint.hex() for question in survey}
            for survey in (left, right)
        )
        assert set(re.findall("[0-9a-f]{32}", str(refused.value))) == ours ^ theirs
        assert Tally.empty(left) != Tally.empty(right)


def test_a_question_more_or_less_is_not_merged():
    """A tally of some of the questions does not merge with one of all of them."""
    fewer = parse_survey(TEXT[: TEXT.rindex("[[question]]")])
    with pytest.raises(MismatchError, match=r"'filter'.*no such question"):
        Tally.empty(SURVEY).merge(Tally.empty(fewer))
    with pytest.raises(MismatchError, match=r"'filter'.*no such question"):
        Tally.empty(fewer).merge(Tally.empty(SURVEY))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('epsilon = "1"', "epsilon = 1.0"),
        ("[[question]]\n", '[[question]]\ntext = "Why?"\n'),
    ],
)
def test_what_does_not_change_reports_does_not_hinder_merging(old, new):
    """The text that people read, and how an epsilon is written, are not part of the
    meaning.
    """
    other = parse_survey(TEXT.replace(old, new))
    merged = Tally.empty(other).merge(tally_of(POOL))
    assert encode_tally(merged) == encode_tally(tally_of(POOL))
