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
    if mechanism in ("warner", "forced", "unrelated", "matrix", "exponential"):
        rows = [[int(number(weight)) for weight in row] for row in integers["weights"]]
        if len({sum(row) for row in rows}) != 1 or len({len(row) for row in rows}) != 1:
            raise ZeroDivisionError("the weights are no matrix of probabilities")
        ratio = max(Fraction(max(column), min(column)) for column in zip(*rows, strict=True))
        return ratio, ratio, False, symbol_bytes(len(rows[0]))
    if mechanism in ("pad-grr", "pad-ss", "pad-pgr", "pad-hr"):
        return padded(mechanism.removeprefix("pad-"), integers)
    if mechanism in ("l-grr", "loloha", "l-sue", "l-osue"):
        return memoized(mechanism, **{name: int(number(text)) for name, text in integers.items()})
    if mechanism == "heavy-hitters":
        return hashed_prefix(integers)
    of = {name: int(number(text)) for name, text in integers.items()}
    if mechanism in ("geometric", "laplace"):
        if (mechanism == "geometric") != (of["margin"] == 0):
            raise ZeroDivisionError("another mechanism's margin")
        ratio = noise(**of)
        return ratio, ratio, False, symbol_bytes(of["size"] + 2 * of["margin"])
    if mechanism in ("grr", "ss", "hr"):
        if mechanism == "hr":
            blocks, fullest = of["blocks"], -(-of["size"] // of["blocks"])
            symbols = blocks << fullest.bit_length()
            if not 1 <= blocks <= of["size"] or blocks & (blocks - 1) or of["symbols"] != symbols:
                raise ZeroDivisionError("symbols that are not those of as many blocks")
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
    if mechanism == "she":
        if of["levels"] not in range(2, 257, 2):
            raise ZeroDivisionError("levels that are not as many on either side, or no bytes")
        flip = Fraction(of["flip"], span)
        ratio = binary(1 - flip, flip)
        return ratio, ratio, False, of["size"]
    if mechanism in ("sue", "oue", "the", "cms"):
        ratio = binary(Fraction(of["if_true"], span), Fraction(of["if_other"], span))
        return ratio, ratio, False, (of.get("buckets", of["size"]) + 7) // 8 + 2 * (of.get("cohorts", 1) > 1)
    if mechanism == "set-unary":
        size, most, one, other = of["size"], of["most"], Fraction(of["if_true"], span), Fraction(of["if_other"], span)
        if not (0 < other < one < 1 and 1 <= most <= min(size, 100)):
            raise ZeroDivisionError("bits without noise or signal, or sets that hold too much")
        less, more = sorted((one / other, (1 - other) / (1 - one)))
        ratio = more**most * less ** min(most, size - most)
        return ratio, ratio, False, (size + 7) // 8
    if mechanism == "dbitflip":
        size, sampled, flip = of["size"], of["sampled"], Fraction(of["flip"], span)
        if not (1 <= sampled <= size <= 2**16):
            raise ZeroDivisionError("a window that has no value, or more than there are")
        ratio = ((1 - flip) / flip) ** min(sampled, 2)
        return ratio, ratio, True, 2 + (sampled + 7) // 8
    if mechanism == "rappor":
        flip, one, zero = (Fraction(of[name], span) for name in ("flip", "if_one", "if_zero"))
        bits_set = max(of["hashes"], 1)
        ratio = binary((1 - flip) * one + flip * zero, flip * one + (1 - flip) * zero) ** bits_set
        forever = binary(1 - flip, flip) ** bits_set if flip else None
        return ratio, forever, flip > 0, (of["bits"] + 7) // 8 + 2 * (of["cohorts"] > 1)
    raise ValueError(f"expected a mechanism that this program knows, got {mechanism!r}")


def padded(mechanism, integers):
    """The same where one of `most` entries of a set is reported: padded with different dummies for `grr`, else one."""
    size, most = (int(number(integers[name])) for name in ("size", "most"))
    different = mechanism == "grr"
    if not 1 <= most <= (size if different else size // 2):
        raise ZeroDivisionError("sets that hold too much")
    entries = size + (most if different else 1)
    ratio, _, memoized, width = revealed(mechanism, {**integers, "size": str(entries)})
    if different:
        ratio = (ratio + most - 1) / most
    return ratio, ratio, memoized, width


def memoized(mechanism, size, fresh_truth, fresh_other, **lasting):
    """The same of a response that is kept, and passed through another one for every report."""
    kept, lost = fresh_truth, fresh_other
    if mechanism in ("l-sue", "l-osue"):
        span = 2 ** min(lasting["word"], 1024)
        if kept + lost != span or not 0 < lost < kept:
            raise ZeroDivisionError("bits that are not flipped, or too often")
        rates = [Fraction(lasting[name], span) for name in ("if_true", "if_other")]
        both = [(rate * kept + (1 - rate) * lost) / span for rate in rates]
        return binary(*both), binary(*rates), True, (size + 7) // 8
    truth, other, symbols = lasting["truth"], lasting["other"], lasting.get("buckets", size)
    if not (truth > other > 0 < lost < kept and symbols >= 2 and size <= lasting.get("modulus", size)):
        raise ZeroDivisionError("symbols without noise, or more values than the hash functions tell apart")
    wrong = symbols - 1
    ratio = Fraction(truth * kept + wrong * other * lost, truth * lost + other * kept + (wrong - 1) * other * lost)
    return ratio, Fraction(truth, other), True, symbol_bytes(symbols) + 8 * (mechanism == "loloha")


def hashed_prefix(integers):
    """The same where one of many hashed prefixes is reported as its cell, with a cohort beside it."""
    response = {name: integers[name] for name in ("order", "dimension", "truth", "other")}
    cells, order, dimension = (int(number(integers[name])) for name in ("cells", "order", "dimension"))
    lengths = [int(number(length)) for (row,) in [integers["lengths"]] for length in row]
    if lengths != sorted({*lengths}) or not lengths or int(number(integers["held_out"])) < 1:
        raise ZeroDivisionError("stages whose prefixes do not grow, or nobody held out")
    if order >= 2**32 or dimension > 32 or cells != sum(order**power for power in range(dimension)):
        raise ZeroDivisionError("cells that are not the points of the space")
    ratio, _, memoized, width = revealed("pgr", {**response, "size": integers["cells"]})
    return ratio, ratio, memoized, width + 2


def noise(size, margin, near, far, least):
    """The ratio of whole numbers with noise: in each column, the nearest value over the farthest one."""
    if not (size >= 2 and size + 2 * margin <= 2**16 and near > far and least * (near - far) >= far):
        raise ZeroDivisionError("no noise")
    tails, weight = [least], least * (near - far) // far
    for _ in range(size + margin - 1):
        if weight.bit_length() > 2**10:
            raise ZeroDivisionError("no weights of any sensible size")
        tails.append(tails[-1] + weight)
        weight = weight * near // far
    tails.reverse()
    worst = 1, 1
    for output in range(-margin, size + margin):
        nearest, farthest = max(0, -output, output - size + 1), max(output, size - 1 - output)
        if output in (-margin, size + margin - 1):
            high, low = tails[nearest], tails[farthest]
        else:
            high, low = tails[nearest] - tails[nearest + 1], tails[farthest] - tails[farthest + 1]
        if high * worst[1] > worst[0] * low:
            worst = high, low
    return Fraction(*worst)


def symbol_bytes(size):
    """Bytes of a symbol among `size`."""
    return 1 if size <= 2**8 else 2 if size <= 2**16 else 4


def within(found, declared, stated_bound):
    """Whether a ratio is at most e^declared and the bound stated for it, and whether that bound is right."""
    bound = number(stated_bound, "/")
    if declared.startswith("ln(") and declared.endswith(")"):
        limit = number(declared[3:-1], "/")
        return found <= limit, bound == limit
    limit = exp_lower(number(declared, "./"))
    return found <= min(limit, bound), limit * (1 - Fraction(1, 10**11)) <= bound <= limit


def failures(question):
    """(what the integers reveal, which claims about it do not hold)."""
    epsilon, ratio, lifetime = question["epsilon"], question["ratio"], question["lifetime"]
    try:
        found, forever, memoized, width = revealed(question["mechanism"], question["integers"])
    except ZeroDivisionError:
        return None, ["the integers give no finite epsilon"]
    kept, stated_well = within(found, epsilon["declared"], ratio["declared_bound"])
    kept_forever = stated_well_forever = lifetime["declared"] is None
    if not kept_forever:
        kept_forever, stated_well_forever = within(forever, lifetime["declared"], lifetime["declared_bound"])
    stated_forever = None if lifetime["ratio"] is None else number(lifetime["ratio"], "/")
    lasting = lifetime["epsilon"]
    claims = {
        "one report reveals at most the declared epsilon": kept,
        "the bound is e^declared, to eleven digits": stated_well,
        "all reports of a value reveal at most the declared lifetime epsilon": kept_forever,
        "the lifetime bound is e^declared, to eleven digits": stated_well_forever,
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
