"""Lasting identifiers: the bits that a device keeps and shows, and how often they
match.
"""

import math
import re
from fractions import Fraction
from itertools import product
from random import Random as Seeded

import pytest
from calling import ldp
from matched_devices import match_rate
from specimens import DESIGNED, SMALL
from surveys import survey_of

from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.identifiers import MOST_SHOWN, identifier, shown_states
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Memoized
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.unary import UnaryEncoding, product_row

KEPT = [
    specimen
    for specimen in (*DESIGNED, *SMALL)
    if isinstance(specimen.randomizer, Memoized) and specimen.randomizer.memoizes
]
ENUMERABLE = [specimen for specimen in KEPT if specimen in SMALL]


def laws(randomizer):
    """(law of a permanent response, law of a report of each), written out over whole
    responses.
    """
    if isinstance(randomizer, BitFlip):
        p, q = randomizer.within
        permanent = product_row([p, *[q] * (randomizer.sampled - 1)])
        return permanent, [
            [Fraction(m == y) for y in range(len(permanent))]
            for m in range(len(permanent))
        ]
    if isinstance(randomizer, Rappor) or isinstance(randomizer.lasting, UnaryEncoding):
        (p, q), (one, zero) = randomizer.steps
        size = randomizer.layout.bits
        permanent = product_row([p, *[q] * (size - 1)])
        sent = [
            product_row([one if m >> bit & 1 else zero for bit in range(size)])
            for m in range(len(permanent))
        ]
        return permanent, sent
    lasting = randomizer.lasting
    response = lasting if isinstance(lasting, RandomizedResponse) else lasting.response
    return response.channel().rows[0], randomizer.fresh.channel().rows


@pytest.mark.parametrize("specimen", ENUMERABLE, ids=lambda specimen: specimen.name)
def test_bits_are_those_of_the_definition(specimen):
    """Mutual information of two reports, and entropy of the response, summed over all
    of them.
    """
    permanent, sent = laws(specimen.randomizer)
    reports = range(len(sent[0]))
    once = [
        sum(mass * row[y] for mass, row in zip(permanent, sent, strict=True))
        for y in reports
    ]
    between = 0.0
    for y, z in product(reports, repeat=2):
        both = sum(
            mass * row[y] * row[z] for mass, row in zip(permanent, sent, strict=True)
        )
        between += float(both) * math.log2(both / (once[y] * once[z])) if both else 0.0
    entropy = -sum(float(mass) * math.log2(mass) for mass in permanent)
    bits = identifier(specimen.randomizer)
    assert bits.between_two - bits.shown == pytest.approx(between, abs=1e-9)
    assert bits.over_time - bits.shown == pytest.approx(entropy, abs=1e-9)


def test_enough_is_enumerated():
    """Bits, symbols, buckets, windows and Bloom filters are among them."""
    kinds = {
        (type(specimen.randomizer), type(getattr(specimen.randomizer, "lasting", None)))
        for specimen in ENUMERABLE
    }
    assert len(kinds) == 5


@pytest.mark.parametrize("specimen", ENUMERABLE, ids=lambda specimen: specimen.name)
def test_what_is_shown_has_as_many_values_as_stated(specimen):
    """2,000 devices draw every one of them, and no other.

    (At most 20: none is missing with 1 - 10^-43.)
    """
    draw = Seeded(1)
    drawn = {specimen.randomizer.draw_cohort(draw.randbytes) for _ in range(2000)}
    assert len(drawn) == shown_states(specimen.randomizer.layout) <= 20


@pytest.mark.parametrize("specimen", KEPT, ids=lambda specimen: specimen.name)
def test_more_reports_tell_more(specimen):
    """No bits less than none, none lost with a second report, and no more than what is
    kept.
    """
    shown, between_two, over_time = identifier(specimen.randomizer)
    assert 0 <= shown <= between_two <= over_time + 1e-9


@pytest.mark.parametrize("weight", [10**6, 10**9])
def test_a_tiny_epsilon_leaves_tiny_bits(weight):
    """Where logarithms of floats would leave rounding alone, half the square comes out,
    above 0.
    """
    fresh = RandomizedResponse(2, weight + 1, weight)
    bits = identifier(Chain(RandomizedResponse(2, 10**9 + 1, 10**9), fresh))
    # With no prior to speak of, two reports are equal with 1/2 + (p2 - q2)^2 / 2.
    excess = (1 / (2 * weight + 1)) ** 2
    assert bits.between_two == pytest.approx(
        excess**2 / (2 * math.log(2)), rel=1e-3, abs=0
    )


def test_a_response_that_is_certain_has_no_bits():
    """Bits that are never flipped are the same on every device with that answer."""
    half = 1 << 63
    plain = Rappor(
        bits=4, hashes=1, cohorts=2, flip=0, if_one=half + (half >> 1), if_zero=half
    )
    bits = identifier(plain)
    assert (bits.shown, bits.between_two, bits.over_time) == (1, 1, 1)


DEVICES = 500
_HUNDRED = f'type = "category"\nvalues = {[str(number) for number in range(100)]}\n'
_THOUSAND = f'type = "category"\nvalues = {[str(number) for number in range(1000)]}\n'
_TWO = 'epsilon_first = "1"\nepsilon_lifetime = "2"\n'

MATCHED = {
    "loloha": (f'{_HUNDRED}{_TWO}mechanism = "loloha"', (1, 1)),
    "dbitflip": (
        f'{_THOUSAND}mechanism = "dbitflip"\nepsilon = "1"\nsampled = 16',
        (1, 1),
    ),
    "rappor-paper": ('type = "text"\nprofile = "rappor-paper"', (0.08, 0.25)),
    "chromium-normal": ('type = "text"\nprofile = "chromium-normal"', (0.9, 1)),
    "l-osue": (f'{_HUNDRED}{_TWO}mechanism = "l-osue"', (0.08, 0.25)),
    "l-grr": (f'{_HUNDRED}{_TWO}mechanism = "l-grr"', (0, 0.05)),
    "l-grr-4": (
        'type = "category"\nvalues = ["0", "1", "2", "3"]\nmechanism = "l-grr"\n'
        + _TWO,
        (0, 0.02),
    ),
}
"""Questions, and between what their 500 devices are matched by one report each:
measured, with room for other seeds.
"""


@pytest.mark.parametrize("name", MATCHED)
def test_devices_are_matched_by_one_report_each(name):
    """500 devices with one answer, through clients that keep their state; seed 1."""
    keys, (least, most) = MATCHED[name]
    rate = match_rate(survey_of(f'name = "x"\n{keys}'), "1", DEVICES, reports=1, seed=1)
    assert least <= rate <= most


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        *(
            (name, 1, 1)
            for name in (
                "loloha",
                "dbitflip",
                "rappor-paper",
                "chromium-normal",
                "l-osue",
            )
        ),
        ("l-grr", 0.1, 0.3),
        ("l-grr-4", 0, 0.05),
    ],
)
def test_permanent_responses_show_in_time(name, least, most):
    """By thirty reports each, those of many bits are matched every time.

    Those of one symbol among four are not.
    """
    rate = match_rate(
        survey_of(f'name = "x"\n{MATCHED[name][0]}'), "1", DEVICES, reports=30, seed=1
    )
    assert least <= rate <= most


FILTER = (
    'name = "x"\ntype = "text"\nmechanism = "rappor"\nbloom_bits = 128\n'
    'p = ".5"\nq = ".75"\nf = "{f}"\ncohorts = {cohorts}'
)


def told(tmp_path, command, question):
    """What a command says of a survey with one question."""
    (tmp_path / "survey.toml").write_text(
        f'[survey]\nname = "s"\n[[question]]\n{question}\n'
    )
    return ldp(f"{command} {tmp_path / 'survey.toml'}")


@pytest.mark.parametrize("command", ["check", "explain"])
@pytest.mark.parametrize(
    ("question", "warned"),
    [
        (FILTER.format(f=".5", cohorts=65_536), "one of 65,536 "),
        (FILTER.format(f=".5", cohorts=MOST_SHOWN + 1), "one of 257 "),
        (FILTER.format(f=".5", cohorts=MOST_SHOWN), None),
        (FILTER.format(f="0", cohorts=65_536), None),
        (f'name = "x"\n{MATCHED["loloha"][0]}', "62.0 bits"),
        (f'name = "x"\n{MATCHED["dbitflip"][0]}', "one of 1,000 "),
        (f'name = "x"\n{MATCHED["l-grr"][0]}', None),
    ],
)
def test_too_many_cohorts_are_warned_about(command, question, warned, tmp_path):
    """More than 256 of them, which each device keeps, or a hash function.

    Not where a device answers once.
    """
    result = told(tmp_path, command, question)
    assert ("every report shows what its device keeps" in result.stderr) is (
        warned is not None
    )
    assert warned is None or warned in result.stderr
    assert "warning" not in result.stdout


def test_explain_prints_the_bits(tmp_path):
    """In clear, between two reports and over time, as
    `ldp.mechanisms.chains.identifiers` has them.

    Nothing for what is asked once.
    """
    shown = told(tmp_path, "explain", FILTER.format(f=".75", cohorts=32)).stdout
    match = re.search(
        r"lasting identifier  (\S+) bits in clear, (\S+) bits between two reports, (\S+) bits over",
        shown,
    )
    paper = survey_of('name = "x"\ntype = "text"\nprofile = "rappor-paper"')[
        "x"
    ].randomizer
    assert tuple(map(float, match.groups())) == pytest.approx(
        identifier(paper), abs=0.005
    )
    assert "one of 32;" in shown
    once = told(
        tmp_path,
        "explain",
        'name = "x"\ntype = "boolean"\nmechanism = "grr"\nepsilon = "1"',
    ).stdout
    assert "lasting identifier" not in once
