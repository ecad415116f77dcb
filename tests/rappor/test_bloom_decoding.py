"""From Bloom tallies to moments: the bits of texts, and the formulas behind each
number.
"""

import numpy as np
import pytest

from ldp import EstimateError
from ldp.mechanisms.chains.bloom import bloom_positions
from ldp.mechanisms.chains.rappor import Rappor
from ldp_aggregator.decoders.bloom.decoding import (
    bloom_moments,
    decoded_moments,
    design_matrix,
)
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.decoders.bloom.selection import Decoded, decode
from ldp_aggregator.decoders.moments.bit_covariance import BitNoise
from ldp_aggregator.decoders.moments.repeats import noise_of

SPAN = 1 << 16
RANDOMIZER = Rappor(
    8, 3, 5, flip=SPAN // 8, if_one=SPAN // 4 * 3, if_zero=SPAN // 4, word=16
)
TEXTS = ("ant", "bee", "cat", "dog")
NOISE = BitNoise(
    0.7, 0.3, one_variance=0.21, zero_variance=0.16, repeats=1, zero_third=0.096
)


def test_bits_of_texts():
    """Those that clients set, once each, also where hash functions agree on one."""
    expected = np.zeros((5, 8, len(TEXTS)))
    positions = [
        [bloom_positions(text.encode(), cohort, 3, bits=8) for text in TEXTS]
        for cohort in range(5)
    ]
    for cohort, of_texts in enumerate(positions):
        for place, of_text in enumerate(of_texts):
            expected[cohort, list(of_text), place] = 1
    assert any(len(set(of_text)) < 3 for of_texts in positions for of_text in of_texts)
    design = design_matrix(RANDOMIZER, TEXTS)
    assert design.shape == (40, 4)
    np.testing.assert_array_equal(design.toarray(), expected.reshape(40, 4))
    assert set(design.data.tolist()) == {1.0}


def decoded(**changes):
    """What was decoded of 1,000 respondents: three candidates, estimated below 0 and
    above 1.
    """
    parts = {
        "respondents": 1_000.0,
        "frequency": np.array([1.3, -0.2, 0.4]),
        "shares": np.array([0.9, 0.0, 0.5]),
        "variance": np.array([0.02, 0.0001, 0.003]),
        "covariance": lambda: np.arange(9.0).reshape(3, 3),
        "unallocated": (0.1, 0.02),
        "residual": ChiSquare(1_234.56, 1_100),
        "note": "",
    }
    return Decoded(**parts | changes)


def test_moments():
    """What drawing the respondents adds is taken away, down to the noise of a text's
    own bits.
    """
    own_bits = np.array([2.0, 0.5, 4.0])
    moments = decoded_moments(decoded(), NOISE, own_bits)
    # The second candidate has 0.1 by its variance: less than the noise of one bit, .16
    # / .4^2.
    scaled = [20 - 0.9 * 0.1, 1.0, 3 - 0.25]
    assert moments.reports == 1_000
    assert moments.frequency.tolist() == [1.3, -0.2, 0.4]
    np.testing.assert_allclose(moments.variance_if_held, scaled)
    np.testing.assert_allclose(moments.variance_if_not, scaled)
    # A jump is .096 / .16 / .4 over a text's own bits, one at least.
    jumps = 1.5 / np.array([2.0, 1.0, 4.0])
    np.testing.assert_allclose(moments.jumps.third, [jumps * scaled] * 2)
    shares = np.array([1.0, 0.0, 0.4])
    np.testing.assert_allclose(
        moments.covariance(),
        np.arange(9.0).reshape(3, 3)
        - (np.diag(shares) - np.outer(shares, shares)) / 1_000,
    )
    assert (moments.findings.note, moments.fit.unallocated) == ("", (0.1, 0.02))


def test_the_least_noise_is_that_of_the_more_certain_bit():
    """Of all own bits together, however few reports seem to matter."""
    certain = NOISE._replace(one_variance=0.12)
    moments = decoded_moments(decoded(variance=np.zeros(3)), certain, np.full(3, 3.0))
    np.testing.assert_allclose(moments.variance_if_not, np.full(3, 0.12 / 0.16 / 3))


def test_missing_texts_are_a_check():
    """The residuals' p-value, with both numbers; where candidates were chosen,
    nothing.
    """
    own_bits = np.ones(3)
    (check,) = decoded_moments(decoded(), NOISE, own_bits).findings.checks
    assert (check.name, check.counted) == ("dictionary", 1_235)
    assert check.p_value == ChiSquare(1_234.56, 1_100).p_value
    assert "chi-square of 1,234.6, where chance has 1,100;" in check.meaning
    assert (
        decoded_moments(decoded(residual=None), NOISE, own_bits).findings.checks == ()
    )


def test_notes_are_joined():
    """What was chosen, then what repeats are worth."""
    note = decoded_moments(decoded(note="chosen"), NOISE, np.ones(3)).findings.note
    repeats = NOISE._replace(repeats=10, zero_variance=0.08)
    both = decoded_moments(decoded(note="chosen"), repeats, np.ones(3)).findings.note
    assert note == "chosen"
    assert both.startswith(
        "chosen; 10 reports from each of 1,000 respondents, worth 2,625 respondents"
    )


def test_moments_of_counts():
    """The design is that of the candidates unless another is given, the background 1 -
    (7/8)^3.

    What a candidate sets in each cohort, on average, is what its jumps go by.
    """
    counts = np.array([[1_000, *range(300, 700, 50)]] * 5)
    noise, design = noise_of(RANDOMIZER), design_matrix(RANDOMIZER, TEXTS)
    moments = bloom_moments(RANDOMIZER, counts, TEXTS)
    expected = decoded_moments(
        decode(counts, design, noise, background=1 - (7 / 8) ** 3),
        noise,
        design.toarray().sum(axis=0) / 5,
    )
    np.testing.assert_allclose(moments.frequency, expected.frequency)
    np.testing.assert_allclose(moments.variance_if_not, expected.variance_if_not)
    np.testing.assert_allclose(moments.jumps.third, expected.jumps.third)
    np.testing.assert_allclose(moments.covariance(), expected.covariance())
    others = bloom_moments(RANDOMIZER, counts, TEXTS, design=design[:, [1, 0, 2, 3]])
    np.testing.assert_allclose(others.frequency, expected.frequency[[1, 0, 2, 3]])


def test_reports_that_one_respondent_sent():
    """The variance and the respondents go by their reports, of which there have to be
    enough.
    """
    counts = np.array([[1_000, *range(300, 700, 50)]] * 5)
    once, four = (
        bloom_moments(RANDOMIZER, counts, TEXTS, repeats=number) for number in (1, 4)
    )
    assert (once.reports, four.reports) == (5_000, 1_250)
    assert "4 reports from each of 1,250 respondents" in four.findings.note
    with pytest.raises(EstimateError, match="at least the 5001 reports"):
        bloom_moments(RANDOMIZER, counts, TEXTS, repeats=5_001)
