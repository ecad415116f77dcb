"""Memoized mechanisms: what repeated reports reveal, by enumeration; what was published
of them.

What devices keep.
"""

import math
from fractions import Fraction

import pytest
from permanence import (
    best_guess,
    instantaneous_channel,
    permanent_channel,
    true_states,
    worst_of_repeated,
)
from specimens import question

from ldp import SurveyError, parse_survey
from ldp.mechanisms.auto import total_error
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.channel import Channel, worst_ratio
from ldp.numbers.exact import exp_lower, log
from ldp_client import Client

SYMBOLS = {
    "two symbols": Chain(RandomizedResponse(2, 3, 1), RandomizedResponse(2, 2, 1)),
    "three symbols": Chain(RandomizedResponse(3, 5, 2), RandomizedResponse(3, 4, 3)),
    "three buckets": Chain(
        LocalHashing(4, 3, 9, other=1, modulus=5), RandomizedResponse(3, 3, 2)
    ),
}
BITS = {
    "even bits": Chain(UnaryEncoding(2, 3, 1, word=2), RandomizedResponse(2, 3, 1)),
    "uneven bits": Chain(UnaryEncoding(2, 4, 1, word=3), RandomizedResponse(2, 5, 3)),
    "rappor": Rappor(2, 0, 1, flip=1, if_one=7, if_zero=2, word=3),
    "rappor with p above q": Rappor(2, 0, 1, flip=1, if_one=2, if_zero=7, word=3),
    "rappor that adds no 1": Rappor(2, 0, 1, flip=1, if_one=7, if_zero=0, word=3),
    "rappor without a permanent response": Rappor(
        2, 0, 1, flip=0, if_one=5, if_zero=3, word=3
    ),
}
ONE_REPORT_FORM = {"l-grr": "grr", "l-sue": "sue", "l-osue": "oue", "loloha": "olh"}


def asked(mechanism, size, first, lifetime, more=""):
    """The randomizer of a question with n values."""
    values = [str(value) for value in range(size)]
    epsilons = f'epsilon_first = "{first}"\nepsilon_lifetime = "{lifetime}"'
    return question(
        mechanism, f'type = "category"\nvalues = {values}\n{epsilons}\n{more}'
    ).randomizer


@pytest.mark.parametrize("name", SYMBOLS)
def test_every_number_of_reports_of_symbols(name):
    """1 to 50 reports: the ratio is the largest over all that can come, by exact
    chances.
    """
    chain = SYMBOLS[name]
    permanents, fresh = (
        channel_of(chain).rows
        for channel_of in (permanent_channel, instantaneous_channel)
    )
    for reports in range(1, 51):
        assert chain.ratio_after(reports) == worst_of_repeated(
            permanents, fresh, reports
        )


@pytest.mark.parametrize("name", BITS)
def test_every_number_of_reports_of_bits(name):
    """The same for two bits: 5 reports of both, 50 bit by bit, independent given the
    value.
    """
    chain = BITS[name]
    rows, fresh = permanent_channel(chain).rows, instantaneous_channel(chain).rows
    permanents = [rows[state] for state in true_states(chain)]
    for reports in range(1, 6):
        assert chain.ratio_after(reports) == worst_of_repeated(
            permanents, fresh, reports
        )
    # The law of the first bit alone: the second is summed over.
    own, other = ([sum(row[bit::2]) for bit in (0, 1)] for row in permanents)
    one_bit = [[sum(row[bit::2]) for bit in (0, 1)] for row in fresh[:2]]
    for reports in range(1, 51):
        chances = [
            [
                sum(
                    share * one_bit[z][1] ** ones * one_bit[z][0] ** (reports - ones)
                    for z, share in enumerate(row)
                )
                for ones in range(reports + 1)
            ]
            for row in (own, other)
        ]
        odds = [Fraction(hit, missed) for hit, missed in zip(*chances, strict=True)]
        assert chain.ratio_after(reports) == max(odds) / min(odds)


@pytest.mark.parametrize("mechanism", ONE_REPORT_FORM)
@pytest.mark.parametrize(
    ("first", "lifetime"), [("0.5", "1"), ("1", "1.0001"), ("2", "40")]
)
def test_the_lifetime_bound_costs_no_accuracy(mechanism, first, lifetime):
    """A report errs as much as one of the mechanism that is asked once, with
    `epsilon_first`.
    """
    memoized = asked(mechanism, 20, first, lifetime=lifetime)
    once = question(
        ONE_REPORT_FORM[mechanism],
        (
            'type = "category"\nvalues = '
            f"{[str(value) for value in range(20)]}\nepsilon = "
            f'"{first}"'
        ),
    ).randomizer
    assert abs(total_error(memoized) / total_error(once) - 1) < Fraction(1, 10**8)


def test_one_hot_rappor_is_the_symmetric_form():
    """`l-sue` is RAPPOR with a bit for each value, its f, p and q chosen for two
    epsilons.
    """
    chain = asked("l-sue", 3, "1", lifetime="2")
    bits, fresh = chain.lasting, chain.fresh
    rappor = Rappor(
        3, 0, 1, flip=bits.if_other, if_one=fresh.truth, if_zero=fresh.other
    )
    assert rappor.channel().rows == chain.channel().rows
    assert rappor.lifetime_ratio == chain.lifetime_ratio
    assert all(
        rappor.ratio_after(reports) == chain.ratio_after(reports)
        for reports in (1, 2, 50)
    )


def as_published(chain, first):
    """The chain with p2 as in the papers, R2 = (R R1 - 1) / (R1 - R): exact for two
    symbols.
    """
    lasting, wanted = chain.lifetime_ratio, exp_lower(Fraction(first))
    odds = (wanted * lasting - 1) / (lasting - wanted)
    return chain._replace(
        fresh=chain.fresh._replace(truth=odds.numerator, other=odds.denominator)
    )


def null_variance(randomizer):
    """Of the estimate from 10,000 reports, for a value that no one holds."""
    p, q = randomizer.support
    return float(q * (1 - q) / (p - q) ** 2 / 10_000)


@pytest.mark.parametrize(
    ("size", "exact", "published"), [(32, 0.0256, 0.981), (1024, 0.836, 26706)]
)
def test_published_calibration_of_symbols(size, exact, published):
    """L-GRR as published wastes nearly all of its epsilon, the more the more values
    there are.
    """
    chain = asked("l-grr", size, "0.3", lifetime="0.5")
    assert null_variance(chain) == pytest.approx(exact, rel=2e-3)
    assert null_variance(as_published(chain, "0.3")) == pytest.approx(
        published, rel=2e-3
    )
    assert log(chain.ratio) == pytest.approx(0.3, abs=1e-9)


def test_published_calibration_delivers_less():
    """Of an epsilon_first of 0.3, L-GRR as published delivers 0.055.

    LOLOHA with 4 buckets 0.9015 of 1.
    """
    assert log(
        as_published(asked("l-grr", 32, "0.3", lifetime="0.5"), "0.3").ratio
    ) == pytest.approx(0.055, abs=5e-4)
    hashed = asked("loloha", 100_000, "1", lifetime="2", more="buckets = 4")
    assert log(as_published(hashed, "1").ratio) == pytest.approx(0.9015, abs=5e-5)
    variances = [
        10_000 * null_variance(chain) for chain in (hashed, as_published(hashed, "1"))
    ]
    assert variances == pytest.approx([3.692, 4.647], abs=1e-3)


def test_published_calibration_is_exact_for_two():
    """Of two symbols there is no way from one wrong symbol to another."""
    chain = asked("l-grr", 2, "0.3", lifetime="0.5")
    assert log(as_published(chain, "0.3").ratio) == pytest.approx(0.3, abs=1e-9)


def test_a_year_of_reports_lets_no_one_guess_better():
    """365 reports of one binary answer at eps_inf = 1: guesses are right below
    e/(e+1).
    """
    chain = asked("l-grr", 2, "0.5", lifetime="1")
    after_a_year = best_guess(
        permanent_channel(chain).rows, instantaneous_channel(chain).rows, 365
    )
    limit = chain.lifetime_ratio / (1 + chain.lifetime_ratio)
    assert limit * Fraction(99, 100) < after_a_year < limit < Fraction(7311, 10_000)
    assert log(chain.ratio_after(365)) == pytest.approx(1)


def test_a_device_keeps_its_hash_function_and_one_response_for_each_bucket():
    """A device sends one seed, and keeps at most as many responses as there are
    buckets.
    """
    values = [str(value) for value in range(40)]
    survey = parse_survey(
        '[survey]\nname = "x"\n[[question]]\nname = "x"\n'
        'type = "category"\nmechanism = "loloha"\nbuckets = 3\n'
        'epsilon_first = "1"\nepsilon_lifetime = "2"\nmemoized_values = 1000\nvalues '
        f"= {values}\n"
    )
    # Some hash functions leave a bucket empty: about 1 in 30, so that 20 devices find
    # no full one once in 10^29.
    charges = []
    for _ in range(20):
        client = Client(survey)
        seeds = {client.record("x", value).row[:8] for value in values}
        assert len(seeds) == 1
        charges.append(len(client.ledger().charges))
    assert max(charges) == 3
    assert {Client(survey).record("x", "0").row[:8] for _ in range(20)}.isdisjoint(
        seeds
    )


def test_two_devices_in_one_bucket_are_told_apart_by_nothing():
    """Under each hash function, values of one bucket have one law.

    And over all of them no two values have.
    """
    chain = SYMBOLS["three buckets"]
    assert len(set(chain.channel().rows)) == chain.size
    assert worst_ratio(Channel(permanent_channel(chain).rows)) == chain.lifetime_ratio


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ('epsilon_first = "1"', "epsilon_lifetime"),
        ('epsilon_lifetime = "1"', "epsilon_first"),
        ('epsilon_first = "1"\nepsilon_lifetime = "1"', "epsilon_first"),
        ('epsilon_first = "2"\nepsilon_lifetime = "1"', "epsilon_first"),
        ('epsilon_first = "1"\nepsilon_lifetime = "1.00001"', "epsilon_first"),
        ('epsilon_first = "1"\nepsilon_lifetime = "2"\nepsilon = "1"', "epsilon"),
        ('epsilon_first = "1"\nepsilon_lifetime = "2"\nbuckets = 1', "buckets"),
    ],
)
def test_epsilons_that_leave_no_room_are_refused(keys, place):
    """There is one problem, at the wrong key: what is kept reveals more than a report
    of it.
    """
    with pytest.raises(SurveyError) as refused:
        question("loloha", f'type = "boolean"\n{keys}')
    assert [problem.place.rpartition(".")[2] for problem in refused.value.problems] == [
        place
    ]


def test_extreme_epsilons_keep_their_order():
    """Where thresholds of 2^-64 hardly tell two epsilons apart, each report has its own
    noise.
    """
    for mechanism in ONE_REPORT_FORM:
        for first, lifetime in (
            ("39.9999", "40"),
            ("0.0001", "0.0002"),
            ("0.0001", "40"),
        ):
            chain = asked(mechanism, 3, first, lifetime=lifetime)
            assert chain.fresh.truth > chain.fresh.other > 0
            assert 1 < chain.ratio < chain.lifetime_ratio
            assert math.isfinite(log(chain.ratio_after(50)))
