"""Hadamard response: the best number of blocks, and errors as stated."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from specimens import SMALL, question
from written_out import same_block, scores, supported

from ldp.errors import EstimateError
from ldp.mechanisms.auto import total_error
from ldp.mechanisms.sets.pad_and_sample import PadAndSample
from ldp.mechanisms.values.hadamard import HadamardResponse, least_error_response
from ldp.numbers.exact import odds
from ldp.numbers.layout import MOST_SYMBOLS
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.decoders.intervals.intervals import clopper_pearson, score_interval
from ldp_aggregator.decoders.values.blocks import block_moments
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.reports.form import Wanted
from ldp_simulations.sampling.table import crafted_rows, sample_counts
from ldp_simulations.sampling.values.hadamard import hadamard_counts

IN_BLOCKS = {
    specimen.name: specimen.randomizer
    for specimen in SMALL
    if isinstance(specimen.randomizer, HadamardResponse)
}
MANY = 22_000
AT_FIVE = odds(Fraction(5))


BLOCKS = {
    specimen.name: specimen.randomizer
    for specimen in SMALL
    if isinstance(specimen.randomizer, HadamardResponse | PadAndSample)
} | {
    "padded-2-blocks": PadAndSample(4, 3, HadamardResponse(7, 2, 16, truth=9, other=2))
}


@pytest.mark.parametrize(
    "randomizer",
    [value for value in BLOCKS.values() if value.kind == "blocks"],
    ids=str,
)
def test_total_error(randomizer):
    """The largest summed variance of a report's scores over all that may be held,
    exactly.

    A respondent holds one value, or as many as may be.
    """
    score, most = scores(randomizer), getattr(randomizer, "most", 1)
    squares = [
        sum(mass * sum(number**2 for number in score[y]) for y, mass in enumerate(row))
        for row in randomizer.channel().rows
    ]
    assert total_error(randomizer, most) == max(squares) - most
    assert randomizer.squares == max(squares)


def test_reports_of_other_blocks_are_as_drawn():
    """Only in its own block is a row moved to the half that was drawn."""
    response = IN_BLOCKS["hadamard-4-blocks"]
    for value in range(response.size):
        own, mask = response.block_and_row(value)
        for drawn in range(response.truth + (2 * response.blocks - 1) * response.other):
            for row in range(response.rows):
                numbers = iter((drawn, row))
                report = response.randomize(
                    value,
                    lambda size, numbers=numbers: next(numbers).to_bytes(
                        size, "little"
                    ),
                )
                block, sent = divmod(report, response.rows)
                supports = (sent & mask).bit_count() % 2 == 0
                assert block != own or supports == (drawn < response.truth)
                assert block == own or sent == row


@pytest.mark.parametrize("epsilon", ["0.5", "1.34", "1.35", "2", "3.5", "5", "8", "12"])
@pytest.mark.parametrize("size", [2, 3, 4, 17, 300, 22_000, MOST_SYMBOLS - 1])
def test_the_number_of_blocks(size, epsilon):
    """Of all powers of two that leave room for a tally, none has a smaller total error.

    Values fit their blocks.
    """
    response = least_error_response(size, *odds(Fraction(epsilon)))
    assert size <= response.blocks * (response.rows - 1)
    assert response.symbols <= MOST_SYMBOLS
    assert {response.blocks.bit_count(), response.rows.bit_count()} == {1}
    for power in range(size.bit_length()):
        rows = 1 << (-(-size // 2**power)).bit_length()
        if rows << power <= MOST_SYMBOLS:
            assert total_error(response) <= total_error(
                response._replace(blocks=1 << power, symbols=rows << power)
            )
    if epsilon in ("0.5", "1.34"):
        assert response.blocks == 1


def test_published_errors():
    """22,000 values at epsilon 5, 10,000 reports: 545 counts squared; published, 688.

    The published form has 128 blocks, of which 87 hold values, 255 of them at most.
    """
    one = HadamardResponse(MANY, 1, 1 << MANY.bit_length(), *AT_FIVE)
    many = least_error_response(MANY, *AT_FIVE)
    assert (many.blocks, many.rows) == (64, 512)
    squared = [float(10_000 * total_error(response) / MANY) for response in (one, many)]
    assert squared == [pytest.approx(10_273, abs=1), pytest.approx(545.2, abs=0.1)]
    ratio = many.ratio
    worth = (ratio + 255) / (ratio - 1)
    assert float(
        10_000 * worth * (2 / (ratio - 1) + Fraction(255, MANY))
    ) == pytest.approx(688, abs=1)


@pytest.fixture(scope="module")
def surveys():
    """Moments of 30 surveys of 10,000 who hold 22,000 values by Zipf's law, at epsilon
    5.

    And the frequencies.
    """
    response = least_error_response(MANY, *AT_FIVE)
    generator = np.random.default_rng(20)
    holders = apportion(10_000, 1 / np.arange(1, MANY + 1))
    return [
        block_moments(response, hadamard_counts(response, holders, generator))
        for _ in range(30)
    ], holders / 10_000


def test_errors_are_as_derived(surveys):
    """Over 30 surveys the mean squared error is within 5 % of what is derived and
    stated.

    One survey's is spread by 1.7 %, so that 30 are off by 5 % once in never; one block
    would be 19 times as much.
    """
    estimates, truth = surveys
    expected = float(total_error(least_error_response(MANY, *AT_FIVE)) / MANY / 10_000)
    assert np.mean(
        [(moments.frequency - truth) ** 2 for moments in estimates]
    ) == pytest.approx(expected, rel=0.05)
    f = [np.clip(moments.frequency, 0, 1) for moments in estimates]
    stated = [
        (own * moments.variance_if_held + (1 - own) * moments.variance_if_not)
        / moments.reports
        for own, moments in zip(f, estimates, strict=True)
    ]
    assert np.mean(stated) == pytest.approx(expected, rel=0.05)


def test_intervals_of_many_values_hold_together(surveys):
    """22,000 intervals at 95 % together, 70 reports a block: all hold in 20 of 30
    surveys or more.

    A false alarm has a probability of 2e-7. If lower ends took the block's reports for
    the value's own, few would hold.
    """
    estimates, truth = surveys
    missing = 0.05 / MANY
    whole = [
        _all_hold(score_interval(moments, missing, "respondents"), truth)
        for moments in estimates
    ]
    without = [
        _all_hold(
            score_interval(replace(moments, below=None), missing, "respondents"), truth
        )
        for moments in estimates
    ]
    assert sum(whole) >= 20 > sum(without)


def _all_hold(interval, truth):
    low, high = (np.clip(end, 0, 1) for end in interval)
    return bool(((low <= truth) & (truth <= high)).all())


def test_the_best_forged_report():
    """Of all symbols, those that forgers send are worth the most to their targets
    together.
    """
    response = least_error_response(40, *odds(Fraction(3)))
    score = np.array(scores(response), dtype=float)
    for targets in ((3,), (0, 8, 16, 24), (1, 2, 5, 13, 39)):
        worths = score[:, targets].sum(axis=1)
        wanted = Wanted(np.array(targets), (), 50)
        rows = crafted_rows(response, wanted, np.random.default_rng(3))
        sent = rows @ 256 ** np.arange(rows.shape[1])
        assert worths[sent] == pytest.approx(worths.max())
    assert response.blocks > 1


def test_reports_of_another_epsilon_show():
    """All hold one value: at epsilon 3.2 in place of 3, its block has too large a
    share.
    """
    keys = (
        f'type = "category"\nvalues = {[str(value) for value in range(40)]}\nepsilon = '
    )
    asked, other = (question("hr", f'{keys}"{epsilon}"') for epsilon in ("3", "3.2"))
    assert asked.randomizer.blocks == other.randomizer.blocks == 8
    holders = Holders(asked.domain.values, np.array([100_000] + [0] * 39))
    generator = np.random.default_rng(4)
    honest, wrong = (
        health(asked, sample_counts(sender, holders, generator))
        for sender in (asked, other)
    )
    assert {check.name for check in honest} == {"rates", "payloads"}
    assert min(check.p_value for check in honest) > 1e-6
    assert min(check.p_value for check in wrong if check.name == "rates") < 1e-6


@pytest.mark.parametrize(
    "randomizer",
    [block for block in BLOCKS.values() if block.kind == "blocks"],
    ids=str,
)
def test_moments_written_out(randomizer):
    """Of scores that a tally has: mean, mean square, and the variances of the
    docstring.
    """
    oracle = getattr(randomizer, "oracle", randomizer)
    most = getattr(randomizer, "most", 1)
    symbols = np.arange(oracle.symbols)
    counts = 1 + symbols * 7 % 23 + 3 * (symbols // oracle.rows)
    moments = block_moments(randomizer, counts[None])
    score, reports = np.array(scores(randomizer), dtype=float), counts.sum()
    frequency = counts @ score / reports
    assert np.allclose(moments.frequency, frequency)
    ratio, blocks = oracle.truth / oracle.other, oracle.blocks
    worth, elsewhere = (ratio + 2 * blocks - 1) / (ratio - 1), 2 / (ratio - 1)
    in_block = np.array(
        [
            sum(counts[y] for y in symbols if x in same_block(randomizer, y))
            for x in range(randomizer.size)
        ]
    )
    share = np.clip(frequency, 0, 1) / most
    if blocks > 1:
        block = worth * in_block / reports - elsewhere
    else:
        block = np.ones(randomizer.size)
    alike = np.clip(
        [(b - f) / (1 - f) if f < 1 else 1 for b, f in zip(block, share, strict=True)],
        0,
        1,
    )
    if_held = most**2 * worth * (elsewhere + (1 + (most - 1) * alike) / most) - 1
    assert np.allclose(moments.variance_if_held, if_held)
    assert np.allclose(moments.variance_if_not, most**2 * worth * (elsewhere + alike))
    assert (moments.below is None) == (blocks == 1) == (moments.count is not None)
    if moments.below is not None:
        # In no block are fewer than come there by chance.
        squares = np.maximum(counts @ score**2 / reports, most**2 * worth * elsewhere)
        assert np.allclose(moments.below, [squares - 1, squares])
        return
    votes = np.array(
        [
            [x in supported(randomizer, y) for x in range(randomizer.size)]
            for y in symbols
        ]
    )
    assert moments.count.supports.tolist() == (counts @ votes).tolist()
    assert np.allclose(
        moments.count.rates,
        [[float(rate)] * randomizer.size for rate in randomizer.within],
    )


@pytest.mark.parametrize("alone", [True, False])
def test_a_value_that_all_hold(alone):
    """Then there are no others; those that there might be are taken to be in its
    block.
    """
    response = HadamardResponse(10, 4, 16, truth=12, other=1)
    if alone:
        response = HadamardResponse(4, 2, 8, truth=5, other=2)
    votes = np.array([0 in supported(response, y) for y in range(response.symbols)])
    moments = block_moments(response, np.where(votes, 1000, 0)[None])
    assert moments.frequency[0] > 1
    worth, elsewhere = float(response.worth), float(2 / (response.ratio - 1))
    assert moments.variance_if_not[0] == pytest.approx(worth * (elsewhere + 1))
    assert moments.variance_if_held[0] == pytest.approx(worth * (elsewhere + 1) - 1)


def test_a_block_that_has_all_reports():
    """A value's block has no more than all others and no less than none, whatever
    chance does.
    """
    response = HadamardResponse(5, 2, 8, truth=5, other=2)
    moments = block_moments(response, np.repeat([1000, 0], response.rows)[None])
    worth, elsewhere = float(response.worth), float(2 / (response.ratio - 1))
    assert moments.frequency == pytest.approx([0] * 5)
    alike = np.arange(5) % 2 == 0
    assert moments.variance_if_not == pytest.approx(worth * (elsewhere + alike))
    assert moments.variance_if_held == pytest.approx([worth * (elsewhere + 1) - 1] * 5)


def test_what_blocks_do_not_have():
    """No Clopper-Pearson intervals, as estimates are more than one count: the error
    says so.
    """
    response = HadamardResponse(5, 2, 8, truth=5, other=2)
    moments = block_moments(response, np.full((1, 8), 100))
    with pytest.raises(EstimateError, match="one count each"):
        clopper_pearson(moments, 0.05, "respondents")
    assert moments.covariance().shape == (5, 5)
