"""What a search is said to find, against the law of its scores; and the lines that they
pass.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
import scipy

from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp_aggregator.decoders.other_results import SearchReach
from ldp_aggregator.decoders.search import prefix_extension
from ldp_aggregator.decoders.search.continuations import continuations
from ldp_aggregator.decoders.search.prefix_extension import (
    FoundTexts,
    _extend,
    confirming_line,
    extending_line,
    rates,
    scores,
    search,
)
from ldp_aggregator.decoders.search.reach import (
    _most_candidates,
    expected_reach,
    in_words,
    never_found,
    reach_of,
)
from ldp_aggregator.tallies.counting.counting import empty_counts

ORACLE = ProjectiveResponse(40, 3, 4, truth=5, other=2)
FOUR = HeavyHitters(ORACLE, (2, 4, 5, 5), 2, alphabet="abc")
TWO = HeavyHitters(ORACLE, (3, 3), 1, alphabet="ab")


def lines_of(randomizer):
    """By stage: of three letters to the power of the bytes added, one in four, or 16 of
    all.
    """
    letters, steps = len(randomizer.alphabet), pairwise((0, *randomizer.lengths))
    chances = [
        min((1 / 4 if stage else 16) / letters ** (end - begin), 0.5)
        for stage, (begin, end) in enumerate(steps)
    ]
    return [scipy.stats.norm.isf(chance) for chance in chances]


def chance_to_miss(randomizer, reports, line, stage, frequency):
    """Of a text that ends in a stage, by integrals over the normal law of each
    score.
    """
    from scipy.integrate import quad

    p, q = rates(randomizer)
    noise = q * (1 - q)
    spread = math.sqrt((frequency * p * (1 - p) + (1 - frequency) * noise) / noise)
    means = [frequency * (p - q) * math.sqrt(number / noise) for number in reports]
    whole = stage == randomizer.stages - 2
    passed = [*lines_of(randomizer)[: stage + whole], *([] if whole else [1.0])]
    lost = sum(
        scipy.stats.norm.cdf(one, mean, spread)
        for one, mean in zip(passed, means, strict=False)
    )
    later = means[stage + 1 :]
    if len(later) == 1:
        return lost + scipy.stats.norm.cdf(line, later[0], spread)
    below, spreads = [], []
    for mean in later:
        moments = [
            quad(
                lambda score, power=power, mean=mean: (
                    (line - score) ** power * scipy.stats.norm.pdf(score, mean, spread)
                ),
                mean - 12 * spread,
                line,
            )[0]
            for power in (1, 2)
        ]
        below.append(moments[0])
        spreads.append(moments[1] - moments[0] ** 2)
    room = line * (len(later) - math.sqrt(len(later)))
    return lost + scipy.stats.norm.sf((room - sum(below)) / math.sqrt(sum(spreads)))


@pytest.mark.parametrize("randomizer", [FOUR, TWO], ids=["four stages", "two stages"])
@pytest.mark.parametrize("remembered", [0, 40])
def test_frequencies_stated_are_missed_once_in_a_hundred(randomizer, remembered):
    """Neither more nor less often, with the reports that came to each stage."""
    counts = empty_counts(randomizer.layout)
    counts[: randomizer.stages, 0] = np.array([3_000, 2_500, 2_000, 4_000])[
        : randomizer.stages
    ]
    counts[randomizer.stages :, 0] = 10**6
    line = scipy.stats.norm.isf(0.02 / max(remembered, 1))
    reaches = reach_of(randomizer, counts, remembered)
    for stage, reach in enumerate(reaches):
        chance = chance_to_miss(
            randomizer,
            counts[: randomizer.stages, 0],
            line,
            stage=stage,
            frequency=reach.frequency,
        )
        assert chance == pytest.approx(0.01, rel=1e-6)
    lengths = [reach.longest for reach in reaches]
    assert lengths == ([1, 3, 5] if randomizer is FOUR else [3])


def test_what_respondents_will_let_be_found():
    """Each cohort falls short by three standard deviations; as much is remembered as
    may be.

    In the first stage of one prefix, later of 256: 1 + 3 texts of up to a byte, or 1.
    """
    remembered = math.ceil((4 + 4 * 256 + 1 * 256) * scipy.stats.norm.sf(1)) + 256
    even = 60_000 / 6
    counts = empty_counts(FOUR.layout)
    counts[:4, 0] = 1_000_000
    expected = expected_reach(FOUR, 60_000)
    for stage, reach in enumerate(expected):
        chance = chance_to_miss(
            FOUR,
            [even - 3 * math.sqrt(even)] * 4,
            scipy.stats.norm.isf(0.02 / remembered),
            stage=stage,
            frequency=reach.frequency,
        )
        assert chance == pytest.approx(0.01, rel=1e-6)
    assert {reach.frequency for reach in expected_reach(FOUR, 6)} == {None}
    assert expected_reach(FOUR, 0) == expected_reach(FOUR, 6)


@pytest.mark.parametrize("letters", range(1, 31))
def test_how_many_texts_chance_has_remembered(letters):
    """Of all that end in a stage, after one prefix or 256; and all prefixes of the
    last.
    """
    alphabet = "".join(chr(ord("a") + number) for number in range(letters))
    randomizer = FOUR._replace(lengths=(3, 5, 6, 6), alphabet=alphabet)
    ending = 1 + letters + letters**2 + 256 * (1 + letters) + 256
    assert (
        _most_candidates(randomizer) == math.ceil(ending * scipy.stats.norm.sf(1)) + 256
    )


def test_no_reports_let_nothing_be_found():
    """Not even of a text that all hold; a stage without reports is one with a single
    one.
    """
    counts = empty_counts(FOUR.layout)
    nothing = reach_of(FOUR, counts, 0)
    counts[:4, 0] = 1
    assert nothing == reach_of(FOUR, counts, 0)
    assert {reach.frequency for reach in nothing} == {None}


def test_a_stage_without_reports_is_one_with_one():
    """Also where a single report tells a lot."""
    sharp = TWO._replace(oracle=ProjectiveResponse(60, 37, 3, truth=10**9, other=1))
    counts = empty_counts(sharp.layout)
    frequencies = []
    for number in range(3):
        counts[:2, 0] = number
        ((_, frequency),) = reach_of(sharp, counts, 0)
        frequencies.append(frequency)
    assert frequencies[0] == frequencies[1] > frequencies[2] > 0
    # Two respondents in each cohort may leave it with a single report.
    counts[:2, 0] = 1
    assert expected_reach(sharp, 6) == reach_of(sharp, counts, _most_candidates(sharp))


def test_reach_in_words():
    """The first two and the last, each once."""
    four = [
        SearchReach(1, 0.01),
        SearchReach(3, 0.02),
        SearchReach(5, 0.0312),
        SearchReach(8, None),
    ]
    assert in_words(four) == (
        "1.00% for texts of up to 1 bytes, 2.00% for texts of up to 3 bytes, more than "
        "there are for texts of up to 8 bytes"
    )
    assert in_words(four[:2]).count("for texts") == 2
    assert in_words(four[:1]) == "1.00% for texts of up to 1 bytes"
    assert "characters" in never_found(FOUR)
    assert never_found(FOUR._replace(alphabet="")) == "longer texts are"


def test_lines():
    """By how many prefixes or texts chance would pass."""
    for randomizer in (FOUR, TWO, FOUR._replace(lengths=(4, 5, 9))):
        lines = [
            extending_line(randomizer, stage) for stage in range(randomizer.stages)
        ]
        assert lines == pytest.approx(lines_of(randomizer), abs=1e-12)
    assert [confirming_line(texts) for texts in (0, 1, 2, 500)] == pytest.approx(
        [
            scipy.stats.norm.isf(0.02),
            scipy.stats.norm.isf(0.02),
            scipy.stats.norm.isf(0.01),
            scipy.stats.norm.isf(0.02 / 500),
        ]
    )


def test_scores():
    """Support less what chance gives it, in standard errors of a cell that no one is
    in.
    """
    counts = empty_counts(FOUR.layout)
    counts[1] = [round(52_000 * mass) for mass in ORACLE.channel().rows[7]]
    p, q = (float(rate) for rate in ORACLE.support)
    q += (p - q) / 40
    reports = counts[1].sum()
    of_cells = scores(FOUR, counts, 1)
    assert of_cells[7] == pytest.approx(
        (p - q) * math.sqrt(reports / (q * (1 - q))), rel=1e-3
    )
    assert scores(FOUR, counts, 0).tolist() == [0.0] * 40
    counts[0, 5] = 1
    surplus = np.array(ORACLE._replace(size=40).channel().rows, dtype=float)[:, 5]
    supported = surplus == surplus.max()
    expected = (supported - q) / math.sqrt(q * (1 - q))
    np.testing.assert_allclose(scores(FOUR, counts, 0), expected, rtol=1e-12)


@pytest.fixture
def search_of(monkeypatch):
    """Searches scores that are given by stage and text, in cells of their own; others
    are -9.
    """

    def searched(randomizer, by_stage):
        texts = {text for stage in by_stage for text in stage}
        places = {text: place for place, text in enumerate(sorted(texts))}
        arrays = [np.full(len(places) + 1, -9.0) for _ in by_stage]
        for array, stage in zip(arrays, by_stage, strict=True):
            for text, score in stage.items():
                array[places[text]] = score
        monkeypatch.setattr(
            HeavyHitters,
            "cell",
            lambda self, text, cohort: places.get(
                text[: self.lengths[cohort]], len(places)
            ),
        )
        monkeypatch.setattr(
            prefix_extension, "scores", lambda *asked: arrays[asked[-1]]
        )
        return search(randomizer, empty_counts(randomizer.layout))

    return searched


def test_a_text_is_remembered_above_one(search_of):
    """A score of exactly 1 is not."""
    stages = [
        {b"a": 1.0, b"b": 1.0001},
        {b"a": 9.0, b"b": 9.0},
        {b"b": 9.0, b"a": 9.0},
        {},
    ]
    result = search_of(FOUR, [*stages[:3], {b"a": 9.0, b"b": 9.0}])
    assert result == FoundTexts(("b",), 1)


def test_a_text_is_confirmed_by_the_stages_after_its_own(search_of):
    """Scores before that in which it ends are those of its prefixes, and say nothing of
    it.
    """
    whole = {b"ab": 9.0}, {b"abca": 9.0}, {b"abcab": 9.0}
    line = confirming_line(1)
    assert search_of(FOUR, [*whole, {b"abcab": line + 0.01}]).texts == ("abcab",)
    assert search_of(FOUR, [*whole, {b"abcab": line - 0.01}]).texts == ()
    early = [{b"a": 1.5}, {b"a": line}, {b"a": line}]
    enough = line * (math.sqrt(3) - 2)
    assert search_of(FOUR, [*early, {b"a": enough + 0.01}]).texts == ("a",)
    assert search_of(FOUR, [*early, {b"a": enough - 0.01}]).texts == ()


def test_the_text_with_the_most_evidence_is_first(search_of):
    """A mean over as many stages as heard of it, in standard errors."""
    line = confirming_line(2)
    stages = [
        {b"a": 1.5, b"bc": 9.0},
        {b"a": line, b"bcb": 9.0},
        {b"a": 0.4 * line, b"bcb": line},
        {b"a": 0.4 * line, b"bcb": 0.9 * line},
    ]
    assert search_of(FOUR, stages) == FoundTexts(("bcb", "a"), 2)


def test_the_best_of_too_many_prefixes_go_on(monkeypatch):
    """Of 300 the 256 with the highest scores, whatever their order."""
    prefixes = [f"{number:03}".encode() for number in range(300)]
    monkeypatch.setattr(HeavyHitters, "cell", lambda *asked: int(asked[1][:3]))
    randomizer = FOUR._replace(lengths=(3, 4, 5, 5), alphabet="x")
    score = np.random.default_rng(1).permutation(300) + 5.0
    _, going_on = _extend(randomizer, prefixes, 1, score=score)
    best = np.argsort(-score)[:256]
    assert going_on == [prefixes[place] + b"x" for place in best]


def test_what_follows_the_first_byte_of_a_character():
    """Its second byte is bound by the first; bytes after that are any that go on."""
    assert continuations(b"\xf0\x90", 1, "").going_on == tuple(
        bytes([byte]) for byte in range(0x80, 0xC0)
    )
