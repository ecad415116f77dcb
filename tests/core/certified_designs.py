"""Designs to certify, over all mechanisms, and the checker of certificates, loaded from its files.

What can be derived from the table of mechanisms is: a mechanism that joins it is certified over the
grid and at random, or `test_certificate.py` fails until `PARTICULAR` says what its questions look
like.
"""

import importlib.util
import json
import sys
from fractions import Fraction
from functools import cache
from itertools import product

from places import EXAMPLES

from ldp import Question, Survey
from ldp.certificate import certificate
from ldp.domain import BOOLEAN_VALUES, Domain
from ldp.keys import LEAST_EPSILON, Keys
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.contract import Memoized

PROGRAM = EXAMPLES / "check_certificate.py"


def _loaded(name):
    """A module of the checker, under the name by which the checker imports it."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ratios, checker = _loaded("mechanism_ratios"), _loaded("check_certificate")

SLOW = ("pgr", "pad-pgr", "heavy-hitters", "olh", "blh", "cms", "hcms", "loloha")
"""Mechanisms whose parameters take a search; they are certified over the grid only."""

QUICK = tuple(name for name in MECHANISMS if name not in SLOW)

BOOLEAN, TEXT = Domain("boolean", BOOLEAN_VALUES), Domain("text", None)
SETS = tuple(
    Domain("multi", tuple(map(str, range(size))), most)
    for size, most in ((2, 1), (4, 2), (17, 3), (17, 16), (300, 100))
)
CATEGORY = {
    size: Domain("category", tuple(map(str, range(size)))) for size in (2, 3, 4, 5, 17, 300)
}
INTEGERS = tuple(
    Domain("integer", tuple(map(str, range(low, high))))
    for low, high in ((0, 2), (-7, 4), (1, 300))
)

SMALL = 20
"""Values of the largest domain of a random design, except for whole numbers."""

KEPT = 4
"""Permanent responses that a device keeps, of a mechanism that has some."""


@cache
def domains(mechanism):
    """What a mechanism is tried on: categories, or else whole numbers, sets or texts."""
    accepts = MECHANISMS[mechanism].accepts
    categories = [CATEGORY[size] for size in (2, 3, 5, 17, 300)]
    for kind in (categories, INTEGERS, SETS, [TEXT]):
        found = [domain for domain in kind if accepts(domain) is None]
        if found:
            return found
    raise AssertionError(
        f"expected {mechanism} to accept some domain, or another kind of domain here"
    )


@cache
def plain(mechanism):
    """Whether a mechanism takes an epsilon, and needs nothing else."""
    keys = Keys("x", {"epsilon": "1"})
    MECHANISMS[mechanism].design(keys, domains(mechanism)[0])
    return keys.problems == []


def of_two_epsilons(mechanism):
    """Whether it takes one epsilon for a report and one for all."""
    return {"epsilon_first", "epsilon_lifetime"} <= set(MECHANISMS[mechanism].keys)


def designed(mechanism, domain, keys):
    """The question that the keys of a survey file would give."""
    table = Keys("x", keys)
    randomizer, declared = MECHANISMS[mechanism].design(table, domain)
    assert table.problems == []
    charges = 1
    if isinstance(randomizer, Memoized) and randomizer.memoizes:
        charges = min(KEPT, randomizer.memos or KEPT)
    return Question(
        "x",
        domain,
        mechanism,
        randomizer=randomizer,
        declared=declared,
        charges=charges,
        survey="s",
    )


EPSILONS = (
    "0.0001",
    "0.001",
    "1/97",
    "0.1",
    "0.5",
    "0.69314718056",
    "1",
    "1.0986",
    "2",
    "7/3",
    "3",
    "4",
    "5.5",
)
EPSILONS += ("8", "10", "13.37", "20", "22.18", "30", "36", "39.9999", "40")
_SHARES = ("0.001", "1/6", "0.25", "0.3", "0.49")


def grid():
    """Arguments of `designed`, over each mechanism's parameters and their extremes."""
    for mechanism in MECHANISMS:
        if plain(mechanism):
            for epsilon, domain in product(EPSILONS, domains(mechanism)):
                yield mechanism, domain, {"epsilon": epsilon}
        if of_two_epsilons(mechanism):
            yield from _chains(mechanism)
    for epsilon in EPSILONS:
        for size, sampled in ((2, 1), (2, 2), (5, 1), (5, 4), (300, 16)):
            yield "dbitflip", CATEGORY[size], {"epsilon": epsilon, "sampled": sampled}
        for outputs in (4, 7):
            quality = [[-abs(x - y) for y in range(outputs)] for x in range(4)]
            yield "exponential", CATEGORY[4], {"epsilon": epsilon, "quality": quality}
            yield (
                "exponential",
                CATEGORY[4],
                {"epsilon": epsilon, "quality": quality, "sensitivity": 17},
            )
    for share in (*_SHARES, "0.51", "2/3", "0.999"):
        yield "warner", BOOLEAN, {"truth": share}
        for prevalence in (*_SHARES, "0.9"):
            yield "unrelated", BOOLEAN, {"truth": share, "prevalence": prevalence}
    for yes, no in product(_SHARES, _SHARES):
        yield "forced", BOOLEAN, {"forced_true": yes, "forced_false": no}
    for size, keep in product((2, 3, 4, 5), ("0.9", "0.75", "7/11", "1/100")):
        other = (1 - Fraction(keep)) / (size - 1)
        rows = [[keep if x == y else str(other) for y in range(size)] for x in range(size)]
        yield "matrix", CATEGORY[size], {"matrix": rows}
    yield from _filters()


def _chains(mechanism):
    """Two epsilons that lie far apart, and close."""
    for epsilon, size, share in product(EPSILONS, (2, 5, 300), ("0.99", "1/7")):
        if (
            Fraction(epsilon) * (1 - Fraction(share))
            >= LEAST_EPSILON
            <= Fraction(epsilon) * Fraction(share)
        ):
            first = str(Fraction(epsilon) * Fraction(share))
            yield mechanism, CATEGORY[size], {"epsilon_first": first, "epsilon_lifetime": epsilon}


def _filters():
    """RAPPOR, as Bloom filter and with one bit a value."""
    for (p, q), f, hashes in product(
        ((".5", ".75"), (".25", ".75"), (".39", ".61"), ("0.9", "0.2"), ("0", "1")),
        ("0", "1/3", "0.75"),
        (0, 1, 2, 8),
    ):
        if (f, p) != ("0", "0"):
            bloom = {"bloom_bits": 128, "hashes": hashes, "cohorts": 16} if hashes else {}
            yield "rappor", TEXT if hashes else CATEGORY[4], {"p": p, "q": q, "f": f, **bloom}


def random_design(draw):
    """Arguments of `designed`, drawn from all that a survey file may say of small domains, where
    designs are quick.
    """
    mechanism = draw.choice(QUICK)
    digits = draw.choice((1, 3, 8, 20))
    epsilon = str(Fraction(int(10**digits * 10 ** draw.uniform(-3, 1.6)) + 1, 10**digits))
    particular = PARTICULAR.get(mechanism)
    if particular and not (plain(mechanism) and draw.random() < 0.5):
        domain, keys = particular(draw, epsilon)
        return mechanism, domain, keys
    small = [
        domain
        for domain in domains(mechanism)
        if domain.type == "integer" or (domain.size or 0) <= SMALL
    ]
    if of_two_epsilons(mechanism):
        lifetime = str(
            max(Fraction(epsilon), 2 * LEAST_EPSILON) + LEAST_EPSILON * draw.randrange(1000)
        )
        first = str(
            (Fraction(lifetime) - LEAST_EPSILON)
            * draw.choice((Fraction(1, 2), Fraction(19, 20), 1))
        )
        return mechanism, draw.choice(small), {"epsilon_first": first, "epsilon_lifetime": lifetime}
    assert plain(mechanism), f"{mechanism}: expected a way to draw its keys in PARTICULAR"
    return mechanism, draw.choice(small), {"epsilon": epsilon}


def _share(draw):
    denominator = draw.choice((7, 100, 1000, 10**9, draw.randrange(3, 10**6)))
    return Fraction(draw.randrange(1, denominator), denominator)


def _warner(draw, _):
    return BOOLEAN, {"truth": str(_share(draw))}


def _forced(draw, _):
    yes = _share(draw)
    return BOOLEAN, {"forced_true": str(yes), "forced_false": str((1 - yes) * _share(draw))}


def _unrelated(draw, _):
    return BOOLEAN, {"truth": str(_share(draw)), "prevalence": str(_share(draw))}


def _matrix(draw, _):
    size = draw.choice((2, 3, 4))
    weights = [[draw.randrange(1, 10**6) for _ in range(size)] for _ in range(size)]
    return CATEGORY[size], {
        "matrix": [[f"{weight}/{sum(row)}" for weight in row] for row in weights]
    }


def _exponential(draw, epsilon):
    return CATEGORY[4], {
        "epsilon": epsilon,
        "quality": [[draw.randrange(100) for _ in range(5)] for _ in range(4)],
    }


def _laplace(draw, epsilon):
    return draw.choice(INTEGERS), {"epsilon": epsilon, "margin": 1}


def _window(draw, epsilon):
    return draw.choice([CATEGORY[size] for size in (2, 5, 17)]), {
        "epsilon": epsilon,
        "sampled": draw.choice((1, 2)),
    }


def _rappor(draw, _):
    keys = {key: str(_share(draw)) for key in "pqf"}
    if draw.random() < 0.5:
        return CATEGORY[4], keys
    return TEXT, {**keys, "bloom_bits": 64, "hashes": draw.randint(1, 4), "cohorts": 4}


PARTICULAR = {
    "warner": _warner,
    "forced": _forced,
    "unrelated": _unrelated,
    "matrix": _matrix,
    "exponential": _exponential,
    "laplace": _laplace,
    "dbitflip": _window,
    "rappor": _rappor,
}
"""Mechanisms that take other keys than an epsilon: how a random question is drawn, given an
epsilon.
"""


def as_read(asked):
    """The certificate of a survey, or of one that has but this question, as it comes out of a JSON
    file.
    """
    survey = asked if isinstance(asked, Survey) else Survey("s", (asked,))
    return json.loads(json.dumps(certificate(survey)))


def judged(question):
    """What the checker makes of a question: the ratio of one report, and everything that it finds
    wrong.
    """
    survey = checker.read(json.dumps(as_read(question)))
    found, wrong = checker.failures(survey["questions"][0], survey)
    return found and found.ratio, wrong + checker.survey_failures(survey)
