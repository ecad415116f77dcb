"""The three clients of google/rappor: the bits, cohorts and probabilities of each."""

import hmac
import itertools
from fractions import Fraction
from hashlib import md5

import pytest

from ldp.errors import EstimateError
from ldp.numbers.exact import log
from ldp_aggregator.exchange.google_rappor.cohorts import cpp_cohort, java_cohort
from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import Parameters
from ldp_aggregator.exchange.google_rappor.privacy import declared_lifetime
from ldp_aggregator.exchange.google_rappor.survey import equivalent_question

PYTHON, CPP, JAVA = DIALECTS["python"], DIALECTS["cpp"], DIALECTS["java"]
NUMBERS = ("0", "0.001", "0.1", "0.25", "0.3", "0.5", "0.7", "0.75", "0.999", "1")


def parameters(p, q, f, hashes=2, cohorts=64, bits=32):
    return Parameters(
        bits, hashes, cohorts, p=Fraction(p), q=Fraction(q), f=Fraction(f)
    )


def vector(positions):
    return sum(1 << position for position in set(positions))


@pytest.mark.parametrize(
    ("text", "cohort", "bits"),
    [
        ("Whizbang", 0, 0b000010000100),
        ("Whizbang", 3, 0b000011000000),
        ("Xyzzy", 0, 0b001001000000),
        ("Thud", 0, 0b000000110000),
    ],
)
def test_java_bits(text, cohort, bits):
    """The Java client's published Bloom filters, k = 12 and h = 2."""
    assert vector(JAVA.positions(text.encode(), cohort, 2, bits=12)) == bits


def test_python_report():
    """The Python client's published report: its Bloom bits, permanent response and
    noise.
    """
    params = parameters("0.5", "0.75", "0.5", cohorts=64, bits=16)
    bloom = vector(PYTHON.positions(b"abc", 0, params.hashes, bits=params.bits))
    run, span = PYTHON.as_run(params), 1 << PYTHON.word
    key = hmac.digest(b"secret", bloom.to_bytes(4, "big"), "sha256")
    flips = run.flip * 256 // span
    permanent = vector(
        i for i in range(16) if (key[i] & 1 if key[i] >> 1 < flips else bloom >> i & 1)
    )
    uniforms = itertools.cycle([0, 0.6, 0])
    if_zero, if_one = (
        vector(i for i in range(16) if next(uniforms) < threshold / span)
        for threshold in (run.if_zero, run.if_one)
    )
    assert if_zero & ~permanent | if_one & permanent == 64493


def test_python_and_cpp_agree_up_to_256_bits():
    """One byte a hash for both; beyond 256 bits the C++ client takes two, the low one
    first.
    """
    for cohort in range(8):
        assert PYTHON.positions(b"abc", cohort, 8, bits=256) == CPP.positions(
            b"abc", cohort, 8, bits=256
        )
        digest = md5(cohort.to_bytes(4, "big") + b"abc", usedforsecurity=False).digest()
        assert (
            CPP.positions(b"abc", cohort, 2, bits=257)[1]
            == (digest[2] + 256 * digest[3]) % 257
        )
        assert (
            JAVA.positions(b"abc", cohort, 2, bits=257)[1]
            == (256 * digest[2] + digest[3]) % 257
        )


def test_cpp_cohorts():
    """The C++ client's published cohorts of 128, with 32 bits and with 64."""
    assert cpp_cohort(b"client-secret", 128, 32) == 3
    assert cpp_cohort(b"client-secret", 128, 64) == 93


@pytest.mark.parametrize(("name", "cohort"), [("Blotto", 3), ("Bar", 3), ("Bar2", 0)])
def test_java_cohorts(name, cohort):
    """The Java client's published cohorts of 4.

    With 1 it is always the first, and fewer keep the lowest bits.
    """
    secret = md5(name.encode(), usedforsecurity=False).digest() * 3
    assert java_cohort(secret, 4, 8) == cohort
    assert java_cohort(secret, 1, 8) == 0
    assert java_cohort(secret, 128, 8) % 64 == java_cohort(secret, 64, 8)


@pytest.mark.parametrize(
    ("dialect", "first"), [("python", b"\0\1"), ("cpp", b"\0\1"), ("java", b"\1\0")]
)
def test_raw_reports(dialect, first):
    """Position 0 is in the last byte of a Python or C++ report, and in a Java report's
    first.
    """
    assert DIALECTS[dialect].vector(first) == 1


def test_what_was_delivered():
    """The C++ client turns q = 1 into 0; C++ and Java deliver 6.99 for a declared 6.94
    at f = .3.

    Python does not.
    """
    assert CPP.as_run(parameters("0.25", "1", "0.5")).if_one == 0
    assert CPP.as_run(parameters("0.3", "0.7", "0.5")).if_zero == 76
    asked = parameters("0.25", "0.75", "0.3")
    assert log(declared_lifetime(asked)) == pytest.approx(6.94, abs=0.005)
    assert log(JAVA.as_run(asked).lifetime_ratio) == pytest.approx(6.99, abs=0.005)
    assert log(CPP.as_run(asked).lifetime_ratio) == pytest.approx(6.99, abs=0.005)
    assert PYTHON.as_run(asked).lifetime_ratio <= declared_lifetime(asked)


def test_our_rounding_keeps_the_promise():
    """With the same parameters, our client delivers at most what they declare,
    exactly.
    """
    checked = 0
    for p, q, f in itertools.product(NUMBERS, repeat=3):
        asked = parameters(p, q, f)
        high, low = max(support(asked)), min(support(asked))
        if high == low or low == 0 or high == 1:
            continue
        delivered = equivalent_question(asked, "params.csv").randomizer
        assert (
            delivered.ratio <= (high * (1 - low) / (low * (1 - high))) ** asked.hashes
        ), asked
        assert not asked.f or delivered.lifetime_ratio <= declared_lifetime(asked), (
            asked
        )
        checked += 1
    assert checked > 500


def support(asked):
    """(q*, p*) of the parameters as they are written."""
    middle = asked.f * (asked.p + asked.q) / 2
    return middle + (1 - asked.f) * asked.q, middle + (1 - asked.f) * asked.p


@pytest.mark.parametrize(
    ("dialect", "asked", "expected"),
    [
        ("java", parameters("0.5", "0.75", "0.5", hashes=9), "h up to 8"),
        (
            "java",
            parameters("0.5", "0.75", "0.5", cohorts=256),
            "m to be a power of two up to 128",
        ),
        (
            "cpp",
            parameters("0.5", "0.75", "0.5", cohorts=100),
            "m to be a power of two",
        ),
        ("cpp", parameters("0.5", "0.75", "0.5", hashes=9, bits=512), "h up to 8"),
    ],
)
def test_parameters_that_a_client_refuses(dialect, asked, expected):
    """Parameters that no report of this client can have come from are a typed error."""
    with pytest.raises(EstimateError, match=expected):
        DIALECTS[dialect].candidates(("x",), asked)
