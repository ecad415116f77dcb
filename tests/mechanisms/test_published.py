"""Numbers that others published, or that follow from their formulas, to the digits
given.

Sources: Wang, Blocki, Li and Jha 2017, Tables 1 and 2; Arcolezi et al., variances of
frequency oracles (ALLOMFREE, Table 2); Kairouz, Oh and Viswanath 2015; Erlingsson,
Pihur and Korolova 2014; the defaults of google/rappor and of Chromium; Arcolezi and
Gambs 2024 (LDP-Auditor), for the epsilon of a known defect.
"""

import hashlib
import hmac
import math
from fractions import Fraction
from itertools import cycle, islice

import numpy as np
import pytest
from specimens import question

from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.numbers.channel import Channel, worst_ratio
from ldp.numbers.exact import fraction, log, odds
from ldp.numbers.randomness import WORD, Replay
from ldp_aggregator.decoders.values.pure import pure_moments

EPSILONS = ("0.5", "1", "2", "4")


def category(mechanism, size, epsilon):
    """The randomizer of a question with n values."""
    return question(
        mechanism,
        f'type = "category"\nvalues = {[str(value) for value in range(size)]}\n'
        f'epsilon = "{epsilon}"',
    ).randomizer


def null_variance(randomizer):
    """The variance of one report's score for a value that no one holds."""
    size = randomizer.size
    if randomizer.layout.counters:
        counts = np.full((1, size + 1), 1000)
    else:
        counts = np.full((1, size), 1000)
    return pure_moments(randomizer, counts).variance_if_not[0]


# Published to six decimals, for 10,000 reports, by epsilon.
VARIANCES = {
    ("grr", 2): (0.000392, 0.000092, 0.000018, 0.000002),
    ("grr", 32): (0.007520, 0.001108, 0.000092, 0.000003),
    ("grr", 1024): (0.243240, 0.034707, 0.002522, 0.000037),
    ("oue", 32): (0.001567, 0.000368, 0.000072, 0.000008),
    ("sue", 32): (0.001592, 0.000392, 0.000092, 0.000018),
}


@pytest.mark.parametrize(("mechanism", "size"), VARIANCES)
def test_variance_of_ten_thousand_reports(mechanism, size):
    """The variance of a frequency near zero, as tabulated for GRR, OUE and SUE."""
    ours = [
        null_variance(category(mechanism, size, epsilon)) / 10_000
        for epsilon in EPSILONS
    ]
    assert ours == pytest.approx(VARIANCES[mechanism, size], abs=0.5001e-6)


@pytest.mark.parametrize(
    ("mechanism", "limits", "half_a_digit"),
    [
        ("sue", (15.92, 3.92, 0.92, 0.18), 0.005),
        ("oue", (15.67, 3.68, 0.72, 0.076), 0.005),
    ],
)
def test_variance_of_unary_encodings(mechanism, limits, half_a_digit):
    """SUE has e^(eps/2) / (e^(eps/2) - 1)^2, OUE 4 e^eps / (e^eps - 1)^2, for any
    size.
    """
    for size in (2, 100):
        ours = [
            null_variance(category(mechanism, size, epsilon)) for epsilon in EPSILONS
        ]
        assert ours == pytest.approx(limits, abs=half_a_digit)


def test_variance_of_binary_local_hashing():
    """BLH has (e^eps + 1)^2 / (e^eps - 1)^2, whatever the number of values.

    P is so large that no digit shows it.
    """
    ours = [null_variance(category("blh", 100, epsilon)) for epsilon in EPSILONS]
    assert ours == pytest.approx((16.67, 4.68, 1.72, 1.08), abs=0.005)


def test_variance_of_optimized_local_hashing():
    """OLH is as near 4 e^eps / (e^eps - 1)^2 as a whole number of buckets can be."""
    ours = [null_variance(category("olh", 1024, epsilon)) for epsilon in EPSILONS]
    assert ours[0] == pytest.approx(15.82, abs=0.005)
    assert ours == pytest.approx((15.67, 3.68, 0.72, 0.076), rel=0.011)


@pytest.mark.parametrize(
    ("epsilon", "size", "buckets"),
    [
        ("0.5", 16, 3),
        ("1", 16, 4),
        ("1", 1024, 4),
        ("2", 16, 7),
        ("2", 128, 8),
        ("3", 16, 14),
        ("4", 128, 47),
    ],
)
def test_buckets_of_least_total_error(epsilon, size, buckets):
    """OLH minimizes the total error: few values take fewer than e^eps + 1 buckets."""
    assert category("olh", size, epsilon).buckets == buckets


@pytest.mark.parametrize(
    ("order", "p", "q", "variance"),
    [(2, 0.670913, 0.388181, 2.97103), (3, 0.547127, 0.287739, 3.04607)],
)
def test_projective_planes(order, p, q, variance):
    """The Fano plane and the plane of order 3, at epsilon 1, have subset selection's
    rates.
    """
    points = order * order + order + 1
    plane = ProjectiveResponse(points, order, 3, *odds(Fraction(1)))
    assert [float(rate) for rate in plane.support] == pytest.approx(
        [p, q], abs=0.5001e-6
    )
    assert (
        plane.support == SubsetSelection(points, order + 1, *odds(Fraction(1))).support
    )
    assert null_variance(plane) == pytest.approx(variance, abs=0.5001e-5)


DESIGNS = {
    "a coin for the truth, another for the answer": (
        "forced",
        'forced_true = "1/4"\nforced_false = "1/4"',
        3,
    ),
    "a die: six says yes, one says no": (
        "forced",
        'forced_true = "1/6"\nforced_false = "1/6"',
        5,
    ),
    "truth with 3/4": ("warner", 'truth = "3/4"', 3),
    "truth with 0.7 (epsilon 0.8473)": ("warner", 'truth = "0.7"', Fraction(7, 3)),
    "an unrelated question (epsilon 2.335)": (
        "unrelated",
        'truth = "0.7"\nprevalence = "0.25"',
        Fraction(31, 3),
    ),
}


@pytest.mark.parametrize(("mechanism", "keys", "ratio"), DESIGNS.values(), ids=DESIGNS)
def test_survey_designs(mechanism, keys, ratio):
    """The classical designs of sensitive questions deliver exactly their known odds."""
    asked = question(mechanism, f'type = "boolean"\n{keys}')
    assert asked.randomizer.ratio == asked.declared.bound == ratio


@pytest.mark.parametrize(
    ("ratio", "epsilon"),
    [
        (Fraction(3), 1.0986),
        (Fraction(5), 1.609),
        (Fraction(7, 3), 0.8473),
        (Fraction(31, 3), 2.335),
    ],
)
def test_epsilons_of_survey_designs(ratio, epsilon):
    """Their logarithms are the epsilons that are quoted."""
    assert log(ratio) == pytest.approx(epsilon, abs=5.1e-4)


RAPPOR = {
    "client default": (16, 2, 64, "0.5", "0.75", "0.5", 1.0743, 4.3944),
    "regression test, demo": (32, 1, 64, "0.25", "0.75", "0.5", 1.0217, 2.1972),
    "regression test, eps_1_1": (8, 2, 128, "0.39", "0.61", "0.45", 0.9728, 4.9471),
    "regression test, eps_1_5": (8, 2, 128, "0.225", "0.775", "0", 4.9471, None),
    "Chromium, normal noise": (128, 2, 128, "0.25", "0.75", "0.5", 2.0433, 4.3944),
    "Chromium, sparse noise": (32, 2, 128, "0.25", "0.75", "0.25", 3.1538, 7.7836),
    "paper, Chrome homepages": (128, 2, 32, "0.5", "0.75", "0.75", 0.5343, 2.0433),
}


@pytest.mark.parametrize(
    ("k", "h", "m", "p", "q", "f", "one", "ever"), RAPPOR.values(), ids=RAPPOR
)
def test_rappor_epsilons(k, h, m, p, q, f, one, ever):
    """The epsilon of one report and of all reports, in the configurations that were
    deployed.
    """
    keys = (
        f'bloom_bits = {k}\nhashes = {h}\ncohorts = {m}\np = "{p}"\nq = "{q}"\nf = '
        f'"{f}"'
    )
    randomizer = question("rappor", f'type = "text"\n{keys}').randomizer
    assert log(randomizer.ratio) == pytest.approx(one, abs=5.1e-5)
    if ever is None:
        assert randomizer.lifetime_ratio is None
    else:
        assert log(randomizer.lifetime_ratio) == pytest.approx(ever, abs=5.1e-5)


def test_chrome_setting_is_four_ln_three():
    """With f = 1/2 and two hashes, all that is ever sent stays below 4 ln 3, and next
    to it.
    """
    keys = (
        'bloom_bits = 128\nhashes = 2\ncohorts = 32\np = "0.5"\nq = "0.75"\nf = "0.5"'
    )
    assert (
        question("rappor", f'type = "text"\n{keys}').randomizer.lifetime_ratio == 3**4
    )


def test_rappor_of_normal_data():
    """One hot, p = 1/2, q = 3/4, f = 0: epsilon is ln 3, a rare value's error 2 /
    sqrt(N).
    """
    randomizer = question(
        "rappor",
        'type = "category"\nvalues = ["a", "b"]\np = "0.5"\nq = "0.75"\nf = "0"',
    ).randomizer
    assert randomizer.ratio == 3
    assert math.sqrt(null_variance(randomizer)) == 2


@pytest.mark.parametrize(
    ("mechanism", "published"),
    [("oue", math.log(math.e + 2)), ("sue", math.log(math.e + math.sqrt(math.e) + 1))],
)
def test_unary_encoding_that_only_sets(mechanism, published):
    """Drawing all bits with q, then setting the true one, spends 1.5514 (OUE) or 1.6802
    (SUE).
    """
    p, q = category(mechanism, 4, "1").support
    only_set = p + (1 - p) * q
    one = Channel(((only_set, 1 - only_set), (q, 1 - q)))
    other = Channel(((q, 1 - q), (only_set, 1 - only_set)))
    pairs = Channel(
        tuple(
            tuple(a * b for a in left for b in right)
            for left, right in zip(one.rows, other.rows, strict=True)
        )
    )
    assert log(worst_ratio(pairs)) == pytest.approx(published, abs=1e-8)


def test_golden_report_of_google_rappor():
    """Its Python client's bits and permanent response, and our instantaneous one, give
    64493.

    Parameters: 16 bits, 2 hashes, p = 1/2, q = 3/4, f = 1/2, cohort 0, secret "secret",
    word "abc"; the uniforms that decide the bits of the report, from the lowest, are 0,
    0.6, 0 over and over.
    """
    bits = 0
    for byte in hashlib.md5(bytes(4) + b"abc").digest()[:2]:  # noqa: S324 (that dialect's hash)
        bits |= 1 << byte % 16
    permanent = 0
    for place, byte in enumerate(
        hmac.digest(b"secret", bits.to_bytes(4, "big"), "sha256")[:16]
    ):
        noisy = byte >> 1 < 64
        permanent |= (byte & 1 if noisy else bits >> place & 1) << place
    words = [
        int(fraction(uniform) * (1 << WORD))
        for uniform in islice(cycle(("0", "0.6", "0")), 16)
    ]
    # Eight planes decide every one of these words; the reserve is drawn all the same.
    planes = (
        sum((word >> place & 1) << bit for bit, word in enumerate(words))
        for place in range(63, 55, -1)
    )
    tape = b"".join(plane.to_bytes(2, "little") for plane in planes) + bytes(16 * 7)
    quarter = 1 << WORD - 2
    client = Rappor(16, 2, 64, flip=quarter, if_one=3 * quarter, if_zero=2 * quarter)
    assert client.instantaneous(permanent, 0, Replay(tape)) == client.layout.report(
        64493
    )
