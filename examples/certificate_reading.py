"""Reading what a certificate says, for `check_certificate.py`: names, numbers, values, integers.

A ValueError says that the file is no certificate; `Unproven` that it is one, and something in it
does not follow. Numbers are exact, and what bounds e^epsilon lies just below.
"""

import json
import math
import re
from fractions import Fraction

DIGITS = "(0|[1-9][0-9]{0,99})"
NUMBER = f"{DIGITS}([.][0-9]{{0,99}}[1-9]|/[1-9][0-9]{{0,99}})?"
NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
EPOCHS = range(60, 366 * 86_400 + 1)


def usable(holds, what):
    """Something without which the file cannot be used."""
    if not holds:
        raise ValueError(f"expected {what}")


class Unproven(Exception):  # noqa: N818 (what it says is no error of the program)
    """What a certificate says does not follow from its integers, or they are not those of its
    mechanism.
    """


def require(holds, what):
    """Something that has to hold of the integers of a sound mechanism."""
    if not holds:
        raise Unproven(what)


def members(record, *names):
    """The members of an object that has exactly these, in whatever order; given in this one."""
    exactly = isinstance(record, dict) and record.keys() == set(names)
    usable(exactly, f"an object of {', '.join(names)}, got something else or more")
    return [record[name] for name in names]


def distinct(pairs):
    """An object whose members all have different names."""
    record = dict(pairs)
    usable(len(record) == len(pairs), "each member once, got one again")
    return record


def written(value, kind):
    """A value that has exactly this type (a bool is no int)."""
    got = type(value)
    usable(got is kind, f"a value of type {kind.__name__}, got one of type {got.__name__}")
    return value


def name_of(text):
    """A name that a survey may give."""
    usable(re.fullmatch(NAME, written(text, str)), "a name")
    return text


def whole(text):
    """The number that a text of digits stands for."""
    usable(re.fullmatch(DIGITS, written(text, str)), "a whole number of up to 100 digits")
    return int(text)


def exact(text):
    """The number that a text stands for: whole, with decimals, or a fraction in lowest terms."""
    usable(re.fullmatch(NUMBER, written(text, str)), "a number")
    number = Fraction(text)
    usable("/" not in text or str(number) == text, "a fraction in lowest terms")
    return number


def values_of(kind, values):
    """The values of a question of this type: a list of different texts, or nothing for any text."""
    if kind == "text":
        return written(values, type(None))
    different = {written(value, str) for value in written(values, list)}
    enough = len(different) == len(values) >= 2 and "" not in different
    usable(enough, "two values or more, all different and none empty")
    if kind == "boolean":
        usable(values == ["false", "true"], "false and true")
    if kind == "integer":
        first = int(values[0])
        following = [str(first + place) for place in range(len(values))]
        usable(values == following, "whole numbers, each one more than the last")
    return values


def integer(text, name, allowed):
    """An integer in a range."""
    number = whole(text)
    require(number in allowed, f"{name} is from {allowed[0]} to {allowed[-1]}")
    return number


def table(rows, name, allowed):
    """Rows of integers in a range, one row at least and none of them empty."""
    filled = written(rows, list) and all(written(row, list) for row in rows)
    require(filled, f"{name} has rows, none of them empty")
    return [[integer(entry, name, allowed) for entry in row] for row in rows]


def integers_of(ranges, record):
    """The integers of a mechanism: exactly those that have a range (a list of it: tables)."""
    members(record, *ranges)
    integers = {}
    for name, allowed in ranges.items():
        if isinstance(allowed, list):
            integers[name] = table(record[name], name, *allowed)
        else:
            integers[name] = integer(record[name], name, allowed)
    return integers


def read(text):
    """The certificate in a text, all that is not within its questions being of the right form."""
    survey = json.loads(text, object_pairs_hook=distinct)
    usable(isinstance(survey, dict) and survey.get("format") == 2, "format 2")
    head = ("format", "survey", "fingerprint", "terms", "epoch", "lifetime_epsilon")
    members(survey, *head, "questions", "groups", "total_epsilon")
    written(survey["format"], int)
    name_of(survey["survey"])
    epoch, lifetime = survey["epoch"], survey["lifetime_epsilon"]
    if epoch is not None:
        usable(written(epoch, int) in EPOCHS, "epochs of a minute to 366 days, or none")
    if lifetime is not None:
        usable(exact(lifetime) > 0, "a lifetime epsilon above 0")
    usable(written(survey["questions"], list), "questions")
    for group in written(survey["groups"], list):
        names, _ = members(group, "questions", "fingerprint")
        for name in written(names, list):
            name_of(name)
    return survey


UNIT = 2**400


def exp_lower(exponent):
    """A rational just below e^exponent: its Taylor series at a small argument, squared, all rounded
    down.
    """
    usable(0 <= exponent <= 10**6, "an epsilon from 0 to a million")
    halvings = (exponent // 1).bit_length()
    small = exponent * UNIT // 2**halvings
    total = term = UNIT
    for n in range(1, 80):
        term = term * small // (n * UNIT)
        total += term
    for _ in range(halvings):
        total = total * total // UNIT
    return Fraction(total, UNIT)


def ratio_of(declared):
    """e^epsilon for an epsilon as a survey declares it, just below.

    And how a certificate writes that.
    """
    if declared.startswith("ln(") and declared.endswith(")"):
        limit = exact(declared.removeprefix("ln(").removesuffix(")"))
        return limit, str(limit)
    limit = exp_lower(exact(declared))
    before, decimals = divmod(math.floor(limit * 10**30), 10**30)
    return limit, f"{before}.{decimals:030d}"


def least_float(stated, enough):
    """Whether a float is enough, and the next smaller one is not."""
    less = math.nextafter(written(stated, float), 0)
    return enough(Fraction(stated)) and not enough(Fraction(less))


def adds_up(stated, epsilons):
    """Whether a total is the sum of the epsilons, rounded up; none if one of them has no bound."""
    if None in epsilons:
        return stated is None
    total = sum(map(Fraction, epsilons))
    return least_float(stated, lambda enough: total <= enough)
