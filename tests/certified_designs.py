"""Designs to certify, over all mechanisms, and the checker of certificates, loaded from its file."""

import importlib.util
import json
from fractions import Fraction
from itertools import product
from pathlib import Path

from ldp import Question
from ldp.certificate import certify
from ldp.domain import BOOLEAN_VALUES, Domain
from ldp.keys import Keys
from ldp.mechanisms import MECHANISMS

PROGRAM = Path(__file__).parent.parent / "examples" / "check_certificate.py"
_spec = importlib.util.spec_from_file_location("check_certificate", PROGRAM)
checker = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(checker)

WITH_EPSILON = ("grr", "ss", "pgr", "sue", "oue", "hr", "olh", "blh", "cms", "hcms")
"""Mechanisms of a category that take an epsilon and nothing else."""

SLOW = ("pgr", "olh", "blh", "cms", "hcms")
"""Mechanisms whose parameters take a search; they are certified over the grid only."""

QUICK = tuple(name for name in MECHANISMS if name not in SLOW)

BOOLEAN, TEXT = Domain("boolean", BOOLEAN_VALUES), Domain("text", None)
CATEGORY = {size: Domain("category", tuple(map(str, range(size)))) for size in (2, 3, 4, 5, 17, 300)}


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
        for mechanism, size in product(WITH_EPSILON, (2, 3, 5, 17, 300)):
            yield mechanism, CATEGORY[size], {"epsilon": epsilon}
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
    if mechanism in WITH_EPSILON or (mechanism == "warner" and draw.random() < 0.5):
        digits = draw.choice((1, 3, 8, 20))
        epsilon = Fraction(int(10**digits * 10 ** draw.uniform(-3, 1.6)) + 1, 10**digits)
        return (
            mechanism,
            BOOLEAN if mechanism == "warner" else CATEGORY[draw.choice((2, 5, 17))],
            {"epsilon": str(epsilon)},
        )
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
