"""The checker of certificates: it refuses any that was tampered with, and says why."""

import copy
import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from certified_designs import (
    CATEGORY,
    EXAMPLES,
    PROGRAM,
    PROGRAM_MODULES,
    as_read,
    checker,
    designed,
    ratios,
)
from forgeries import doubled, findings, forgeries, mixtures, refingerprinted
from specimens import DESIGNS
from surveys import survey_of, yes_no

import ldp
from ldp.mechanisms import MECHANISMS

HEAD = 'epoch = "1d"\nlifetime_epsilon = "100"\njoint = ["second", "third"]'


def surveyed(mechanism, *designs, head=HEAD, name="forged"):
    """The certificate, as read from a file, of a survey of these designs and two more
    questions.
    """
    questions = (
        f'name = "q{number}"\nmechanism = "{mechanism}"\n'
        f"{DESIGNS[mechanism][number % len(DESIGNS[mechanism])]}"
        for number in designs
    )
    return as_read(
        survey_of(
            *questions, yes_no("second"), yes_no("third", "0.5"), head=head, name=name
        )
    )


@cache
def sound_ones():
    """A certificate of all designs of each mechanism."""
    return {
        mechanism: surveyed(mechanism, *range(len(DESIGNS[mechanism])))
        for mechanism in MECHANISMS
    }


@cache
def first_ones():
    """A certificate of the first design of each mechanism."""
    return {mechanism: surveyed(mechanism, 0) for mechanism in MECHANISMS}


def test_the_checker_knows_every_mechanism_and_its_integers():
    """Its table has the mechanisms of the package, each with exactly the integers that
    it has.
    """
    assert ratios.MECHANISMS.keys() == MECHANISMS.keys()
    for mechanism, sound in sound_ones().items():
        for question in sound["questions"][:-2]:
            assert (
                question["integers"].keys()
                == ratios.MECHANISMS[mechanism].integers.keys()
            )


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_sound_certificates_hold(mechanism):
    """Every design, in a survey with epochs, a lifetime and questions answered
    together.

    And without all that.
    """
    assert findings(sound_ones()[mechanism]) == []
    assert findings(surveyed(mechanism, 0, head="")) == []


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_whatever_is_altered_is_refused(mechanism):
    """Each part, integer and claim of a certificate, in every way: over 600 forgeries
    of each.

    But for what people are asked for a field: its words are claimed by nothing.
    """
    tried = 0
    for what, forged in forgeries(first_ones()[mechanism]):
        if ".text: " in what:
            continue
        if mechanism == "grr" or not what.startswith(
            (".questions[1].", ".questions[2].")
        ):
            assert findings(forged), what
            tried += 1
    assert tried > 600


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_member_that_comes_twice_is_refused(mechanism):
    """JSON does not say which of two members of one name counts."""
    twice = list(doubled(first_ones()[mechanism]))
    assert len(twice) > 50
    for what, text in twice:
        assert findings(json.loads(text)) == [], what
        assert findings(text), what


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_parts_of_two_certificates_make_none(mechanism):
    """One survey's epsilon with another's fingerprint, and every other mixture of two
    designs.
    """
    other = surveyed(mechanism, 1)
    other["questions"][0]["name"] = "q0"
    other = refingerprinted(other)
    assert findings(other) == []
    tried = 0
    for parts, mixed in mixtures(first_ones()[mechanism], other):
        assert findings(mixed), parts
        tried += 1
    assert tried >= 2**6 - 2


def test_every_claim_is_refuted_by_some_forgery():
    """No claim of the checker is there for nothing: somewhere it is what is found
    wrong.
    """
    sound = first_ones()["l-grr"]
    twice = refingerprinted(
        {**sound, "questions": [*sound["questions"], sound["questions"][-1]]}
    )
    in_two = refingerprinted({**sound, "groups": sound["groups"] * 2})
    of_one = refingerprinted(
        {**sound, "groups": [{**sound["groups"][0], "questions": ["second"]}]}
    )
    tried = (twice, in_two, of_one, *(forged for _, forged in forgeries(sound)))
    refuted = "; ".join(line for forged in tried for line in findings(forged))
    claims = {*checker.identity(sound), *checker.totals(sound)}
    for question in sound["questions"]:
        claims |= checker.claims_of(question, sound).keys()
    assert {
        claim for claim in claims if f"it is not so that {claim}" not in refuted
    } == set()


SHAPES = (
    "size",
    "symbols",
    "blocks",
    "bits",
    "buckets",
    "order",
    "dimension",
    "most",
    "margin",
    "sampled",
    "grid",
    "dimensions",
)
"""Integers that any other value would make impossible; or a large one, at least."""


def tampered_integers(integers):
    """The integers with one of them changed."""
    for name, number in integers.items():
        if name == "weights":
            # Of arcs any give the same claims.
            rows = range(len(number) * ("modulus" not in integers))
            for row, column in product(rows, repeat=2):
                changed = copy.deepcopy(number)
                changed[row][column] = str(int(number[row][column]) + 1)
                yield {**integers, name: changed}
        elif name in SHAPES:
            yield {**integers, name: "7000000000"}
        elif name == "lengths" or name == "parents":
            yield {**integers, name: [number[0][::-1]]}
        elif name == "law" or name == "sizes":
            yield {**integers, name: [number[0][:-1]]}
        elif name == "spaces":
            yield {**integers, name: number[:-1]}
        elif name == "held_out":
            yield {**integers, name: "0"}
        elif name in ("modulus", "least"):
            yield {**integers, name: "1"}
        elif name in ("hash_seed", "chosen", "width", "near") or (
            name == "levels" and "grid" in integers
        ):
            continue  # Any of them gives the same claims.
        elif name == "cohorts":
            yield {**integers, name: "1" if int(number) > 1 else "2"}
        elif name == "hashes" and int(number) < 2:
            yield {**integers, name: "2"}
        else:
            yield {**integers, name: str(int(number) + 1)}
            yield {**integers, name: str(int(number) - 1 if int(number) else 2**63)}


def wrong_with(question, survey):
    """What the checker finds wrong with a question, in itself."""
    try:
        return checker.failures(question, survey)
    except checker.UNUSABLE as refusal:
        return [str(refusal)]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_integers_are_refused_with_fitting_fingerprints_too(mechanism):
    """Changed integers whose fingerprints and terms fit still leave claims that do not
    follow.
    """
    for question in sound_ones()[mechanism]["questions"]:
        for integers in tampered_integers(question["integers"]):
            forged = refingerprinted(
                {
                    **sound_ones()[mechanism],
                    "questions": [{**question, "integers": integers}],
                    "groups": [],
                }
            )
            assert wrong_with(forged["questions"][0], forged), (
                question["name"],
                integers,
            )


def test_whole_numbers_outside_are_read():
    """A stand-in of the range is part of the fingerprint; others are refused."""
    asked = ldp.question("x", low=0, high=3, outside="clip", mechanism="grr", epsilon=1)
    sound = as_read(ldp.survey("s", asked))
    [question] = sound["questions"]
    assert question["outside"] == "clip"
    assert findings(sound) == []
    assert findings({**sound, "questions": [{**question, "outside": "2"}]})
    for outside in ("wrap", "4", 2, None):
        with pytest.raises((*checker.UNUSABLE, checker.Unproven)):
            checker.revealed_by({**question, "outside": outside})


POINTS = {
    "size": "3",
    "low": "0",
    "step": "1/2",
    "outside": "clip",
    "unit": "km",
    "missing": [],
}
CELLS = {
    "size": "3",
    "edges": ["-1", "0", "1/3", "2"],
    **dict(list(POINTS.items())[3:]),
}


def on_a_scale(mechanism, **keys):
    """The certificate of a question of type number, as read from a file."""
    asked = ldp.question(
        "x", unit="km", outside="clip", mechanism=mechanism, epsilon=1, **keys
    )
    return as_read(ldp.survey("s", asked))


@pytest.mark.parametrize(
    ("sound", "scale"),
    [
        (on_a_scale("grr", low=0, high=1, step="1/2"), POINTS),
        (on_a_scale("dithered", low=0, high=1, step="1/2"), POINTS),
        (on_a_scale("grr", edges=[-1, 0, "1/3", 2]), CELLS),
        (on_a_scale("square-wave", edges=[-1, 0, "1/3", 2]), CELLS),
    ],
    ids=["points", "mean", "cells", "shape"],
)
def test_scales_are_read_in_full(sound, scale):
    """What is no scale is refused, with fitting fingerprints too; another one has
    another.
    """
    [question] = sound["questions"]
    assert question["scale"] == scale
    assert findings(sound) == []
    wrong = {"size": ["4", "1", 3], "step": ["0", "-1/2", "0.5", "2/4"], "unit": [None]}
    wrong |= {
        "outside": ["wrap", "3", "-2"],
        "missing": [None, [1], ["NA", "NA"]],
        "low": ["x"],
    }
    wrong |= {"edges": [["0", "1"], ["0", "2", "1", "3"], ["0", "0", "1", "2"], None]}
    for name, others in wrong.items():
        for other in others if name in scale else ():
            forged = {**question, "scale": {**scale, name: other}}
            with pytest.raises((*checker.UNUSABLE, checker.Unproven)):
                checker.revealed_by(forged)
    for other in (
        {**scale, "more": "1"},
        {**scale, "unit": "miles"},
        {**scale, "missing": ["?"]},
    ):
        assert findings({**sound, "questions": [{**question, "scale": other}]})
    with_values = {**question, "values": ["0", "1", "2"]}
    assert findings({**sound, "questions": [with_values]})


def test_means_are_those_of_points():
    """Of cells no number is known that a report could be worth."""
    sound = on_a_scale("dithered", low=0, high=1, step="1/2")
    forged = {**sound, "questions": [{**sound["questions"][0], "scale": CELLS}]}
    assert any(
        "points, not cells" in line for line in findings(refingerprinted(forged))
    )


@pytest.mark.parametrize(
    ("keys", "width"),
    [
        ({"low": 0, "high": 1, "step": "1/2", "type": "number"}, "1"),
        ({"edges": [-1, 0, "1/3", 2]}, "3"),
        ({"low": -3, "high": 9}, "12"),
        ({"values": ["a", "b"]}, None),
        (
            {
                "candidates": "pages.txt",
                "cohorts": 2,
                "f": "0",
                "p": "0.5",
                "q": "0.75",
            },
            None,
        ),
    ],
    ids=["points", "cells", "whole", "texts", "open"],
)
def test_many_records_are_read_in_full(keys, width):
    """How they are bounded, and by how much: in the fingerprint, and no word of it
    passed over.
    """
    if "f" in keys:
        keys = {"mechanism": "rappor", "bloom_bits": 16, "hashes": 2, **keys}
    else:
        keys = {"mechanism": "grr", "epsilon": 1, **keys}
    asked = ldp.question("x", per_device="last", **keys)
    sound = as_read(ldp.survey("s", asked))
    [question] = sound["questions"]
    stated = "one_respondent_changes_it_by_at_most"
    assert findings(sound) == []
    assert question.get(stated) == width
    others = [
        {"per_device": "one"},
        {"per_device": "median"},
        {"per_device": None},
        {stated: "7"},
    ]
    for other in others:
        changed = {**sound, "questions": [{**question, **other}]}
        assert findings(changed)
        if other != {"per_device": "one"}:
            with pytest.raises((*checker.UNUSABLE, AssertionError)):
                assert not findings(refingerprinted(changed))
    for left_out in {"per_device", stated} & question.keys():
        without = {name: part for name, part in question.items() if name != left_out}
        assert findings({**sound, "questions": [without]})


def test_circles_are_read_in_full():
    """That values lie on one is in the fingerprint; there may be as many places as
    values.
    """
    keys = {"low": 1, "high": 7, "circular": True, "goal": "distribution"}
    sound = as_read(ldp.survey("s", ldp.question("x", **keys, epsilon=1)))
    [question] = sound["questions"]
    assert question["circular"] is True
    assert question["integers"]["modulus"] == question["integers"]["size"] == "7"
    assert findings(sound) == []
    for other in ({"circular": False}, {"circular": None}, {"circular": "true"}):
        changed = {**sound, "questions": [{**question, **other}]}
        assert findings(changed)
        with pytest.raises((*checker.UNUSABLE, AssertionError)):
            assert not findings(refingerprinted(changed))
    without = {name: part for name, part in question.items() if name != "circular"}
    assert findings({**sound, "questions": [without]})


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_survey_is_all_of_its_questions(mechanism):
    """Left out, or twice under one name: the fingerprint or the name gives it away."""
    sound = surveyed(mechanism, 0, len(DESIGNS[mechanism]), head="")
    without = surveyed(mechanism, 0, head="")
    assert findings(
        {**without, "fingerprint": sound["fingerprint"], "terms": sound["terms"]}
    )
    first, second, *others = sound["questions"]
    twice = refingerprinted(
        {**sound, "questions": [first, {**second, "name": first["name"]}, *others]}
    )
    assert findings(twice)


def test_a_single_permanent_response_is_enough():
    """A survey may let a device keep but one.

    None, or more than there are values, is no survey's.
    """
    sound = as_read(
        survey_of(
            'name = "x"\nmechanism = "l-grr"\nmemoized_values = '
            f"1\n{DESIGNS['l-grr'][0]}"
        )
    )
    assert findings(sound) == []
    for charges in (0, 5):
        assert findings(
            refingerprinted(
                {**sound, "questions": [{**sound["questions"][0], "charges": charges}]}
            )
        )


def test_ratios_are_compared_exactly():
    """A declared ratio that is less than the delivered one by 10^-30 is not kept."""
    ratio = Fraction(3)
    for difference, holds in ((Fraction(0), True), (Fraction(1, 10**30), False)):
        limit = ratio - difference
        assert float(limit) == 3.0
        record = {"declared": f"ln({limit})", "declared_ratio": str(limit)}
        assert (
            all(
                checker.bounded_by_its_declaration(
                    record, ratio, declares=True
                ).values()
            )
            is holds
        )


def run(*arguments):
    """The program on its own: a Python that sees no installed package."""
    return subprocess.run(
        [sys.executable, "-E", "-s", "-S", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_program_needs_nothing_but_python(tmp_path):
    """It prints one line for each question and one for the survey.

    0 for a sound certificate, 1 for a false one.
    """
    certificate = surveyed("warner", 0, 1)
    fingerprint, terms = certificate["fingerprint"], certificate["terms"]
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(certificate))
    sound = run(path)
    assert (sound.returncode, len(sound.stdout.splitlines()), sound.stderr) == (
        0,
        5,
        "",
    )
    totals = certificate["total_epsilon"]
    assert sound.stdout.splitlines()[-1] == (
        f"survey forged: delivers at most {totals['one_report_each']} in one report "
        f"each, {totals['all_reports']} in all, {totals['all_charges']} if answers "
        f"change; fingerprint {fingerprint}, terms {terms}: holds"
    )
    certificate["questions"][0]["one_report"]["declared"] = "0.00005"
    path.write_text(json.dumps(certificate))
    false = run(path)
    assert (false.returncode, false.stderr) == (1, "")
    wrong = [line for line in false.stdout.splitlines() if "not so" in line]
    assert [line.partition(" ")[0] for line in wrong] == ["q0", "survey"]


def test_the_program_shares_no_code_with_the_package():
    """Its modules import the standard library and one another."""
    lines = [
        line
        for module in PROGRAM_MODULES
        for line in (EXAMPLES / f"{module}.py").read_text().splitlines()
    ]
    imported = {
        line.split()[1].split(".")[0]
        for line in lines
        if line.startswith(("import ", "from "))
    }
    assert imported - set(PROGRAM_MODULES) <= sys.stdlib_module_names
    assert {"certificate_reading", "mechanism_ratios"} <= imported


GRR = as_read(designed("grr", CATEGORY[4], {"epsilon": "1"}))

UNUSABLE = {
    "no certificate": "{}",
    "no JSON": "format = 1",
    "a list": "[]",
    "deep": "[" * 100_000,
    "another format": json.dumps({**GRR, "format": 1}),
    "no questions": json.dumps({**GRR, "questions": []}),
    "an empty question": json.dumps({**GRR, "questions": [{}]}),
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
        (("one_report", "declared"), "1e9999999"),
        (("one_report", "declared"), "99999999999999999999"),
        (("one_report", "declared"), "-1"),
        (("one_report", "declared"), 1),
        (("one_report", "epsilon"), float("nan")),
        (("one_report", "epsilon"), float("inf")),
        (("integers", "truth"), "nan"),
        (("integers", "truth"), "-3"),
        (("integers", "truth"), 3),
        (("mechanism",), "magic"),
    ],
)
def test_parts_that_are_no_numbers_are_unusable(path, part):
    """Nothing but a plain number is one.

    A huge one is refused before anything of its size is computed.
    """
    changed = copy.deepcopy(GRR)
    place = changed["questions"][0]
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = part
    with pytest.raises(checker.UNUSABLE):
        checker.failures(changed["questions"][0], changed)


def test_fields_are_read_in_full():
    """A table's certificate holds; fields that are altered, left out or none are
    told.
    """
    fields = [
        ldp.field("smokes", type="boolean"),
        ldp.field("sport", ["never", "weekly", "daily"], text="How often?"),
        ldp.field("age", edges=[18, 30, 50, 100], outside="clip"),
    ]
    sound = as_read(ldp.survey("s", ldp.question("x", fields=fields, epsilon=2)))
    [question] = sound["questions"]
    assert findings(sound) == []
    first, *others = question["fields"]
    for other in (
        [*others, first],
        [{**first, "name": "drinks"}, *others],
        [first],
        [{**first, "type": "text", "values": None}, *others],
        [{**first, "more": 1}, *others],
        [first, first, *others],
        "smokes",
        None,
    ):
        assert findings({**sound, "questions": [{**question, "fields": other}]})
    without = {name: part for name, part in question.items() if name != "fields"}
    assert findings({**sound, "questions": [without]})
