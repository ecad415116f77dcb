"""Check a survey's privacy certificate: `python examples/check_certificate.py
certificate.json`.

`ldp explain SURVEY --certificate certificate.json` writes one. This program shares no
code with that one and needs nothing but Python. From what the certificate says of each
question it works out anew

- what a report can reveal, and all reports of one unchanged answer, by the integers
  that the randomizer draws with (`mechanism_ratios.py` has a function for each
  mechanism);
- the question's fingerprint, from its name, type, values or scale, mechanism and
  integers; from those of the questions and groups the survey's; and from that, and from
  what a device may be charged, the terms. Devices send the fingerprints with their
  reports, and apps pin the terms: a certificate that has those of a survey is about
  that survey's clients;
- what all questions add up to.

Each statement has to be just that; the order of members, questions and groups is free.
What this program does not know (a member, a mechanism, an integer out of its range, one
too many or too few, one name twice) makes a certificate unusable, or a claim unproven;
nothing is passed over. One thing cannot be worked out: what was declared. It has to be
at least what is delivered.

It prints a line for the survey and one for each question, and exits with 0 if
everything is so, 1 if something is not, 2 if the file cannot be used.
"""

import hashlib
import math
import sys
from fractions import Fraction
from itertools import chain, product
from operator import mul
from pathlib import Path

from certificate_reading import (
    Unproven,
    adds_up,
    ball_of,
    exact,
    exp_lower,
    integers_of,
    least_float,
    members,
    name_of,
    ratio_of,
    read,
    require,
    root_lower,
    scale_of,
    signed,
    usable,
    values_of,
    whole,
    written,
)
from mechanism_ratios import MECHANISMS, MOST_KEPT, NUMBER, WEIGHT

HARDLY = Fraction(1, 10**70)

OF_FIELDS = ("table", "place")
"""Types whose answers have several parts."""


def served(integers):
    """For how many values the integers are; None if for any text."""
    if "sizes" in integers:
        return math.prod(*integers["sizes"])
    if "weights" in integers and "size" not in integers:
        return len(integers["weights"])
    if "dimensions" in integers:
        return integers["dimensions"]
    return integers["bits"] if integers.get("hashes") == 0 else integers.get("size")


def asked_of(question):
    """How many values a question has, None if any text is one, and what its fingerprint
    covers.

    That is the values, their scale, the fields of a table, or the ball of vectors,
    which have so many numbers.
    """
    if question["type"] in OF_FIELDS:
        usable(question["values"] is None, "fields in place of values")
        return fields_of(question["fields"])
    count, parts = choices_of(question)
    return count, [*parts, *per_device_of(question), *circle_of(question)]


def choices_of(question):
    """The same of a question, or of a field, that has values or a scale."""
    values = values_of(question["type"], question["values"])
    if question["type"] == "number":
        _, count, parts = scale_of(question["scale"])
        return count, parts
    if question["type"] == "vector":
        dimensions, parts = ball_of(question["ball"])
        return dimensions, ["open", *parts]
    if values is None:
        return None, ["open"]
    if question["type"] == "key-value":
        # Of each key two items, one for each end of its numbers' range.
        points, ends, (_, *parts) = scale_of(question["scale"])
        usable(
            points and ends == 2,
            "two points, the ends of a range, for the numbers of keys",
        )
        return 2 * len(values), [str(len(values)), *values, *parts]
    return len(values), [str(len(values)), *values, *outside_of(question, values)]


def outside_of(question, values):
    """What its fingerprint covers of whole numbers outside: nothing, or what becomes of
    them.
    """
    if "outside" not in question:
        return []
    usable(question["type"] == "integer", "whole numbers where some are outside")
    usable(
        question["outside"] in ("clip", *values), "a number in place of those outside"
    )
    return [f"outside={question['outside']}"]


def fields_of(fields):
    """How many cells the table of some fields has, and what its fingerprint covers."""
    names = []
    for field in written(fields, list):
        scale = ["scale"] if written(field, dict).get("type") == "number" else []
        outside = ["outside"] if "outside" in field else []
        name, *_ = members(field, "name", "text", "type", "values", *scale, *outside)
        names.append(name_of(name))
    usable(
        len(set(names)) == len(names) >= 2, "two fields or more, all of different names"
    )
    cells, parts = 1, [str(len(names))]
    for name, field in zip(names, fields, strict=True):
        usable(field["type"] in FIELD_TYPES, "fields with values or cells")
        written(field["text"], str)
        count, listed = choices_of(field)
        points = field["type"] == "number" and scale_of(field["scale"])[0]
        usable(not points, "cells of a field, got points")
        cells *= count
        parts += [name, field["type"], *listed]
    return cells, parts


def per_device_of(question):
    """What its fingerprint covers of what is made of many records: nothing, or how."""
    if "per_device" not in question:
        return []
    modes = ("mean", "sum", "last", "one") if has_numbers(question) else ("last", "one")
    sets = ("multi", "key-value")
    usable(question["type"] not in sets, "no set where a device has many records")
    usable(question["per_device"] in modes, "what is made of many records")
    return [f"per_device={question['per_device']}"]


def circle_of(question):
    """What its fingerprint covers where the values lie on a circle, as only numbers
    do.
    """
    if "circular" not in question:
        return []
    usable(
        question["circular"] is True and has_numbers(question), "numbers on a circle"
    )
    return ["circular=true"]


def has_numbers(question):
    """Whether its values are numbers of a range."""
    return question["type"] in ("integer", "number")


def width_of(question):
    """How far its least and greatest number are apart, as a text."""
    if question["type"] == "integer":
        return str(int(question["values"][-1]) - int(question["values"][0]))
    scale = question["scale"]
    if "edges" in scale:
        return str(Fraction(scale["edges"][-1]) - Fraction(scale["edges"][0]))
    return str(Fraction(scale["step"]) * (int(scale["size"]) - 1))


def revealed_by(question):
    """What the integers of a question reveal."""
    kind, (count, _) = question["type"], asked_of(question)
    name = written(question["mechanism"], str)
    usable(name in MECHANISMS, f"a mechanism that this program knows, got {name!r}")
    mechanism = MECHANISMS[name]
    types = ", ".join(mechanism.types)
    require(kind in mechanism.types, f"the mechanism serves questions of type {types}")
    integers = integers_of(mechanism.integers, question["integers"])
    if kind == "number" and mechanism.types == NUMBER and not mechanism.cells:
        require(
            scale_of(question["scale"])[0], "the mechanism serves points, not cells"
        )
    fitting = served(integers) in (None, count)
    require(fitting, "the integers are for as many values as the question has")
    return mechanism.reveals(**integers)


def digest(*parts):
    """The fingerprint of these parts, each with its length before it."""
    encoded = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return hashlib.sha256(
        b"".join(b"%d:%b," % (len(part), part) for part in encoded)
    ).digest()[:16]


def fingerprint_of(survey, question):
    """That of a question, which its reports carry."""
    numbers = []
    for name, number in sorted(question["integers"].items()):
        if isinstance(number, str):
            text = number
        else:
            text = ";".join(",".join(row) for row in number)
        numbers.append(f"{name}={text}")
    _, listed = asked_of(question)
    epoch = [] if survey["epoch"] is None else [f"epoch={survey['epoch']}"]
    draw = [
        f"draw={drawn(of)}"
        for of in draws_of(survey)
        if question["name"] in of["questions"]
    ]
    named = question["name"], question["type"], *listed, question["mechanism"]
    said = attributes_of(survey, question["name"])
    return digest(
        "ldp-question-2", survey["survey"], *named, *numbers, *epoch, *draw, *said
    )


def attributes_of(survey, name):
    """What the fingerprint of a question covers of what its reports say openly."""
    for attribute in survey.get("attributes", []):
        if name in attribute.get("questions", [name]):
            values = attribute["values"]
            yield from (f"attribute={attribute['name']}", str(len(values)), *values)


def drawn(draw):
    """What fingerprints cover of questions of which a device answers one or a few."""
    pairs = zip(draw["questions"], draw["weights"], strict=True)
    weighted = ",".join(f"{name}:{weight}" for name, weight in pairs)
    return f"{weighted};{draw['answers']}" if "answers" in draw else weighted


def draws_of(survey):
    """The groups of such questions."""
    return survey.get("draws", [])


def alternatives(survey):
    """Of which questions a device is charged for how many: those of a draw, or one
    alone.
    """
    by_name = {question["name"]: question for question in survey["questions"]}
    drawn_from = [
        (draw["questions"], draw.get("answers", 1)) for draw in draws_of(survey)
    ]
    in_draws = {name for names, _ in drawn_from for name in names}
    others = [
        question for question in survey["questions"] if question["name"] not in in_draws
    ]
    drawn_ones = [
        ([by_name[name] for name in names], number) for names, number in drawn_from
    ]
    return [([question], 1) for question in others] + drawn_ones


FIELD_TYPES = ("boolean", "category", "integer", "number")
QUESTION = ("name", "type", "values", "mechanism", "integers", "charges", "fingerprint")
FOLLOWS = (
    "prior_of_one_half_becomes_at_most",
    "kept_and_shown_is_one_of",
    "report_bytes",
)
STATED = ("declared", "declared_ratio", "epsilon", "ratio")


def bounded_by_its_declaration(record, ratio, declares):
    """The claims about a declared epsilon."""
    declared, stated = record["declared"], record["declared_ratio"]
    if not declares:
        return {"nothing is declared": declared is None and stated is None}
    limit, text = ratio_of(written(declared, str))
    return {
        "the ratio is at most the declared one": ratio is not None and ratio <= limit,
        "the declared ratio is e^declared, cut behind 30 decimals": stated == text,
    }


def delivered_as_stated(record, ratio):
    """The claims about a delivered epsilon."""
    epsilon, stated = record["epsilon"], record["ratio"]
    if ratio is None or epsilon is None:
        return {
            "there is a bound, or else none is stated": ratio
            is epsilon
            is stated
            is None
        }
    logarithm = least_float(epsilon, lambda enough: ratio <= exp_lower(enough))
    return {
        "the ratio follows from the integers": stated == str(ratio),
        "the epsilon is its logarithm, rounded up": logarithm,
    }


def ratio_claims(of, record, ratio, *, declares):
    """The claims about the ratio of one report, or of all."""
    bounded = bounded_by_its_declaration(record, ratio, declares)
    claims = {**bounded, **delivered_as_stated(record, ratio)}
    return {f"{of}: {claim}": holds for claim, holds in claims.items()}


def metric_claims(question):
    """The claims about a promise that fades with distance, that of the middles of two
    cells.
    """
    per_unit, lengths = members(question["metric"], "epsilon_per_unit", "lengths")
    per_unit = exact(per_unit)
    edges = [
        list(map(signed, field["scale"]["edges"][:2])) for field in question["fields"]
    ]
    across, up = (
        (end - start) * exact(length)
        for (start, end), length in zip(edges, written(lengths, list), strict=True)
    )
    rows = integers_of({"weights": [WEIGHT]}, question["integers"])["weights"]
    cells = [divmod(place, math.isqrt(len(rows))) for place in range(len(rows))]

    def bound(x, y):
        return exp_lower(per_unit * root_lower((x * across) ** 2 + (y * up) ** 2))

    placed = list(zip(cells, rows, strict=True))
    bounds = {cell: bound(*cell) for cell in cells}
    bounded = all(
        weight * most.denominator <= other * most.numerator
        for (first, row), (second, of_other) in product(placed, repeat=2)
        for most in [bounds[abs(first[0] - second[0]), abs(first[1] - second[1])]]
        for weight, other in zip(row, of_other, strict=True)
    )
    # Rounded up at the 12th decimal, of what is a little more than the root.
    most = per_unit * (
        root_lower(sum(cells[-1][0] ** 2 * s**2 for s in (across, up))) + HARDLY
    )
    total = Fraction(math.ceil(most * 10**12), 10**12)
    return {
        "cells are told apart by their distance at most": bounded,
        "what is declared is that across the map": exact(
            question["one_report"]["declared"]
        )
        == total,
    }


def claims_of(question, survey):
    """The claims about a question."""
    own = {"number": "scale", "key-value": "scale", "vector": "ball"}
    own |= dict.fromkeys(OF_FIELDS, "fields")
    choice = [own[question["type"]]] if question["type"] in own else []
    many = ["per_device"] if "per_device" in question else []
    circle = [key for key in ("circular", "outside") if key in question]
    reach = []
    if many and has_numbers(question):
        reach = ["one_respondent_changes_it_by_at_most"]
    metric = ["metric"] if question["mechanism"] == "metric" else []
    further = (*choice, *many, *circle, *reach, *metric)
    stated = (*QUESTION, *further, "one_report", "all_reports", *FOLLOWS)
    *_, belief, shown, width = members(question, *stated)
    one, every = question["one_report"], question["all_reports"]
    members(one, *STATED)
    members(every, "memoized", *STATED)
    name_of(question["name"])

    revealed = revealed_by(question)
    lifetime = MECHANISMS[question["mechanism"]].lifetime
    believed = revealed.ratio / (1 + revealed.ratio)
    charges = range(1, min(max(revealed.responses, 1), MOST_KEPT) + 1)
    charged = "it is charged once, or for each permanent response that may be kept"
    caused = "the belief that a report can cause is as stated"
    fingerprint = fingerprint_of(survey, question).hex()
    return {
        **ratio_claims("one report", one, revealed.ratio, declares=True),
        **ratio_claims("all reports", every, revealed.forever, declares=lifetime),
        "memoization is as stated": every["memoized"] is (revealed.responses > 0),
        charged: written(question["charges"], int) in charges,
        caused: least_float(belief, lambda enough: believed <= enough),
        "what is kept and shown has as many values as stated": whole(shown)
        == revealed.shown,
        **{
            f"{name} is its range": question[name] == width_of(question)
            for name in reach
        },
        **(metric_claims(question) if metric else {}),
        "the size of a report is as stated": written(width, int) == revealed.width,
        "the fingerprint is that of this question": question["fingerprint"]
        == fingerprint,
    }


def identity(survey):
    """The claims about fingerprints, groups and terms."""
    questions, groups = survey["questions"], survey["groups"]
    prints = {
        question["name"]: bytes.fromhex(question["fingerprint"])
        for question in questions
    }
    grouped = [name for group in groups for name in group["questions"]]
    once = len(set(grouped)) == len(grouped) and prints.keys() >= set(grouped)

    group_prints = []
    for group in groups:
        joined = (prints.get(name, b"") for name in group["questions"])
        group_prints.append(digest("ldp-joint-1", *joined))
    stated = [group["fingerprint"] for group in groups]

    parts = (*sorted(prints.values()), *sorted(group_prints))
    fingerprint = digest("ldp-survey-1", survey["survey"], *parts)
    charges = sorted((question["name"], question["charges"]) for question in questions)
    charged = [f"{name}={times}" for name, times in charges]
    crowd = [f"least_group={survey['least_group']}"] if "attributes" in survey else []
    agreed = (survey["lifetime_epsilon"] or "", *charged, *crowd)
    terms = digest("ldp-terms-1", fingerprint, *agreed).hex()
    in_draws = [name for draw in draws_of(survey) for name in draw["questions"]]
    lasting = {
        question["name"]
        for question in questions
        if question["all_reports"]["memoized"]
    }
    apart = len(set(in_draws)) == len(in_draws) and not set(in_draws) & {
        *grouped,
        *lasting,
    }
    drawn_apart = (
        "a question is in one draw at most, in no group, and not memoized if it is"
    )
    whole_survey = "the fingerprint is that of these questions and groups"
    return {
        "the names of questions all differ": len(prints) == len(questions),
        "a question is in one group at most, and groups are of questions": once,
        "groups are of two or three": all(
            len(group["questions"]) in (2, 3) for group in groups
        ),
        **({drawn_apart: apart} if in_draws else {}),
        "the fingerprints are those of the groups": stated
        == [own.hex() for own in group_prints],
        whole_survey: survey["fingerprint"] == fingerprint.hex(),
        "the terms are those of this survey": survey["terms"] == terms,
    }


def totals(survey):
    """The claims about what all questions add up to."""
    names = ("one_report_each", "all_reports", "all_charges")
    once_stated, lasting_stated, charged_stated = members(
        survey["total_epsilon"], *names
    )
    once, lasting, charged = [], [], []
    for questions, number in alternatives(survey):
        ones = [Fraction(question["one_report"]["epsilon"]) for question in questions]
        ever = [question["all_reports"]["epsilon"] for question in questions]
        prices = [
            one if every is None else every
            for one, every in zip(ones, ever, strict=True)
        ]
        charges = [question["charges"] for question in questions]
        once.append(largest(ones, number))
        lasting.append([None] if None in ever else largest(ever, number))
        charged.append(largest(map(mul, map(Fraction, prices), charges), number))
    once, lasting, charged = ([*chain(*part)] for part in (once, lasting, charged))
    return {
        "the epsilons of one report each add up to the total": adds_up(
            once_stated, once
        ),
        "the epsilons of all reports add up to the total": adds_up(
            lasting_stated, lasting
        ),
        "the epsilons of all charges add up to the total": adds_up(
            charged_stated, charged
        ),
    }


def largest(epsilons, number):
    """So many of them, the largest first."""
    return sorted(epsilons, reverse=True)[:number]


def refuted(claims):
    """What is said of the claims that do not hold."""
    return [
        f"it is not so that {claim}" for claim, holds in claims.items() if not holds
    ]


def failures(question, survey):
    """Which claims about a question do not hold."""
    try:
        return refuted(claims_of(question, survey))
    except Unproven as reason:
        return [f"it is not so that {reason}"]


def survey_failures(survey):
    """Which claims about the survey do not hold, its questions taken as stated."""
    return refuted({**identity(survey), **totals(survey)})


def delivered(question):
    """What holds of a question. No fingerprint binds lengths, so that they are
    printed.
    """
    once, ever = (question[part]["epsilon"] for part in ("one_report", "all_reports"))
    most = f"delivers at most {once}"
    if ever != once:
        most += f" in one report, {ever or 'no limit'} in all"
    if question["mechanism"] != "metric":
        return most
    per_unit, (x, y) = members(question["metric"], "epsilon_per_unit", "lengths")
    return f"{most}, epsilon {per_unit} a unit where 1 of x is {x} units and 1 of y {y}"


def verdicts(survey):
    """(a line for each question and one for the survey, whether every claim holds)."""
    lines, sound = [], True
    for question in survey["questions"]:
        wrong = failures(question, survey)
        sound = sound and not wrong
        verdict = "; ".join(wrong) or f"{delivered(question)}: holds"
        lines.append(f"{question['name']} ({question['mechanism']}): {verdict}")
    if sound:
        wrong = survey_failures(survey)
    else:
        wrong = ["it is not so that all of its questions hold"]
    once, ever, charged = members(
        survey["total_epsilon"], "one_report_each", "all_reports", "all_charges"
    )
    holds = (
        f"delivers at most {once} in one report each, {ever or 'no limit'} in all, "
        f"{charged or 'no limit'} if answers change; fingerprint {survey['fingerprint']}, "
        f"terms {survey['terms']}: holds"
    )
    verdict = "; ".join(wrong) or holds
    return [*lines, f"survey {survey['survey']}: {verdict}"], not wrong


UNUSABLE = (
    OSError,
    KeyError,
    TypeError,
    AttributeError,
    ValueError,
    OverflowError,
    RecursionError,
)
"""What reading raises if a file is no certificate."""


def main(arguments):
    """The exit code for these arguments."""
    try:
        (path,) = arguments
        lines, sound = verdicts(read(Path(path).read_text(encoding="utf-8")))
    except UNUSABLE as error:
        expected = "expected one certificate written by `ldp explain --certificate`"
        print(f"{expected}; {type(error).__name__}: {error}")
        return 2
    print(*lines, sep="\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
