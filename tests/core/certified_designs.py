"""Designs to certify, over all mechanisms, and the checker of certificates, loaded from
its files.

What can be derived from the table of mechanisms is: a mechanism that joins it is
certified over the grid and at random, or `test_certificate.py` fails until
`OF_OTHER_KEYS` says what its questions look like.
"""

import importlib.util
import json
import random
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

from places import EXAMPLES

from ldp import Question, Survey
from ldp.answers.balls import Ball
from ldp.answers.booleans import BooleanDomain
from ldp.answers.domain import Domain, Field
from ldp.answers.fields import FieldsDomain
from ldp.answers.key_values import KeyValueDomain
from ldp.answers.keys import LEAST_EPSILON, Keys
from ldp.answers.real_numbers import NumberDomain
from ldp.answers.scales import Scale
from ldp.answers.sets import SetDomain
from ldp.answers.taxonomies import Taxonomy
from ldp.answers.vectors import VectorDomain
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.contract import Memoized
from ldp.privacy.certificate import certificate

PROGRAM = EXAMPLES / "check_certificate.py"


def _loaded(name):
    """A module of the checker, under the name by which the checker imports it."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAM_MODULES = ("certificate_reading", "mechanism_ratios", "check_certificate")
"""Of the program, each after those that it imports."""

reading, ratios, checker = map(_loaded, PROGRAM_MODULES)

SLOW = (
    "pgr",
    "pad-pgr",
    "heavy-hitters",
    "olh",
    "blh",
    "cms",
    "hcms",
    "loloha",
    "taxonomy",
    "tree",
    "pyramid",
    "stripes",
    "subsets",
)
"""Mechanisms whose parameters take a search; they are certified over the grid only."""

QUICK = tuple(name for name in MECHANISMS if name not in SLOW)

BOOLEAN, TEXT = BooleanDomain(), Domain("text", None)
SETS = tuple(
    SetDomain(tuple(map(str, range(size))), most)
    for size, most in ((2, 1), (4, 2), (17, 3), (17, 16), (300, 100))
)
PAIRS = tuple(
    KeyValueDomain(tuple(map(str, range(size))), most, ends)
    for size, most in ((2, 1), (4, 2), (17, 8), (300, 100))
    for ends in (
        Scale(
            Fraction(0),
            Fraction(600),
            2,
            step=Fraction(600),
            unit="minutes",
            missing=("NA",),
        ),
        Scale(Fraction(-1, 3), Fraction(1), 2, step=Fraction(4, 3), outside="clip"),
    )
)
CATEGORY = {
    size: Domain("category", tuple(map(str, range(size))))
    for size in (2, 3, 4, 5, 17, 300)
}
INTEGERS = tuple(
    Domain("integer", tuple(map(str, range(low, high))))
    for low, high in ((0, 2), (-7, 4), (1, 300))
)

TREES = tuple(
    Domain(
        "category",
        tuple(map(str, range(size))),
        taxonomy=Taxonomy(
            ("x", "y"), (0, 0, *(1 + place % 2 for place in range(size))), ("", "")
        ),
    )
    for size in (3, 5, 17, 300)
)

VECTORS = tuple(
    VectorDomain(Ball(dimensions, Fraction(radius), outside))
    for dimensions, radius, outside in (
        (2, "1", "refuse"),
        (100, "5/2", "clip"),
        (4096, "1", "clip"),
    )
)
PLACES = tuple(
    FieldsDomain(
        "place",
        tuple(
            Field(axis, NumberDomain(Scale(*ends, cells, edges=edges)))
            for axis in ("x", "y")
        ),
    )
    for cells in (2, 8, 64)
    for edges in [tuple(Fraction(edge, 3) for edge in range(cells + 1))]
    for ends in [(edges[0], edges[-1])]
)
TABLES = tuple(
    FieldsDomain(
        "table",
        tuple(Field(f"f{place}", CATEGORY[size]) for place, size in enumerate(sizes)),
        collect="subsets",
    )
    for sizes in ((2, 2), (2, 3, 4), (17, 2, 5, 2, 2), (5,) * 8, (2,) * 16)
)

SMALL = 20
"""Values of the largest domain of a random design, except for whole numbers."""

KEPT = 4
"""Permanent responses that a device keeps, of a mechanism that has some."""


@cache
def domains(mechanism):
    """What a mechanism is tried on: categories, else numbers, sets, texts, trees,
    vectors, maps.
    """
    accepts = MECHANISMS[mechanism].accepts
    categories = [CATEGORY[size] for size in (2, 3, 5, 17, 300)]
    for kind in (
        categories,
        INTEGERS,
        (*SETS, *PAIRS),
        [TEXT],
        TREES,
        VECTORS,
        PLACES,
        TABLES,
    ):
        accepted = [domain for domain in kind if accepts(domain) is None]
        if accepted:
            return accepted
    raise AssertionError(
        f"expected {mechanism} to accept some domain, or another kind of domain here"
    )


@cache
def plain(mechanism):
    """Whether a mechanism takes an epsilon, and needs nothing else."""
    keys = Keys("x", {"epsilon": "1"})
    MECHANISMS[mechanism].design(keys, domains(mechanism)[0])
    return keys.problems == []


@cache
def ways(mechanism):
    """The ways in which a question of this mechanism may be asked, one at least."""
    of_two_epsilons = {"epsilon_first", "epsilon_lifetime"} <= set(
        MECHANISMS[mechanism].keys
    )
    possible = (
        plain(mechanism) and OF_AN_EPSILON,
        of_two_epsilons and OF_TWO_EPSILONS,
        OF_OTHER_KEYS.get(mechanism),
    )
    chosen = [way for way in possible if way]
    assert chosen, (
        f"{mechanism} needs more than an epsilon: expected a row in OF_OTHER_KEYS"
    )
    return chosen


def designed(mechanism, domain, keys):
    """The question that the keys of a survey file would give."""
    table = Keys("x", keys)
    randomizer, declared = MECHANISMS[mechanism].design(table, domain)
    assert table.problems == []
    memoizes = isinstance(randomizer, Memoized) and randomizer.memoizes
    charges = min(KEPT, randomizer.memos or KEPT) if memoizes else 1
    return Question(
        "x",
        domain,
        mechanism,
        randomizer=randomizer,
        declared=declared,
        charges=charges,
        survey="s",
    )


def grid():
    """Arguments of `designed`, over each mechanism's parameters and their extremes."""
    for mechanism in MECHANISMS:
        for way in ways(mechanism):
            yield from (
                (mechanism, domain, keys) for domain, keys in way.grid(mechanism)
            )


def random_design(draw):
    """Arguments of `designed`: all that a survey file may say of small domains, which
    are quick.
    """
    mechanism = draw.choice(QUICK)
    digits = draw.choice((1, 3, 8, 20))
    epsilon = Fraction(int(10**digits * 10 ** draw.uniform(-3, 1.6)) + 1, 10**digits)
    domain, keys = draw.choice(ways(mechanism)).draw(draw, epsilon, mechanism)
    return mechanism, domain, keys


EPSILONS = (
    *(
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
    ),
    *("4", "5.5", "8", "10", "13.37", "20", "22.18", "30", "36", "39.9999", "40"),
)
_SHARES = ("0.001", "1/6", "0.25", "0.3", "0.49")


class Way(NamedTuple):
    """How questions of a mechanism are made up: each a domain, and the keys of a survey
    file.
    """

    grid: Callable[[str], Iterator[tuple[Domain, dict]]]
    """Given the mechanism: some that lie far apart, its extremes among them."""
    draw: Callable[[random.Random, Fraction, str], tuple[Domain, dict]]
    """Given a source of randomness, an epsilon and the mechanism: one."""


def _small(draw, mechanism):
    """A domain on which designs are quick."""
    fit = (
        domain
        for domain in domains(mechanism)
        if domain.type in ("integer", "vector") or (domain.size or 0) <= SMALL
    )
    return draw.choice(list(fit))


def _share(draw):
    denominator = draw.choice((7, 100, 1000, 10**9, draw.randrange(3, 10**6)))
    return Fraction(draw.randrange(1, denominator), denominator)


def _epsilon_grid(mechanism):
    for epsilon, domain in product(EPSILONS, domains(mechanism)):
        yield domain, {"epsilon": epsilon}


def _epsilon(draw, epsilon, mechanism):
    return _small(draw, mechanism), {"epsilon": str(epsilon)}


def _chain_grid(_):
    """Two epsilons that lie far apart, and close."""
    for epsilon, size, share in product(EPSILONS, (2, 5, 300), ("0.99", "1/7")):
        lifetime, first = Fraction(epsilon), Fraction(epsilon) * Fraction(share)
        if min(first, lifetime - first) >= LEAST_EPSILON:
            yield (
                CATEGORY[size],
                {"epsilon_first": str(first), "epsilon_lifetime": epsilon},
            )


def _chain(draw, epsilon, mechanism):
    lifetime = max(epsilon, 2 * LEAST_EPSILON) + LEAST_EPSILON * draw.randrange(1000)
    share = draw.choice((Fraction(1, 2), Fraction(19, 20), 1))
    first = (lifetime - LEAST_EPSILON) * share
    keys = {"epsilon_first": str(first), "epsilon_lifetime": str(lifetime)}
    return _small(draw, mechanism), keys


def _warner_grid(_):
    for share in (*_SHARES, "0.51", "2/3", "0.999"):
        yield BOOLEAN, {"truth": share}


def _warner(draw, *_):
    """Never one half, with which a report would say nothing."""
    truths = iter(lambda: _share(draw), None)
    return BOOLEAN, {
        "truth": str(next(truth for truth in truths if truth != Fraction(1, 2)))
    }


def _forced_grid(_):
    for yes, no in product(_SHARES, _SHARES):
        yield BOOLEAN, {"forced_true": yes, "forced_false": no}


def _forced(draw, *_):
    yes = _share(draw)
    return BOOLEAN, {
        "forced_true": str(yes),
        "forced_false": str((1 - yes) * _share(draw)),
    }


def _unrelated_grid(_):
    for share, prevalence in product(
        (*_SHARES, "0.51", "2/3", "0.999"), (*_SHARES, "0.9")
    ):
        yield BOOLEAN, {"truth": share, "prevalence": prevalence}


def _unrelated(draw, *_):
    return BOOLEAN, {"truth": str(_share(draw)), "prevalence": str(_share(draw))}


def _matrix_grid(_):
    for size, keep in product((2, 3, 4, 5), ("0.9", "0.75", "7/11", "1/100")):
        other = str((1 - Fraction(keep)) / (size - 1))
        rows = [[keep if x == y else other for y in range(size)] for x in range(size)]
        yield CATEGORY[size], {"matrix": rows}


def _matrix(draw, *_):
    size = draw.choice((2, 3, 4))
    weights = [[draw.randrange(1, 10**6) for _ in range(size)] for _ in range(size)]
    rows = [[f"{weight}/{sum(row)}" for weight in row] for row in weights]
    return CATEGORY[size], {"matrix": rows}


def _exponential_grid(_):
    for epsilon, outputs in product(EPSILONS, (4, 7)):
        quality = [[-abs(x - y) for y in range(outputs)] for x in range(4)]
        yield CATEGORY[4], {"epsilon": epsilon, "quality": quality}
        yield CATEGORY[4], {"epsilon": epsilon, "quality": quality, "sensitivity": 17}


def _exponential(draw, epsilon, _):
    quality = [[draw.randrange(100) for _ in range(5)] for _ in range(4)]
    return CATEGORY[4], {"epsilon": str(epsilon), "quality": quality}


def _laplace_grid(_):
    for epsilon, domain in product(EPSILONS, INTEGERS):
        yield domain, {"epsilon": epsilon, "margin": 1}


def _laplace(draw, epsilon, _):
    return draw.choice(INTEGERS), {"epsilon": str(epsilon), "margin": 1}


def _window_grid(_):
    for epsilon, (size, sampled) in product(
        EPSILONS, ((2, 1), (2, 2), (5, 1), (5, 4), (300, 16))
    ):
        yield CATEGORY[size], {"epsilon": epsilon, "sampled": sampled}


def _window(draw, epsilon, _):
    domain = draw.choice([CATEGORY[size] for size in (2, 5, 17)])
    return domain, {"epsilon": str(epsilon), "sampled": draw.choice((1, 2))}


def _rappor_grid(_):
    """As Bloom filter and with one bit a value."""
    chances = (
        (".5", ".75"),
        (".25", ".75"),
        (".39", ".61"),
        ("0.9", "0.2"),
        ("0", "1"),
    )
    for (p, q), f, hashes in product(chances, ("0", "1/3", "0.75"), (0, 1, 2, 8)):
        if (f, p) != ("0", "0"):
            bloom = (
                {"bloom_bits": 128, "hashes": hashes, "cohorts": 16} if hashes else {}
            )
            yield TEXT if hashes else CATEGORY[4], {"p": p, "q": q, "f": f, **bloom}


def _rappor(draw, *_):
    """Never with p as q, with which a report would say nothing."""
    keys = {"p": "0", "q": "0"}
    while keys["p"] == keys["q"]:
        keys = {key: str(_share(draw)) for key in "pqf"}
    if draw.random() < 0.5:
        return CATEGORY[4], keys
    return TEXT, {**keys, "bloom_bits": 64, "hashes": draw.randint(1, 4), "cohorts": 4}


def _taxonomy_grid(_):
    for epsilon, share in product(EPSILONS, ("0", "0.1", "2/3")):
        yield TREES[2], {"epsilon": epsilon, "shares": [share]}


def _taxonomy(draw, epsilon, _):
    return draw.choice(TREES[:3]), {
        "epsilon": str(epsilon),
        "shares": [str(_share(draw))],
    }


def _metric_grid(_):
    for rate, domain in product(("0.01", "0.3", "1", "5"), PLACES[:2]):
        for lengths in (["1", "1"], ["1/3", "2"]):
            yield domain, {"epsilon_per_unit": rate, "lengths": lengths}


def _metric(draw, epsilon, _):
    keys = {"epsilon_per_unit": str(max(epsilon / 2, Fraction(1, 100)))}
    return PLACES[0], {**keys, "lengths": [1, str(Fraction(draw.randint(1, 20), 10))]}


OF_AN_EPSILON, OF_TWO_EPSILONS = Way(_epsilon_grid, _epsilon), Way(_chain_grid, _chain)

OF_OTHER_KEYS = {
    "warner": Way(_warner_grid, _warner),
    "forced": Way(_forced_grid, _forced),
    "unrelated": Way(_unrelated_grid, _unrelated),
    "matrix": Way(_matrix_grid, _matrix),
    "metric": Way(_metric_grid, _metric),
    "exponential": Way(_exponential_grid, _exponential),
    "laplace": Way(_laplace_grid, _laplace),
    "dbitflip": Way(_window_grid, _window),
    "taxonomy": Way(_taxonomy_grid, _taxonomy),
    "rappor": Way(_rappor_grid, _rappor),
}
"""Mechanisms that need, or take, other keys than an epsilon, or one of a report and one
of all.
"""


def as_read(asked):
    """The certificate of a survey, or of one with but this question, as read from
    JSON.
    """
    survey = asked if isinstance(asked, Survey) else Survey("s", (asked,))
    return json.loads(json.dumps(certificate(survey)))


def judged(question):
    """What the checker makes of a question: the ratio of one report, and all it finds
    wrong.
    """
    survey = checker.read(json.dumps(as_read(question)))
    (only,) = survey["questions"]
    wrong = checker.failures(only, survey) + checker.survey_failures(survey)
    return checker.revealed_by(only).ratio, wrong
