"""Reading what a certificate says: names, numbers, values, integers.

For `check_certificate.py`, and `check_batch_certificate.py`: each member once and no
other, numbers in one spelling, so that whoever reads the file reads what was checked.

A ValueError says that the file is no certificate; `Unproven` that it is one, and
something in it does not follow. Numbers are exact, and what bounds e^epsilon lies just
below.
"""

import json
import math
import re
from fractions import Fraction
from itertools import pairwise

DIGITS = "(0|[1-9][0-9]{0,99})"
NUMBER = f"{DIGITS}([.][0-9]{{0,99}}[1-9]|/[1-9][0-9]{{0,99}})?"
NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
LONG = "(0|[1-9][0-9]{0,4000})"
"""Of what is worked out of integers that have up to 100 digits."""
HEX = "[0-9a-f]{32}"
EPOCHS = range(60, 366 * 86_400 + 1)


def usable(holds, what):
    """Something without which the file cannot be used."""
    if not holds:
        raise ValueError(f"expected {what}")


class Unproven(Exception):  # noqa: N818 (what it says is no error of the program)
    """A certificate does not follow from its integers, or these are not its
    mechanism's.
    """


def require(holds, what):
    """Something that has to hold of the integers of a sound mechanism."""
    if not holds:
        raise Unproven(what)


def members(record, *names):
    """The members of an object that has exactly these, in whatever order; given in this
    one.
    """
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
    usable(
        got is kind, f"a value of type {kind.__name__}, got one of type {got.__name__}"
    )
    return value


def name_of(text):
    """A name that a survey may give."""
    usable(re.fullmatch(NAME, written(text, str)), "a name")
    return text


def whole(text):
    """The number that a text of digits stands for."""
    usable(
        re.fullmatch(DIGITS, written(text, str)), "a whole number of up to 100 digits"
    )
    return int(text)


def exact(text):
    """The number that a text stands for: whole, with decimals, or a fraction in lowest
    terms.
    """
    usable(re.fullmatch(NUMBER, written(text, str)), "a number")
    number = Fraction(text)
    usable("/" not in text or str(number) == text, "a fraction in lowest terms")
    return number


def signed(text):
    """The number that a text stands for: whole, or a fraction in lowest terms, of
    either sign.
    """
    usable(
        re.fullmatch(f"-?{DIGITS}(/{DIGITS})?", written(text, str)),
        "a whole number or fraction",
    )
    whole_or_not = Fraction(text)
    usable(str(whole_or_not) == text, "a fraction in lowest terms")
    return whole_or_not


def scale_of(scale):
    """Whether a question of type number has points, how many, and what its fingerprint
    covers.

    Of a question with cells, how many cells.
    """
    points = isinstance(scale, dict) and "edges" not in scale
    where = ("low", "step") if points else ("edges",)
    members(scale, "size", *where, "outside", "unit", "missing")
    size = whole(scale["size"])
    usable(size >= 2, "two points or cells, or more")
    if points:
        low, step = signed(scale["low"]), signed(scale["step"])
        usable(step > 0, "points that go up")
        high, parts = low + step * (size - 1), [f"low={low}", f"step={step}"]
    else:
        edges = [signed(edge) for edge in written(scale["edges"], list)]
        usable(len(edges) == size + 1, "one edge more than there are cells")
        usable(all(edge < after for edge, after in pairwise(edges)), "edges that go up")
        low, high, parts = edges[0], edges[-1], [f"edges={','.join(map(str, edges))}"]
    outside = scale["outside"]
    usable(
        outside in ("refuse", "clip") or low <= signed(outside) <= high,
        "a number on the scale in place of those outside",
    )
    missing = [written(text, str) for text in written(scale["missing"], list)]
    usable(
        len(set(missing)) == len(missing), "texts that all differ, for missing answers"
    )
    parts += [f"outside={outside}", f"unit={written(scale['unit'], str)}"]
    return points, size, [str(size), *parts, *(f"missing={text}" for text in missing)]


def ball_of(ball):
    """How many numbers a vector has, and what the fingerprint of its question
    covers.
    """
    members(ball, "dimensions", "radius", "outside")
    dimensions, radius = written(ball["dimensions"], int), signed(ball["radius"])
    usable(dimensions >= 2, "two numbers or more in a vector")
    usable(radius > 0, "a length above 0")
    outside = written(ball["outside"], str)
    usable(outside in ("refuse", "clip"), "what is done with longer vectors")
    return dimensions, [
        f"dimensions={dimensions}",
        f"radius={radius}",
        f"outside={outside}",
    ]


def values_of(kind, values):
    """The values of a question of this type: a list of different texts.

    Nothing for any text, nor for numbers, which have a scale, vectors, which have a
    ball, and tables, which have fields.
    """
    if kind in ("text", "number", "vector", "table", "place"):
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
    """Rows of integers in a range: none of them empty, unless it is the only one."""
    filled = written(rows, list) and all(isinstance(row, list) for row in rows)
    require(filled, f"{name} has rows")
    require(len(rows) == 1 or all(rows), f"{name} has rows, none of them empty")
    return [[integer(entry, name, allowed) for entry in row] for row in rows]


def integers_of(ranges, record):
    """The integers of a mechanism: exactly those that have a range (a list of it:
    tables).
    """
    members(record, *ranges)
    integers = {}
    for name, allowed in ranges.items():
        if isinstance(allowed, list):
            integers[name] = table(record[name], name, *allowed)
        else:
            integers[name] = integer(record[name], name, allowed)
    return integers


def read_draw(draw, questions):
    """Questions of which a device answers one, or as many as it says, and their
    weights.
    """
    several = ["answers"] if "answers" in draw else []
    names, weights, *_ = members(draw, "questions", "weights", *several)
    known = {name_of(name) for name in written(names, list)} <= questions
    fitting = len(names) >= 2 and len(written(weights, list)) == len(names)
    usable(known and fitting, "draws of two questions or more, with a weight for each")
    usable(all(written(weight, int) > 0 for weight in weights), "weights above 0")
    if several:
        fitting = 1 < written(draw["answers"], int) < len(names)
        usable(
            fitting and set(weights) == {1},
            "several answers of more questions, all alike",
        )


def read_attribute(attribute):
    """Of what reports say openly: a name, its values, and the questions it goes with,
    if listed.
    """
    listed = ["questions"] if "questions" in attribute else []
    members(attribute, "name", "values", *listed)
    name_of(attribute["name"])
    for part in ("values", *listed):
        texts = [written(text, str) for text in written(attribute[part], list)]
        usable(texts and len(set(texts)) == len(texts), "values that all differ")


def read(text):
    """The certificate in a text, all that is not within its questions being of the
    right form.
    """
    survey = json.loads(text, object_pairs_hook=distinct)
    usable(isinstance(survey, dict) and survey.get("format") == 2, "format 2")
    head = ("format", "survey", "fingerprint", "terms", "epoch", "lifetime_epsilon")
    many = ["draws"] if "draws" in survey else []
    said = ["attributes", "least_group"] if "attributes" in survey else []
    members(survey, *head, "questions", "groups", *many, *said, "total_epsilon")
    written(survey["format"], int)
    name_of(survey["survey"])
    epoch, lifetime = survey["epoch"], survey["lifetime_epsilon"]
    if epoch is not None:
        usable(written(epoch, int) in EPOCHS, "epochs of a minute to 366 days, or none")
    if lifetime is not None:
        usable(exact(lifetime) > 0, "a lifetime epsilon above 0")
    usable(written(survey["questions"], list), "questions")
    if many:
        names = {question["name"] for question in survey["questions"]}
        usable(written(survey["draws"], list), "draws, or no word of them")
        for draw in survey["draws"]:
            read_draw(draw, names)
    if said:
        usable(
            written(survey["least_group"], int) >= 10, "groups of ten reports or more"
        )
        usable(written(survey["attributes"], list), "attributes, or no word of them")
        for attribute in survey["attributes"]:
            read_attribute(attribute)
    for group in written(survey["groups"], list):
        names, _ = members(group, "questions", "fingerprint")
        for name in written(names, list):
            name_of(name)
    return survey


EFFORT = ("blocks", "stretches", "parts")
WHOLE = ("reports", "honest", *EFFORT)
ALONE = "epsilon_if_relay_and_collector_collude"
DECIMAL = ("colluding", "epsilon", "delta", ALONE, "t", "upper", "lower")
BLANKET = ("first", "second", "only_first", "only_second", "both", "covers")


def read_batch(text):
    """The certificate of a batch in a text, with the numbers of its blanket in their
    order.
    """
    batch = json.loads(text, object_pairs_hook=distinct)
    flags = ("format", "first_reports_only")
    members(
        batch,
        *flags,
        "message",
        "fingerprint",
        "questions",
        *WHOLE,
        *DECIMAL,
        "blanket",
    )
    written(batch["format"], int)
    written(batch["first_reports_only"], bool)
    numbers = members(batch["blanket"], *BLANKET)
    forms = [(LONG, batch[name]) for name in WHOLE]
    forms += [(f"{DIGITS}([.][0-9]{{1,99}})?", batch[name]) for name in DECIMAL]
    forms += [(f"{LONG}(/{LONG})?", number) for number in numbers]
    forms.append((HEX, batch["fingerprint"]))
    for question in written(batch["questions"], list):
        name, mechanism, fingerprint, _ = members(
            question, "name", "mechanism", "fingerprint", "integers"
        )
        forms += [(NAME, name), (NAME, mechanism), (HEX, fingerprint)]
        forms += [(LONG, entry) for entry in entries_of(question["integers"])]
    for form, text in forms:
        usable(
            re.fullmatch(form, written(text, str)),
            "names and numbers in their own spelling",
        )
    return {**batch, "blanket": dict(zip(BLANKET, numbers, strict=True))}


def entries_of(integers):
    """Every number of a mechanism, those in tables one by one."""
    for number in written(integers, dict).values():
        if isinstance(number, list):
            yield from (entry for row in number for entry in written(row, list))
        else:
            yield number


UNIT = 2**400


def exp_lower(exponent):
    """A rational just below e^exponent: a Taylor series, squared, all rounded down.

    The series is that of a small part of the exponent.
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


def root_lower(square):
    """A rational just below the root."""
    return Fraction(math.isqrt(square * UNIT**2 // 1), UNIT)


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
    """Whether a total is the sum of the epsilons, rounded up; none if one of them has
    no bound.
    """
    if None in epsilons:
        return stated is None
    total = sum(map(Fraction, epsilons))
    return least_float(stated, lambda enough: total <= enough)
