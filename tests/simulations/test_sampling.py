"""The two ways to a tally, real reports and the exact law, have one distribution.

The law makes 300 tallies of 600 respondents, real reports make 150 of 300. The mean
count of every cell is compared with its exact expectation at 6 standard errors, and the
variances of the two ways with each other at a factor of 2.2 (a false alarm has
probability below 1e-6 over all cells). A rate that is off by 0.03 must be seen, which
the last tests show.
"""

import json
import random

import numpy as np
import pytest
from specimens import DESIGNS
from written_out import counts_of, reports_of, values_of

from ldp.answers.balls import UNIT
from ldp.answers.sets import members
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.chains.bloom import bloom_vector
from ldp.survey.survey_file import parse_survey
from ldp_aggregator.decoders.vectors.law import deviation, word_law
from ldp_aggregator.tallies.counting.codeword_counting import OFFSET
from ldp_aggregator.tallies.counting.counting import count_rows
from ldp_client import Client
from ldp_simulations.field_holders import FieldHolders
from ldp_simulations.holders import Holders, SetHolders
from ldp_simulations.key_holders import PairHolders
from ldp_simulations.sampling.table import sample_counts
from ldp_simulations.sampling.values import hashes as hash_sampling
from ldp_simulations.vector_holders import VectorHolders

TALLIES, REAL_TALLIES, HELD = 300, 150, np.array([300, 200, 0, 100])
HELD_SETS = (60, 100, 0, 40, 0, 200, 0, 50, 100, 0, 50)
"""Of none, one and two of four values."""
HELD_VECTORS = ((2, 0, 0), (0.5, -1, 0.25), (0, 0, 0), (-1, -1, 1))
"""Of full length, of none, and between."""

TWO, THREE, FOUR = (
    f'type = "category"\nvalues = {json.dumps(list(values))}\n'
    for values in ("ab", "abc", "abcd")
)
STEPS = 'type = "integer"\nlow = 0\nhigh = 3\n'
SETS = FOUR.replace("category", "multi") + "most = 2\n"
MAP = (
    'type = "place"\nx = { low = 0, high = 2 }\ny = { low = 0, high = 2 }\ncells = 2\n'
)
PAIRS = (
    'type = "key-value"\nkeys = ["a", "b"]\nmost = 2\nlow = 0\nhigh = 4\nepsilon = '
    '"1"\n'
)
YES_NO = '{ name = "a", type = "boolean" }, { name = "b", type = "boolean" }'
FILTER = f'{FOUR}p = "0.3"\nq = "0.8"\nf = "0.25"\n'

QUESTIONS = {
    "warner": f'{TWO}epsilon = "1"',
    "forced": f'{TWO}forced_true = "1/6"\nforced_false = "1/3"',
    "unrelated": f'{TWO}truth = "0.7"\nprevalence = "1/4"',
    "matrix": (
        f'{THREE}matrix = [["0.6", "0.3", "0.1"], ["0.2", "0.7", "0.1"], ["0.1", '
        '"0.2", "0.7"]]'
    ),
    "exponential": (
        f'{THREE}epsilon = "3"\nquality = [[3, 2, 1, 0], [0, 2, 2, 0], [0, 1, 2, 3]]'
    ),
    **dict.fromkeys(("geometric", "one-bit", "arcs"), f'{STEPS}epsilon = "1"'),
    "laplace": 'type = "integer"\nlow = 5\nhigh = 8\nepsilon = "4"\nmargin = 2',
    "dithered": f'{STEPS}epsilon = "2"',
    "square-wave": f'{STEPS}epsilon = "2"\nwidth = 2',
    "codebook": 'type = "vector"\ndimensions = 3\nradius = 2\nwords = 8\nepsilon = "2"',
    **dict.fromkeys(("grr", "olh"), f'{FOUR}epsilon = "1"'),
    "blocks": f'{FOUR}mechanism = "hr"\nepsilon = "1.5"',
    "taxonomy": (
        'type = "category"\nparents = { a = "A", b = "A", c = "B", d = "B" }\n'
        'epsilon = "1"\nshares = ["1/3"]'
    ),
    "stripes": f'{MAP}epsilon = "1"',
    "pyramid": f'{MAP}epsilon = "1"\nweights = [2, 1, 3]',
    "metric": f'{MAP}epsilon_per_unit = "1"',
    "tree": f'{STEPS}epsilon = "1"\nweights = [2, 3]',
    "subsets": (
        f'type = "table"\ncollect = "subsets"\nfield = [{YES_NO}]\ntogether = '
        '1\nepsilon = "1"'
    ),
    "cms": f'{FOUR}epsilon = "1"\nhashes = 3\nwidth = 4',
    "hcms": f'{FOUR}epsilon = "1"\nhashes = 2\nwidth = 4',
    "rappor": FILTER,
    "bloom": f'{FILTER}mechanism = "rappor"\nbloom_bits = 8\nhashes = 2\ncohorts = 3',
    **dict.fromkeys(
        ("set-unary", "pad-grr", "pad-ss", "pad-pgr", "pad-hr"), f'{SETS}epsilon = "1"'
    ),
    "signed-pad-grr": f'{PAIRS}mechanism = "pad-grr"',
    "signed-pad-ss": f'{PAIRS}mechanism = "pad-ss"',
    "padded-blocks": f'{SETS}mechanism = "pad-hr"\nepsilon = "3"',
}
"""By mechanism, or named otherwise; of other mechanisms the second design of the laws.
Texts that nobody knows have tests of their own.
"""

QUESTIONS |= {
    name: DESIGNS[name][1]
    for name in MECHANISMS
    if name not in (*QUESTIONS, "heavy-hitters")
}


def question_called(name):
    named = f'\nmechanism = "{name}"' if name in MECHANISMS else ""
    return parse_survey(
        f'[survey]\nname = "law"\n[[question]]\nname = "x"\n{QUESTIONS[name]}{named}'
    )


def holders_of(survey, share=1):
    """Who holds what: 600 respondents or so, or one in so many of them."""
    domain, randomizer = survey["x"].domain, survey["x"].randomizer
    sets, single = np.array(HELD_SETS) // share, HELD // share
    values = domain.values
    if domain.key_scale is not None:
        # At the ends of the range, so that an answer is a row of the channel.
        held = [
            [(item, 0) for item in members(value)] for value in values_of(randomizer)
        ]
        return PairHolders.of(
            domain, zip(map(tuple, held), sets[: len(held)].tolist(), strict=True)
        )
    if domain.ball:
        held = zip(map(domain.value, HELD_VECTORS), single.tolist(), strict=True)
        return VectorHolders.of(domain.ball, dict(held))
    if domain.most:
        return SetHolders.of(
            domain, dict(zip(values_of(randomizer), sets.tolist(), strict=True))
        )
    if domain.collect:
        return FieldHolders.of(domain, dict(enumerate(single.tolist())))
    return Holders(values, single[: len(values)])


def real_counts(survey, holders, source):
    answers = map(survey["x"].domain.parse, holders.values)
    rows = [
        Client(survey, random=source).record("x", answer).row
        for answer, count in zip(answers, holders.counts, strict=True)
        for _ in range(count)
    ]
    table = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    return count_rows(table, survey["x"].layout)


def expected_counts(question, holders):
    """The exact expectation of every cell."""
    randomizer, layout = question.randomizer, question.layout
    if layout.codewords:
        return expected_sums(randomizer, holders)
    if layout.places > 1:
        own, other = (
            np.array(randomizer.level_law(holds=holds), dtype=float)
            for holds in (True, False)
        )
        return np.outer(holders.counts, own) + np.outer(
            holders.respondents - holders.counts, other
        )
    if (
        randomizer.kind in ("sketch", "sampled", "signed")
        or not layout.counters
        or isinstance(holders, SetHolders)
    ):
        rows = np.array(randomizer.channel().rows, dtype=float)
        often = zip(reports_of(randomizer), holders.counts @ rows, strict=True)
        return sum(
            count * counts_of(randomizer, {report: 1}) for report, count in often
        )
    one, zero = (float(rate) for rate in randomizer.support)
    expected = np.zeros((layout.cohorts, 1 + layout.counters))
    for cohort in range(layout.cohorts):
        for index, (value, count) in enumerate(
            zip(holders.values, holders.counts, strict=True)
        ):
            hashes = getattr(randomizer, "hashes", 0)
            vector = 1 << index
            if hashes:
                vector = bloom_vector(value.encode(), cohort, hashes, bits=layout.bits)
            rates = [
                one if vector >> bit & 1 else zero for bit in range(layout.counters)
            ]
            expected[cohort] += count / layout.cohorts * np.array([1.0, *rates])
    return expected


def expected_sums(randomizer, holders):
    """The same of codewords: by the law of normal ones, which theirs is but for a
    relative 1e-4.
    """
    law, counts = word_law(randomizer), holders.counts
    lengths = np.linalg.norm(holders.vectors, axis=1, keepdims=True)
    # (vectors, coordinates): in parts of the radius, and as directions.
    parts, directions = holders.vectors / UNIT, holders.vectors / np.maximum(lengths, 1)
    # No vector is near to one of length 0, whose word is that of any vector.
    along = np.where(lengths > 0, law.along - 1, 0)
    squares = counts @ (1 + along * directions**2) * deviation() ** 2
    sums = OFFSET * holders.respondents + counts @ parts / law.scale
    return np.concatenate([[holders.respondents], sums, squares])[None]


def gathered(counts, layout):
    """The cells that are compared: the levels furthest out, which are rare, are taken
    together.
    """
    if layout.places == 1:
        return counts
    middle = layout.symbols // 2
    return np.add.reduceat(counts, [0, *range(middle - 6, middle + 7)], axis=-1)


def mean_score(tallies, expected):
    """The largest distance of a cell's mean from its expectation, in standard
    errors.
    """
    spread = tallies.std(axis=0, ddof=1)
    moving = spread > 0
    assert np.allclose(tallies[0][~moving], expected[~moving], rtol=1e-12)
    return np.abs(
        (tallies.mean(axis=0) - expected)[moving]
        / spread[moving]
        * np.sqrt(len(tallies))
    ).max()


@pytest.mark.parametrize("name", QUESTIONS)
def test_both_ways_have_one_law(name):
    """Means equal the channel's expectation either way, and both ways have one
    spread.
    """
    survey = question_called(name)
    holders = holders_of(survey)
    expected = expected_counts(survey["x"], holders_of(survey))
    generator, source = np.random.default_rng(11), random.Random(12).randbytes
    law = np.stack(
        [sample_counts(survey["x"], holders, generator) for _ in range(TALLIES)]
    )
    half = holders_of(survey, 2)
    real = np.stack([real_counts(survey, half, source) for _ in range(REAL_TALLIES)])
    law, real, expected = (
        gathered(cells, survey["x"].layout) for cells in (law, real, expected)
    )
    assert mean_score(law, expected) < 6
    assert mean_score(real, expected / 2) < 6
    ratio = (law.var(axis=0) / 2 + 1e-9) / (real.var(axis=0) + 1e-9)
    assert ratio.max() < 2.2
    assert ratio.min() > 1 / 2.2


def test_hashed_counts_have_their_law_also_where_reports_are_too_many(monkeypatch):
    """Beyond the limit on drawn reports, single counts still have their mean and
    variance.
    """
    question = question_called("olh")["x"]
    holders = holders_of(question_called("olh"))
    generator = np.random.default_rng(13)
    drawn = np.stack(
        [sample_counts(question, holders, generator) for _ in range(TALLIES)]
    )
    monkeypatch.setattr(hash_sampling, "MOST_PAIRS", 0)
    tallies = np.stack(
        [sample_counts(question, holders, generator) for _ in range(TALLIES)]
    )
    assert mean_score(tallies, expected_counts(question, holders)) < 6
    ratio = tallies.var(axis=0)[0, 1:] / drawn.var(axis=0)[0, 1:]
    assert ratio.max() < 2.2
    assert ratio.min() > 1 / 2.2


@pytest.mark.parametrize(
    "name", ["grr", "pgr", "oue", "olh", "warner", "pad-grr", "blocks"]
)
def test_a_wrong_law_is_seen(name, monkeypatch):
    """Tallies drawn at epsilon 1.2 for a declared 1 (1.7 for 1.5) do not pass for
    it.
    """
    survey = question_called(name)
    expected = expected_counts(survey["x"], holders_of(survey))
    wider = (
        QUESTIONS[name]
        .replace('epsilon = "1"', 'epsilon = "1.2"')
        .replace('epsilon = "1.5"', 'epsilon = "1.7"')
    )
    monkeypatch.setitem(QUESTIONS, name, wider)
    wrong = question_called(name)
    generator = np.random.default_rng(11)
    tallies = np.stack(
        [
            sample_counts(wrong["x"], holders_of(wrong), generator)
            for _ in range(TALLIES)
        ]
    )
    assert mean_score(tallies, expected) > 6
