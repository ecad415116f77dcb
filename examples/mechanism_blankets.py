"""What the reports of each mechanism have in common: for `check_batch_certificate.py`.

A blanket is (E of the first answer, E of the second, P(first only), P(second only),
P(both)): of a report that is drawn whatever the answer is, how likely it is E times as
likely under one of two answers, or under both. docs/shuffle.md has the formulas. Shares
no code with the package it checks.
"""

from fractions import Fraction as F  # noqa: N817
from itertools import combinations, product
from math import comb, lcm, prod

import mechanism_ratios as ratios


def meeting(n):
    """How likely two values share a bucket of a hash function."""
    g, p = n["buckets"], n["modulus"]
    sizes = [-(-p * (j + 1) // g) - -(-p * j // g) for j in range(g)]
    return F(sum(size * (size - 1) for size in sizes), p * (p - 1))


def sets(n):
    """How many sets there are; that hold a value; that hold two."""
    return tuple(comb(n["size"] - i, n["chosen"] - i) for i in range(3))


def points(n):
    """How many points there are; that support a value; that support two."""
    return tuple(
        (n["order"] ** (n["dimension"] - i) - 1) // (n["order"] - 1) for i in range(3)
    )


DESIGNS = {
    ratios.symbols: lambda n: (n["size"], 1, 0),
    ratios.subsets: sets,
    ratios.points: points,
    ratios.halves: lambda n: (4, 2, 1) if n["blocks"] == 1 else (2 * n["blocks"], 1, 0),
    ratios.hashed: lambda n: (n["buckets"], 1, meeting(n)),
}
"""By what a report reveals: outputs; those that support an answer; that support two."""
OF_ROWS = ratios.two_by_two, ratios.matrix, ratios.wide_matrix


def of_distance(e, gamma, distance):
    """A blanket from E, its mass and the distance of two rows."""
    h = distance / (gamma * (e - 1))
    return e, e, h, h, (1 / gamma - 1) / (e - 1) - h


def of_rows(rows):
    """The blanket of a matrix."""
    rows = [[F(int(entry), sum(map(int, row))) for entry in row] for row in rows]
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    gamma = sum((min(column) for column in columns), F(0))
    if len(rows) == len(columns) == 2:
        p, q = max(columns[0]), min(columns[0])
        return p / q, (1 - q) / (1 - p), q / gamma, (1 - p) / gamma, F(0)
    scale = lcm(*(entry.denominator for row in rows for entry in row))
    rows = [[int(entry * scale) for entry in row] for row in rows]
    pairs = combinations(rows, 2)
    far = max(sum(max(a - b, 0) for a, b in zip(*pair, strict=True)) for pair in pairs)
    return of_distance(max(max(c) / min(c) for c in columns), gamma, F(far, scale))


def blanket_of(mechanism, integers):
    """(E of the first answer, of the second, P(first only), P(second only),
    P(both)).
    """
    _, law, known, *_ = ratios.MECHANISMS[mechanism]
    # Exactly these, as another number might mean that reports have another law.
    if integers.keys() != set(known):
        raise ValueError(f"expected the integers {', '.join(known)}, got others")
    if law in OF_ROWS:
        return of_rows(integers["weights"])
    n = {name: int(number) for name, number in integers.items()}
    if law == ratios.bits:
        p, q = F(n["if_true"], 1 << n["word"]), F(n["if_other"], 1 << n["word"])
        e, h, b = p * (1 - q) / (q * (1 - p)), q * (1 - q), q * q
    else:
        v, k, shared = DESIGNS[law](n)
        e, h, b = F(n["truth"], n["other"]), (k - shared) / F(v), shared / F(v)
    return e, e, h, h, b


def is_sound(pair):
    """Whether some mechanism can have such a blanket: integers of none have others."""
    e, g, h, k, b = pair
    return min(e, g) > 1 and min(h, k) > 0 <= b and h + k + b <= 1


def apart(parts):
    """How far two rows are apart, where the answers to each part are these two, in this
    order.
    """
    corners = [(F(1), F(1), F(1))]
    for e, g, h, k, b in parts:
        four = (e, F(1), h), (F(1), g, k), (e, g, b), (F(1), F(1), 1 - h - k - b)
        corners = [
            (x * a, y * c, m * share) for x, y, m in corners for a, c, share in four
        ]
    return sum((m * max(x - y, F(0)) for x, y, m in corners), F(0))


def of_row(parts):
    """Reports that travel together: laws are multiplied. Raises `ValueError` for what
    is none.
    """
    if not all(map(is_sound, parts)):
        raise ValueError("expected the integers of a mechanism, got others")
    if len(parts) == 1:
        return parts[0]
    both_ways = [((e, g, h, k, b), (g, e, k, h, b)) for e, g, h, k, b in parts]
    far = max(map(apart, product(*both_ways)))
    gamma = prod((1 / (1 + (e - 1) * (h + b)) for e, _, h, _, b in parts), start=F(1))
    return of_distance(
        prod((max(e, g) for e, g, *_ in parts), start=F(1)), gamma, gamma * far
    )


def is_asked(c, survey):
    """Whether a survey has the questions, and its group is the message, with those
    fingerprints.
    """
    asked = {question["name"]: question for question in survey["questions"]}
    parts, names = c["questions"], [question["name"] for question in c["questions"]]
    groups = [
        group["fingerprint"]
        for group in survey["groups"]
        if group["questions"] == names
    ]
    return [c["fingerprint"]] == (
        [parts[0]["fingerprint"]] if len(parts) == 1 else groups
    ) and all(
        asked[part["name"]][key] == part[key]
        for part in parts
        for key in ("name", "mechanism", "fingerprint", "integers")
    )
