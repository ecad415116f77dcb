"""Heavy hitters: what a search looks for, what it finds, and what is said about it.

Populations are of made-up words, by a Zipf law. A text is promised to be found 99 times
in 100: of 20 searches for one held by exactly the frequency stated, 6 misses or more
have a probability below 1e-6, and a search that misses half of the time is seen. Shares
of intervals that hold the truth are compared at 6 standard errors.
"""

import json
import re
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from calling import run
from places import EXAMPLES
from specimens import question
from written_out import declared_law, supported

from ldp import EstimateError, SurveyError, parse_survey
from ldp.mechanisms.texts.heavy_hitters import (
    CELLS,
    MOST_CELLS,
    UNICODE,
    HeavyHitters,
    response_to_cells,
    stage_lengths,
)
from ldp.mechanisms.values.projective import ProjectiveResponse, least_error_response
from ldp.numbers.exact import odds
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.intervals.intervals import score_interval
from ldp_aggregator.decoders.search.continuations import (
    continuations,
    partial_character,
)
from ldp_aggregator.decoders.search.found import _squares, found_moments
from ldp_aggregator.decoders.search.prefix_extension import (
    _confirm,
    confirming_line,
    rates,
    search,
)
from ldp_aggregator.decoders.search.reach import expected_reach
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.searches import search_counts

EXAMPLE = EXAMPLES / "searches.toml"


@cache
def characters():
    """Every character that a text may have."""
    return [
        chr(code).encode()
        for code in range(0x20, 0x110000)
        if code != 0x7F and not 0xD800 <= code < 0xE000
    ]


BEGUN = (
    b"\xc3",
    b"\xe0",
    b"\xe2",
    b"\xe2\x82",
    b"\xed",
    b"\xf0",
    b"\xf0\x9f",
    b"\xf4",
    b"\xf4\x8f\x80",
)

ALPHABET = "abcdefgh"
LETTERS = (
    f'type = "text"\nepsilon = 2\nalphabet = "{ALPHABET}"\nlongest = 12\ncells = 16000'
)
RESPONDENTS, SEARCHES = 200_000, 20

SMALL = HeavyHitters(ProjectiveResponse(40, 3, 4, truth=5, other=2), (2, 4, 5), 2)
"""Forty cells, so that texts often meet."""


def made_up_words(generator, number):
    """Distinct words of 1 to 12 letters."""
    words = (
        "".join(generator.choice(list(ALPHABET), generator.integers(1, 13)))
        for _ in range(2 * number)
    )
    return tuple(dict.fromkeys(words))[:number]


def searched(keys, words, weights, respondents, seed):
    """(question, how many hold each word, estimates) of a survey drawn from its law."""
    asked = question("heavy-hitters", f"{keys}\nhash_seed = {seed}")
    holders = apportion(respondents, np.asarray(weights, dtype=float))
    counts = search_counts(
        asked.randomizer, Holders(tuple(words), holders), np.random.default_rng(seed)
    )
    return asked, holders, estimate_question(asked, counts, Options())


def test_continuations_of_nothing_begin_texts():
    """Of two bytes: the beginnings of long characters, and a short one with that of
    another.

    No more than reckoned.
    """
    first = {character[:1] for character in characters()}
    short = {character for character in characters() if len(character) == 1}
    ending, going_on = continuations(b"", 2, "")
    assert set(ending) == {b"", *short}
    assert set(going_on) == {
        character[:2] for character in characters() if len(character) > 1
    } | {a + b for a in short for b in first}
    assert len(set(going_on)) == len(going_on) <= UNICODE**2


@pytest.mark.parametrize("begun", BEGUN)
def test_continuations_of_part_of_a_character(begun):
    """It goes on as characters do that begin so, and does not end."""
    ending, going_on = continuations(begun, 1, "")
    assert ending == ()
    assert {begun + text for text in going_on} == {
        character[: len(begun) + 1]
        for character in characters()
        if character.startswith(begun)
    }


def test_continuations_of_an_alphabet():
    """They are its words."""
    ending, going_on = continuations(b"", 2, "ab")
    assert set(ending) == {b"", b"a", b"b"}
    assert set(going_on) == {b"aa", b"ab", b"ba", b"bb"}


def test_texts_without_a_character_in_common_are_unfinished_nowhere():
    """A whole text never counts as broken off; each beginning of its last character
    does.
    """
    for character in ("a", "é", "€", "\N{HAMMER AND WRENCH}"):
        encoded = f"x{character}".encode()
        assert partial_character(encoded) == b""
        assert all(
            partial_character(encoded[:end]) == encoded[1:end]
            for end in range(2, len(encoded))
        )


def test_estimates_are_unbiased_over_cells():
    """A text is estimated as 1 where its holders report, as 0 on average in others'
    cells.
    """
    oracle, cohort = SMALL.oracle, SMALL.stages
    counts = empty_counts(SMALL.layout)
    counts[cohort] = [
        round(10**12 * mass)
        for mass in oracle.channel().rows[SMALL.cell(b"held", cohort)]
    ]
    in_each = {
        SMALL.cell(text.encode(), cohort): text for text in map(str, range(1000))
    }
    moments = found_moments(SMALL, counts, ["held", *in_each.values()])
    assert len(in_each) == oracle.size
    assert moments.frequency[0] == pytest.approx(1, abs=1e-9)
    assert moments.frequency[1:].mean() == pytest.approx(0, abs=1e-9)


def test_intervals_hold_the_truth_where_texts_meet():
    """With 40 cells most error comes of texts that meet, and intervals over hash seeds
    cover.
    """
    words = made_up_words(np.random.default_rng(1), 30)
    generator = np.random.default_rng(2)
    holders = apportion(20_000, 1 / np.arange(1, 31))
    covered = []
    for seed in range(400):
        randomizer = SMALL._replace(hash_seed=seed)
        moments = found_moments(
            randomizer,
            search_counts(randomizer, Holders(words, holders), generator),
            words,
        )
        low, high = score_interval(moments, 0.05, "respondents")
        covered.append(
            (
                (low <= holders / holders.sum()) & (holders / holders.sum() <= high)
            ).mean()
        )
    assert 0.93 < np.mean(covered) < 0.97


def test_tallies_are_drawn_from_the_law_of_reports():
    """Each cell's mean count over 400 tallies is that of a device's channel (6 standard
    errors).
    """
    words, counts = ("ab", "abc", "abcdef"), np.array([300, 200, 100])
    expected = np.zeros((SMALL.cohorts, SMALL.layout.symbols))
    for word, holders in zip(words, counts.tolist(), strict=True):
        for report, mass in declared_law(SMALL, word.encode()).items():
            expected[report & 0xFFFF, report >> 16] += holders * mass
    generator = np.random.default_rng(6)
    tallies = [
        search_counts(SMALL, Holders(words, counts), generator) for _ in range(400)
    ]
    assert (
        np.abs(np.mean(tallies, axis=0) - expected)
        < 6 * np.sqrt(expected / len(tallies))
    ).all()


def test_moments_of_found_texts():
    """Written out, report by report and cell by cell: noise, draw, and texts that
    meet.
    """
    generator = np.random.default_rng(8)
    counts = generator.integers(1, 30, (SMALL.cohorts, SMALL.layout.symbols))
    counts[SMALL.stages] *= 3
    texts = ("ab", "abc", "abcdef", "zz")
    for cohort, (place, text) in product(
        range(SMALL.stages, SMALL.cohorts), enumerate(texts[:3])
    ):
        cell = SMALL.cell(text.encode(), cohort)
        often = 40 * (place + 1)
        counts[cohort] += [
            often * (cell in supported(SMALL.oracle, symbol))
            for symbol in range(SMALL.oracle.size)
        ]
    moments = found_moments(SMALL, counts, texts)
    reports, apart = counts.sum(), counts[SMALL.stages :].sum()
    p, within = (float(rate) for rate in SMALL.oracle.support)
    cells, held_out = SMALL.oracle.size, SMALL.held_out
    q = p / cells + (1 - 1 / cells) * within
    votes = np.array(
        [
            [cell in supported(SMALL.oracle, symbol) for cell in range(cells)]
            for symbol in range(cells)
        ]
    )
    supports, squares = np.zeros(len(texts)), 0.0
    for cohort in range(SMALL.stages, SMALL.cohorts):
        by_cell, size = counts[cohort] @ votes, counts[cohort].sum()
        supports += [by_cell[SMALL.cell(text.encode(), cohort)] for text in texts]
        noise = cells * q * (1 - q) / ((p - q) ** 2 * size)
        squares += (
            max(0, (((by_cell / size - q) / (p - q)) ** 2).sum() - noise) * size / apart
        )
    frequency = (supports / apart - q) / (p - q)
    shares, thinned = np.clip(frequency, 0, 1), reports / apart
    assert moments.reports == reports
    assert np.allclose(moments.frequency, frequency)
    if_held, if_not = p * (1 - p) / (p - q) ** 2, q * (1 - q) / (p - q) ** 2
    assert np.allclose(moments.variance_if_not, thinned * if_not)
    assert np.allclose(
        moments.variance_if_held, thinned * if_held + (thinned - 1) * (1 - shares)
    )
    assert squares > 0
    assert np.allclose(
        moments.collisions.variance,
        np.maximum(squares - shares**2, 0) / (cells - 1) / held_out,
    )
    meet = 1 / cells
    for place, (rate, mean) in enumerate(((p, 1), (q, 0))):
        away, law = np.array([1 - q, -q]) / (p - q) - mean, np.array([rate, 1 - rate])
        assert np.allclose(moments.jumps.third[place], thinned**2 * (law @ away**3))
        assert np.allclose(
            moments.jumps.fourth[place],
            thinned**3 * (law @ away**4 - 3 * (law @ away**2) ** 2),
        )
    for place in range(len(texts)):
        jumps = np.delete(shares, place) / ((1 - meet) * held_out)
        third = meet * (1 - meet) * (1 - 2 * meet)
        fourth = meet * (1 - meet) * (1 - 6 * meet * (1 - meet))
        assert moments.collisions.third[place] == pytest.approx(
            held_out * third * (jumps**3).sum(), rel=1e-9
        )
        assert moments.collisions.fourth[place] == pytest.approx(
            held_out * fourth * (jumps**4).sum(), rel=1e-9
        )
    assert shares.max() > 0.1
    with pytest.raises(EstimateError, match="covariance"):
        moments.covariance()


def test_squares_of_frequencies_are_never_below_zero():
    """Where cells have no more reports than noise would give them, there is nothing to
    square.
    """
    randomizer = question("heavy-hitters", LETTERS).randomizer
    _, q = rates(randomizer)
    even = np.full(randomizer.oracle.size, 1000 * q)
    assert _squares(even, 1000, randomizer) == 0
    assert _squares(2 * even, 1000, randomizer) > 0


def test_cohorts_held_out_that_are_empty_or_even():
    """They have no squares where there are no reports, or fewer than noise has."""
    counts = np.zeros((SMALL.cohorts, SMALL.layout.symbols), dtype=int)
    counts[-1] = 1
    assert found_moments(SMALL, counts, ("ab",)).collisions.variance.tolist() == [0]
    counts[-2] = 1
    assert found_moments(SMALL, counts, ("ab",)).collisions.variance.tolist() == [0]
    counts[-2] = 0
    counts[-1, 0] = 50
    moments = found_moments(SMALL, counts, ("ab",))
    assert moments.reports == 89
    assert moments.collisions.variance[0] > 0


def test_no_one_held_out_yet():
    """Then there is nothing to be told of the texts, and the note says so.

    Later it says who found them.
    """
    asked = question("heavy-hitters", f"{LETTERS}\nhash_seed = 3")
    counts = empty_counts(asked.layout)
    counts[0, 0] = 10
    estimates = estimate_question(asked, counts, Options())
    assert (estimates.values, estimates.reports) == ((), 10)
    assert estimates.note == "no reports yet from respondents who are held out"
    words = made_up_words(np.random.default_rng(5), 20)
    asked, _, estimates = searched(
        LETTERS, words, 1 / np.arange(1, 21), respondents=RESPONDENTS, seed=3
    )
    assert estimates.frequency.tolist() == sorted(
        estimates.frequency.tolist(), reverse=True
    )
    searching, apart = (
        int(part)
        for part in re.findall(
            r"([\d,]+) (?:respondents|others)", estimates.note.replace(",", "")
        )
    )
    assert searching + apart == RESPONDENTS
    assert searching / apart == pytest.approx(
        asked.randomizer.stages / asked.randomizer.held_out, rel=0.05
    )


def test_what_is_anothers_confirms_no_text():
    """Cells of a text found before count for no other, nor does the stage that
    remembered it.

    By hand, in units of the line: what is left has to reach it as it would alone.
    """
    texts = {
        b"frequent": ((0, 0, 0, 0), 0),
        # Its own cells are where it was remembered and before that; later ones are the
        # first's.
        b"met": ((1, 1, 0, 0), 1),
        # One cell is the first's, and two of .9, or of .6, are left: 1.8 and 1.2 of
        # 1.41.
        b"partly": ((2, 0, 2, 2), 0),
        b"hardly": ((3, 0, 3, 3), 0),
        # The number of a taken cell, in a stage where it is not taken.
        b"late": ((4, 4, 4, 1), 2),
    }
    remembered = [
        [text for text, (_, ends) in texts.items() if ends == stage]
        for stage in range(3)
    ]
    line = confirming_line(len(texts))
    by_stage = [
        line * np.array([3, 3, level, other, 3])
        for level, other in ((3, 3), (3, 3), (0.9, 0.6), (0.9, 0.6))
    ]
    hashed = SimpleNamespace(stages=4, cell=lambda text, stage: texts[text][0][stage])
    assert set(_confirm(hashed, by_stage, remembered)) == {
        b"frequent",
        b"partly",
        b"late",
    }


def test_those_held_out_take_no_part_in_the_search():
    """What is found does not depend on them, and how frequent it is depends on no one
    else.
    """
    asked = question("heavy-hitters", LETTERS)
    randomizer, words = asked.randomizer, made_up_words(np.random.default_rng(3), 50)
    tallies = [
        search_counts(
            randomizer,
            Holders(words, apportion(100_000, weights)),
            np.random.default_rng(4),
        )
        for weights in (1 / np.arange(1, 51), np.arange(1, 51) ** 2.0)
    ]
    mixed = np.concatenate(
        [tallies[0][: randomizer.stages], tallies[1][randomizer.stages :]]
    )
    assert (
        search(randomizer, mixed)
        == search(randomizer, tallies[0])
        != search(randomizer, tallies[1])
    )
    estimates = [
        found_moments(randomizer, counts, words).frequency
        for counts in (mixed, *tallies)
    ]
    assert np.array_equal(estimates[0], estimates[2])
    assert not np.array_equal(estimates[0], estimates[1])


def test_what_is_promised_is_found_and_covered():
    """Every word above the announced frequency is found 19 times in 20, and its
    interval covers.
    """
    words = made_up_words(np.random.default_rng(5), 100)
    missed, covered, wrong = 0, [], 0
    for seed in range(SEARCHES):
        asked, holders, estimates = searched(
            LETTERS, words, 1 / np.arange(1, 101), respondents=RESPONDENTS, seed=seed
        )
        truth = dict(zip(words, (holders / holders.sum()).tolist(), strict=True))
        reach = expected_reach(asked.randomizer, RESPONDENTS)
        promised = {
            word
            for word in words
            if any(
                len(word) <= step.longest and truth[word] > step.frequency
                for step in reach
            )
        }
        assert len(promised) > 5
        missed += len(promised - set(estimates.values))
        wrong += len(set(estimates.values) - set(words))
        covered += [
            value.low <= truth.get(value.value, 0) <= value.high for value in estimates
        ]
    assert missed <= 0.05 * SEARCHES
    assert wrong <= 8
    assert abs(np.mean(covered) - 0.95) < 6 * np.sqrt(0.95 * 0.05 / len(covered))


@pytest.mark.parametrize("word", ["a", "abcdefghabcd"])
def test_a_word_of_exactly_the_frequency_stated(word):
    """It is found 99 times in 100, whatever its length."""
    reach = expected_reach(question("heavy-hitters", LETTERS).randomizer, RESPONDENTS)
    frequency = next(step.frequency for step in reach if len(word) <= step.longest)
    weights = [frequency, 1 - frequency]
    searches = [
        searched(
            LETTERS,
            (word, "hgfedcbahgfedcba"),
            weights,
            respondents=RESPONDENTS,
            seed=seed,
        )[2]
        for seed in range(SEARCHES)
    ]
    assert sum(word in estimates.values for estimates in searches) >= SEARCHES - 5


def test_more_respondents_find_more():
    """The frequency stated falls with their number; it is None where a text may be
    missed.

    That is so even of a text that all hold.
    """
    randomizer = question("heavy-hitters", LETTERS).randomizer
    stated = [
        [step.frequency for step in expected_reach(randomizer, 10**power)]
        for power in range(5, 13)
    ]
    assert all(
        few > many
        for row, more in pairwise(stated)
        for few, many in zip(row, more, strict=True)
    )
    assert all(row == sorted(row) for row in stated)
    assert {step.frequency for step in expected_reach(randomizer, 20)} == {None}


def test_texts_too_long_are_no_error_and_never_found():
    """A device reports them like any other; what begins as they do is not taken for
    them.
    """
    _, _, estimates = searched(
        LETTERS,
        ("abcdefghabcdefgh", "abcdefghabcd"),
        (9, 1),
        respondents=RESPONDENTS,
        seed=1,
    )
    assert estimates.values == ("abcdefghabcd",)
    assert abs(estimates.frequency[0] - 0.1) < 6 * estimates.standard_error[0]
    assert "longer texts" in estimates.note


@pytest.mark.parametrize("text", ["Grüße", "日本語", "naïve \N{HAMMER AND WRENCH}"])
def test_any_characters_are_found(text):
    """Without an alphabet, characters of several bytes break off and are put together
    again.
    """
    estimates = searched(
        'type = "text"\nepsilon = 3\nlongest = 20\ncells = 16000',
        (text, "other"),
        (1, 1),
        respondents=RESPONDENTS,
        seed=2,
    )[2]
    assert set(estimates.values) == {text, "other"}


def test_identifiers_are_found():
    """Those of 64 bits, written as 16 hexadecimal digits."""
    keys = 'type = "text"\nepsilon = 2\nlongest = 16\nalphabet = "0123456789abcdef"'
    frequent = ("00c0ffee00c0ffee", "ffffffffffffffff", "0000000000000000")
    rare = tuple(
        f"{number:016x}" for number in range(10**15, 10**15 + 1000 * 10**9, 10**9)
    )
    estimates = searched(
        keys,
        (*frequent, *rare),
        (100, 100, 100, *[1] * 1000),
        respondents=10**6,
        seed=3,
    )[2]
    assert set(estimates.values) == set(frequent)


def test_nothing_without_reports():
    """Of no reports, or of none from those held out, there is nothing to say, and it is
    said.
    """
    asked = question("heavy-hitters", LETTERS)
    counts = empty_counts(asked.layout)
    counts[0, 0] = 5
    estimates = estimate_question(asked, counts, Options())
    assert len(estimates) == 0
    assert "held out" in estimates.note


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ('alphabet = "aba"', "alphabet"),
        ('alphabet = "a"', "alphabet"),
        ('alphabet = "äö"', "alphabet"),
        ('alphabet = "a\\n"', "alphabet"),
        ("longest = 0", "longest"),
        ("cells = 1", "cells"),
        ("held_out = 0", "held_out"),
        ("stages = 3", "stages"),
    ],
)
def test_wrong_keys(keys, place):
    """They are named."""
    with pytest.raises(SurveyError, match=place):
        question("heavy-hitters", f'type = "text"\nepsilon = 1\n{keys}')


def test_the_alphabet_is_nothing_that_reports_depend_on():
    """Reports of surveys whose alphabets have as many letters are one.

    A fingerprint tells other stages apart.
    """
    prints = [
        question(
            "heavy-hitters", f'type = "text"\nepsilon = 1\nalphabet = "{alphabet}"'
        ).fingerprint
        for alphabet in ("abc", "xyz", "abcdefghijklm")
    ]
    assert prints[0] == prints[1] != prints[2]


def test_the_plan_says_what_will_be_found():
    """In the search's own numbers, and, the other way round, in just enough
    respondents.
    """
    asked = parse_survey(EXAMPLE.read_bytes())["word"]
    question = json.loads(
        run("plan", EXAMPLE, "--respondents", "1e6", "--format", "json").output
    )["plans"][0]
    assert question["finds"] == [
        step._asdict() for step in expected_reach(asked.randomizer, 10**6)
    ]
    shown = run("plan", EXAMPLE, "--respondents", "1e6").output
    assert all(f"{step['frequency']:.3%}" in shown for step in question["finds"])
    needed = json.loads(
        run("plan", EXAMPLE, "--detect", "0.02", "--format", "json").output
    )["plans"][0]["respondents"]
    enough, less = (
        expected_reach(asked.randomizer, number)[-1].frequency
        for number in (needed, needed - 1)
    )
    assert enough <= 0.02 < less


def test_the_explanation_says_who_takes_part_in_what():
    """Cohorts that search and cohorts that estimate, and texts that are never found."""
    shown = run("explain", EXAMPLE).output
    assert "6 cohorts find texts, 1 estimate them" in shown
    assert "never found" in shown
    assert "what is found       with 1,000,000 respondents" in shown


@pytest.mark.parametrize("way", ["law", "reports"])
def test_simulations_compare_what_each_run_found(way, tmp_path):
    """Runs find other texts, and those of the first are shown with their truth."""
    (tmp_path / "words.txt").write_text("apple\nfig\nquince\n")
    survey = (
        '[survey]\nname = "s"\n[[question]]\nname = "x"\n'
        'mechanism = "heavy-hitters"\ncandidates = "words.txt"\n'
    )
    (tmp_path / "s.toml").write_text(
        survey + 'type = "text"\nepsilon = 8\nlongest = 6\ncells = 50\nhash_seed = 2\n'
    )
    words = (
        "--respondents",
        "3000",
        "--distribution",
        "zipf:3",
        "--runs",
        "2",
        "--seed",
        "1",
        "--way",
        way,
    )
    record = json.loads(
        run("simulate", tmp_path / "s.toml", *words, "--format", "json").output
    )
    by_value = {value["value"]: value for value in record["questions"]["x"]["values"]}
    assert by_value["apple"]["truth"] == pytest.approx(0.8606, abs=1e-4)
    assert (
        abs(by_value["apple"]["frequency"] - by_value["apple"]["truth"])
        < 6 * by_value["apple"]["standard_error"]
    )


@pytest.mark.parametrize(
    "epsilon", ["0.0001", "0.7", "2", "5", "6.9", "7", "8", "10.5", "20", "40"]
)
@pytest.mark.parametrize("cells", [2, 100, 4095, 99_999, CELLS])
def test_cells_are_halved_until_their_best_space_is_small_enough(epsilon, cells):
    """Spaces are passed over only where all are too large: what is taken is as without
    them.
    """
    truth, other = odds(Fraction(epsilon))
    fewer = cells
    while (
        space := least_error_response(fewer, truth, other)
    ).layout.symbols > MOST_CELLS:
        fewer //= 2
    assert response_to_cells(truth, other, cells) == space._replace(
        size=space.layout.symbols
    )


def test_the_least_and_the_most_that_a_search_may_ask():
    """One stage or more is held out, and seeds have 32 bits."""
    asked = question(
        "heavy-hitters", f"{LETTERS}\nheld_out = 1\nhash_seed = {2**32 - 1}"
    ).randomizer
    assert (asked.held_out, asked.hash_seed) == (1, 2**32 - 1)
    for key in ("held_out = 0", "held_out = 257", f"hash_seed = {2**32}"):
        with pytest.raises(SurveyError, match=key.partition(" ")[0]):
            question("heavy-hitters", f"{LETTERS}\n{key}")


def test_the_first_stage_has_sixteen_prefixes_a_cell_at_most():
    """7 of 4 letters are 16,384, and 6 of 8 are 262,144: a little more than 16 times
    the cells.
    """
    assert stage_lengths(8, 4, 1000)[0] == 6
    assert stage_lengths(8, 8, 16_000)[0] == 5
