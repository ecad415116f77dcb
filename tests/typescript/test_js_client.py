"""The TypeScript client against the Python one: equal reports from equal tapes.

Needs node and the built client (`npm ci && npm run build` in client/js); skipped where
they are missing.
"""

import hashlib
import json
import subprocess
from fractions import Fraction
from itertools import cycle, islice
from random import Random
from unicodedata import normalize

import numpy as np
import pytest
from calling import run
from js_client import NODE, PACKAGE
from places import ROOT
from specimens import DESIGNS
from specimens import question as design
from xxhash import xxh64_intdigest

from ldp import parse_survey
from ldp.answers.balls import UNIT, unpack_coordinates
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.numbers.arcs import usual_weights
from ldp.numbers.randomness import Replay
from ldp.survey.compiled import compile_survey
from ldp.survey.survey_file import TYPES
from ldp_aggregator import Ingest, Options, estimate
from ldp_simulations.holders import holders_of

EIGHT = [f"Größe {number}" for number in range(8)]
APART = [normalize("NFD", text) for text in EIGHT]
"""The same, as macOS writes them in names of files."""
HUNDRED = [f"value {number}" for number in range(100)]
SIXTY = HUNDRED[:60]
BOTH = (False, True)
CHROME = 'bloom_bits = 128\nhashes = 2\np = "0.5"\nq = "0.75"'
DRAWN = Random(1)
HOURS = [
    0,
    49.5,
    0.1 + 0.2,
    12.25,
    -1e300,
    5e-324,
    *(DRAWN.uniform(-2, 52) for _ in range(94)),
]
LOADS = [
    [0, 0, 0, 0, 0],
    [2.5, 0, 0, 0, 0],
    [0.1, -0.2, 0.30000000000000004, 1e-7, -1e-30],
    [1, -1, 1, -1, 1],
]
WIDE = [
    0,
    10**15,
    2**53,
    0.1,
    1e16,
    1e21,
    *(10 ** DRAWN.uniform(-9, 15) for _ in range(94)),
]
NEAR = [-1, 1, -1e-7, 0.5, *(DRAWN.uniform(-1, 1) for _ in range(96))]


def tree(values, parents):
    pairs = ", ".join(
        f"{json.dumps(child)} = {json.dumps(node)}" for child, node in parents
    )
    return f'type = "category"\nvalues = {json.dumps(values)}\nparents = {{ {pairs} }}'


TREE = tree(
    HUNDRED, [(town, f"county {place % 10}") for place, town in enumerate(HUNDRED)]
)
DEEP = tree(
    EIGHT,
    [
        *((town, f"county {place // 2}") for place, town in enumerate(EIGHT[:6])),
        ("county 0", "top"),
    ],
)


def category(values, epsilon):
    return f'{closed(values)}\nepsilon = "{epsilon}"'


def closed(values):
    return f'type = "category"\nvalues = {json.dumps(values)}'


def several(values, epsilon):
    return (
        f'type = "multi"\nvalues = {json.dumps(values)}\nmost = 3\nepsilon = '
        f'"{epsilon}"'
    )


TWICE = 'epsilon_first = "2"\nepsilon_lifetime = "4"'
HOURS_OF_APPS = (
    f'type = "key-value"\nkeys = {json.dumps(EIGHT)}\nmost = 3\nlow = 0\nhigh = 10\n'
    'outside = "clip"'
)

ROW = (
    'field = [{ name = "smokes", type = "boolean" }, '
    f'{{ name = "town", type = "category", values = {json.dumps(EIGHT)} }}, '
    '{ name = "children", type = "integer", low = 0, high = 3 }]'
)
ROWS = [
    {"smokes": place > 3, "town": town, "children": place % 4}
    for place, town in enumerate(EIGHT)
]
AXES = 'x = { low = 0, high = 1 }\ny = { low = 0, high = "0.5", outside = "clip" }'
CORNERS = [{"x": x, "y": y} for x in (0, 0.3, 1) for y in (0, 0.25, 2)]

QUESTIONS = {
    "warner": ("warner", 'type = "boolean"\nepsilon = "2"', BOTH),
    "forced": (
        "forced",
        'type = "boolean"\nforced_true = "1/3"\nforced_false = "1/5"',
        BOTH,
    ),
    "grr": ("grr", category(EIGHT, "3"), EIGHT),
    "grr-wide": ("grr", category(HUNDRED, "1/7"), HUNDRED),
    "sue": ("sue", category(EIGHT, "3"), EIGHT),
    "oue": ("oue", category(EIGHT, "3"), EIGHT),
    "oue-wide": ("oue", category(HUNDRED, "0.01"), HUNDRED),
    "pgr": ("pgr", category(EIGHT, "3"), EIGHT),
    "pgr-four": ("pgr", category(HUNDRED, "1"), HUNDRED),
    "pgr-eight": ("pgr", category(SIXTY, "2"), SIXTY),
    "pgr-sixteen": ("pgr", category(HUNDRED, "2.8"), HUNDRED),
    "town": ("taxonomy", f"{TREE}\nepsilon = 2", HUNDRED),
    "town-deep": ("taxonomy", f'{DEEP}\nepsilon = 1\nshares = ["1/3", "0.2"]', EIGHT),
    "count": (
        "dithered",
        'type = "integer"\nlow = -4\nhigh = 5\nepsilon = "1"',
        range(-4, 6),
    ),
    "count-clipped": (
        "grr",
        'type = "integer"\nlow = -4\nhigh = 5\noutside = "clip"\nepsilon = "1"',
        range(-9, 12),
    ),
    "count-coarse": (
        "dithered",
        'type = "integer"\nlow = 0\nhigh = 9999\nepsilon = "5"',
        range(0, 10_000, 101),
    ),
    "hours": (
        "dithered",
        'type = "number"\nlow = 0\nhigh = "49.5"\nstep = "0.5"\nunit = "Stunden '
        'täglich"\n'
        'outside = "clip"\nmissing = ["NA", "weiß nicht"]\nepsilon = "3"',
        HOURS,
    ),
    "near": (
        "dithered",
        'type = "number"\nlow = -1\nhigh = 1\nlevels = 7\nepsilon = 1',
        NEAR,
    ),
    "wide": (
        "dithered",
        (
            'type = "number"\nlow = 0\nhigh = "1e15"\nstep = 1\noutside = '
            '"1/3"\nepsilon = '
            '"2"'
        ),
        WIDE,
    ),
    "load": (
        "codebook",
        'type = "vector"\ndimensions = 5\nradius = "2.5"\nepsilon = 2',
        LOADS,
    ),
    "load-clipped": (
        "codebook",
        (
            'type = "vector"\ndimensions = 5\nradius = "1/3"\noutside = '
            '"clip"\nepsilon = '
            "4"
        ),
        [[10 * number for number in load] for load in LOADS],
    ),
    "arcs": (
        "arcs",
        'type = "integer"\nlow = -4\nhigh = 5\nepsilon = "1"',
        range(-4, 6),
    ),
    "arcs-hours": (
        "arcs",
        (
            'type = "number"\nlow = 0\nhigh = "49.5"\nstep = "0.5"\noutside = '
            '"clip"\nepsilon = "3"'
        ),
        [-1, *(number / 2 for number in range(100)), 1e300],
    ),
    "arcs-edges": (
        "arcs",
        'type = "number"\nedges = [0, "1/7", 18, "24.5", 65]\noutside = '
        '"clip"\nepsilon = 5\n'
        "modulus = 13\nwidth = 2\nweights = [3, 0, 0, 1, 2]",
        HOURS,
    ),
    "shape": (
        "square-wave",
        (
            'type = "number"\nlow = 0\nhigh = 50\nstep = "0.5"\noutside = '
            '"clip"\nepsilon '
            "= 1"
        ),
        HOURS,
    ),
    "shape-of-cells": (
        "square-wave",
        'type = "number"\nlow = 0\nhigh = 50\nbins = 9\noutside = "clip"\nepsilon = 3',
        HOURS,
    ),
    "cells": (
        "grr",
        (
            'type = "number"\nlow = "-1/3"\nhigh = "50.5"\nbins = 7\noutside = '
            '"clip"\nepsilon = 2'
        ),
        HOURS,
    ),
    "edges": (
        "oue",
        (
            'type = "number"\nedges = [0, "1/7", 18, "24.5", 65]\noutside = '
            '"clip"\nepsilon = 2'
        ),
        HOURS,
    ),
    "kept": (
        "rappor",
        (
            'type = "number"\nlow = -2\nhigh = 2\nstep = "0.5"\np = "0.1"\nq = '
            '"0.9"\nf = '
            '"0.2"'
        ),
        [-2, -0.5, 0, 1.5, 2.0],
    ),
    "rappor": (
        "rappor",
        (
            f'type = "category"\nvalues = {json.dumps(EIGHT)}\np = "0.1"\nq = "0.9"\nf '
            "= "
            '"0.2"'
        ),
        EIGHT,
    ),
    "rappor-text": (
        "rappor",
        f'type = "text"\ncohorts = 30\nf = "0.5"\n{CHROME}',
        EIGHT,
    ),
    "rappor-fresh": ("rappor", f'type = "text"\nf = "0"\n{CHROME}', EIGHT),
    "ss": ("ss", category(EIGHT, "1"), EIGHT),
    "ss-wide": ("ss", category(HUNDRED, "0.5"), HUNDRED),
    "ss-sparse": ("ss", category(HUNDRED, "5"), HUNDRED),
    "hr": ("hr", category(HUNDRED, "1"), HUNDRED),
    "hr-blocks": ("hr", category(HUNDRED, "4"), HUNDRED),
    "the": ("the", category(EIGHT, "2"), EIGHT),
    "she": ("she", category(EIGHT, "2"), EIGHT),
    "olh": ("olh", category(HUNDRED, "2"), HUNDRED),
    "blh": ("blh", category(EIGHT, "2"), EIGHT),
    "exponential": (
        "exponential",
        'type = "boolean"\nepsilon = "2"\nquality = [[1, "1/3", 0], [0, 1, "0.9"]]',
        BOTH,
    ),
    "geometric": (
        "geometric",
        'type = "integer"\nlow = -3\nhigh = 8\nepsilon = 4',
        range(-3, 9),
    ),
    "geometric-pair": (
        "geometric",
        'type = "integer"\nlow = 0\nhigh = 1\nepsilon = 1',
        (0, 1),
    ),
    "laplace": (
        "laplace",
        'type = "integer"\nlow = 0\nhigh = 9\nepsilon = 4',
        range(10),
    ),
    "laplace-cut": (
        "laplace",
        'type = "integer"\nlow = 0\nhigh = 9\nepsilon = 4\nmargin = 2',
        range(10),
    ),
    "one-bit": (
        "one-bit",
        'type = "integer"\nlow = -4\nhigh = 5\nepsilon = 2',
        range(-4, 6),
    ),
    "l-grr": ("l-grr", f"{closed(EIGHT)}\n{TWICE}", EIGHT),
    "l-sue": ("l-sue", f"{closed(EIGHT)}\n{TWICE}", EIGHT),
    "l-osue": ("l-osue", f"{closed(EIGHT)}\n{TWICE}", EIGHT),
    "loloha": ("loloha", f"{closed(EIGHT)}\n{TWICE}", EIGHT),
    "dbitflip": ("dbitflip", f"{category(EIGHT, '3')}\nsampled = 4", EIGHT),
    "dbitflip-one": ("dbitflip", f"{category(EIGHT, '3')}\nsampled = 1", EIGHT),
}
"""By name: mechanism, keys, and the answers to give."""

HELD = [[], EIGHT[:1], EIGHT[2:5], EIGHT[7:4:-2], EIGHT[3:6]]
"""Sets of up to three values."""
OPENED = [{}, {EIGHT[0]: 3}, {EIGHT[7]: 0, EIGHT[2]: 9.5}, {EIGHT[4]: 10}]

MORE = {
    "cms": ("cms", f"{category(EIGHT, '2')}\nhashes = 9\nwidth = 16", EIGHT),
    "cms-alone": (
        "cms",
        f"{category(EIGHT, '2')}\nhashes = 1\nwidth = 7\nhash_seed = 5",
        EIGHT,
    ),
    "hcms": ("hcms", f"{category(EIGHT, '2')}\nhashes = 9\nwidth = 16", EIGHT),
    "set-unary": ("set-unary", several(EIGHT, "2"), HELD),
    "pad-grr": ("pad-grr", several(EIGHT, "2"), HELD),
    "pad-ss": ("pad-ss", several(EIGHT, "1"), HELD),
    "pad-pgr": ("pad-pgr", several(EIGHT, "1"), HELD),
    "pad-hr": ("pad-hr", several(EIGHT, "1"), HELD),
    "apps": ("pad-ss", f"{HOURS_OF_APPS}\nepsilon = 1", OPENED),
    "apps-grr": ("pad-grr", f"{HOURS_OF_APPS}\nepsilon = 3", OPENED),
    "apart": ("grr", category(EIGHT, "1"), APART),
    "listed-apart": (
        "rappor",
        f"{closed(APART)}\ncohorts = 4\nf = 0.5\n{CHROME}",
        EIGHT,
    ),
    "texts-apart": ("rappor", f'type = "text"\nf = "0.5"\n{CHROME}', APART),
    "prefixes-apart": (
        "heavy-hitters",
        'type = "text"\nepsilon = 3\nlongest = 9',
        APART,
    ),
    "sets-apart": ("set-unary", several(EIGHT, "2"), [APART[:2], [APART[5], EIGHT[2]]]),
    "sums-replaced": (
        "grr",
        (
            'type = "integer"\nlow = 0\nhigh = 9\nper_device = "sum"\noutside = '
            "3\nepsilon "
            "= 3"
        ),
        [[1, 2], [5, 9], [-1], [4, -4]],
    ),
    "means-clipped": (
        "grr",
        (
            'type = "integer"\nlow = 0\nhigh = 9\nper_device = "mean"\noutside = '
            '"clip"\nepsilon = 3'
        ),
        [[1, 2], [50, 0], [-1]],
    ),
    "unrelated": (
        "unrelated",
        'type = "boolean"\ntruth = "0.7"\nprevalence = "0.25"',
        BOTH,
    ),
    "matrix": (
        "matrix",
        f'{closed(EIGHT[:2])}\nmatrix = [["0.7", "0.3"], [0.2, 0.8]]',
        EIGHT[:2],
    ),
    "tree": ("tree", 'type = "integer"\nlow = 0\nhigh = 99\nepsilon = 2', range(100)),
    "subsets": (
        "subsets",
        f'type = "table"\ncollect = "subsets"\n{ROW}\nepsilon = 2',
        ROWS,
    ),
    "row": ("grr", f'type = "table"\n{ROW}\nepsilon = 2', ROWS),
    "pyramid": ("pyramid", f'type = "place"\n{AXES}\ncells = 8\nepsilon = 2', CORNERS),
    "stripes": ("stripes", f'type = "place"\n{AXES}\ncells = 8\nepsilon = 2', CORNERS),
    "metric": (
        "metric",
        f'type = "place"\n{AXES}\ncells = 4\nepsilon_per_unit = "1/3"',
        CORNERS,
    ),
    "heavy-hitters": (
        "heavy-hitters",
        'type = "text"\nepsilon = 3\nlongest = 9',
        EIGHT,
    ),
}
MORE |= {
    name: (name, DESIGNS[name][0], design(name, DESIGNS[name][0]).domain.values)
    for name in MECHANISMS
    if name not in {mechanism for mechanism, _, _ in (QUESTIONS | MORE).values()}
}
"""The same, of questions whose estimates are not compared here."""


def survey_of(questions):
    """The text of a survey."""
    return '[survey]\nname = "both"\n' + "".join(
        f'\n[[question]]\nname = "{name}"\nmechanism = "{mechanism}"\n{keys}\n'
        for name, (mechanism, keys, _) in questions.items()
    )


TEXT = survey_of(QUESTIONS)

CIRCLES = [
    (5, 1),
    (5, 2),
    (7, 6),
    (101, 28),
    (137, 37),
    (563, 9),
    (2053, 600),
    (4409, 90),
    (8191, 1),
    (8191, 4095),
    (8191, 8190),
]
"""Places, and the width of an arc."""

TAPES_EACH = 100
TAPE_SIZE = 4096
RESPONDENTS = 500
MOST_ERRORS = 6


def run_js(script, **given):
    """What a script of the package's tests writes for what it is given."""
    command = [NODE, str(PACKAGE / "test" / script)]
    done = subprocess.run(
        command,
        input=json.dumps(given).encode(),
        capture_output=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def value_of(question, text):
    """What a value that an estimate names is inside the framework."""
    if question.domain.scale is not None:
        return question.domain.values.index(text)
    return question.domain.value(question.domain.parse(text))


def mean_of(question, answers):
    """That of the numbers that answers count as, between points, too."""
    low, step = question.domain.spacing
    places = [question.place(answer) for answer in answers]
    return low + step * sum(
        value + Fraction(rest, 1 << 64) for value, rest in places
    ) / len(places)


@pytest.mark.needs("node", "built client")
def test_equal_tapes_give_equal_reports():
    """For 100 tapes a question, reports, bytes drawn and prices are those of Python."""
    questions = QUESTIONS | MORE
    survey = parse_survey(survey_of(questions))
    cases = [
        {
            "name": name,
            "answer": answer,
            "tape": hashlib.shake_256(f"{name} {number}".encode()).hexdigest(TAPE_SIZE),
        }
        for name, (_, _, answers) in questions.items()
        for number, answer in enumerate(islice(cycle(answers), TAPES_EACH))
    ]
    theirs = json.loads(
        run_js(
            "replay_cases.js", survey=json.dumps(compile_survey(survey)), cases=cases
        )
    )
    assert {
        name: Fraction(*map(int, price)) for name, price in theirs["prices"].items()
    } == {question.name: question.price for question in survey}
    for case, theirs_of_case in zip(cases, theirs["reports"], strict=True):
        question, source = survey[case["name"]], Replay(bytes.fromhex(case["tape"]))
        value = question.value(case["answer"], source)
        report = question.randomizer.randomize(value, source)
        assert theirs_of_case == {
            "report": report.to_bytes(question.width, "little").hex(),
            "used": source.used,
        }


@pytest.mark.needs("node", "built client")
def test_the_weights_of_arcs_are_those_of_python():
    """On circles from the smallest to the largest, for narrow arcs and for wide
    ones.
    """
    theirs = json.loads(run_js("usual_weights.js", circles=CIRCLES))
    for (modulus, width), of_circle in zip(CIRCLES, theirs, strict=True):
        assert [int(weight) for weight in of_circle] == list(
            usual_weights(modulus, width)
        )


@pytest.mark.needs("node", "built client")
def test_both_clients_have_the_same_mechanisms_and_types():
    """Each of the tables by name; equal tapes are compared for every mechanism."""
    theirs = json.loads(run_js("parts.js"))
    assert sorted(theirs["mechanisms"]) == sorted(MECHANISMS)
    assert sorted(theirs["types"]) == sorted(TYPES)


@pytest.mark.needs("node", "built client")
def test_hashes_are_those_of_xxhash():
    """XXH64 of every length up to 200 bytes, under seeds of all 64 bits."""
    inputs = [
        {"bytes": DRAWN.randbytes(length).hex(), "seed": str(DRAWN.getrandbits(64))}
        for length in range(201)
    ]
    theirs = json.loads(run_js("hashes.js", inputs=inputs))
    for case, hashed in zip(inputs, theirs, strict=True):
        assert int(hashed) == xxh64_intdigest(
            bytes.fromhex(case["bytes"]), int(case["seed"])
        )


def test_the_fields_of_projective_questions_are_of_every_kind():
    """The questions above have a field of prime order, and those of 4, 8 and 16
    elements.
    """
    orders = {
        question.randomizer.order
        for question in parse_survey(TEXT)
        if question.mechanism == "pgr"
    }
    assert orders == {4, 8, 11, 16}


@pytest.mark.needs("node", "built client")
def test_reports_of_the_js_client_decode(tmp_path):
    """What `ldp check --compiled` writes is enough for it.

    Every batch is accepted, and the estimates are right.

    500 respondents; the error allowed is 6 standard errors (false alarms below 1e-6 for
    all 700 estimates and means together). `warner` would be 20 of them off if its
    reports did not depend on the answers.
    """
    survey_path, json_path = tmp_path / "both.toml", tmp_path / "both.json"
    survey_path.write_text(TEXT, encoding="utf-8")
    run("check", survey_path, "--compiled", json_path)
    respondents = [
        {
            name: answers[min(number % 10, len(answers) - 1)]
            for name, (_, _, answers) in QUESTIONS.items()
        }
        for number in range(RESPONDENTS)
    ]
    upload = run_js(
        "respond.js",
        survey=json_path.read_text(encoding="utf-8"),
        respondents=respondents,
    )
    survey = parse_survey(TEXT)
    ingest = Ingest(survey)
    ingest.feed(upload)
    ingest.end_of_stream()
    assert (
        ingest.tally.intake.accepted
        == ingest.tally.intake.received
        == len(QUESTIONS) * RESPONDENTS / 100
    )
    candidates = {
        question.name: tuple(EIGHT)
        for question in survey
        if question.domain.type == "text"
    }
    in_full = Options(frequencies=True)
    estimates = estimate(ingest.tally, candidates=candidates, options=in_full)
    for question in survey:
        answered = [answers[question.name] for answers in respondents]
        of_question = estimates[question.name]
        assert of_question.reports == RESPONDENTS
        if of_question.mean is not None and not of_question.values:
            error = of_question.mean.estimate - mean_of(question, answered)
            assert abs(error) <= MOST_ERRORS * of_question.mean.standard_error
            continue
        if question.domain.taxonomy is not None:
            values = question.domain.values
            given = [question.domain.value(answer) for answer in answered]
            counts = np.bincount(given, minlength=len(values))
            holders = holders_of(question.domain, values, counts)
            true = holders.frequencies(of_question.values)
            errors = abs(of_question.frequency - true)
            assert (errors <= MOST_ERRORS * of_question.standard_error).all()
            continue
        given = [question.domain.value(answer) for answer in answered]
        if question.domain.ball is not None:
            radius = float(question.domain.ball.radius)
            true = (
                radius
                * np.mean([unpack_coordinates(value) for value in given], axis=0)
                / UNIT
            )
            errors = abs(of_question.frequency - true)
            assert (errors <= MOST_ERRORS * of_question.standard_error).all()
            continue
        for estimated in of_question:
            truth = given.count(value_of(question, estimated.value)) / RESPONDENTS
            assert (
                abs(estimated.frequency - truth)
                <= MOST_ERRORS * estimated.standard_error
            )


def test_the_example_page_has_the_compiled_form_of_its_survey(tmp_path):
    """examples/web/survey.json is what `ldp check --compiled` writes of the survey
    beside it.
    """
    folder, written = ROOT / "examples" / "web", tmp_path / "survey.json"
    run("check", folder / "survey.toml", "--compiled", written)
    assert (folder / "survey.json").read_bytes() == written.read_bytes()
