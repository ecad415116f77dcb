"""Hadamard response: the best number of blocks, and errors as stated."""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from specimens import SMALL, question
from written_out import reports_of, same_block, scores, supported

from ldp.errors import EstimateError
from ldp.exact import odds
from ldp.layout import MOST_SYMBOLS
from ldp.mechanisms.auto import total_error
from ldp.mechanisms.hadamard import HadamardResponse, least_error_response
from ldp.mechanisms.pad_and_sample import PadAndSample
from ldp.randomness import bernoulli, randbelow
from ldp_aggregator.decoders.blocks import block_moments
from ldp_aggregator.estimates.intervals import clopper_pearson, score_interval
from ldp_aggregator.health_checks.report_checks import health
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.reports.form import Wanted
from ldp_simulations.sampling.hadamard import hadamard_counts
from ldp_simulations.sampling.table import crafted_rows, sample_counts

IN_BLOCKS = {
    each.name: each.randomizer for each in SMALL if isinstance(each.randomizer, HadamardResponse)
}
MANY = 22_000
AT_FIVE = odds(Fraction(5))


def in_one_block(size, truth, other):
    return HadamardResponse(size, 1, 1 << size.bit_length(), truth=truth, other=other)


def drawn_in_one_block(size, symbols, truth, other, value, source):
    """The draw as it is without blocks: whether the report supports the value, a symbol, and a bit
    that makes it so.
    """
    supports = bernoulli(truth, truth + other, source)
    symbol = randbelow(symbols, source)
    mask = value + 1
    return symbol ^ (mask & -mask if (symbol & mask).bit_count() % 2 == supports else 0)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "1.3"])
def test_one_block_is_as_it_was(epsilon):
    """Small epsilon: one block, the old reports from the same tapes, and to 12 digits the old
    estimates and errors.
    """
    made = least_error_response(300, *odds(Fraction(epsilon)))
    assert made == in_one_block(300, made.truth, made.other)
    for value in (0, 7, 299):
        old, new = random.Random(value).randbytes, random.Random(value).randbytes
        for _ in range(100):
            assert made.randomize(value, new) == drawn_in_one_block(
                300, 512, made.truth, other=made.other, value=value, source=old
            )
    counts = np.random.default_rng(1).multinomial(10_000, np.full(512, 1 / 512))[None]
    moments = block_moments(made, counts)
    p, q = float(made.ratio / (made.ratio + 1)), 0.5
    support = np.array(
        [sum(counts[0, y] for y in range(512) if x in supported(made, y)) for x in (0, 7, 299)]
    )
    assert (moments.supports[[0, 7, 299]] == support).all()
    assert moments.frequency[[0, 7, 299]] == pytest.approx(
        (support / 10_000 - q) / (p - q), rel=1e-12
    )
    assert moments.hold == pytest.approx(np.full(300, p * (1 - p) / (p - q) ** 2), rel=1e-12)
    assert moments.other == pytest.approx(np.full(300, q * (1 - q) / (p - q) ** 2), rel=1e-12)
    assert moments.below is None
    assert clopper_pearson(moments, 0.05, "population")[0].shape == (300,)


BLOCKS = {
    each.name: each.randomizer
    for each in SMALL
    if isinstance(each.randomizer, HadamardResponse | PadAndSample)
} | {"padded-2-blocks": PadAndSample(4, 3, HadamardResponse(7, 2, 16, truth=9, other=2))}


@pytest.mark.parametrize(
    "randomizer", [each for each in BLOCKS.values() if each.kind == "blocks"], ids=str
)
def test_total_error(randomizer):
    """It is the largest summed variance of one report's scores over all that a respondent may hold,
    one value or as many as may be, exactly.
    """
    score, most = scores(randomizer), getattr(randomizer, "most", 1)
    squares = [
        sum(mass * sum(each**2 for each in score[y]) for y, mass in enumerate(row))
        for row in randomizer.channel().rows
    ]
    assert total_error(randomizer, most) == max(squares) - most
    assert randomizer.squares == max(squares)


def test_reports_of_other_blocks_are_as_drawn():
    """Only in its own block is a row moved to the half that was drawn."""
    made = IN_BLOCKS["hadamard-4-blocks"]
    for value in range(made.size):
        own, mask = made.place(value)
        for drawn in range(made.truth + (2 * made.blocks - 1) * made.other):
            for row in range(made.rows):
                numbers = iter((drawn, row))
                report = made.randomize(value, lambda size: next(numbers).to_bytes(size, "little"))  # noqa: B023
                block, sent = divmod(report, made.rows)
                supports = (sent & mask).bit_count() % 2 == 0
                assert block != own or supports == (drawn < made.truth)
                assert block == own or sent == row


@pytest.mark.parametrize("epsilon", ["0.5", "1.34", "1.35", "2", "3.5", "5", "8", "12"])
@pytest.mark.parametrize("size", [2, 3, 4, 17, 300, 22_000, MOST_SYMBOLS - 1])
def test_the_number_of_blocks(size, epsilon):
    """Of all powers of two that leave room for a tally, none has a smaller total error.

    Values fit their blocks.
    """
    made = least_error_response(size, *odds(Fraction(epsilon)))
    assert size <= made.blocks * (made.rows - 1)
    assert made.symbols <= MOST_SYMBOLS
    assert {made.blocks.bit_count(), made.rows.bit_count()} == {1}
    for power in range(size.bit_length()):
        rows = 1 << (-(-size // 2**power)).bit_length()
        if rows << power <= MOST_SYMBOLS:
            assert total_error(made) <= total_error(
                made._replace(blocks=1 << power, symbols=rows << power)
            )
    if epsilon in ("0.5", "1.34"):
        assert made.blocks == 1


def test_published_errors():
    """22,000 values at epsilon 5, 10,000 reports: 545 counts squared, where one block has 10,273
    and the published 688.

    The published form has 128 blocks, of which 87 hold values, 255 of them at most.
    """
    one, many = in_one_block(MANY, *AT_FIVE), least_error_response(MANY, *AT_FIVE)
    assert (many.blocks, many.rows) == (64, 512)
    squared = [float(10_000 * total_error(each) / MANY) for each in (one, many)]
    assert squared == [pytest.approx(10_273, abs=1), pytest.approx(545.2, abs=0.1)]
    ratio = many.ratio
    worth = (ratio + 255) / (ratio - 1)
    assert float(10_000 * worth * (2 / (ratio - 1) + Fraction(255, MANY))) == pytest.approx(
        688, abs=1
    )


@pytest.fixture(scope="module")
def surveys():
    """Moments of 30 surveys of 10,000 who hold 22,000 values by Zipf's law, at epsilon 5.

    And the frequencies.
    """
    made, generator = least_error_response(MANY, *AT_FIVE), np.random.default_rng(20)
    held = apportion(10_000, 1 / np.arange(1, MANY + 1))
    return [
        block_moments(made, hadamard_counts(made, held, generator)) for _ in range(30)
    ], held / 10_000


def test_errors_are_as_derived(surveys):
    """The mean squared error of 30 surveys is within 5 % of what is derived, as is the mean of the
    stated variances.

    One survey's is spread by 1.7 %, so that 30 are off by 5 % once in never; one block would be 19
    times as much.
    """
    found, held = surveys
    expected = float(total_error(least_error_response(MANY, *AT_FIVE)) / MANY / 10_000)
    assert np.mean([(each.frequency - held) ** 2 for each in found]) == pytest.approx(
        expected, rel=0.05
    )
    f = [np.clip(each.frequency, 0, 1) for each in found]
    stated = [
        (own * each.hold + (1 - own) * each.other) / each.reports
        for own, each in zip(f, found, strict=True)
    ]
    assert np.mean(stated) == pytest.approx(expected, rel=0.05)


def test_intervals_of_many_values_hold_together(surveys):
    """22,000 intervals at 95 % together, 70 reports a block: all hold in 20 of 30 surveys or more.

    A false alarm has a probability of 2e-7. If lower ends took the block's reports for the value's
    own, few would hold.
    """
    found, held = surveys
    missing = 0.05 / MANY
    whole = [_all_hold(score_interval(each, missing, "respondents"), held) for each in found]
    without = [
        _all_hold(score_interval(replace(each, below=None), missing, "respondents"), held)
        for each in found
    ]
    assert sum(whole) >= 20 > sum(without)


def _all_hold(interval, held):
    low, high = (np.clip(end, 0, 1) for end in interval)
    return bool(((low <= held) & (held <= high)).all())


@pytest.mark.parametrize("randomizer", IN_BLOCKS.values(), ids=IN_BLOCKS)
def test_the_recursive_form_errs_as_much(randomizer):
    """A uniform row, and one of 2B names for the block and the sign: each value's score has the
    same law, exactly.
    """
    truth, other, rows, blocks = (
        randomizer.truth,
        randomizer.other,
        randomizer.rows,
        randomizer.blocks,
    )
    names = [(block, sign) for block in range(blocks) for sign in (0, 1)]
    total = rows * (truth + (2 * blocks - 1) * other)
    reports = reports_of(randomizer)
    for held, row_of_channel in enumerate(randomizer.channel().rows):
        block_held, mask_held = randomizer.place(held)
        for value in range(randomizer.size):
            own, recursive = Counter(), Counter()
            for report, mass in zip(reports, row_of_channel, strict=True):
                own[
                    (value in supported(randomizer, report))
                    - (value in _opposed(randomizer, report))
                ] += mass
            block, mask = randomizer.place(value)
            for row in range(rows):
                named = block_held, (row & mask_held).bit_count() % 2
                for name in names:
                    worth = (0, 1 if name[1] == (row & mask).bit_count() % 2 else -1)[
                        name[0] == block
                    ]
                    recursive[worth] += Fraction(truth if name == named else other, total)
            assert {worth: mass for worth, mass in own.items() if mass} == dict(recursive)


def _opposed(randomizer, report):
    return same_block(randomizer, report) - supported(randomizer, report)


def test_the_best_forged_report():
    """Of all symbols, those that forgers send are worth the most to their targets together."""
    made = least_error_response(40, *odds(Fraction(3)))
    score = np.array(scores(made), dtype=float)
    for targets in ((3,), (0, 8, 16, 24), (1, 2, 5, 13, 39)):
        worths = score[:, targets].sum(axis=1)
        wanted = Wanted(np.array(targets), (), 50)
        rows = crafted_rows(made, wanted, np.random.default_rng(3))
        sent = rows @ 256 ** np.arange(rows.shape[1])
        assert worths[sent] == pytest.approx(worths.max())
    assert made.blocks > 1


def test_reports_of_another_epsilon_show():
    """All of 100,000 hold one value: at epsilon 3.2 in place of 3, its share of its block's reports
    is too large.
    """
    keys = f'type = "category"\nvalues = {[str(value) for value in range(40)]}\nepsilon = '
    asked, other = (question("hr", f'{keys}"{epsilon}"') for epsilon in ("3", "3.2"))
    assert asked.randomizer.blocks == other.randomizer.blocks == 8
    holders = Holders(asked.domain.values, np.array([100_000] + [0] * 39))
    generator = np.random.default_rng(4)
    honest, wrong = (
        health(asked, sample_counts(each, holders, generator)) for each in (asked, other)
    )
    assert {check.name for check in honest} == {"rates", "payloads"}
    assert min(check.p_value for check in honest) > 1e-6
    assert min(check.p_value for check in wrong if check.name == "rates") < 1e-6


@pytest.mark.parametrize(
    "randomizer", [block for block in BLOCKS.values() if block.kind == "blocks"], ids=str
)
def test_moments_written_out(randomizer):
    """Of scores that a tally has: their mean, the mean of their squares, and the variances that the
    docstring has.
    """
    oracle, most = getattr(randomizer, "oracle", randomizer), getattr(randomizer, "most", 1)
    symbols = np.arange(oracle.symbols)
    counts = 1 + symbols * 7 % 23 + 3 * (symbols // oracle.rows)
    found = block_moments(randomizer, counts[None])
    score, reports = np.array(scores(randomizer), dtype=float), counts.sum()
    frequency = counts @ score / reports
    assert np.allclose(found.frequency, frequency)
    ratio, blocks = oracle.truth / oracle.other, oracle.blocks
    worth, elsewhere = (ratio + 2 * blocks - 1) / (ratio - 1), 2 / (ratio - 1)
    in_block = np.array(
        [
            sum(counts[y] for y in symbols if x in same_block(randomizer, y))
            for x in range(randomizer.size)
        ]
    )
    share = np.clip(frequency, 0, 1) / most
    block = worth * in_block / reports - elsewhere if blocks > 1 else np.ones(randomizer.size)
    alike = np.clip(
        [(b - f) / (1 - f) if f < 1 else 1 for b, f in zip(block, share, strict=True)], 0, 1
    )
    hold = most**2 * worth * (elsewhere + (1 + (most - 1) * alike) / most) - 1
    assert np.allclose(found.hold, hold)
    assert np.allclose(found.other, most**2 * worth * (elsewhere + alike))
    assert (found.below is None) == (blocks == 1) == (found.rates is not None)
    if found.below is not None:
        squares = counts @ score**2 / reports
        assert np.allclose(found.below, [squares - 1, squares])
        return
    votes = np.array(
        [[x in supported(randomizer, y) for x in range(randomizer.size)] for y in symbols]
    )
    assert found.supports.tolist() == (counts @ votes).tolist()
    assert np.allclose(found.rates, [[float(rate)] * randomizer.size for rate in randomizer.within])


@pytest.mark.parametrize("alone", [True, False])
def test_a_value_that_all_hold(alone):
    """Then there are no others; those that there might be are taken to be in its block."""
    made = HadamardResponse(10, 4, 16, truth=12, other=1)
    if alone:
        made = HadamardResponse(4, 2, 8, truth=5, other=2)
    votes = np.array([0 in supported(made, y) for y in range(made.symbols)])
    found = block_moments(made, np.where(votes, 1000, 0)[None])
    assert found.frequency[0] > 1
    worth, elsewhere = float(made.worth), float(2 / (made.ratio - 1))
    assert found.other[0] == pytest.approx(worth * (elsewhere + 1))
    assert found.hold[0] == pytest.approx(worth * (elsewhere + 1) - 1)


def test_a_block_that_has_all_reports():
    """No more than all others are in a value's block, and no less than none, whatever chance makes
    it look like.
    """
    made = HadamardResponse(5, 2, 8, truth=5, other=2)
    found = block_moments(made, np.repeat([1000, 0], made.rows)[None])
    worth, elsewhere = float(made.worth), float(2 / (made.ratio - 1))
    assert found.frequency == pytest.approx([0] * 5)
    alike = np.arange(5) % 2 == 0
    assert found.other == pytest.approx(worth * (elsewhere + alike))
    assert found.hold == pytest.approx([worth * (elsewhere + 1) - 1] * 5)


def test_what_blocks_do_not_have():
    """No Clopper-Pearson intervals, as estimates are more than one count, and no covariance.

    Both errors say so.
    """
    made = HadamardResponse(5, 2, 8, truth=5, other=2)
    moments = block_moments(made, np.full((1, 8), 100))
    with pytest.raises(EstimateError, match="one count each"):
        clopper_pearson(moments, 0.05, "respondents")
    with pytest.raises(EstimateError, match="support pairs of values evenly"):
        moments.covariance()
