"""The page of mechanisms and the glossary name all there are, with the code's
figures.
"""

import re
from fractions import Fraction
from typing import get_args

import pytest
from places import ROOT
from specimens import question

from ldp.answers.balls import Ball
from ldp.answers.booleans import BooleanDomain
from ldp.answers.domain import Domain, Field
from ldp.answers.fields import FieldsDomain
from ldp.answers.key_values import KeyValueDomain
from ldp.answers.real_numbers import NumberDomain
from ldp.answers.scales import Scale
from ldp.answers.sets import SetDomain
from ldp.answers.taxonomies import Taxonomy
from ldp.answers.vectors import VectorDomain
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.contract import Kind

PAGE = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
APPENDICES = [
    path.read_text(encoding="utf-8") for path in (ROOT / "docs/appendix").glob("*.md")
]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")

TWO_OR_MORE = ("a", "b", "c", "d")
DOMAINS = {
    "boolean": BooleanDomain(),
    "category": Domain("category", TWO_OR_MORE),
    "integer": Domain("integer", ("0", "1", "2", "3")),
    "number": NumberDomain(Scale(Fraction(0), Fraction(3), 4, step=Fraction(1))),
    "multi": SetDomain(TWO_OR_MORE, 2),
    "key-value": KeyValueDomain(
        TWO_OR_MORE, 2, Scale(Fraction(0), Fraction(3), 2, step=Fraction(3))
    ),
    "category with parents": Domain(
        "category",
        TWO_OR_MORE,
        taxonomy=Taxonomy(("x", "y"), (0, 0, 1, 1, 2, 2), ("", "")),
    ),
    "vector": VectorDomain(Ball(100, Fraction(1))),
    "table of many fields": FieldsDomain(
        "table",
        tuple(Field(name, BooleanDomain()) for name in TWO_OR_MORE),
        collect="subsets",
    ),
    "text": Domain("text", None),
}
"""A domain of each type of question."""
_AXIS = NumberDomain(
    Scale(Fraction(0), Fraction(2), 2, edges=(*map(Fraction, range(3)),))
)
OF_FIELDS = {"place": FieldsDomain("place", (Field("x", _AXIS), Field("y", _AXIS)))}
"""Of what has cells in place of values, which those serve as well that serve
categories.
"""


def listed(size):
    return f"values = {[str(value) for value in range(size)]}"


def square(size, keep, other):
    return [[keep if x == y else other for y in range(size)] for x in range(size)]


BOOLEAN, CATEGORY = 'type = "boolean"\n', f'type = "category"\n{listed(100)}\n'
NUMBERS = 'type = "integer"\nlow = 0\nhigh = 99\n'
SETS = f'type = "multi"\n{listed(100)}\nmost = 5\n'
TREE = "".join(f'v{value} = "n{value // 10}", ' for value in range(100)).rstrip(", ")
TEN, TEXT = f'type = "category"\n{listed(10)}\n', 'type = "text"\n'
FILTER = 'p = "1/4"\nq = "3/4"\nf = "1/2"\nbloom_bits = 128\ncohorts = 64'

BITS = ", ".join(f'{{ name = "f{place}", type = "boolean" }}' for place in range(16))

STATED = {
    "forced": f'{BOOLEAN}forced_true = "1/4"\nforced_false = "1/4"',
    "unrelated": f'{BOOLEAN}truth = "1/2"\nprevalence = "1/4"',
    "matrix": f"{TEN}matrix = {square(10, '11/20', '1/20')}",
    "exponential": f"{TEN}epsilon = 1\nquality = {square(10, 1, 0)}",
    "metric": (
        'type = "place"\nx = { low = 0, high = 1 }\ny = { low = 0, high = 1 }\ncells = '
        "8\n"
        "epsilon_per_unit = 1"
    ),
    "rappor": TEXT + FILTER,
    "dbitflip": f"{CATEGORY}epsilon = 1\nsampled = 16",
    "subsets": f'type = "table"\ncollect = "subsets"\nfield = [{BITS}]\nepsilon = 1',
}
"""The questions that the page states beside its table, where they are not those of
their type.
"""

OF_THEIR_TYPE = {
    "category": CATEGORY,
    "integer": NUMBERS,
    "multi": SETS,
    "vector": 'type = "vector"\ndimensions = 100\nradius = 1\n',
    "text": TEXT,
    "boolean": BOOLEAN,
    "category with parents": f'type = "category"\nparents = {{ {TREE} }}\n',
    "place": (
        'type = "place"\nx = { low = 0, high = 1 }\ny = { low = 0, high = 1 '
        "}\ncells = 8\n"
    ),
}


def stated(mechanism, types):
    """The question that the page means, as survey text."""
    if mechanism in STATED:
        return STATED[mechanism]
    memoized = "epsilon_first" in MECHANISMS[mechanism].keys
    keys = "epsilon_first = 1\nepsilon_lifetime = 2" if memoized else "epsilon = 1"
    [text] = [text for kind, text in OF_THEIR_TYPE.items() if kind in types][:1]
    return text + keys


def rows(page, heading):
    """The cells of the table under a heading."""
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]
    ]


OVERVIEW = {re.match(r"\[`(.+)`\]", row[0])[1]: row for row in rows(PAGE, "Overview")}


def test_the_overview_has_every_mechanism():
    """A row for each in the order of the table, and no other."""
    assert set(OVERVIEW) == set(MECHANISMS)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_row_says_what_the_code_says(mechanism):
    """Its full name, the types of question that it serves, and the bytes of a
    report.
    """
    _, name, serves, width, best, source = OVERVIEW[mechanism]
    assert name.startswith(MECHANISMS[mechanism].summary)
    accepts = MECHANISMS[mechanism].accepts
    types = [
        *(kind for kind, domain in DOMAINS.items() if accepts(domain) is None),
        *(kind for kind, domain in OF_FIELDS.items() if accepts(domain) is None),
    ]
    if len(types) > 1:
        types = [kind for kind in types if kind not in OF_FIELDS]
    assert serves == ", ".join(types)
    assert int(width) == question(mechanism, stated(mechanism, types)).width
    assert best
    assert source


def test_every_mechanism_has_a_heading():
    """One of its own, or one that it shares with those that are described together."""
    headings = re.findall(r"^### (.+)$", "\n".join(APPENDICES), re.MULTILINE)
    assert set(MECHANISMS) <= {
        name for heading in headings for name in heading.split(", ")
    }


def test_every_kind_is_described():
    """How reports are decoded: a row for each kind, in the glossary."""
    glossary = {row[0] for row in rows(GLOSSARY, "Kinds: how reports are decoded")}
    assert glossary == {f"`{kind}`" for kind in get_args(Kind)}


def test_the_wire_format_has_every_mechanism():
    """Integers and body are in tables, or the appendix says whose they are, after "On
    the wire".
    """
    wire = (ROOT / "docs" / "wire.md").read_text(encoding="utf-8")
    said = re.findall(r"^On the wire,? (.+)$", "\n".join(APPENDICES), re.MULTILINE)
    for heading in ("From a survey to integers", "A report"):
        cells = " ".join(row[0] for row in rows(wire, heading))
        named = set(re.findall(r"`([^`]+)`", " ".join((cells, *said))))
        assert set(MECHANISMS) - named == set(), heading


def test_the_typescript_client_has_every_mechanism():
    """A row for each, by the name that surveys use."""
    rows = (ROOT / "client" / "js" / "src" / "mechanisms.ts").read_text(
        encoding="utf-8"
    )
    assert set(re.findall(r': Mechanism = \["(.+?)"', rows)) == set(MECHANISMS)


def test_the_changelog_has_every_mechanism():
    """By its name."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert set(MECHANISMS) <= set(re.findall(r"`([^`]+)`", changes))
