"""Changes of a survey file, key by key, and what each is to those who are asked."""

from typing import NamedTuple


class Case(NamedTuple):
    """One key, as it was and as it is; what has to be said of it, and how it is
    judged.
    """

    key: str
    before: str
    after: str
    aspect: str
    verdict: str


WORSE, SAME, BETTER = "worse", "same", "better"

CATEGORY = 'type = "category"\nvalues = ["car", "bus", "bike"]\n'
GRR = 'mechanism = "grr"\nepsilon = "1"\n'
MODE = f'name = "mode"\ntext = "How?"\n{CATEGORY}{GRR}'
SECOND = (
    '[[question]]\nname = "again"\ntype = "boolean"\nmechanism = "grr"\nepsilon = "1"\n'
)


def file_of(question=MODE, survey="", tables="", name="trip"):
    """A survey file of one question, and what else it may have."""
    return f'[survey]\nname = "{name}"\n{survey}\n{tables}\n[[question]]\n{question}\n'


def with_second(survey="", tables=""):
    """A survey file of two questions."""
    return f"{file_of(survey=survey, tables=tables)}{SECOND}"


def asked(*lines):
    """A survey file of one question with these lines."""
    return file_of("\n".join(('name = "q"', *lines)))


def number(*lines):
    """A question of type number."""
    return asked('type = "number"', *lines, 'epsilon = "1"', 'mechanism = "auto"')


def integer(*lines):
    """A question of whole numbers."""
    return asked('type = "integer"', *lines, 'epsilon = "1"', 'mechanism = "auto"')


def memoized(*lines):
    """A question with permanent responses."""
    given = {line.partition(" ")[0] for line in lines}
    usual = (
        'epsilon_first = "1"',
        'epsilon_lifetime = "2"',
        'mechanism = "l-grr"',
        CATEGORY,
    )
    return asked(
        *(line for line in usual if line.partition(" ")[0] not in given), *lines
    )


def through(
    mechanism, *lines, type_='type = "category"\nvalues = ["a", "b", "c", "d"]'
):
    """A question through a mechanism."""
    return asked(type_, f'mechanism = "{mechanism}"', *lines)


BOOLEAN = 'type = "boolean"'
TEXT = 'type = "text"'
RANGE = 'type = "integer"\nlow = 0\nhigh = 9'
EPSILON = 'epsilon = "1"'
RAPPOR = {"p": '"0.5"', "q": '"0.75"', "f": '"0.5"', "bloom_bits": "16", "hashes": "2"}
RAPPOR |= {"cohorts": "8"}


def rappor(**changed):
    """A question of texts through Bloom filters."""
    lines = [f"{key} = {value}" for key, value in (RAPPOR | changed).items()]
    return through("rappor", *lines, type_=TEXT)


def field(*lines, more=""):
    """A table of two fields, the first with these lines; and more fields."""
    text = "\n".join(('name = "sex"', *lines))
    second = '[[question.field]]\nname = "smokes"\ntype = "boolean"'
    return (
        asked('type = "table"', 'mechanism = "auto"', EPSILON)
        + f"[[question.field]]\n{text}\n{second}\n{more}"
    )


def together(number):
    """A table of four fields, of which a report tells so many."""
    fields = (
        f'[[question.field]]\nname = "f{at}"\ntype = "boolean"\n' for at in range(4)
    )
    keys = ('type = "table"', 'collect = "subsets"', f"together = {number}")
    return asked(*keys, 'mechanism = "auto"', EPSILON) + "".join(fields)


SEX = ('type = "category"', 'values = ["f", "m"]')


def place(cells="4", x="{ low = 0, high = 1 }", y="{ low = 0, high = 1 }"):
    """A map."""
    lines = (f"cells = {cells}", f"x = {x}", f"y = {y}", EPSILON, 'mechanism = "auto"')
    return asked('type = "place"', *lines)


def named_cells(names):
    """A map with named cells."""
    return asked('type = "place"', f"cells = {names}", EPSILON, 'mechanism = "auto"')


def tree(parents, *lines, values=""):
    """Values with parents."""
    return asked(
        'type = "category"',
        f"parents = {parents}",
        values,
        *lines,
        EPSILON,
        'mechanism = "auto"',
    )


ABCD = '{ a = "x", b = "x", c = "y", d = "y" }'
PAIRS = (
    'type = "key-value"',
    'keys = ["a", "b", "c"]',
    "most = 2",
    "low = 0",
    "high = 9",
)


def pairs(*lines):
    """Keys with numbers."""
    given = {line.partition(" ")[0] for line in lines}
    usual = (line for line in PAIRS if line.partition(" ")[0] not in given)
    return asked(*usual, *lines, EPSILON, 'mechanism = "auto"')


def vector(*lines):
    """A vector."""
    given = {line.partition(" ")[0] for line in lines}
    usual = (
        'type = "vector"',
        "dimensions = 8",
        "radius = 1",
        'mechanism = "auto"',
        EPSILON,
    )
    return asked(
        *(line for line in usual if line.partition(" ")[0] not in given), *lines
    )


ATTRIBUTE = '[[attribute]]\nname = "os"\nvalues = ["a", "b"]\n'
DRAW = '[[draw]]\nquestions = ["mode", "again"]\n'
THIRD = SECOND.replace("again", "third")

ONE_WAY = [
    ("survey.name", file_of(), file_of(name="trip2"), "name", WORSE),
    (
        "question.name",
        file_of(),
        file_of(MODE.replace("mode", "means")),
        "question",
        SAME,
    ),
]
TWO_WAYS = [
    (
        "survey.joint",
        "answered together",
        with_second(),
        with_second('joint = ["mode", "again"]'),
    ),
    (
        "survey.lifetime_epsilon",
        "lifetime",
        file_of(survey='lifetime_epsilon = "1"'),
        file_of(),
    ),
    (
        "survey.lifetime_epsilon",
        "lifetime",
        file_of(survey='lifetime_epsilon = "2"'),
        file_of(),
        (WORSE, WORSE),
    ),
    (
        "survey.lifetime_epsilon",
        "lifetime",
        file_of(survey='lifetime_epsilon = "2"'),
        file_of(survey='lifetime_epsilon = "2.0000000000000000000000000001"'),
    ),
    (
        "survey.epoch",
        "epoch",
        file_of(survey='epoch = "2d"'),
        file_of(survey='epoch = "1d"'),
    ),
    ("survey.epoch", "epoch", file_of(), file_of(survey='epoch = "1w"')),
    (
        "survey.grace",
        "grace",
        file_of(survey='epoch = "1d"\ngrace = "1d"'),
        file_of(survey='epoch = "1d"\ngrace = "2d"'),
        (SAME, SAME),
    ),
    (
        "survey.least_group",
        "smallest group shown",
        file_of(survey="least_group = 200", tables=ATTRIBUTE),
        file_of(survey="least_group = 20", tables=ATTRIBUTE),
    ),
    ("draw.questions", "who is asked", with_second(tables=DRAW), with_second()),
    (
        "draw.weights",
        "who is asked",
        with_second(tables=DRAW),
        with_second(tables=f"{DRAW}weights = [2, 1]"),
        (WORSE, WORSE),
    ),
    (
        "draw.answers",
        "who is asked",
        with_second(tables='[[draw]]\nquestions = ["mode", "again", "third"]') + THIRD,
        with_second(
            tables='[[draw]]\nquestions = ["mode", "again", "third"]\nanswers = 2'
        )
        + THIRD,
    ),
    ("attribute.name", "attribute", file_of(), file_of(tables=ATTRIBUTE)),
    (
        "attribute.values",
        "attribute",
        file_of(tables=ATTRIBUTE),
        file_of(tables=ATTRIBUTE.replace('"b"', '"b", "c"')),
    ),
    (
        "attribute.questions",
        "attribute",
        with_second(tables=f'{ATTRIBUTE}questions = ["mode"]'),
        with_second(tables=ATTRIBUTE),
    ),
    ("question.name", "question", file_of(), with_second()),
    (
        "question.text",
        "words",
        file_of(),
        file_of(MODE.replace("How", "Why")),
        (WORSE, WORSE),
    ),
    (
        "question.text",
        "words",
        file_of(),
        file_of(MODE.replace("How?", " How?  ")),
        (SAME, SAME),
    ),
    (
        "question.unit",
        "words",
        number("low = 0", "high = 9", 'unit = "h"'),
        number("low = 0", "high = 9", 'unit = "km"'),
        (WORSE, WORSE),
    ),
    (
        "question.type",
        "type",
        asked(BOOLEAN, GRR),
        asked(CATEGORY, GRR),
        (WORSE, WORSE),
    ),
    (
        "question.values",
        "what can be answered",
        file_of(),
        file_of(MODE.replace('"bike"', '"bike", "walk"')),
    ),
    (
        "question.values",
        "what can be answered",
        file_of(),
        file_of(MODE.replace('"car", "bus"', '"bus", "car"')),
        (SAME, SAME),
    ),
    (
        "question.keys",
        "what can be answered",
        pairs(),
        pairs('keys = ["a", "b", "c", "d"]'),
    ),
    (
        "question.parents",
        "what can be answered",
        tree(ABCD),
        tree('{ a = "x", b = "x", c = "x", d = "y" }'),
        (SAME, SAME),
    ),
    (
        "question.levels",
        "what can be answered",
        tree(ABCD),
        tree(ABCD, 'levels = ["state", "county"]'),
        (SAME, SAME),
    ),
    ("question.most", "answers at once", pairs(), pairs("most = 3")),
    (
        "question.low",
        "what can be answered",
        asked(RANGE, GRR),
        asked(RANGE.replace("low = 0", "low = -1"), GRR),
    ),
    (
        "question.high",
        "what can be answered",
        asked(RANGE, GRR),
        asked(RANGE.replace("high = 9", "high = 10"), GRR),
    ),
    (
        "question.step",
        "what can be answered",
        number("low = 0", "high = 8", "step = 2"),
        number("low = 0", "high = 8", "step = 1"),
    ),
    (
        "question.bins",
        "what can be answered",
        number("low = 0", "high = 8", "bins = 4"),
        number("low = 0", "high = 8", "bins = 8"),
    ),
    (
        "question.edges",
        "what can be answered",
        number("edges = [0, 1, 4]"),
        number("edges = [0, 1, 2, 4]"),
    ),
    (
        "question.edges",
        "what can be answered",
        number("edges = [0, 1, 4]"),
        number("edges = [0, 2, 4]"),
        (WORSE, WORSE),
    ),
    ("question.dimensions", "what can be answered", vector(), vector("dimensions = 9")),
    ("question.radius", "what can be answered", vector(), vector('radius = "1.5"')),
    ("question.outside", "numbers outside", vector(), vector('outside = "clip"')),
    (
        "question.outside",
        "numbers outside",
        number("low = 0", "high = 9"),
        number("low = 0", "high = 9", 'outside = "clip"'),
    ),
    (
        "question.outside",
        "numbers outside",
        number("low = 0", "high = 9", "outside = 0"),
        number("low = 0", "high = 9", 'outside = "clip"'),
        (SAME, SAME),
    ),
    (
        "question.outside",
        "numbers outside",
        integer("low = 0", "high = 9"),
        integer("low = 0", "high = 9", 'outside = "clip"'),
    ),
    (
        "question.missing",
        "what can be answered",
        integer("low = 0", "high = 9"),
        integer("low = 0", "high = 9", 'missing = ["NA"]'),
        (SAME, SAME),
    ),
    (
        "question.per_device",
        "records of a device",
        asked(CATEGORY, GRR),
        asked(CATEGORY, GRR, 'per_device = "last"'),
        (WORSE, WORSE),
    ),
    (
        "question.circular",
        "what can be answered",
        number("low = 0", "high = 24", "bins = 24", 'goal = "distribution"'),
        number(
            "low = 0",
            "high = 24",
            "bins = 24",
            'goal = "distribution"',
            "circular = true",
        ),
        (SAME, SAME),
    ),
    (
        "question.field",
        "what can be answered",
        field(*SEX),
        field(*SEX, more='[[question.field]]\nname = "drives"\ntype = "boolean"'),
    ),
    (
        "question.collect",
        "what can be answered",
        field(*SEX).replace('type = "table"', 'type = "table"\ncollect = "subsets"'),
        field(*SEX),
    ),
    (
        "question.together",
        "what can be answered",
        together(2),
        together(3),
    ),
    (
        "question.x",
        "what can be answered",
        place(),
        place(x="{ low = 0, high = 2 }"),
        (WORSE, WORSE),
    ),
    (
        "question.y",
        "what can be answered",
        place(),
        place(y="{ low = 0, high = 2 }"),
        (WORSE, WORSE),
    ),
    ("question.cells", "what can be answered", place(), place("8")),
    (
        "question.cells",
        "what can be answered",
        named_cells('["a", "b"]'),
        named_cells('["a", "b", "c"]'),
    ),
    (
        "question.candidates",
        "texts looked for",
        rappor(),
        rappor(candidates='"a.txt"'),
        (SAME, SAME),
    ),
    (
        "question.memoized_values",
        "permanent responses",
        memoized("memoized_values = 2"),
        memoized("memoized_values = 3"),
    ),
    ("question.mechanism", "permanent responses", asked(CATEGORY, GRR), memoized()),
    (
        "question.mechanism",
        "mechanism",
        asked(CATEGORY, GRR),
        asked(CATEGORY, GRR.replace("grr", "oue")),
        (SAME, SAME),
    ),
    (
        "question.profile",
        "mechanism",
        asked(TEXT, 'profile = "rappor-paper"'),
        asked(TEXT, 'profile = "rappor-paper"').replace("paper", "reference"),
        (SAME, SAME),
    ),
    (
        "question.goal",
        "mechanism",
        number("low = 0", "high = 8", "step = 1"),
        number("low = 0", "high = 8", "step = 1", 'goal = "distribution"'),
        (SAME, SAME),
    ),
    (
        "question.epsilon",
        "epsilon of a report",
        file_of(),
        file_of(MODE.replace('"1"', '"1.0000000000000000000000000001"')),
    ),
    (
        "question.epsilon_first",
        "epsilon of a report",
        memoized(),
        memoized('epsilon_first = "1.5"'),
    ),
    (
        "question.epsilon_lifetime",
        "epsilon of an unchanged answer, ever",
        memoized(),
        memoized('epsilon_lifetime = "3"'),
    ),
    (
        "question.truth",
        "epsilon of a report",
        through("warner", 'truth = "3/4"', type_=BOOLEAN),
        through("warner", 'truth = "4/5"', type_=BOOLEAN),
    ),
    (
        "question.forced_true",
        "epsilon of a report",
        through("forced", 'forced_true = "1/4"', 'forced_false = "1/4"', type_=BOOLEAN),
        through("forced", 'forced_true = "1/5"', 'forced_false = "1/4"', type_=BOOLEAN),
    ),
    (
        "question.forced_false",
        "epsilon of a report",
        through("forced", 'forced_true = "1/4"', 'forced_false = "1/4"', type_=BOOLEAN),
        through("forced", 'forced_true = "1/4"', 'forced_false = "1/5"', type_=BOOLEAN),
    ),
    (
        "question.prevalence",
        "epsilon of a report",
        through("unrelated", 'truth = "1/2"', 'prevalence = "1/2"', type_=BOOLEAN),
        through("unrelated", 'truth = "1/2"', 'prevalence = "1/4"', type_=BOOLEAN),
    ),
    (
        "question.matrix",
        "epsilon of a report",
        through("matrix", 'matrix = [["2/3", "1/3"], ["1/3", "2/3"]]', type_=BOOLEAN),
        through("matrix", 'matrix = [["3/4", "1/4"], ["1/4", "3/4"]]', type_=BOOLEAN),
    ),
    ("question.p", "epsilon of a report", rappor(), rappor(p='"0.4"')),
    ("question.q", "epsilon of a report", rappor(), rappor(q='"0.8"')),
    (
        "question.f",
        "epsilon of an unchanged answer, ever",
        rappor(),
        rappor(f='"0.25"'),
    ),
    ("question.bloom_bits", "what links reports", rappor(), rappor(bloom_bits="32")),
    (
        "question.hashes",
        "parameters",
        through("cms", EPSILON, "hashes = 4", "width = 16"),
        through("cms", EPSILON, "hashes = 8", "width = 16"),
        (SAME, SAME),
    ),
    (
        "question.width",
        "parameters",
        through("cms", EPSILON, "hashes = 4", "width = 16"),
        through("cms", EPSILON, "hashes = 4", "width = 32"),
        (SAME, SAME),
    ),
    (
        "question.hash_seed",
        "parameters",
        through("cms", EPSILON, "hashes = 4", "width = 16", "hash_seed = 1"),
        through("cms", EPSILON, "hashes = 4", "width = 16", "hash_seed = 2"),
        (SAME, SAME),
    ),
    ("question.cohorts", "what links reports", rappor(), rappor(cohorts="64")),
    (
        "question.buckets",
        "what links reports",
        memoized('mechanism = "loloha"', "buckets = 2"),
        memoized('mechanism = "loloha"', "buckets = 3"),
    ),
    (
        "question.sampled",
        "parameters",
        through("dbitflip", EPSILON, "sampled = 2"),
        through("dbitflip", EPSILON, "sampled = 3"),
        (SAME, SAME),
    ),
    (
        "question.report_bytes",
        "parameters (report_bytes)",
        asked(CATEGORY, 'mechanism = "auto"', EPSILON),
        asked(CATEGORY, 'mechanism = "auto"', EPSILON, "report_bytes = 8"),
        (SAME, SAME),
    ),
    (
        "field.name",
        "what can be answered",
        field(*SEX),
        field(*SEX).replace('"sex"', '"gender"'),
        (WORSE, WORSE),
    ),
    ("field.type", "type", field(*SEX), field(BOOLEAN), (WORSE, WORSE)),
    (
        "field.values",
        "what can be answered",
        field(*SEX),
        field(SEX[0], 'values = ["f", "m", "x"]'),
    ),
    ("field.text", "words", field(*SEX), field(*SEX, 'text = "And?"'), (WORSE, WORSE)),
    (
        "field.low",
        "what can be answered",
        field(RANGE),
        field(RANGE.replace("low = 0", "low = -1")),
    ),
    (
        "field.high",
        "what can be answered",
        field(RANGE),
        field(RANGE.replace("high = 9", "high = 10")),
    ),
    (
        "field.edges",
        "what can be answered",
        field('type = "number"', "edges = [0, 1, 4]"),
        field('type = "number"', "edges = [0, 1, 2, 4]"),
    ),
    (
        "field.bins",
        "what can be answered",
        field('type = "number"', "low = 0", "high = 8", "bins = 4"),
        field('type = "number"', "low = 0", "high = 8", "bins = 8"),
    ),
    (
        "field.outside",
        "numbers outside",
        field('type = "number"', "edges = [0, 1, 4]"),
        field('type = "number"', "edges = [0, 1, 4]", 'outside = "clip"'),
    ),
    (
        "field.unit",
        "words",
        field('type = "number"', "edges = [0, 1, 4]"),
        field('type = "number"', "edges = [0, 1, 4]", 'unit = "h"'),
        (WORSE, WORSE),
    ),
    (
        "field.missing",
        "what can be answered",
        field('type = "number"', "edges = [0, 1, 4]"),
        field('type = "number"', "edges = [0, 1, 4]", 'missing = ["NA"]'),
        (SAME, SAME),
    ),
]
"""Rows of a key, its aspect, two files, and how the change from one to the other is
judged.

Worse in this direction and better in the other, if nothing else is said.
"""

CASES = [Case(*row) for row in ONE_WAY]
for key, aspect, one, other, *judged in TWO_WAYS:
    there, back = judged[0] if judged else (WORSE, BETTER)
    CASES.append(Case(key, one, other, aspect=aspect, verdict=there))
    CASES.append(Case(key, other, one, aspect=aspect, verdict=back))
