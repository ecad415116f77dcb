"""Check a survey's privacy certificate: `python examples/check_certificate.py certificate.json`.

`ldp explain SURVEY --json certificate.json` writes one. This program shares no code with that one
and needs nothing but Python. From what the certificate says of each question it works out anew

- what a report can reveal, and all reports of one unchanged answer, by the integers that the
  randomizer draws with;
- the question's fingerprint, from its name, type, values, mechanism and integers; from those of the
  questions and groups the survey's; and from that, and from what a device may be charged, the
  terms. Devices send the fingerprints with their reports, and apps pin the terms: a certificate
  that has those of a survey is about that survey's clients;
- what all questions add up to.

Each statement has to be just that; the order of members, questions and groups is free. What this
program does not know (a member, a mechanism, an integer out of its range, one too many or too few,
one name twice) makes a certificate unusable, or a claim unproven; nothing is passed over. One thing
cannot be worked out: what was declared. It has to be at least what is delivered.

It prints a line for the survey and one for each question, and exits with 0 if everything is so, 1
if something is not, 2 if the file cannot be used.
"""

import hashlib
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path

from mechanism_ratios import MECHANISMS, MOST_KEPT, Unproven, require

UNIT = 2**400


def members(record, *names):
    """The members of an object that has exactly these, in whatever order; given in this one."""
    if not isinstance(record, dict) or record.keys() != set(names):
        raise ValueError(f"expected an object of {', '.join(names)}, got something else or more")
    return [record[name] for name in names]


def distinct(pairs):
    """An object whose members all have different names."""
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("expected each member once, got one again")
    return record


def written(value, kind):
    """A value that has exactly this type (a bool is no int)."""
    if type(value) is not kind:
        raise ValueError(
            f"expected a value of type {kind.__name__}, got one of type {type(value).__name__}"
        )
    return value


def whole(text):
    """The number that a text of digits stands for."""
    if not re.fullmatch("0|[1-9][0-9]{0,99}", written(text, str)):
        raise ValueError("expected a whole number of up to 100 digits")
    return int(text)


def exact(text):
    """The number that a text stands for: whole, with decimals, or a fraction in lowest terms."""
    if not re.fullmatch(
        "(0|[1-9][0-9]{0,99})([.][0-9]{0,99}[1-9]|/[1-9][0-9]{0,99})?", written(text, str)
    ):
        raise ValueError("expected a number")
    number = Fraction(text)
    if "/" in text and str(number) != text:
        raise ValueError("expected a fraction in lowest terms")
    return number


def exp_lower(exponent):
    """A rational just below e^exponent: its Taylor series at a small argument, squared, all rounded
    down.
    """
    if not 0 <= exponent <= 10**6:
        raise ValueError("expected an epsilon from 0 to a million")
    halvings = (exponent // 1).bit_length()
    small = exponent * UNIT // 2**halvings
    total = term = UNIT
    for n in range(1, 80):
        term = term * small // (n * UNIT)
        total += term
    for _ in range(halvings):
        total = total * total // UNIT
    return Fraction(total, UNIT)


def least_float(stated, enough):
    """Whether a float is enough, and the next smaller one is not."""
    less = math.nextafter(written(stated, float), 0)
    return enough(Fraction(stated)) and not enough(Fraction(less))


def digest(*parts):
    """The fingerprint of these parts, each with its length before it."""
    encoded = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return hashlib.sha256(b"".join(b"%d:%b," % (len(part), part) for part in encoded)).digest()[:16]


def name_of(text):
    """A name that a survey may give."""
    if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,63}", written(text, str)):
        raise ValueError("expected a name")
    return text


def values_of(kind, values):
    """The values of a question of this type: a list of different texts, or nothing for any text."""
    if kind == "text":
        return written(values, type(None))
    if (
        len({written(value, str) for value in written(values, list)}) < max(len(values), 2)
        or "" in values
    ):
        raise ValueError("expected two values or more, all different and none empty")
    if kind == "boolean" and values != ["false", "true"]:
        raise ValueError("expected false and true")
    if kind == "integer" and values != [
        str(int(values[0]) + place) for place in range(len(values))
    ]:
        raise ValueError("expected whole numbers, each one more than the last")
    return values


def integers_of(mechanism, record):
    """The integers of a mechanism, which has exactly these.

    Those that are a table as lists of lists.
    """
    members(record, *mechanism.integers)
    return {
        name: table_of(record[name], name, allowed)
        if name in TABLES
        else integer(record[name], name, allowed)
        for name, allowed in mechanism.integers.items()
    }


TABLES = ("weights", "lengths")


def table_of(rows, name, allowed):
    """Lists of integers in a range, one at least and none of them empty."""
    require(
        written(rows, list) and all(written(row, list) for row in rows),
        f"{name} has rows, none of them empty",
    )
    return [[integer(entry, name, allowed) for entry in row] for row in rows]


def integer(text, name, allowed):
    """An integer in a range."""
    found = whole(text)
    require(found in allowed, f"{name} is from {allowed[0]} to {allowed[-1]}")
    return found


def served(integers):
    """For how many values the integers are; None if for any text."""
    if "weights" in integers:
        return len(integers["weights"])
    return integers["bits"] if integers.get("hashes") == 0 else integers.get("size")


def reveals(mechanism, kind, count, record):
    """What the integers reveal of a question of this type with so many values (None: any text)."""
    require(
        kind in mechanism.types,
        f"the mechanism serves questions of type {', '.join(mechanism.types)}",
    )
    integers = integers_of(mechanism, record)
    require(
        served(integers) in (None, count), "the integers are for as many values as the question has"
    )
    return mechanism.reveals(**integers)


def fingerprint_of(survey, question):
    """That of a question, which its reports carry."""
    values, numbers = question["values"], []
    for name, number in sorted(question["integers"].items()):
        text = number if isinstance(number, str) else ";".join(",".join(row) for row in number)
        numbers.append(f"{name}={text}")
    listed = ["open"] if values is None else [str(len(values)), *values]
    epoch = [] if survey["epoch"] is None else [f"epoch={survey['epoch']}"]
    parts = question["name"], question["type"], *listed, question["mechanism"], *numbers, *epoch
    return digest("ldp-question-2", survey["survey"], *parts)


def ratio_of(declared):
    """e^epsilon for an epsilon as a survey declares it, just below.

    And how a certificate writes that.
    """
    if declared.startswith("ln(") and declared.endswith(")"):
        limit = exact(declared.removeprefix("ln(").removesuffix(")"))
        return limit, str(limit)
    limit = exp_lower(exact(declared))
    whole_part, decimals = divmod(math.floor(limit * 10**30), 10**30)
    return limit, f"{whole_part}.{decimals:030d}"


STATED = ("declared", "declared_ratio", "epsilon", "ratio")


def bounded_by_its_declaration(record, ratio, declares):
    """The claims about a declared epsilon, and whether each holds."""
    declared, stated = record["declared"], record["declared_ratio"]
    if not declares:
        return {"nothing is declared": declared is None and stated is None}
    limit, text = ratio_of(written(declared, str))
    return {
        "the ratio is at most the declared one": ratio is not None and ratio <= limit,
        "the declared ratio is e^declared, cut behind 30 decimals": stated == text,
    }


def delivered_as_stated(record, ratio):
    """The claims about a delivered epsilon, and whether each holds."""
    epsilon, stated = record["epsilon"], record["ratio"]
    if ratio is None or epsilon is None:
        return {"there is a bound, or else none is stated": ratio is epsilon is stated is None}
    return {
        "the ratio follows from the integers": stated == str(ratio),
        "the epsilon is its logarithm, rounded up": least_float(
            epsilon, lambda most: ratio <= exp_lower(most)
        ),
    }


def statement(record, ratio, *, declares):
    """The claims about one ratio, and whether each holds."""
    return {
        **bounded_by_its_declaration(record, ratio, declares),
        **delivered_as_stated(record, ratio),
    }


def claims_of(question, survey):
    """(what the integers of a question reveal, every claim about it and whether it holds)."""
    covered = ("name", "type", "values", "mechanism", "integers", "charges", "fingerprint")
    follows = ("prior_of_one_half_becomes_at_most", "kept_and_shown_is_one_of", "report_bytes")
    *_, belief, shown, width = members(question, *covered, "one_report", "all_reports", *follows)
    members(question["one_report"], *STATED)
    members(question["all_reports"], "memoized", *STATED)
    name_of(question["name"])
    values = values_of(question["type"], question["values"])
    mechanism = MECHANISMS.get(written(question["mechanism"], str))
    if mechanism is None:
        raise ValueError(
            f"expected a mechanism that this program knows, got {question['mechanism']!r}"
        )
    found = reveals(
        mechanism, question["type"], None if values is None else len(values), question["integers"]
    )
    once_each = statement(question["one_report"], found.ratio, declares=True)
    ever = statement(question["all_reports"], found.forever, declares=mechanism.lifetime)
    allowed = range(1, min(max(found.responses, 1), MOST_KEPT) + 1)
    believed = found.ratio / (1 + found.ratio)
    return found, {
        **{f"one report: {claim}": holds for claim, holds in once_each.items()},
        **{f"all reports: {claim}": holds for claim, holds in ever.items()},
        "memoization is as stated": question["all_reports"]["memoized"] is (found.responses > 0),
        "it is charged once, or for each permanent response that may be kept": written(
            question["charges"], int
        )
        in allowed,
        "the belief that a report can cause is as stated": least_float(
            belief, lambda held: believed <= held
        ),
        "what is kept and shown has as many values as stated": whole(shown) == found.shown,
        "the size of a report is as stated": written(width, int) == found.width,
        "the fingerprint is that of this question": question["fingerprint"]
        == fingerprint_of(survey, question).hex(),
    }


def failures(question, survey):
    """(what the integers of a question reveal, which claims about it do not hold)."""
    try:
        found, claims = claims_of(question, survey)
    except Unproven as reason:
        return None, [f"it is not so that {reason}"]
    return found, [f"it is not so that {claim}" for claim, holds in claims.items() if not holds]


def survey_failures(survey):
    """Which claims about the survey do not hold, its questions taken as stated."""
    claims = {**identity(survey), **totals(survey)}
    return [f"it is not so that {claim}" for claim, holds in claims.items() if not holds]


def identity(survey):
    """The claims about fingerprints, groups and terms, and whether each holds."""
    questions, groups = survey["questions"], survey["groups"]
    of = {question["name"]: bytes.fromhex(question["fingerprint"]) for question in questions}
    grouped = [name for group in groups for name in group["questions"]]
    of_groups = [
        digest("ldp-joint-1", *(of.get(name, b"") for name in group["questions"]))
        for group in groups
    ]
    fingerprint = digest("ldp-survey-1", survey["survey"], *sorted(of.values()), *sorted(of_groups))
    charges = sorted((question["name"], question["charges"]) for question in questions)
    charged = [f"{name}={times}" for name, times in charges]
    terms = digest("ldp-terms-1", fingerprint, survey["lifetime_epsilon"] or "", *charged)
    in_one = len(set(grouped)) == len(grouped) and set(grouped) <= of.keys()
    return {
        "the names of questions all differ": len(of) == len(questions),
        "a question is in one group at most, and groups are of questions": in_one,
        "groups are of two or three": all(len(group["questions"]) in (2, 3) for group in groups),
        "the fingerprints are those of the groups": [group["fingerprint"] for group in groups]
        == [each.hex() for each in of_groups],
        "the fingerprint is that of these questions and groups": survey["fingerprint"]
        == fingerprint.hex(),
        "the terms are those of this survey": survey["terms"] == terms.hex(),
    }


def totals(survey):
    """The claims about what all questions add up to, and whether each holds."""
    questions = survey["questions"]
    total, ever, every = members(
        survey["total_epsilon"], "one_report_each", "all_reports", "all_charges"
    )
    once = [question["one_report"]["epsilon"] for question in questions]
    lasting = [question["all_reports"]["epsilon"] for question in questions]
    prices = [one if all_ is None else all_ for one, all_ in zip(once, lasting, strict=True)]
    charged = [
        Fraction(price) * question["charges"]
        for price, question in zip(prices, questions, strict=True)
    ]
    bounded = ever is None if None in lasting else adds_up(ever, map(Fraction, lasting))
    return {
        "the epsilons of one report each add up to the total": adds_up(total, map(Fraction, once)),
        "the epsilons of all reports add up to the total": bounded,
        "the epsilons of all charges add up to the total": adds_up(every, charged),
    }


def adds_up(stated, epsilons):
    """Whether a total is the sum of the epsilons, rounded up."""
    total = sum(epsilons)
    return least_float(stated, lambda enough: total <= enough)


def read(text):
    """The certificate in a text, all that is not within its questions being of the right form."""
    survey = json.loads(text, object_pairs_hook=distinct)
    if not isinstance(survey, dict) or survey.get("format") != 2:
        raise ValueError("expected format 2")
    head = ("format", "survey", "fingerprint", "terms", "epoch", "lifetime_epsilon")
    members(survey, *head, "questions", "groups", "total_epsilon")
    written(survey["format"], int)
    name_of(survey["survey"])
    if survey["epoch"] is not None and written(survey["epoch"], int) not in range(
        60, 366 * 86_400 + 1
    ):
        raise ValueError("expected epochs of a minute to 366 days, or none")
    if survey["lifetime_epsilon"] is not None and not exact(survey["lifetime_epsilon"]):
        raise ValueError("expected a lifetime epsilon above 0")
    if not written(survey["questions"], list):
        raise ValueError("expected questions")
    for group in written(survey["groups"], list):
        names, _ = members(group, "questions", "fingerprint")
        for name in written(names, list):
            name_of(name)
    return survey


def verdicts(survey):
    """(a line for each question and one for the survey, whether every claim holds)."""
    lines, sound = [], True
    for question in survey["questions"]:
        _, wrong = failures(question, survey)
        sound = sound and not wrong
        verdict = "; ".join(wrong) or f"delivers at most {question['one_report']['epsilon']}: holds"
        lines.append(f"{question['name']} ({question['mechanism']}): {verdict}")
    wrong = survey_failures(survey) if sound else ["it is not so that all of its questions hold"]
    verdict = (
        "; ".join(wrong) or f"fingerprint {survey['fingerprint']}, terms {survey['terms']}: holds"
    )
    return [*lines, f"survey {survey['survey']}: {verdict}"], not wrong


UNUSABLE = (OSError, KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError)
"""What reading raises if a file is no certificate."""


def main(arguments):
    """The exit code for these arguments."""
    try:
        (path,) = arguments
        lines, sound = verdicts(read(Path(path).read_text(encoding="utf-8")))
    except UNUSABLE as error:
        print(
            f"expected one certificate written by `ldp explain --json`; {type(error).__name__}: "
            f"{error}"
        )
        return 2
    print(*lines, sep="\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
