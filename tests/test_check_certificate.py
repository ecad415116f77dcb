"""The checker of certificates: it refuses any that was tampered with, and anything else politely."""

import copy
import json
import subprocess
import sys
from itertools import product

import pytest
from certified_designs import CATEGORY, PROGRAM, as_read, checker, designed, grid

from ldp import Question, Survey
from ldp.certificate import certificate
from ldp.mechanisms import MECHANISMS

SURVEY = Survey(
    "tampered",
    tuple(
        Question(mechanism + str(number), made.domain, mechanism, made.randomizer, made.declared)
        for mechanism in MECHANISMS
        for number, (_, domain, keys) in zip(
            range(3), (row for row in list(grid())[::7] if row[0] == mechanism), strict=False
        )
        for made in [designed(mechanism, domain, keys)]
    ),
)


SHAPES = ("size", "symbols", "blocks", "bits", "buckets", "order", "dimension", "most", "margin", "sampled")
"""Integers that any other value would make impossible; or a large one, at least."""


def tampered_integers(integers):
    """The integers with one of them changed."""
    for name, number in integers.items():
        if name == "weights":
            for row, column in product(range(len(number)), repeat=2):
                changed = copy.deepcopy(number)
                changed[row][column] = str(int(number[row][column]) + 1)
                yield {**integers, name: changed}
        elif name in SHAPES:
            yield {**integers, name: "7000000000"}
        elif name == "lengths":
            yield {**integers, name: [number[0][::-1]]}
        elif name == "held_out":
            yield {**integers, name: "0"}
        elif name in ("modulus", "least"):
            yield {**integers, name: "1"}
        elif name in ("hash_seed", "chosen"):
            continue  # Any of them gives the same claims.
        elif name == "cohorts":
            yield {**integers, name: "1" if int(number) > 1 else "2"}
        elif name == "hashes" and int(number) < 2:
            yield {**integers, name: "2"}
        else:
            yield {**integers, name: str(int(number) + 1)}
            yield {**integers, name: str(int(number) - 1 if int(number) else 2**63)}


def lower(decimal):
    return decimal * (1 - 1e-9)


def raised(text):
    top, _, bottom = text.partition("/")
    return f"{int(top) + 1}/{bottom or 1}"


def tampered_claims(claims):
    """The certificate of a question with one of its claims changed, a decimal to its advantage."""
    changes = [
        ("epsilon", "declared", "0.00005"),
        ("epsilon", "declared", "ln(1000001/1000000)"),
        ("epsilon", "declared", "1000"),
        ("epsilon", "delivered", lower(claims["epsilon"]["delivered"])),
        ("ratio", "delivered", raised(claims["ratio"]["delivered"])),
        ("ratio", "declared_bound", claims["ratio"]["delivered"] + "0"),
        ("ratio", "declared_bound", "1"),
        ("lifetime", "memoized", not claims["lifetime"]["memoized"]),
    ]
    if claims["lifetime"]["declared"] is not None:
        changes += [("lifetime", "declared", "0.00005"), ("lifetime", "declared_bound", "1")]
        changes += [("lifetime", "declared_bound", claims["lifetime"]["declared_bound"] + "0")]
    if claims["lifetime"]["ratio"] is None:
        changes += [("lifetime", "ratio", "3"), ("lifetime", "ratio", claims["ratio"]["delivered"])]
    else:
        changes += [("lifetime", name, None) for name in ("ratio", "epsilon")]
        changes += [("lifetime", "epsilon", lower(claims["lifetime"]["epsilon"]))]
        changes += [("lifetime", "ratio", raised(claims["lifetime"]["ratio"]))]
    for part, name, changed in changes:
        yield {**claims, part: {**claims[part], name: changed}}
    prior = "prior_of_one_half_becomes_at_most"
    yield {**claims, prior: lower(claims[prior])}
    yield from ({**claims, "report_bytes": claims["report_bytes"] + step} for step in (-1, 1))


def test_an_honest_survey_holds():
    """What the tampering below starts from is sound, and has every mechanism."""
    honest = json.loads(json.dumps(certificate(SURVEY)))
    assert {question["mechanism"] for question in honest["questions"].values()} == MECHANISMS.keys()
    assert checker.check(honest)


@pytest.mark.parametrize("question", SURVEY.questions, ids=lambda question: question.name)
def test_a_changed_integer_or_claim_is_refused(question):
    """Change any integer or any claim of a certificate, and the checker finds something wrong."""
    honest = as_read(question)
    assert checker.failures(honest)[1] == []
    for integers in tampered_integers(honest["integers"]):
        assert checker.failures({**honest, "integers": integers})[1], integers
    for claims in tampered_claims(honest):
        assert checker.failures(claims)[1], claims


def test_an_understated_total_is_refused():
    """The survey's total is checked as well."""
    honest = json.loads(json.dumps(certificate(SURVEY)))
    assert not checker.check(
        {**honest, "total_epsilon_one_report_each": lower(honest["total_epsilon_one_report_each"])}
    )


def run(*arguments):
    """The program on its own: an isolated Python that sees no installed package."""
    return subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-I", "-S", PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_program_needs_nothing_but_python(tmp_path):
    """It prints one line for each question, and exits with 0 for a sound certificate and 1 for a false one."""
    made = certificate(SURVEY)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(made))
    sound = run(path)
    assert (sound.returncode, len(sound.stdout.splitlines()), sound.stderr) == (0, len(SURVEY.questions), "")
    made["questions"]["warner0"]["epsilon"]["declared"] = "0.00005"
    path.write_text(json.dumps(made))
    false = run(path)
    assert (false.returncode, false.stderr) == (1, "")
    assert [line.startswith("warner0") for line in false.stdout.splitlines() if "not so" in line] == [True]


UNUSABLE = {
    "no certificate": "{}",
    "no JSON": "format = 1",
    "a list": "[]",
    "deep": "[" * 100_000,
    "another format": '{"format": 2, "questions": {"x": {}}}',
    "no questions": '{"format": 1, "questions": {}}',
    "an empty question": '{"format": 1, "questions": {"x": {}}}',
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_unusable_input_says_what_was_expected(what, tmp_path):
    """Anything else than a certificate exits with 2 and one line, and no traceback."""
    path = tmp_path / "certificate.json"
    path.write_text(UNUSABLE[what])
    outcome = run(path)
    assert (outcome.returncode, outcome.stderr) == (2, "")
    assert outcome.stdout.startswith("expected one certificate")


def test_no_file_is_unusable_input(tmp_path):
    """A missing file, and no file at all."""
    assert [run(tmp_path / "none.json").returncode, run().returncode] == [2, 2]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        (("epsilon", "declared"), "1e9999999"),
        (("epsilon", "declared"), "99999999999999999999"),
        (("epsilon", "declared"), "-1"),
        (("epsilon", "declared"), 1),
        (("epsilon", "delivered"), float("nan")),
        (("epsilon", "delivered"), float("inf")),
        (("integers", "truth"), "nan"),
        (("integers", "truth"), "-3"),
        (("integers", "truth"), 3),
        (("mechanism",), "magic"),
    ],
)
def test_parts_that_are_no_numbers_are_unusable(path, part):
    """Nothing but a plain number is one; a huge one is refused before anything of its size is computed."""
    honest = as_read(designed("grr", CATEGORY[4], {"epsilon": "1"}))
    changed = copy.deepcopy(honest)
    place = changed
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = part
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError, OverflowError)):
        checker.failures(changed)
