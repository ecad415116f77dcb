"""Makes the files in tests/vectors, always the same: `python -m
lab.endurance.make_vectors`.

Random tapes are SHAKE-256 streams named after their case, and a few made by hand: one
that `randbelow` must reject first, one whose bits stay tied until the reserve. Every
tape holds exactly the bytes that its case draws.
"""

import json
from decimal import Decimal

from bad_bytes import BAD_FILES, BAD_PAYLOADS
from hpke_reference import point, private_key, seal
from places import VECTORS
from register_vectors import register_vectors
from specimens import DESIGNS, question
from wire_samples import (
    BATCHES,
    CHROME,
    FOUR,
    MANY,
    SURVEY,
    TEXT,
    TWENTY,
    file_of,
    stream,
    taken,
)

from ldp import parse_survey
from ldp.answers.contributions import CHOOSING_BYTES
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.chains.bloom import bloom_positions
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Memoized, integers
from ldp.numbers.epochs import batch_id, epoch_of
from ldp.numbers.randomness import Replay
from ldp.survey.attributes import combination_of
from ldp.survey.compiled import compile_survey, question_terms
from ldp.survey.survey import ROUNDING_BYTES
from ldp.wire.sealed import (
    Mixed,
    Sealed,
    encode_mixed_part,
    encode_sealed_report,
    epoch_bytes,
    info_of,
    plaintext_of,
    public_key_text,
)
from ldp.wire.wire import (
    Batch,
    Damage,
    FrameReader,
    decode_batch,
    encode_batch,
    encode_frame,
)
from ldp_aggregator import encode_tally
from ldp_client import report_bytes
from ldp_client.answering.budget import Budget
from ldp_client.answering.memory import Memory
from ldp_client.answering.respondent import Respondent
from ldp_client.keeping.hidden_answer import HiddenAnswer
from ldp_client.keeping.scope import Scope
from ldp_client.keeping.store import ProcessStore
from ldp_client.keeping.tapes import Tape

FOLDER = VECTORS

TWICE = 'epsilon_first = "1"\nepsilon_lifetime = "2"'
HOURS = 'type = "number"\nlow = 0\nhigh = "49.5"\nstep = "0.5"\nunit = "hours"'

CITY = (
    'type = "place"\nx = { low = "5.9", high = "10.5", unit = "degrees" }\n'
    'y = { name = "north", low = "45.8", high = "47.8", outside = "clip", missing = '
    '["-"] }'
)
AT_HOME = (
    {"x": "5.9", "north": "45.8"},
    {"x": "8.54", "north": "47.37"},
    {"x": "10.5", "north": "50"},
)

TREE = (
    '{ Cork = "Ireland", Dublin = "Ireland", Lyon = "France", Bern = "Switzerland", '
    'Ireland = "union", France = "union", abroad = "elsewhere", Switzerland = '
    '"elsewhere" }'
)
"""Three levels, of which the second has a value as well."""
PLACES = json.dumps(["Cork", "Dublin", "Lyon", "Bern", "abroad"])
"""The values of the tree, in an order of their own."""
_TOWNS = (f'"town {town}" = "county {town % 20}"' for town in range(300))
TOWNS = f"{{ {', '.join(_TOWNS)} }}"
ALL_TOWNS = json.dumps([f"town {town}" for town in range(300)])

_LONG = ["3.25", "-0.1", "0", "1e-30", "12345.678", "-7", "0.5", "0.25", "-1e3"]
"""Longer than any radius here."""
FIELDS = (
    'field = [{ name = "smokes", type = "boolean" }, '
    f'{{ name = "commute", type = "category", values = {FOUR} }}, '
    '{ name = "age", type = "number", edges = [0, 18, "24.5", 65], outside = "clip", '
    'missing = ["-"], unit = "years" }, '
    '{ name = "children", type = "integer", low = 0, high = 3, text = "How many '
    'children?" }]'
)
_MANY_ANSWERS = (
    {"smokes": False, "commute": "car", "age": "0", "children": 0},
    {"smokes": True, "commute": "walk", "age": "24.5", "children": 3},
    {"smokes": True, "commute": "car", "age": "-7.25", "children": 1},
)
_RATINGS = ", ".join(
    f'{{ name = "item-{place}", type = "integer", low = 1, high = 6 }}'
    for place in range(24)
)
"""More cells than a number of 53 bits can tell."""
_ALL_RATED = tuple(
    {f"item-{place}": 1 + place * step % 6 for place in range(24)} for step in (0, 5, 1)
)

QUESTIONS = {
    "warner": (
        ('type = "boolean"\nepsilon = "1"', (False, True)),
        ('type = "category"\nvalues = ["no", "yes"]\ntruth = "7/10"', ("no", "yes")),
    ),
    "forced": (
        ('type = "boolean"\nforced_true = "1/4"\nforced_false = "1/4"', (False, True)),
        ('type = "boolean"\nforced_true = "1/6"\nforced_false = "0.2"', (False, True)),
    ),
    "unrelated": (
        ('type = "boolean"\ntruth = "0.7"\nprevalence = "0.25"', (False, True)),
    ),
    "matrix": (
        (
            'type = "category"\nvalues = ["low", "middle", "high"]\n'
            'matrix = [["0.7", "0.2", "0.1"], ["1/6", "2/3", "1/6"], ["0.1", "0.2", '
            '"0.7"]]',
            ("low", "middle", "high"),
        ),
    ),
    "exponential": (
        (
            'type = "category"\nvalues = ["low", "middle", "high"]\nepsilon = "2"\n'
            'quality = [[3, 2, 1, 0], [1, "7/3", 2, 1], [0, 1, 2, 3]]',
            ("low", "middle", "high"),
        ),
    ),
    "one-bit": (
        ('type = "integer"\nlow = 0\nhigh = 9\nepsilon = "1"', (0, 4, 9)),
        ('type = "integer"\nlow = -500\nhigh = 500\nepsilon = "7/3"', (-500, 77)),
    ),
    "geometric": (
        ('type = "integer"\nlow = 0\nhigh = 9\nepsilon = "1"', (0, 4, 9)),
        ('type = "integer"\nlow = -500\nhigh = 500\nepsilon = "7/3"', (-500, 77)),
    ),
    "laplace": (
        ('type = "integer"\nlow = 1\nhigh = 20\nepsilon = "1"', (1, 13, 20)),
        ('type = "integer"\nlow = 0\nhigh = 1\nepsilon = "0.1"\nmargin = 3', (0, 1)),
    ),
    "grr": (
        (
            f'type = "category"\nvalues = {FOUR}\nepsilon = "1"',
            ("car", "bus", "bike", "walk"),
        ),
        ('type = "boolean"\nepsilon = "0.1"', (False, True)),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "5/3"',
            ("value 0", "value 299"),
        ),
        (
            'type = "number"\nlow = 0\nhigh = 1\nbins = 3\nepsilon = "1"',
            ("0", "0.3333333333333333", "0.33333333333333337", "0.5", "1"),
        ),
        (
            'type = "number"\nedges = [0, 18, "24.5", 65, "99.5"]\nunit = "years"\n'
            'outside = "clip"\nmissing = ["NA", "?"]\nepsilon = "2"',
            ("17.999", "18", "24.5", "99.5", "-4", "1e300"),
        ),
    ),
    "codebook": (
        (
            'type = "vector"\ndimensions = 2\nradius = 1\nepsilon = "1"',
            (["1", "0"], ["-0.6", "0.8"], ["0", "0"], ["0.3333333333333333", "1e-7"]),
        ),
        (
            (
                'type = "vector"\ndimensions = 9\nradius = "2.5"\noutside = '
                '"clip"\nepsilon = "4"'
            ),
            (
                _LONG,
                ["1e300", "-1e300", *_LONG[2:]],
                ["0.1"] * 9,
                ["1.5", "-2", *["0"] * 7],
            ),
        ),
        (
            'type = "vector"\ndimensions = 130\nradius = "1/3"\nwords = 10\nnear = 5\n'
            'epsilon = "0.1"',
            (["0.029235266", *["-0.029235266"] * 129],),
        ),
        (
            'type = "vector"\ndimensions = 3\nradius = "1"\nwords = 256\nepsilon = "8"',
            (["0.26726124191242434", "-0.5345224838248487", "0.8017837257372731"],),
        ),
    ),
    "dithered": (
        ('type = "integer"\nlow = 0\nhigh = 9\nepsilon = "1"', (0, 4, 9)),
        ('type = "integer"\nlow = -500\nhigh = 500\nepsilon = "2"', (-500, 77)),
        ('type = "integer"\nlow = 0\nhigh = 1\nepsilon = "0.1"', (0, 1)),
        (
            f'{HOURS}\nepsilon = "3"',
            ("0", "39", "39.5", "39.3", "0.30000000000000004", "49.5"),
        ),
        (
            (
                f'{HOURS}\noutside = "clip"\nmissing = ["NA", "?"]\nlevels = '
                "256\nepsilon "
                '= "8"'
            ),
            ("-3", "7.25", "49.75", "1e21"),
        ),
        (f'{HOURS}\noutside = "12.2"\nepsilon = "2"', ("-0.001", "3.5", "50")),
        (
            'type = "number"\nlow = "-1/3"\nhigh = "2/3"\nstep = "1/9"\nepsilon = "4"',
            ("-0.3333333333333333", "-0.1", "0.6666666666666666"),
        ),
        (
            'type = "number"\nlow = -1\nhigh = 1\nepsilon = "1"',
            ("-1", "1e-7", "0.1", "1"),
        ),
        (
            'type = "number"\nlow = 0\nhigh = 99999\nstep = 1\nepsilon = "4"',
            ("0", "77777", "77777.125", "99999"),
        ),
        (
            'type = "number"\nlow = 0\nhigh = "1e15"\nstep = 1\nepsilon = "7/3"',
            ("123456789012345", "0.5", "1000000000000000"),
        ),
    ),
    "arcs": (
        ('type = "integer"\nlow = 0\nhigh = 100\nepsilon = "1"', (0, 37, 100)),
        ('type = "integer"\nlow = -1\nhigh = 1\nepsilon = "1/10"', (-1, 0, 1)),
        (f'{HOURS}\nepsilon = "2"', ("0", "39.5", "39.3", "49.5")),
        (
            'type = "number"\nlow = 0\nhigh = 4000\nstep = 1\nepsilon = "4"',
            ("0", "1234", "3999.5", "4000"),
        ),
        (
            'type = "number"\nedges = [0, 18, "24.5", 65, "99.5"]\noutside = "clip"\n'
            'modulus = 11\nwidth = 3\nweights = [7, 0, 3, 1]\nepsilon = "8"',
            ("-1", "18", "99.5"),
        ),
        (
            'type = "integer"\nlow = 1\nhigh = 7\ncircular = true\nepsilon = "1"',
            (1, 4, 7),
        ),
        (
            (
                'type = "number"\nlow = 0\nhigh = 24\nbins = 24\ncircular = '
                "true\nepsilon "
                '= "2"'
            ),
            ("0", "12", "23.99", "24"),
        ),
    ),
    "tree": (
        ('type = "integer"\nlow = 0\nhigh = 4999\nepsilon = "1"', (0, 1234, 4999)),
        ('type = "integer"\nlow = -1\nhigh = 1\nepsilon = "1/10"', (-1, 0, 1)),
        (f'{HOURS}\nepsilon = "0.5"', ("0", "39.5", "39.3", "49.5")),
        (
            'type = "number"\nlow = 0\nhigh = 65535\nstep = 1\nepsilon = "4"',
            ("0", "1234", "39999.5", "65535"),
        ),
        (
            'type = "number"\nedges = [0, 18, "24.5", 65, "99.5"]\noutside = "clip"\n'
            'weights = [7, 3]\nepsilon = "8"',
            ("-1", "18", "99.5"),
        ),
    ),
    "pyramid": (
        (f'{CITY}\ncells = 64\nepsilon = "1"', AT_HOME),
        (f'{CITY}\ncells = 2\nepsilon = "1/10"', AT_HOME),
        (f'{CITY}\ncells = 32\nepsilon = "4"', AT_HOME),
        (f'{CITY}\ncells = 2\nweights = [7, 0, 3]\nepsilon = "8"', AT_HOME),
    ),
    "stripes": (
        (f'{CITY}\ncells = 64\nepsilon = "1"', AT_HOME),
        (f'{CITY}\ncells = 2\nepsilon = "1/10"', AT_HOME),
        (f'{CITY}\ncells = 8\nepsilon = "4"', AT_HOME),
        (f'{CITY}\ncells = 16\nwidth = 7\nepsilon = "2"', AT_HOME),
    ),
    "metric": (
        (f'{CITY}\ncells = 2\nepsilon_per_unit = "1/3"', AT_HOME),
        (
            f'{CITY}\ncells = 8\nepsilon_per_unit = "0.02"\nlengths = [76, "111.2"]',
            AT_HOME,
        ),
    ),
    "square-wave": (
        ('type = "integer"\nlow = 0\nhigh = 9\nepsilon = "1"', (0, 4, 9)),
        ('type = "integer"\nlow = -500\nhigh = 500\nepsilon = "2"', (-500, 77, 500)),
        ('type = "integer"\nlow = 0\nhigh = 1\nepsilon = "0.1"', (0, 1)),
        (f'{HOURS}\nepsilon = "1/2"', ("0", "39", "39.3", "49.5")),
        (
            f'{HOURS}\noutside = "clip"\nwidth = 7\nepsilon = "8"',
            ("-3", "7.25", "49.75"),
        ),
        (
            'type = "number"\nlow = 0\nhigh = 1\nbins = 64\nepsilon = "4"',
            ("0", "0.5", "1"),
        ),
        (
            'type = "number"\nedges = [0, 18, "24.5", 65, "99.5"]\nepsilon = "3"',
            ("17.999", "18", "99.5"),
        ),
        ('type = "number"\nlow = -1\nhigh = 1\nepsilon = "1"', ("-1", "0.1", "1")),
        ('type = "integer"\nlow = 0\nhigh = 99\nepsilon = "40"', (0, 99)),
    ),
    "ss": (
        (f'type = "category"\nvalues = {FOUR}\nepsilon = "1"', ("car", "walk")),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "1"',
            ("value 0", "value 299"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "5"',
            ("value 0", "value 299"),
        ),
    ),
    "hr": (
        (
            f'type = "category"\nvalues = {FOUR}\nepsilon = "1"',
            ("car", "bus", "bike", "walk"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "3"',
            ("value 0", "value 7", "value 299"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "8"',
            ("value 0", "value 299"),
        ),
    ),
    "pgr": (
        (
            f'type = "category"\nvalues = {FOUR}\nepsilon = "1"',
            ("car", "bus", "bike", "walk"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "0.5"',
            ("value 0", "value 299"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "2"',
            ("value 0", "value 299"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "5"',
            ("value 0", "value 299"),
        ),
    ),
    "sue": (
        (f'type = "category"\nvalues = {FOUR}\nepsilon = "1"', ("car", "walk")),
        (
            f'type = "category"\nvalues = {TWENTY}\nepsilon = "4"',
            ("value 0", "value 19"),
        ),
    ),
    "oue": (
        (f'type = "category"\nvalues = {FOUR}\nepsilon = "1"', ("car", "walk")),
        (
            f'type = "category"\nvalues = {TWENTY}\nepsilon = "0.5"',
            ("value 0", "value 19"),
        ),
    ),
    "the": (
        (f'type = "category"\nvalues = {FOUR}\nepsilon = "1"', ("car", "walk")),
        (
            f'type = "category"\nvalues = {TWENTY}\nepsilon = "3"',
            ("value 0", "value 19"),
        ),
    ),
    "she": (
        (f'type = "category"\nvalues = {FOUR}\nepsilon = "1"', ("car", "walk")),
        (
            f'type = "category"\nvalues = {TWENTY}\nepsilon = "0.1"',
            ("value 0", "value 19"),
        ),
    ),
    "olh": (
        (f'type = "category"\nvalues = {FOUR}\nepsilon = "1"', ("car", "walk")),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "8"',
            ("value 0", "value 299"),
        ),
    ),
    "blh": ((f'type = "category"\nvalues = {FOUR}\nepsilon = "0.5"', ("car", "walk")),),
    "cms": (
        (
            (
                f'type = "category"\nvalues = {FOUR}\nepsilon = "1"\nhashes = '
                "300\nwidth = "
                "20"
            ),
            ("car", "walk"),
        ),
        (
            (
                f'type = "category"\nvalues = {MANY}\nepsilon = "4"\nhash_seed = '
                "4294967295"
            ),
            ("value 0", "value 299"),
        ),
    ),
    "hcms": (
        (
            (
                f'type = "category"\nvalues = {FOUR}\nepsilon = "1"\nhashes = 1\nwidth '
                "= "
                "16"
            ),
            ("car", "walk"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "2"\nhash_seed = 1',
            ("value 0", "value 299"),
        ),
    ),
    "set-unary": (
        (
            f'type = "multi"\nvalues = {FOUR}\nmost = 2\nepsilon = "1"',
            ([], ["car", "walk"]),
        ),
        (
            f'type = "multi"\nvalues = {TWENTY}\nmost = 15\nepsilon = "3"',
            (["value 0"], ["value 3", "value 19"]),
        ),
    ),
    "pad-grr": (
        (
            f'type = "multi"\nvalues = {FOUR}\nmost = 4\nepsilon = "1"',
            ([], ["bus"], ["walk", "bike", "bus", "car"]),
        ),
        (
            f'type = "multi"\nvalues = {MANY}\nmost = 10\nepsilon = "2"',
            (["value 0", "value 299"],),
        ),
    ),
    "pad-ss": (
        (
            f'type = "multi"\nvalues = {TWENTY}\nmost = 3\nepsilon = "1"',
            ([], ["value 0", "value 19"]),
        ),
    ),
    "pad-pgr": (
        (
            f'type = "multi"\nvalues = {MANY}\nmost = 3\nepsilon = "2"',
            ([], ["value 0", "value 299"]),
        ),
    ),
    "pad-hr": (
        (
            f'type = "multi"\nvalues = {MANY}\nmost = 3\nepsilon = "0.5"',
            ([], ["value 0", "value 299"]),
        ),
        (
            f'type = "multi"\nvalues = {MANY}\nmost = 3\nepsilon = "4"',
            ([], ["value 0", "value 299"]),
        ),
    ),
    "heavy-hitters": (
        ('type = "text"\nepsilon = "2"', ("x", "Grüße", "https://example.org/a?b=c")),
        (
            'type = "text"\nepsilon = "1"\nlongest = 16\n'
            'alphabet = "0123456789abcdef"\nhash_seed = 4',
            ("00c0ffee00c0ffee",),
        ),
    ),
    "taxonomy": (
        (
            f'type = "category"\nvalues = {PLACES}\nparents = {TREE}\nepsilon = "1"',
            ("Cork", "Bern", "abroad"),
        ),
        (
            f'type = "category"\nvalues = {PLACES}\nparents = {TREE}\nepsilon = "3"\n'
            'shares = ["0.1", "1/3"]',
            ("Cork", "Lyon"),
        ),
        (
            (
                f'type = "category"\nvalues = {ALL_TOWNS}\nparents = {TOWNS}\nepsilon '
                "= "
                '"0.5"'
            ),
            ("town 0", "town 299"),
        ),
        (
            f'type = "category"\nvalues = {ALL_TOWNS}\nparents = {TOWNS}\nepsilon = '
            '"5"\n'
            "shares = [0]",
            ("town 7",),
        ),
    ),
    "subsets": (
        (
            f'type = "table"\ncollect = "subsets"\n{FIELDS}\nepsilon = "1"',
            _MANY_ANSWERS,
        ),
        (
            (
                f'type = "table"\ncollect = "subsets"\n{FIELDS}\ntogether = 4\nepsilon '
                "= "
                '"3"'
            ),
            _MANY_ANSWERS[1:],
        ),
        (
            (
                f'type = "table"\ncollect = "subsets"\n{FIELDS}\ntogether = 1\nepsilon '
                "= "
                '"0.1"'
            ),
            _MANY_ANSWERS[1:],
        ),
        (
            f'type = "table"\ncollect = "subsets"\nfield = [{_RATINGS}]\nepsilon = "1"',
            _ALL_RATED,
        ),
    ),
    "l-grr": (
        (f'type = "category"\nvalues = {FOUR}\n{TWICE}', ("car", "walk")),
        (
            (
                f'type = "category"\nvalues = {MANY}\nepsilon_first = '
                '"0.3"\nepsilon_lifetime = "7/3"'
            ),
            ("value 299",),
        ),
    ),
    "l-sue": ((f'type = "category"\nvalues = {FOUR}\n{TWICE}', ("car", "walk")),),
    "l-osue": (
        (f'type = "boolean"\n{TWICE}', (False, True)),
        (f'type = "category"\nvalues = {TWENTY}\n{TWICE}', ("value 0", "value 19")),
    ),
    "loloha": (
        (f'type = "category"\nvalues = {MANY}\n{TWICE}', ("value 0", "value 299")),
        (f'type = "category"\nvalues = {MANY}\nbuckets = 2\n{TWICE}', ("value 7",)),
    ),
    "dbitflip": (
        (
            f'type = "category"\nvalues = {FOUR}\nepsilon = "1"\nsampled = 1',
            ("car", "walk"),
        ),
        (
            f'type = "category"\nvalues = {MANY}\nepsilon = "2"\nsampled = 16',
            ("value 0", "value 299"),
        ),
    ),
    "rappor": (
        (
            f'type = "text"\ncohorts = 16\nf = "0.5"\n{CHROME}',
            ("https://example.org", "Grüße", "x"),
        ),
        (f'type = "text"\nf = "0"\n{CHROME}', ("x",)),
        (
            f'type = "category"\nvalues = {FOUR}\ncohorts = 300\nf = "0.75"\n{CHROME}',
            ("car", "walk"),
        ),
        (
            f'type = "category"\nvalues = {FOUR}\np = "0.5"\nq = "0.75"\nf = "0.5"',
            ("car", "walk"),
        ),
    ),
}
"""By mechanism: the keys of its questions, and the answers to randomize; for others see
`_usual`.

Answers of type number are texts, because JSON readers differ on decimals.
"""

MANY_RECORDS = (
    (
        "dithered",
        f'{HOURS}\nper_device = "mean"\noutside = "clip"\nepsilon = "2"',
        (["0"], ["1", "2"], ["70", "-3", "7.5"], ["0.1", "0.2", "0.3"]),
    ),
    (
        "dithered",
        f'{HOURS}\nper_device = "sum"\noutside = "12.2"\nepsilon = "2"',
        (["20", "20.3"], ["40", "40"], ["-70", "75.25"]),
    ),
    (
        "dithered",
        f'{HOURS}\nper_device = "one"\nepsilon = "3"',
        (["7.3"], ["1", "2", "3", "49.4"]),
    ),
    (
        "dithered",
        'type = "integer"\nlow = -3\nhigh = 9\nper_device = "mean"\nepsilon = "1"',
        ([-3], [-3, -2, -2], [0, 9]),
    ),
    (
        "grr",
        'type = "number"\nedges = [0, 18, 65, 100]\nper_device = "mean"\nepsilon = "1"',
        (["17", "18.5"], ["64", "66", "65.5"]),
    ),
    (
        "grr",
        f'type = "category"\nvalues = {FOUR}\nper_device = "last"\nepsilon = "1"',
        (["car"], ["walk", "car"]),
    ),
    (
        "oue",
        f'type = "category"\nvalues = {FOUR}\nper_device = "one"\nepsilon = "1"',
        (["car"], ["walk", "car", "bike"]),
    ),
)
"""Mechanisms, keys and answers of questions of which a device may have many records."""

TABLES = tuple(
    (mechanism, f'type = "table"\n{FIELDS}\nepsilon = "{epsilon}"', _MANY_ANSWERS)
    for mechanism, epsilon in (("grr", 4), ("pgr", 1), ("oue", "7/3"))
)
"""Mechanisms, keys and answers of questions with fields."""

MAPS = tuple(
    (mechanism, f'{CITY}\ncells = {cells}\nepsilon = "{epsilon}"', AT_HOME)
    for mechanism, cells, epsilon in (("grr", 2, 2), ("pgr", 16, 1))
)
"""The same of questions of which every cell of a map is told by itself."""

PAIRS = (
    (
        "pad-grr",
        f'type = "key-value"\nkeys = {FOUR}\nlow = 0\nhigh = 240\nunit = '
        '"minutes"\nmost = 2\n'
        'epsilon = "2"',
        ({}, {"bus": "0"}, {"walk": "240", "car": "12.5"}),
    ),
    (
        "pad-grr",
        f'type = "key-value"\nkeys = {MANY}\nlow = "-1/3"\nhigh = "0.9"\noutside = '
        '"clip"\n'
        'missing = ["NA"]\nmost = 5\nepsilon = "4"',
        ({"value 299": "7", "value 0": "0.1", "value 7": "-2"}, {"value 1": "0.3"}),
    ),
    (
        "pad-ss",
        f'type = "key-value"\nkeys = {TWENTY}\nlow = 1\nhigh = 5\noutside = "3"\nmost '
        "= 3\n"
        'epsilon = "1"',
        ({}, {"value 19": "4.5", "value 0": "6"}),
    ),
)
"""The same of keys that come with numbers."""

TEXTS = (
    "x",
    "abc",
    "Grüße",
    "https://example.org/a?b=c",
    "\N{HAMMER AND WRENCH}",
    "long " * 100,
)
TERMS = f"""[survey]
name = "terms"
joint = ["smoker", "commute"]
lifetime_epsilon = "20"

[[question]]
name = "smoker"
type = "boolean"
text = "Rauchen Sie täglich?"
mechanism = "forced"
forced_true = "1/4"
forced_false = "1/4"

[[question]]
name = "commute"
type = "category"
values = {FOUR}
mechanism = "grr"
epsilon = "1/3"

[[question]]
name = "browser"
type = "category"
values = ["Größer", "kleiner"]
mechanism = "rappor"
memoized_values = 2
p = "0.5"
q = "0.75"
f = "0.5"
"""
"""A survey with all that costs."""

EPOCHS = TERMS.replace('lifetime_epsilon = "20"', 'epoch = "1d"\ngrace = "1w"')

DRAWS = (
    TERMS.replace('joint = ["smoker", "commute"]\n', "")
    + """
[[draw]]
questions = ["smoker", "commute"]
weights = [3, 1]
"""
)

SEVERAL = (
    DRAWS.replace('"commute"]\nweights = [3, 1]', '"commute", "pet"]\nanswers = 2')
    + """
[[question]]
name = "pet"
type = "boolean"
mechanism = "grr"
epsilon = "1"
"""
)

ATTRIBUTES = (
    TERMS
    + """
[[attribute]]
name = "platform"
values = ["android", "ios"]

[[attribute]]
name = "country"
values = ["de", "Größer"]
questions = ["smoker", "commute"]
"""
)
SAID = (
    {},
    {"platform": "android"},
    {"platform": "ios"},
    {"country": "de"},
    {"country": "Größer", "platform": "ios"},
)
"""What is said openly of devices."""

MADE = (
    (None, 1_790_000_000),
    (86_400, 1_790_000_000),
    (3600, 1_790_000_000.25),
    (86_400, 86_399.5),
    (86_400, 86_400),
    (31_622_400, 0),
    (86_400, -1),
    (60, 60 << 32),
)
"""Lengths of epochs, and times at which a batch is made.

Before the first epoch and after the last there are more.
"""

FILTERS = ((0, 2, 128), (1, 2, 128), (15, 3, 1000), (65535, 4, 65536), (7, 1, 8))
"""Cohort, hashes, bits."""


PARTS = ((), (b"",), (b"report",), (b"mark", b"a" * 24, b"row"), (b"a", b"b"), (b"ab",))
"""Parts that tapes belong to."""

COLLECTOR = "https://collect.example/v1/reports"
_ONE = (
    'name = "one"\ntype = "category"\nvalues = ["a", "b", "c"]\nmechanism = '
    '"grr"\nepsilon = "1"'
)
_OTHER = _ONE.replace('"one"', '"other"')
_SOME = (
    'name = "some"\ntype = "multi"\nvalues = ["a", "b", "c", "d"]\nmost = 2\n'
    'mechanism = "pad-grr"\nepsilon = "1"'
)
_DRAWN = f'{_OTHER}\n[[draw]]\nquestions = ["one", "other"]\nweights = [1, 1]'
_NUMBER = f'name = "hours"\n{HOURS}\nmechanism = "dithered"\nepsilon = "1"'
ANSWERED = (
    ([_ONE], "b", "", False),
    ([_ONE], "c", 'epoch = "1d"', False),
    ([_NUMBER], 7.3, "", False),
    (
        [_ONE, 'name = "again"\ntype = "boolean"\nmechanism = "l-grr"\n' + TWICE],
        {"one": "a", "again": True},
        'joint = ["one", "again"]',
        True,
    ),
    ([_SOME], ["b", "d"], "", False),
    ([_ONE, _DRAWN], "a", "", False),
)
"""Questions, the answer of a device, further keys of the survey, and whether it is to a
group.
"""


def _usual(mechanism):
    """Two designs of the laws, with the first value and the last."""
    for keys in DESIGNS[mechanism][:2]:
        first, *_, last = question(mechanism, keys).domain.values
        yield keys, (first, last)


def vectors():
    """The content of every file, by name."""
    files = {
        mechanism: [
            _question(mechanism, keys, answers)
            for keys, answers in QUESTIONS.get(mechanism) or _usual(mechanism)
        ]
        for mechanism in MECHANISMS
    }
    files |= {
        "compiled": _compiled(),
        "draws": _draws(),
        "attributes": _attributes(),
        "contributions": [_question(*row) for row in MANY_RECORDS],
        "tables": [_question(*row) for row in TABLES],
        "maps": [_question(*row) for row in MAPS],
        "key-values": [_question(*row) for row in PAIRS],
        "epochs": _epochs(),
        "tapes": {"tapes": _tapes(), "devices": _devices()},
        "hashing": _hashing(),
        "wire": _wire(),
        "sealed": _sealed(),
        "registered": register_vectors(),
        "bad": _bad(),
    }
    return {
        f"{name}.json": json.dumps(content, indent=1) + "\n"
        for name, content in files.items()
    }


_FURTHER = ("scale", "ball", "per_device", "circular", "fields")
"""What only some questions have."""


def _survey_text(mechanism, keys):
    return (
        '[survey]\nname = "vectors"\n\n[[question]]\n'
        f'name = "asked"\nmechanism = "{mechanism}"\n{keys}\n'
    )


def _question(mechanism, keys, answers):
    text = _survey_text(mechanism, keys)
    question = parse_survey(text)["asked"]
    randomizer = question.randomizer
    case = _staged_case if isinstance(randomizer, Memoized) else _case
    tapes = [stream(f"{mechanism} {keys} {number}") for number in range(3)]
    by_hand = _tied(question) if mechanism in ("sue", "oue", "the") else b"\xff" * 8
    # What is rounded goes up, if there is anything to round.
    rounding = bytes(ROUNDING_BYTES if question.rounds else 0)
    # Of many records the last is taken.
    last = b"\xff" * (CHOOSING_BYTES if question.domain.per_device == "one" else 0)
    tapes.append(last + rounding + by_hand + tapes[0])
    parts = question_terms(question)
    return {
        "survey": text,
        "fingerprint": question.fingerprint.hex(),
        **{name: parts[name] for name in _FURTHER if name in parts},
        "integers": {
            name: _listed(number) for name, number in integers(randomizer).items()
        },
        "layout": layout_of(question),
        "cases": [case(question, answer, tape) for answer in answers for tape in tapes],
    }


def layout_of(question):
    """Its fields; that of codewords only where there are any."""
    fields = {**question.layout._asdict(), "width": question.width}
    return {
        name: field for name, field in fields.items() if field or name != "codewords"
    }


def answer_of(question, written):
    """The answer that stands in a vector: numbers are the exact ones of texts."""
    if question.domain.ball is not None:
        return [Decimal(number) for number in written]
    if isinstance(written, dict):
        scales = {field.name: field.domain.scale for field in question.domain.fields}
        of_keys = question.domain.key_scale
        return {
            name: part if scales.get(name, of_keys) is None else Decimal(part)
            for name, part in written.items()
        }
    if isinstance(written, list) and question.domain.scale is not None:
        return [Decimal(record) for record in written]
    return written if question.domain.scale is None else Decimal(written)


def _case(question, answer, tape):
    source = Replay(tape)
    value = question.value(answer_of(question, answer), source)
    report = question.randomizer.randomize(value, source)
    return {
        "value": answer,
        "tape": tape[: source.used].hex(),
        "report": report.to_bytes(question.width, "little").hex(),
        "used": source.used,
    }


def _staged_case(question, answer, tape):
    randomizer = question.randomizer
    source = Replay(tape)
    value = question.value(answer)
    cohort = randomizer.draw_cohort(source)
    for_cohort = source.used
    permanent = randomizer.permanent(value, cohort, source)
    for_permanent = source.used - for_cohort
    report = randomizer.instantaneous(permanent, cohort, source)
    return {
        "value": answer,
        "tape": tape[: source.used].hex(),
        "cohort": _listed(cohort) if question.layout.modulus else cohort,
        **_place_of(randomizer, value, cohort),
        "permanent": permanent.to_bytes(question.layout.body_width, "little").hex(),
        "report": report.to_bytes(question.width, "little").hex(),
        "used": source.used,
        "used_by_stage": [
            for_cohort,
            for_permanent,
            source.used - for_cohort - for_permanent,
        ],
    }


def _place_of(randomizer, value, cohort):
    """Where the permanent response starts: RAPPOR's true bits, else what it is kept
    for.
    """
    if not isinstance(randomizer, Rappor):
        return {"kept_for": randomizer.memo_value(value, cohort)}
    true_bits = randomizer.true_bits(value, cohort)
    return {
        "true_positions": [
            position for position in range(randomizer.bits) if true_bits >> position & 1
        ]
    }


def _tied(question):
    """Bit-planes equal to those of value 0's thresholds: every position goes to the
    reserve.
    """
    size, numbers = question.layout.bits, integers(question.randomizer)
    planes = min(64, size.bit_length() + 3)
    tape = b""
    for shift in range(63, 63 - planes, -1):
        others = (1 << size) - 2 if numbers["if_other"] >> shift & 1 else 0
        tape += (others | numbers["if_true"] >> shift & 1).to_bytes(
            (size + 7) // 8, "little"
        )
    return tape


def _compiled():
    return [
        {"survey": text, "compiled": compile_survey(parse_survey(text))}
        for text in (TEXT, TERMS, EPOCHS)
    ]


def _draws():
    tapes = [bytes([byte]) for byte in (0, 3, 4, 127, 250, 255)] + [stream("draw", 8)]
    pairs = [bytes([byte, 255 - byte, byte]) for byte in (0, 85, 86, 171, 254)]
    return [_draw_of(DRAWS, tapes), _draw_of(SEVERAL, [*pairs, stream("several", 8)])]


def _draw_of(text, tapes):
    survey = parse_survey(text)
    (draw,) = survey.draws
    cases = []
    for tape in tapes:
        source = Replay(tape)
        names = draw.draw_questions(source)
        drawn = {"name": names[0]} if draw.answers == 1 else {"names": names}
        cases.append({**drawn, "tape": tape[: source.used].hex()})
    shown = {"names": draw.names, "weights": draw.weights}
    shown |= {"answers": draw.answers} if draw.answers > 1 else {}
    return {
        "survey": text,
        "compiled": compile_survey(survey),
        "draw": shown,
        "cases": cases,
    }


def _attributes():
    survey = parse_survey(ATTRIBUTES)
    cases = []
    for said in SAID:
        for envelope in survey.envelopes:
            identity = stream(f"attributes {sorted(said.items())} {envelope.name}", 16)
            number = combination_of(envelope.attributes, said)
            row = bytes(envelope.width)
            batch = Batch(
                envelope.fingerprint, identity, 1, rows=row, combination=number
            )
            cases.append(
                {
                    "said": said,
                    "questions": [question.name for question in envelope.members],
                    "combination": number,
                    "fingerprint": envelope.fingerprint.hex(),
                    "id": identity.hex(),
                    "rows": row.hex(),
                    "batch": encode_batch(batch).hex(),
                }
            )
    return {"survey": ATTRIBUTES, "compiled": compile_survey(survey), "cases": cases}


def _epochs():
    return [
        _made(length, seconds, stream(f"{length} {seconds}", 16))
        for length, seconds in MADE
    ]


def _made(length, seconds, tape):
    source = Replay(tape)
    identity = batch_id(source, length, seconds)
    return {
        "length": length,
        "seconds": seconds,
        "tape": tape[: source.used].hex(),
        "epoch": None if length is None else epoch_of(identity),
        "id": identity.hex(),
    }


def _tapes():
    return [
        {
            "secret": stream(f"secret {number}", 32).hex(),
            "parts": [part.hex() for part in parts],
            "tape": Tape(stream(f"secret {number}", 32), *parts)(150).hex(),
        }
        for number, parts in enumerate(PARTS)
    ]


def _devices():
    return [
        _device(keys, answer, head, together=together)
        for keys, answer, head, together in ANSWERED
    ]


def _device(keys, answer, head, together):
    """What a new device reports that has a secret, at two times."""
    survey, secret = parse_survey(_headed(keys, head)), stream("device", 32)
    store, scope = ProcessStore(), Scope.of(COLLECTOR)
    memory = Memory(store, scope)
    store.transact(lambda: store.put("secret", b"", (secret,)))
    budget = Budget(store, survey, scope, cap=None)
    respondent = Respondent(survey, memory, budget, random=_nothing_else, derives=True)

    answers = answer if together else {survey.questions[0].name: answer}
    answered = store.transact(respondent.report, HiddenAnswer(answers), together)
    times = (1_790_000_000, 1_790_086_400)
    ids = [
        decode_batch(payload).id.hex()
        for seconds in times
        for payload in FrameReader().feed(
            report_bytes([answered], clock=lambda at=seconds: at)
        )
    ]
    return {
        "survey": _headed(keys, head),
        "compiled": compile_survey(survey),
        "collector": COLLECTOR,
        "secret": secret.hex(),
        "answer": answer,
        "row": answered.row.hex(),
        "mark": answered.mark.hex(),
        "seconds": times,
        "ids": ids,
    }


def _headed(keys, head):
    tables = "".join(f"[[question]]\n{table}\n" for table in keys)
    return f'[survey]\nname = "device"\n{head}\n{tables}'


def _nothing_else(size):
    raise AssertionError(f"expected no other randomness, got {size} bytes asked for")


def _hashing():
    return [
        {
            "text": text,
            "cohort": cohort,
            "hashes": hashes,
            "bits": bits,
            "positions": bloom_positions(text.encode(), cohort, hashes, bits=bits),
        }
        for text in TEXTS
        for cohort, hashes, bits in FILTERS
    ]


def _wire():
    frames = [file_of(batch) for batch in BATCHES.values()]
    junk = b"junk LDPR"
    hurt = bytearray(junk + b"".join(frames) + frames[0][:-1])
    hurt[len(junk) + len(frames[0]) + 30] ^= 0x10
    reader = FrameReader()
    parts = [*reader.feed(bytes(hurt)), *reader.close()]
    repeated = b"".join([*frames, frames[0]])
    return {
        "survey": TEXT,
        "fingerprint": SURVEY.fingerprint.hex(),
        "batches": [
            {
                "question": name,
                "fingerprint": batch.fingerprint.hex(),
                "id": batch.id.hex(),
                "count": batch.size,
                "rows": batch.rows.hex(),
                "batch": encode_batch(batch).hex(),
                "frame": file_of(batch).hex(),
            }
            for name, batch in BATCHES.items()
        ],
        "damaged_file": {
            "file": hurt.hex(),
            "payloads": [part.hex() for part in parts if not isinstance(part, Damage)],
            "damage": [list(part) for part in parts if isinstance(part, Damage)],
        },
        "tally": {
            "file": repeated.hex(),
            "snapshot": encode_tally(taken(repeated)).hex(),
        },
    }


_SEALED = (("symbol", None, 0), ("wide", None, 0), ("symbol", 86_400, 20_000))
"""Questions, the length of epochs, and the number of one."""


def _sealed():
    """Envelopes with the keys that made them, and the frames of a device and of a
    relay.
    """
    recipient = private_key(stream("collector", 32))
    cases = []
    for name, length, number in _SEALED:
        question = SURVEY[name]
        row = bytes((2,)) + bytes(question.width - 1)
        identity = batch_id(
            Replay(stream(f"{name} {length}", 16)), length, number * 86_400
        )
        epoch = epoch_bytes(identity, length)
        ephemeral = private_key(stream(f"ephemeral {name} {length}", 32))
        info = info_of(question.fingerprint, epoch)
        plaintext = plaintext_of(question.fingerprint, row)
        envelope = seal(point(recipient), ephemeral, info, aad=b"", plaintext=plaintext)
        sealed = Sealed(question.fingerprint, identity, envelope)
        mixed = Mixed(
            question.fingerprint,
            identity,
            number=1,
            envelopes=envelope,
            batch=stream("batch", 16),
            size=1,
            least=1,
        )
        cases.append(
            {
                "question": name,
                "fingerprint": question.fingerprint.hex(),
                "row": row.hex(),
                "id": identity.hex(),
                "epoch_length": length,
                "epoch": epoch.hex(),
                "info": info.hex(),
                "plaintext": plaintext.hex(),
                "ephemeral": stream(f"ephemeral {name} {length}", 32).hex(),
                "envelope": envelope.hex(),
                "frame": encode_frame(encode_sealed_report(sealed)).hex(),
                "part": encode_frame(encode_mixed_part(mixed)).hex(),
            }
        )
    return {
        "survey": TEXT,
        "private_key": stream("collector", 32).hex(),
        "public_key": public_key_text(point(recipient)),
        "cases": cases,
    }


def _bad():
    """Files that hold one thing wrong each, and the reason for which it must be
    rejected.
    """
    files = {
        what: (reason, encode_frame(payload))
        for what, (reason, payload) in BAD_PAYLOADS.items()
    }
    files |= {what: ("frame-damaged", file) for what, file in BAD_FILES.items()}
    cases = [
        {"what": what, "reason": reason, "file": file.hex()}
        for what, (reason, file) in files.items()
    ]
    return {"survey": TEXT, "cases": cases}


def _listed(number):
    if isinstance(number, int):
        return str(number)
    return [[str(entry) for entry in row] for row in number]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in vectors().items():
        (FOLDER / name).write_text(content, encoding="ascii")
