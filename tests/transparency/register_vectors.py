"""What clients that pin a register open, and what they refuse: for the vectors that all
share.

Each case is a survey, by its number, a head and a proof. Those that are refused differ
in one thing from one that is taken.
"""

from registered import content_of, version

from ldp import parse_survey
from ldp.survey.compiled import compile_survey
from ldp.transparency.entries import parse_register
from ldp.transparency.proofs import head_of, prove_inclusion
from ldp.transparency.tree import leaf_hash, root_of

WORDED = r"""
[survey]
name = "trip"
epoch = "1d"
lifetime_epsilon = "8"
joint = [["mode", "why"]]

[[question]]
name = "mode"
text = "Car \"or\" bus?\nA \\ b, [tab\t] # {no} = comment; \u007f Größe 🚲"
type = "boolean"
mechanism = "warner"
epsilon = "1"

[[question]]
name = "why"
type = "category"
values = [
    "because", "it is \"\"\"quick\"\"\"", "= 3",
    "of a reason that is so long that one line would not do", "is none",
]
mechanism = "grr"
epsilon = "1"

[[question]]
name = "home"
text = "Where?"
type = "place"
x = { low = 0, high = 8, text = "East?" }
y = { text = "North?", low = 0, high = 8, name = "north" }
cells = 4
mechanism = "pyramid"
epsilon = "1"

[[question]]
name = "people"
type = "table"
field = [
    { text = "How many children?", name = "children", type = "integer", low = 0, high = 3 },
    { name = "smokes", type = "boolean" },
    { name = "city", type = "category", values = ["a", "b"], text = "Which city?" },
]
mechanism = "grr"
epsilon = "1"
"""
OTHER_WORDS = (
    ("other words", "Where?", "Where then?"),
    ("no words", 'text = "Where?"\n', ""),
    ("words where there were none", 'name = "why"', 'name = "why"\ntext = "Why?"'),
    ("other words of a field", "Which city?", "Which town?"),
    ("other words of an axis", "North?", "South?"),
)
"""What only texts tell apart: the fingerprint is the same."""


def _worded(old="", new=""):
    return parse_survey(WORDED.replace(old, new))


def _swapped():
    """The same questions in another order."""
    head, *questions = WORDED.split("[[question]]")
    return parse_survey("[[question]]".join([head, *questions[2:], *questions[:2]]))


def register_vectors():
    """Surveys, and what is taken and refused."""
    surveys = [version(str(number)) for number in range(1, 7)]
    surveys.insert(4, _worded())
    content = content_of(*surveys)
    lines = content.splitlines(keepends=True)
    registers = {size: parse_register(b"".join(lines[:size])) for size in range(1, 8)}
    taken = [
        _case(
            number,
            head_of(registers[since]),
            prove_inclusion(registers[size], number, since),
        )
        for size, numbers in ((1, [0]), (4, [0, 3]), (7, [0, 4, 6]))
        for number in numbers
        for since in range(1, size + 1)
    ]
    others = [(what, _worded(old, new)) for what, old, new in OTHER_WORDS]
    others += [("another order", _swapped()), ("another version", version("9"))]
    head, proof = head_of(registers[7]), prove_inclusion(registers[7], 4)
    refused = [
        {"what": what, **_case(len(surveys) + number, head, proof)}
        for number, (what, _) in enumerate(others)
    ]
    refused += [{"what": what, **case} for what, case in _broken(registers)]
    surveys += [survey for _, survey in others]
    return {
        "surveys": [
            {"survey": survey.to_toml(), "compiled": compile_survey(survey)}
            for survey in surveys
        ],
        "taken": taken,
        "refused": refused,
    }


def _case(survey, head, proof):
    return {
        "survey": survey,
        "head": head if isinstance(head, str) else head.text,
        "proof": proof,
    }


def _broken(registers):
    old, new = registers[3], registers[7]
    head, proof = head_of(new), prove_inclusion(new, 4)
    since = prove_inclusion(new, 4, 3)
    root, path = new.root.hex(), proof["path"]
    yield "a proof for another entry", _case(0, head, proof)
    yield "no proof", _case(4, head, None)
    yield "a proof of another kind", _case(4, head, {**proof, "proof": "consistency"})
    yield "an older head, and no proof since", _case(4, head_of(old), proof)
    yield (
        "an older head, and a proof since another",
        _case(4, head_of(registers[2]), since),
    )
    yield "a newer head", _case(4, head, prove_inclusion(registers[5], 4))
    yield "a head of another root", _case(4, f"7:{'0' * 64}", proof)
    yield "an older head of another root", _case(4, f"3:{'0' * 64}", since)
    for text in (
        "",
        "7",
        "7:xyz",
        f"07:{root}",
        f"-7:{root}",
        f"7:{root.upper()}",
        f"7:{root}0",
    ):
        yield f"the head {text!r}"[:40], _case(4, text, proof)
    yield "the head of nothing", _case(4, head_of(parse_register(b"")), proof)
    for key, values in (
        ("index", (3, 5, 7, -1, "4", None)),
        ("size", (6, 8, 1 << 40)),
        ("root", ("0" * 64, root[:-1], None)),
        (
            "path",
            (
                proof["path"][:-1],
                [*proof["path"], root],
                proof["path"][::-1],
                [root] * 65,
                {},
            ),
        ),
        ("entry", (proof["entry"] + " ", proof["entry"].replace("Where", "There"), 4)),
    ):
        for value in values:
            yield (
                f"another {key}: {str(value)[:20]}",
                _case(4, head, {**proof, key: value}),
            )
    path = since["since"]["path"]
    for further in (path[:-1], [*path, root], path[::-1], []):
        changed = {**since, "since": {"size": 3, "path": further}}
        yield f"since a path of {len(further)}", _case(4, head_of(old), changed)
    line = proof["entry"]
    for what, other in (
        ("spaces", line.replace('": ', '":  ', 1)),
        (
            "another order of keys",
            line.replace('"entry": 4, ', "")[:-1] + ', "entry": 4}',
        ),
        ("a key twice", line[:-1] + ', "terms": "' + "0" * 32 + '"}'),
        ("a further key", line[:-1] + ', "more": 1}'),
        ("an escape that is not needed", line.replace('"trip"', '"\\u0074rip"', 1)),
        ("other terms", line.replace(new.entries[4].terms, "0" * 32)),
        ("text that is no JSON", line[:-1]),
    ):
        leaf = leaf_hash(other.encode())
        lone = {
            **proof,
            "entry": other,
            "index": 0,
            "size": 1,
            "root": leaf.hex(),
            "path": [],
        }
        yield f"a line with {what}", _case(4, f"1:{root_of([leaf]).hex()}", lone)
