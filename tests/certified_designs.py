"""Designs to certify, over all mechanisms, and the checker of certificates, loaded from its file."""

import importlib.util
import json
from fractions import Fraction
from itertools import product
from pathlib import Path

from ldp import Question
from ldp.certificate import certify
from ldp.domain import BOOLEAN_VALUES, Domain
from ldp.keys import LEAST_EPSILON, Keys
from ldp.mechanisms import MECHANISMS

PROGRAM = Path(__file__).parent.parent / "examples" / "check_certificate.py"
_spec = importlib.util.spec_from_file_location("check_certificate", PROGRAM)
checker = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(checker)

WITH_EPSILON = ("grr", "ss", "pgr", "sue", "oue", "the", "she", "hr", "olh", "blh", "cms", "hcms")
"""Mechanisms of a category that take an epsilon and nothing else."""

WITH_TWO_EPSILONS = ("l-grr", "l-sue", "l-osue", "loloha")
"""Memoized mechanisms of a category."""

OF_INTEGERS = ("geometric", "laplace")

SLOW = ("pgr", "pad-pgr", "heavy-hitters", "olh", "blh", "cms", "hcms", "loloha")
"""Mechanisms whose parameters take a search; they are certified over the grid only."""

OF_SETS = ("set-unary", "pad-grr", "pad-ss", "pad-pgr", "pad-hr")

QUICK = tuple(name for name in MECHANISMS if name not in SLOW)

BOOLEAN, TEXT = Domain("boolean", BOOLEAN_VALUES), Domain("text", None)
SETS = tuple(
    Domain("multi", tuple(map(str, range(size))), most)
    for size, most in ((2, 1), (4, 2), (17, 3), (17, 16), (300, 100))
)
CATEGORY = {size: Domain("category", tuple(map(str, range(size)))) for size in (2, 3, 4, 5, 17, 300)}

CLOSED = tuple(CATEGORY[size] for size in (2, 5, 17))

INTEGERS = tuple(Domain("integer", tuple(map(str, range(low, high)))) for low, high in ((0, 2), (-7, 4), (1, 300)))


def designed(mechanism, domain, keys):
    """The question that the keys of a survey file would give."""
    table = Keys("x", keys)
    randomizer, declared = MECHANISMS[mechanism].design(table, domain)
    assert table.problems == []
    return Question("x", domain, mechanism, randomizer, declared)


def grid():
    """Arguments of `designed`, over each mechanism's parameters and their extremes."""
    epsilons = ("0.0001", "0.001", "1/97", "0.1", "0.5", "0.69314718056", "1", "1.0986", "2", "7/3", "3", "4", "5.5")
    epsilons += ("8", "10", "13.37", "20", "22.18", "30", "36", "39.9999", "40")
    for epsilon in epsilons:
        yield "warner", BOOLEAN, {"epsilon": epsilon}
        yield "heavy-hitters", TEXT, {"epsilon": epsilon}
        for mechanism, size in product(WITH_EPSILON, (2, 3, 5, 17, 300)):
            yield mechanism, CATEGORY[size], {"epsilon": epsilon}
        for size, sampled in ((2, 1), (2, 2), (5, 1), (5, 4), (300, 16)):
            yield "dbitflip", CATEGORY[size], {"epsilon": epsilon, "sampled": sampled}
        for mechanism, size, share in product(WITH_TWO_EPSILONS, (2, 5, 300), ("0.99", "1/7")):
            if Fraction(epsilon) * (1 - Fraction(share)) >= LEAST_EPSILON <= Fraction(epsilon) * Fraction(share):
                first = str(Fraction(epsilon) * Fraction(share))
                yield mechanism, CATEGORY[size], {"epsilon_first": first, "epsilon_lifetime": epsilon}
        for mechanism, domain in product(OF_SETS, SETS):
            if MECHANISMS[mechanism].accepts(domain) is None:
                yield mechanism, domain, {"epsilon": epsilon}
        for mechanism, domain in product(OF_INTEGERS, INTEGERS):
            yield mechanism, domain, {"epsilon": epsilon}
        for outputs in (4, 7):
            quality = [[-abs(x - y) for y in range(outputs)] for x in range(4)]
            yield "exponential", CATEGORY[4], {"epsilon": epsilon, "quality": quality}
            yield "exponential", CATEGORY[4], {"epsilon": epsilon, "quality": quality, "sensitivity": 17}
    shares = ("0.001", "1/6", "0.25", "0.3", "0.49")
    for share in (*shares, "0.51", "2/3", "0.999"):
        yield "warner", BOOLEAN, {"truth": share}
        for prevalence in (*shares, "0.9"):
            yield "unrelated", BOOLEAN, {"truth": share, "prevalence": prevalence}
    for yes, no in product(shares, shares):
        yield "forced", BOOLEAN, {"forced_true": yes, "forced_false": no}
    for size, keep in product((2, 3, 4, 5), ("0.9", "0.75", "7/11", "1/100")):
        other = (1 - Fraction(keep)) / (size - 1)
        rows = [[keep if x == y else str(other) for y in range(size)] for x in range(size)]
        yield "matrix", CATEGORY[size], {"matrix": rows}
    for (p, q), f, hashes in product(
        ((".5", ".75"), (".25", ".75"), (".39", ".61"), ("0.9", "0.2"), ("0", "1")), ("0", "1/3", "0.75"), (0, 1, 2, 8)
    ):
        if (f, p) != ("0", "0"):
            bloom = {"bloom_bits": 128, "hashes": hashes, "cohorts": 16} if hashes else {}
            yield "rappor", TEXT if hashes else CATEGORY[4], {"p": p, "q": q, "f": f, **bloom}


def random_design(draw):
    """Arguments of `designed`, drawn from all that a survey file may say of small domains, where designs are quick."""

    def share():
        denominator = draw.choice((7, 100, 1000, 10**9, draw.randrange(3, 10**6)))
        return Fraction(draw.randrange(1, denominator), denominator)

    mechanism = draw.choice(QUICK)
    digits = draw.choice((1, 3, 8, 20))
    epsilon = str(Fraction(int(10**digits * 10 ** draw.uniform(-3, 1.6)) + 1, 10**digits))
    if mechanism == "dbitflip":
        return mechanism, draw.choice(CLOSED), {"epsilon": epsilon, "sampled": draw.choice((1, 2))}
    if mechanism in WITH_TWO_EPSILONS:
        lifetime = str(max(Fraction(epsilon), 2 * LEAST_EPSILON) + LEAST_EPSILON * draw.randrange(1000))
        first = str((Fraction(lifetime) - LEAST_EPSILON) * draw.choice((Fraction(1, 2), Fraction(19, 20), 1)))
        return mechanism, draw.choice(CLOSED), {"epsilon_first": first, "epsilon_lifetime": lifetime}
    if mechanism == "exponential":
        quality = [[draw.randrange(100) for _ in range(5)] for _ in range(4)]
        return mechanism, CATEGORY[4], {"epsilon": epsilon, "quality": quality}
    plain = mechanism in (*WITH_EPSILON, *OF_SETS, *OF_INTEGERS)
    if plain or (mechanism == "warner" and draw.random() < 0.5):
        closed = (BOOLEAN,) if mechanism == "warner" else CLOSED
        domains = SETS[:3] if mechanism in OF_SETS else INTEGERS if mechanism in OF_INTEGERS else closed
        margin = {"margin": 1} if mechanism == "laplace" else {}
        return mechanism, draw.choice(domains), {"epsilon": epsilon, **margin}
    if mechanism == "warner":
        keys = {"truth": share()}
    elif mechanism == "forced":
        yes = share()
        keys = {"forced_true": yes, "forced_false": (1 - yes) * share()}
    elif mechanism == "unrelated":
        keys = {"truth": share(), "prevalence": share()}
    elif mechanism == "matrix":
        size = draw.choice((2, 3, 4))
        weights = [[draw.randrange(1, 10**6) for _ in range(size)] for _ in range(size)]
        return mechanism, CATEGORY[size], {"matrix": [[f"{w}/{sum(row)}" for w in row] for row in weights]}
    else:
        keys = {"p": share(), "q": share(), "f": share()}
        if draw.random() < 0.5:
            bloom = {"bloom_bits": 64, "hashes": draw.randint(1, 4), "cohorts": 4}
            return mechanism, TEXT, {**{key: str(number) for key, number in keys.items()}, **bloom}
    return mechanism, CATEGORY[4] if mechanism == "rappor" else BOOLEAN, {key: str(n) for key, n in keys.items()}


def as_read(question):
    """A question's certificate, as it comes out of a JSON file."""
    return json.loads(json.dumps(certify(question)))
