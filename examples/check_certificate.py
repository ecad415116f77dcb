"""Check a survey's privacy certificate: `python examples/check_certificate.py certificate.json`.

`ldp explain SURVEY --json certificate.json` writes one. This program shares no code with that one and needs nothing
but Python: from the integers that each question's randomizer draws with, it works out what a report reveals, and
compares that with what the certificate claims. It exits with 0 if every claim holds, 1 if one does not, 2 if the file
cannot be used.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

UNIT = 2**400


def exp_lower(exponent):
    """A rational just below e^exponent: its Taylor series at a small argument, squared, all rounded down."""
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


def number(text, signs=""):
    """The exact value of a text of digits and the given signs."""
    if not set(text) <= {*"0123456789", *signs}:
        raise ValueError("expected a number")
    return Fraction(text)


def binary(high, low):
    """The ratio of a bit that is 1 with either probability, over both of its values together."""
    if high < low:
        high, low = low, high
    if not 0 < low <= high < 1:
        raise ZeroDivisionError("a bit without noise")
    return high * (1 - low) / (low * (1 - high))


def revealed(mechanism, integers):
    """(ratio of one report, ratio of all reports or None, whether responses are memoized, bytes of a report)."""
    if mechanism in ("warner", "forced", "unrelated", "matrix"):
        rows = [[int(number(weight)) for weight in row] for row in integers["weights"]]
        if len({sum(row) for row in rows}) != 1 or len({len(row) for row in rows}) != 1:
            raise ZeroDivisionError("the weights are no matrix of probabilities")
        ratio = max(Fraction(max(column), min(column)) for column in zip(*rows, strict=True))
        return ratio, ratio, False, symbol_bytes(len(rows[0]))
    of = {name: int(number(text)) for name, text in integers.items()}
    if mechanism in ("grr", "ss", "hr"):
        if mechanism == "hr" and of["size"] >= of["symbols"]:
            raise ZeroDivisionError("more values than the symbols can tell apart")
        ratio = Fraction(max(of["truth"], of["other"]), min(of["truth"], of["other"]))
        width = (of["size"] + 7) // 8 if mechanism == "ss" else symbol_bytes(of.get("symbols", of["size"]))
        return ratio, ratio, False, width
    if mechanism == "pgr":
        size, order, dimension = of["size"], of["order"], of["dimension"]
        points = sum(order**power for power in range(dimension)) if order < 2**32 and dimension <= 32 else 0
        field = order in (4, 8, 16) or all(order % factor for factor in range(2, int(order**0.5) + 1))
        if not (order > 1 < dimension and size <= points < 2**32 and field):
            raise ZeroDivisionError("no projective space with room for the values")
        ratio = Fraction(max(of["truth"], of["other"]), min(of["truth"], of["other"]))
        return ratio, ratio, False, symbol_bytes(points)
    if mechanism in ("cms", "hcms", "olh", "blh") and of["size"] > of.get("modulus", 2**31 - 1):
        raise ZeroDivisionError("more values than the hash functions tell apart")
    if mechanism == "hcms":
        ratio = Fraction(max(of["truth"], of["other"]), min(of["truth"], of["other"]))
        return ratio, ratio, False, symbol_bytes(2 * of["buckets"]) + 2 * (of["cohorts"] > 1)
    if mechanism in ("olh", "blh"):
        ratio = Fraction(max(of["truth"], of["other"]), min(of["truth"], of["other"]))
        return ratio, ratio, False, 8 + symbol_bytes(of["buckets"])
    if of["word"] > 1024 or of.get("hashes", 0) > 1024:
        raise ValueError("expected a word and hashes of at most 1024")
    span = 2 ** of["word"]
    if mechanism in ("sue", "oue", "cms"):
        ratio = binary(Fraction(of["if_true"], span), Fraction(of["if_other"], span))
        return ratio, ratio, False, (of.get("buckets", of["size"]) + 7) // 8 + 2 * (of.get("cohorts", 1) > 1)
    if mechanism == "rappor":
        flip, one, zero = (Fraction(of[name], span) for name in ("flip", "if_one", "if_zero"))
        bits_set = max(of["hashes"], 1)
        ratio = binary((1 - flip) * one + flip * zero, flip * one + (1 - flip) * zero) ** bits_set
        forever = binary(1 - flip, flip) ** bits_set if flip else None
        return ratio, forever, flip > 0, (of["bits"] + 7) // 8 + 2 * (of["cohorts"] > 1)
    raise ValueError(f"expected a mechanism that this program knows, got {mechanism!r}")


def symbol_bytes(size):
    """Bytes of a symbol among `size`."""
    return 1 if size <= 2**8 else 2 if size <= 2**16 else 4


def failures(question):
    """(what the integers reveal, which claims about it do not hold)."""
    epsilon, ratio, lifetime = question["epsilon"], question["ratio"], question["lifetime"]
    try:
        found, forever, memoized, width = revealed(question["mechanism"], question["integers"])
    except ZeroDivisionError:
        return None, ["the integers give no finite epsilon"]
    declared, bound = epsilon["declared"], number(ratio["declared_bound"], "/")
    if declared.startswith("ln(") and declared.endswith(")"):
        limit = number(declared[3:-1], "/")
        stated_well = bound == limit
    else:
        limit = exp_lower(number(declared, "./"))
        stated_well = limit * (1 - Fraction(1, 10**11)) <= bound <= limit
    stated_forever = None if lifetime["ratio"] is None else number(lifetime["ratio"], "/")
    lasting = lifetime["epsilon"]
    claims = {
        "one report reveals at most the declared epsilon": found <= min(limit, bound),
        "the bound is e^declared, to eleven digits": stated_well,
        "the ratio follows from the integers": found == number(ratio["delivered"], "/"),
        "the delivered epsilon is not understated": found <= exp_lower(Fraction(epsilon["delivered"])),
        "the lifetime ratio follows from the integers": forever == stated_forever,
        "the lifetime epsilon is not understated": lasting is None
        if forever is None
        else lasting is not None and forever <= exp_lower(Fraction(lasting)),
        "memoization is as stated": lifetime["memoized"] is memoized,
        "the belief that a report can cause is not understated": found / (1 + found)
        <= Fraction(question["prior_of_one_half_becomes_at_most"]),
        "the size of a report is as stated": width == question["report_bytes"],
    }
    return found, [f"it is not so that {claim}" for claim, holds in claims.items() if not holds]


def check(certificate):
    """Print one line for each question; whether every claim holds."""
    total, sound = Fraction(1), True
    for name, question in certificate["questions"].items():
        found, wrong = failures(question)
        total *= found or 0
        sound = sound and not wrong
        verdict = "; ".join(wrong) or f"delivers at most {question['epsilon']['delivered']}: holds"
        print(f"{name} ({question['mechanism']}, declared {question['epsilon']['declared']}): {verdict}")
    if total > exp_lower(Fraction(certificate["total_epsilon_one_report_each"])):
        print("it is not so that the total epsilon is not understated")
        sound = False
    return sound


def main(arguments):
    """The exit code for these arguments."""
    try:
        (path,) = arguments
        certificate = json.loads(Path(path).read_text(encoding="utf-8"))
        if certificate["format"] != 1 or not certificate["questions"]:
            raise ValueError("expected questions, in format 1")
        return 0 if check(certificate) else 1
    except (OSError, KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
        print(f"expected one certificate written by `ldp explain --json`; {type(error).__name__}: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
