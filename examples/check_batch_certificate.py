"""Check what a batch of reports is worth: `python examples/check_batch_certificate.py FILE`.

`ldp explain SURVEY --shuffled N --certificate FILE` writes such a certificate. This program shares
no code with that one and needs nothing but Python. It works out anew, in whole numbers: the blanket,
from the integers of the randomizer; e^epsilon; and the bound of delta, which has to be the stated
one to 20 digits, and at most the stated delta. See docs/shuffle.md for the formulas.
Exits with 0 if all is so, 1 if something is not, 2 if the file cannot be used.
"""

import json
import sys
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import combinations
from math import floor, lcm, prod

F, ONE, ALONE = Fraction, 1 << 320, "epsilon_if_relay_and_collector_collude"
NAMES = "first", "second", "only_first", "only_second", "both", "covers"


def of_distance(e, gamma, distance):
    h = distance / (gamma * (e - 1))
    return e, e, h, h, (1 / gamma - 1) / (e - 1) - h


def of_rows(rows):
    rows = [[F(int(entry), sum(map(int, row))) for entry in row] for row in rows]
    columns = [column for column in zip(*rows) if any(column)]
    gamma = sum(map(min, columns))
    if len(rows) == len(columns) == 2:
        p, q = max(columns[0]), min(columns[0])
        return p / q, (1 - q) / (1 - p), q / gamma, (1 - p) / gamma, F(0)
    scale = lcm(*(entry.denominator for row in rows for entry in row))
    rows = [[int(entry * scale) for entry in row] for row in rows]
    far = max(sum(max(a - b, 0) for a, b in zip(*two)) for two in combinations(rows, 2))
    return of_distance(max(max(c) / min(c) for c in columns), gamma, F(far, scale))


def blanket_of(mechanism, n):
    """(E of the first answer, of the second, P(first only), P(second only), P(both))."""
    if "weights" in n:
        return of_rows(n["weights"])
    n = {name: int(number) for name, number in n.items()}
    if "if_true" in n and mechanism in ("sue", "oue", "the"):
        p, q = F(n["if_true"], 1 << n["word"]), F(n["if_other"], 1 << n["word"])
        return (p * (1 - q) / (q * (1 - p)),) * 2 + (q * (1 - q),) * 2 + (q * q,)
    e = F(n["truth"], n["other"])
    if mechanism in ("grr", "warner"):
        h, b = F(1, n["size"]), F(0)
    elif mechanism == "ss":
        d, w = n["size"], n["chosen"]
        h, b = F(w * (d - w), d * (d - 1)), F(w * (w - 1), d * (d - 1))
    elif mechanism == "pgr":
        v, k, shared = (
            (n["order"] ** (n["dimension"] - i) - 1) // (n["order"] - 1) for i in range(3)
        )
        h, b = F(k - shared, v), F(shared, v)
    elif mechanism == "hr":
        h = F(1, 4 if n["blocks"] == 1 else 2 * n["blocks"])
        b = h if n["blocks"] == 1 else F(0)
    elif mechanism in ("olh", "blh"):
        g, p = n["buckets"], n["modulus"]
        sizes = [-(-p * (j + 1) // g) - -(-p * j // g) for j in range(g)]
        c = F(sum(size * (size - 1) for size in sizes), p * (p - 1))
        h, b = (1 - c) / g, c / g
    else:
        raise KeyError(f"mechanism {mechanism}, which this program does not know")
    return e, e, h, h, b


def of_row(parts):
    """Reports that travel together: laws are multiplied."""
    if len(parts) == 1:
        return parts[0]
    corners = [(F(1), F(1), F(1))]
    for e, g, h, k, b in parts:
        four = (e, F(1), h), (F(1), g, k), (e, g, b), (F(1), F(1), 1 - h - k - b)
        corners = [(x * a, y * c, m * share) for x, y, m in corners for a, c, share in four]
    gamma = prod((1 / (1 + (e - 1) * (h + b)) for e, _, h, _, b in parts), start=F(1))
    far = sum(m * max(x - y, 0) for x, y, m in corners)
    return of_distance(prod((max(part[:2]) for part in parts), start=F(1)), gamma, gamma * far)


def law(n, p, reach):
    """P(Bin(n, p) = k) down to 2^-reach of its mode, and bounds of what lies at either end."""
    yes, whole = p.as_integer_ratio()
    no, mode, masses, ends = whole - yes, min(floor((n + 1) * p), n), {}, {1: 0, -1: 0}
    for step in (1, -1):
        k, mass = mode, ONE
        while 0 <= k <= n:
            masses[k] = mass
            up, down = ((n - k) * yes, (k + 1) * no) if step > 0 else (k * no, (n - k + 1) * yes)
            if mass < ONE >> reach and up < down:
                ends[step] = mass * up // (down - up)
                break
            k, mass = k + step, mass * up // max(down, 1)
    total = sum(masses.values())
    masses = {k: masses[k] * ONE // total for k in sorted(masses)}
    return masses, ends[-1] * ONE // total, ends[1] * ONE // total


def pieces(masses, below, beyond, many, rare):
    """2^-rare is cut off at either end, and the rest into pieces: (first, last, mass)."""
    keys = list(masses)
    while len(keys) > 1 and below + masses[keys[0]] < ONE >> rare:
        below += masses[keys.pop(0)]
    while len(keys) > 1 and beyond + masses[keys[-1]] < ONE >> rare:
        beyond += masses[keys.pop()]
    parts = [
        keys[at : at - (-len(keys) // many)] for at in range(0, len(keys), -(-len(keys) // many))
    ]
    return below, beyond, [(part[0], part[-1], sum(masses[k] for k in part)) for part in parts]


def delta_of(pair, m, t, many, up):
    """delta_m: every piece counts as its least member for an upper bound, else as its greatest."""
    e, g, h, k, b = pair
    exact = e - 1 + t * (g - 1), t * g - 1, t * g - e, t - 1
    scale, p = lcm(*(number.denominator for number in exact)), h / (h + k)
    alpha, second, both, neither = (int(number * scale) for number in exact)
    (yes, whole), walkers, rare, total = p.as_integer_ratio(), {}, 0, 0
    masses, *ends = law(m, h + k, 64)
    low, high, stretches = pieces(masses, *ends, many[0] if b else 1, 50)
    for first, last, _ in stretches:
        shares = [(0, ONE)]
        if b:
            inside, *under = law(m - (last if up else first), b / (1 - h - k), 56)
            below, beyond, parts = pieces(inside, *under, many[1] - 1, 24)
            shares = [(part[not up], part[2]) for part in parts]
        if b and up:
            rare, shares[-1] = max(rare, under[0]), (shares[-1][0], shares[-1][1] + beyond)
            shares = [(min(inside), below), *shares]
        for number, (u, share) in enumerate(shares):
            n, a, tail, at = walkers.get(number, (-9, 0, 0, 0))
            for s in range(max(first, 1), last + 1):
                lost = s * second + u * both + (m - s - u) * neither
                want = lost // alpha + 1
                if n != s - 2 or not at:
                    n, a, near = s - 1, want, law(s - 1, p, 300)[0]
                    tail, at = sum(near[x] for x in near if x >= a), near.get(a - 1, 0)
                else:
                    tail += at * yes // whole
                    n, at = s - 1, at * (s - 1) * (whole - yes) // ((s - a) * whole)
                for _ in range(a, want):
                    at = at * (n + 1 - a) * yes // (a * (whole - yes))
                    tail, a = tail - at, a + 1
                for _ in range(want, a):
                    tail, a = tail + at, a - 1
                    at = at * a * (whole - yes) // ((n + 1 - a) * yes)
                gain = (alpha * yes * s - lost * whole) * tail + (alpha * s - lost) * yes * at
                total += max(gain, 0) * masses[s] * share
            walkers[number] = n, a, tail, at
    outside = max(alpha - second, 0) * m * (low + high + rare) if up else 0
    gamma = 1 / (1 + (e - 1) * (h + b))
    return gamma * (F(total, whole * ONE**3) + F(outside, ONE)) / (m * scale)


def delta(pair, n, t, blocks, many, up):
    e, g, h, k, b = pair
    below, beyond, parts = pieces(*law(n - 1, 1 / (1 + (e - 1) * (h + b)), 64), blocks, 50)
    total = F(below if up else 0)
    for part in parts:
        mass = part[2] + (beyond if up and part is parts[-1] else 0)
        total += mass * delta_of(pair, part[not up] + 1, t, many, up)
    return total / ONE


def main(path):
    try:
        c = json.loads(open(path, encoding="utf-8").read())
        questions = [(q["mechanism"], q["integers"]) for q in c["questions"]]
        n, blocks, *many = (int(c[name]) for name in ("honest", "blocks", "stretches", "parts"))
        t, wanted, upper, lower = (F(c[name]) for name in ("t", "delta", "upper", "lower"))
        pair = of_row([blanket_of(*question) for question in questions])
        powers = [F(Context(400, ROUND_FLOOR).exp(Decimal(c[x]))) for x in ("epsilon", ALONE)]
        e, g, h, k, b = pair
        ratio, gamma = max(e, g), 1 / (1 + (e - 1) * (h + b))
        stated = [F(c["blanket"][name]) for name in NAMES]

        def bound(up):
            return max(delta(way, n, t, blocks, many, up) for way in {pair, (g, e, k, h, b)})

        proven = {
            "the honest reports": n == floor(int(c["reports"]) * (1 - F(c["colluding"]))),
            "the blanket": stated == [*pair, gamma],
            "e^epsilon": t == F(floor(powers[0] * 10**30), 10**30) and t >= 1,
            "epsilon of one message": ratio <= powers[1] < ratio * (1 + F(1, 10**5)),
            "the upper bound": abs(bound(True) - upper) <= upper / 10**20,
            "the lower bound": abs(bound(False) - lower) <= lower / 10**20,
            "delta": lower <= upper <= wanted < 1,
        }
    except (OSError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        print(f"cannot be used: {error!r}")
        return 2
    for claim, is_so in proven.items():
        print(f"{'worked out' if is_so else 'NOT SO'}: {claim}")
    return 0 if all(proven.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
