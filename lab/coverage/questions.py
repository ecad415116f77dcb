"""The questions that are measured: for each mechanism the survey text that gives it an
epsilon.

Where a mechanism is told by probabilities, they are those that come closest to the
epsilon that is asked for. Memoized mechanisms have it for one report, and twice as much
for all. Mechanisms of an epsilon and a list of values need no row (`rows_by_label`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ldp.errors import LDPError
from ldp.mechanisms import MECHANISMS
from ldp.survey.survey import Question, Survey
from ldp.survey.survey_file import parse_survey

SIZES = (2, 10, 100, 1_000)
EPSILONS = ("1/2", "2", "5", "8")
MOST_HELD = 3
"""How many values a set may hold."""
ALPHABET = "abcdefgh"
"""Of the texts that are searched for, which have three letters."""

Keys = Callable[[int, str], str]
Cost = Callable[[int, str, int], float]
"""Microseconds that drawing a tally takes, roughly, for some values, an epsilon and
some respondents.
"""


def _each(microseconds: float, first: float = 0.0) -> Cost:
    """So long for each value, and so long before."""
    return lambda size, _epsilon, _respondents: first + microseconds * size


class GridError(LDPError, ValueError):
    """A grid that leaves a mechanism out, or a pattern that no cell fits."""


class Row(NamedTuple):
    """How a mechanism is asked for: `keys` takes a number of values and an epsilon."""

    mechanism: str
    keys: Keys
    label: str = ""
    """The mechanism's name, unless it has several rows."""
    family: str = "values"
    sizes: tuple[int, ...] = SIZES
    epsilons: tuple[str, ...] = EPSILONS
    cost: Cost = _each(0.5)
    by_report: bool = False
    """Whether tallies are drawn report by report, unless they have more values than
    that bears.
    """

    @property
    def name(self) -> str:
        """What the page calls it."""
        return self.label or self.mechanism


def _reports(size: int, _: str, respondents: int) -> float:
    return 700 + respondents * max(size, 64) / 1_000


def _codewords(size: int, _: str, respondents: int) -> float:
    return 2_000 + respondents * (10 + size / 6)


def _points(size: int, epsilon: str, respondents: int) -> float:
    """A projective design has about e^epsilon size / 3 points."""
    return 0.12 * _exp(epsilon) * size + 0.01 * respondents


def _epsilon(_: int, epsilon: str) -> str:
    return f'epsilon = "{epsilon}"'


def _forced(_: int, epsilon: str) -> str:
    share = _short(1 / (1 + _exp(epsilon)))
    return f'forced_true = "{share}"\nforced_false = "{share}"'


def _unrelated(_: int, epsilon: str) -> str:
    odds = (_exp(epsilon) - 1) / 4
    return f'truth = "{_short(odds / (1 + odds))}"\nprevalence = "1/4"'


def _matrix(size: int, epsilon: str) -> str:
    """Each value favours itself, then its neighbours."""
    most = _exp(epsilon)
    favour = {0: most, 1: most**0.5}
    weights = [
        [round(10 * favour.get(abs(x - y), 1)) for y in range(size)]
        for x in range(size)
    ]
    rows = (
        "[" + ", ".join(f'"{weight}/{sum(row)}"' for weight in row) + "]"
        for row in weights
    )
    return f"matrix = [{', '.join(rows)}]"


def _exponential(size: int, epsilon: str) -> str:
    quality = [[-abs(x - y) for y in range(size)] for x in range(size)]
    return f'epsilon = "{epsilon}"\nquality = {quality}'


def _per_unit(size: int, epsilon: str) -> str:
    """On a map of 1 x 1, across which it is this epsilon, or nearly so."""
    cells = math.isqrt(size)
    across = math.sqrt(2) * (cells - 1) / cells
    return f'epsilon_per_unit = "{_short(float(Fraction(epsilon)) / across)}"'


def _sketch(size: int, epsilon: str) -> str:
    return f"{_epsilon(size, epsilon)}\nwidth = 128\nhashes = 32"


def _two_epsilons(_: int, epsilon: str) -> str:
    return f'epsilon_first = "{epsilon}"\nepsilon_lifetime = "{2 * Fraction(epsilon)}"'


def _window(size: int, epsilon: str) -> str:
    return f"{_epsilon(size, epsilon)}\nsampled = {min(size, 4)}"


def _bits(flip: str, bits_of_report: int, _: int, epsilon: str) -> str:
    """RAPPOR whose first report has this epsilon, if it differs in n bits."""
    odds = math.exp(float(Fraction(epsilon)) / bits_of_report)
    share = float(Fraction(flip))
    one = (odds / (1 + odds) - share / 2) / (1 - share)
    return f'p = "{_short(1 - one)}"\nq = "{_short(one)}"\nf = "{flip}"'


def _bloom(size: int, epsilon: str) -> str:
    return (
        f"{_bits('1/50', 4, size, epsilon=epsilon)}\nbloom_bits = 16\nhashes = "
        "2\ncohorts = 16"
    )


def _search(size: int, epsilon: str) -> str:
    return (
        f'{_epsilon(size, epsilon)}\nlongest = 3\ncells = 4096\nalphabet = "{ALPHABET}"'
    )


def _hashed(mechanism: str, keys: Keys) -> Row:
    return Row(mechanism, keys, cost=_reports, by_report=True)


def _of_sets(mechanism: str, cost: Cost) -> Row:
    return Row(mechanism, _epsilon, family="sets", sizes=(10, 100, 1_000), cost=cost)


_one_hot = partial(_bits, "1/50", 2)

ROWS = (
    Row("warner", _epsilon, sizes=(2,)),
    Row("forced", _forced, sizes=(2,)),
    Row("unrelated", _unrelated, sizes=(2,)),
    Row("matrix", _matrix, sizes=(2, 10, 30), cost=_each(20)),
    Row("exponential", _exponential, sizes=(2, 10, 30), cost=_each(20)),
    Row("geometric", _epsilon, family="numbers", sizes=(2, 10, 100), cost=_each(10)),
    Row("laplace", _epsilon, family="numbers", sizes=(2, 10, 100), cost=_each(10)),
    Row("grr", _epsilon),
    Row("ss", _epsilon, cost=_each(70)),
    Row("pgr", _epsilon, cost=_points),
    Row("sue", _epsilon),
    Row("oue", _epsilon),
    Row("the", _epsilon),
    Row("she", _epsilon, cost=_each(4, 2_500)),
    Row("hr", _epsilon, cost=_each(80)),
    _hashed("olh", _epsilon),
    _hashed("blh", _epsilon),
    Row("cms", _sketch, cost=_each(10, 2_000)),
    Row("hcms", _sketch, cost=_each(30, 5_000)),
    Row("rappor", _one_hot, label="rappor, one-hot"),
    Row(
        "rappor",
        _bloom,
        label="rappor, Bloom",
        family="texts",
        sizes=(10, 100, 300),
        cost=_each(300, 8_000),
    ),
    Row("l-grr", _two_epsilons),
    Row("l-sue", _two_epsilons),
    Row("l-osue", _two_epsilons),
    _hashed("loloha", _two_epsilons),
    Row("dbitflip", _window, cost=_each(20)),
    Row(
        "heavy-hitters",
        _search,
        family="found",
        sizes=(100,),
        epsilons=("1/2", "2", "5"),
        cost=_each(500),
    ),
    _of_sets("set-unary", _each(0.5)),
    _of_sets("pad-grr", _each(0.5)),
    _of_sets("pad-ss", _each(70)),
    _of_sets("pad-pgr", _points),
    _of_sets("pad-hr", _each(80)),
    Row("taxonomy", _epsilon, family="tree", sizes=(10, 100, 1_000), cost=_points),
    Row("one-bit", _epsilon, family="means", sizes=(10, 100)),
    Row("dithered", _epsilon, family="means", sizes=(10, 100)),
    Row("arcs", _epsilon, family="numbers", sizes=(10, 100), cost=_each(30)),
    Row("tree", _epsilon, family="numbers", sizes=(10, 100), cost=_points),
    Row("square-wave", _epsilon, family="means", sizes=(10, 100)),
    Row(
        "codebook",
        _epsilon,
        family="vectors",
        sizes=(2, 10, 30),
        cost=_codewords,
        by_report=True,
    ),
    Row("pyramid", _epsilon, family="places", sizes=(16, 64), cost=_points),
    Row("subsets", _epsilon, family="fields", sizes=(16, 256), cost=_each(80)),
    Row("metric", _per_unit, family="places", sizes=(4, 16), cost=_each(20)),
    Row("stripes", _epsilon, family="places", sizes=(16, 64), cost=_each(100)),
)


def rows_by_label() -> Mapping[str, Row]:
    """Return the rows by name, and after them one for each mechanism without a row."""
    measured = {row.mechanism for row in ROWS}
    others = (Row(name, _epsilon) for name in MECHANISMS if name not in measured)
    return {row.name: row for row in (*ROWS, *others)}


def question_of(row: Row, size: int, epsilon: str, domain: str = "") -> Question:
    """The question; `domain` in place of what the family calls for."""
    return parse_survey(
        '[survey]\nname = "coverage"\n'
        + _asked("x", row, size, epsilon=epsilon, domain=domain)
    )["x"]


def survey_of(rows: tuple[Row, ...], size: int, epsilon: str) -> Survey:
    """A survey that asks questions a, b, ... together."""
    names = [chr(ord("a") + place) for place in range(len(rows))]
    asked = (
        _asked(name, row, size, epsilon=epsilon, domain="")
        for name, row in zip(names, rows, strict=True)
    )
    return parse_survey(
        f'[survey]\nname = "coverage"\njoint = {names}\n' + "".join(asked)
    )


def whole_numbers(size: int) -> str:
    """The domain of a question about whole numbers."""
    return f'type = "integer"\nlow = 0\nhigh = {size - 1}'


def _asked(name: str, row: Row, size: int, epsilon: str, domain: str) -> str:
    domain_keys = domain or _DOMAINS.get(row.family, _categories)(size)
    head = f'[[question]]\nname = "{name}"\nmechanism = "{row.mechanism}"'
    return f"{head}\n{domain_keys}\n{row.keys(size, epsilon)}\n"


def _categories(size: int) -> str:
    return f'type = "category"\nvalues = {[f"v{place}" for place in range(size)]}'


def _tree(size: int) -> str:
    """Neighbours are under one node: as many nodes as each has values, or nearly."""
    width = math.ceil(math.sqrt(size))
    pairs = (f'v{place} = "n{place // width}"' for place in range(size))
    return f'type = "category"\nparents = {{ {", ".join(pairs)} }}'


def _grid(size: int) -> str:
    """As many cells along both axes."""
    axes = (f"{axis} = {{ low = 0, high = 1 }}" for axis in ("x", "y"))
    return "\n".join(('type = "place"', *axes, f"cells = {math.isqrt(size)}"))


def _yes_or_no(size: int) -> str:
    """So many answers to yes/no questions, some of which are told together."""
    fields = (
        f'{{ name = "f{place}", type = "boolean" }}'
        for place in range(size.bit_length() - 1)
    )
    return f'type = "table"\ncollect = "subsets"\nfield = [{", ".join(fields)}]'


def _several(size: int) -> str:
    return (
        f'type = "multi"\nvalues = {[f"v{place}" for place in range(size)]}\nmost = '
        f"{MOST_HELD}"
    )


def _ball(size: int) -> str:
    return f'type = "vector"\ndimensions = {size}\nradius = 1'


_DOMAINS: Mapping[str, Callable[[int], str]] = {
    "numbers": whole_numbers,
    "sets": _several,
    "tree": _tree,
    "vectors": _ball,
    "places": _grid,
    "fields": _yes_or_no,
    "texts": lambda _: 'type = "text"',
    "found": lambda _: 'type = "text"',
}


def _exp(epsilon: str) -> float:
    return math.exp(float(Fraction(epsilon)))


def _short(share: float) -> str:
    """A probability in as many decimals as a survey would give it."""
    return f"{share:.8f}"
