"""Check what a batch of reports is worth: `python check_batch_certificate.py FILE
[SURVEY]`.

`ldp explain SURVEY --shuffled N --certificate FILE` writes such a certificate. This
program shares no code with that one and needs nothing but Python. It works out anew, in
whole numbers, the blanket that the randomizers' integers give
(`mechanism_blankets.py`), e^epsilon, and the bounds of delta, to 12 digits; the upper
one may be no more than what is claimed. docs/shuffle.md has the formulas. SURVEY is the
survey's own certificate (`ldp explain --certificate`, which `check_certificate.py`
checks): with it, names, fingerprints and integers have to be those of what the survey
asks. It exits with 0 if all is so, 1 if something is not, 2 if the file cannot be used.
"""

import sys
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction as F  # noqa: N817
from math import floor, lcm, prod
from pathlib import Path

from certificate_reading import ALONE, read, read_batch
from mechanism_blankets import blanket_of, is_asked, of_row

ONE, NONE, FEW = 1 << 320, 10**15 + 37, 10**7 + 19
UNUSABLE = OSError, LookupError, TypeError, ValueError, ArithmeticError, RecursionError


def law(n, p, reach):
    """P(Bin(n, p) = k) down to 2^-reach of its mode, and bounds of what lies at either
    end.
    """
    yes, whole = p.as_integer_ratio()
    no, mode, masses, ends = whole - yes, min(floor((n + 1) * p), n), {}, {1: 0, -1: 0}
    for step in (1, -1):
        k, mass = mode, ONE
        while 0 <= k <= n:
            masses[k] = mass
            up, down = (
                ((n - k) * yes, (k + 1) * no)
                if step > 0
                else (k * no, (n - k + 1) * yes)
            )
            if mass < ONE >> reach and up < down:
                ends[step] = mass * up // (down - up)
                break
            k, mass = k + step, mass * up // max(down, 1)
    total = sum(masses.values())
    masses = {k: masses[k] * ONE // total for k in sorted(masses)}
    return masses, ends[-1] * ONE // total, ends[1] * ONE // total


def pieces(masses, ends, many, rare):
    """One in `rare` is cut off at either end, and the rest into pieces: (first, last,
    mass).
    """
    keys, (below, beyond) = list(masses), ends
    while len(keys) > 1 and below + masses[keys[0]] < ONE // rare:
        below += masses[keys.pop(0)]
    while len(keys) > 1 and beyond + masses[keys[-1]] < ONE // rare:
        beyond += masses[keys.pop()]
    width = -(-len(keys) // many)
    parts = (keys[at : at + width] for at in range(0, len(keys), width))
    return (
        below,
        beyond,
        [(part[0], part[-1], sum(masses[k] for k in part)) for part in parts],
    )


def delta_of(pair, m, t, many, up):
    """delta_m: every piece counts as its least member for an upper bound, else as its
    greatest.
    """
    e, g, h, k, b = pair
    exact = e - 1 + t * (g - 1), t * g - 1, t * g - e, t - 1
    scale, p = lcm(*(number.denominator for number in exact)), h / (h + k)
    alpha, second, both, neither = (int(number * scale) for number in exact)
    (yes, whole), walkers, rare, total = (
        p.as_integer_ratio(),
        dict[int, tuple[int, ...]](),
        0,
        0,
    )
    masses, *ends = law(m, h + k, 64)
    low, high, stretches = pieces(masses, ends, many[0] if b else 1, rare=NONE)
    for first, last, _ in stretches:
        shares = [(0, ONE)]
        if b:
            inside, *under = law(m - (last if up else first), b / (1 - h - k), 56)
            below, beyond, parts = pieces(inside, under, many[1] - 1, rare=FEW)
            shares = [(part[not up], part[2]) for part in parts]
        if b and up:
            rare = max(rare, under[0])
            shares[-1] = (shares[-1][0], shares[-1][1] + beyond)
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
                gain = (alpha * yes * s - lost * whole) * tail + (
                    alpha * s - lost
                ) * yes * at
                total += max(gain, 0) * masses[s] * share
            walkers[number] = n, a, tail, at
    outside = max(alpha - second, 0) * m * (low + high + rare) if up else 0
    gamma = 1 / (1 + (e - 1) * (h + b))
    return gamma * (F(total, whole * ONE**3) + F(outside, ONE)) / (m * scale)


def delta(pair, n, t, many, up):
    """The bound of delta: the mean of delta_m, each block of m counting as its least
    (greatest).
    """
    e, _, h, _, b = pair
    masses, *ends = law(n - 1, 1 / (1 + (e - 1) * (h + b)), 64)
    below, beyond, parts = pieces(masses, ends, many[0], rare=NONE)
    total = F(below if up else 0)
    for part in parts:
        mass = part[2] + (beyond if up and part is parts[-1] else 0)
        total += mass * delta_of(pair, part[not up] + 1, t, many=many[1:], up=up)
    return total / ONE


def main(path, survey=None):
    """Print what is so and what is not."""
    try:
        c = read_batch(Path(path).read_text(encoding="utf-8"))
        parts = [
            blanket_of(question["mechanism"], question["integers"])
            for question in c["questions"]
        ]
        n, all_n, *many = (
            int(c[x]) for x in ("honest", "reports", "blocks", "stretches", "parts")
        )
        t, wanted, upper, lower = (
            F(c[name]) for name in ("t", "delta", "upper", "lower")
        )
        power, alone = (
            F(Context(400, ROUND_FLOOR).exp(Decimal(c[x]))) for x in ("epsilon", ALONE)
        )
        e, g, h, k, b = pair = of_row(parts)
        ratio, ways = prod(max(part[:2]) for part in parts), {pair, (g, e, k, h, b)}
        above, under = (
            max(delta(way, n, t, many=many, up=up) for way in ways)
            for up in (True, False)
        )
        blanket = [*pair, 1 / (1 + (e - 1) * (h + b))]
        names = "+".join(question["name"] for question in c["questions"])
        proven = {
            "form": (c["format"], c["first_reports_only"], c["message"])
            == (1, False, names),
            "honest reports": all_n >= n == floor(all_n * (1 - F(c["colluding"]))),
            "effort": min(many) > 0,
            "blanket": [F(number) for number in c["blanket"].values()] == blanket,
            "e^epsilon": 1 <= t == F(floor(power * 10**30), 10**30),
            "epsilon of one message": ratio <= alone < ratio * (1 + F(1, 10**5)),
            "upper bound": abs(above - upper) <= above / 10**12,
            "lower bound": abs(under - lower) <= under / 10**12,
            "delta": lower <= upper <= wanted < 1,
        }
        if survey is not None:
            text = Path(survey).read_text(encoding="utf-8")
            proven["the survey's questions"] = is_asked(c, read(text))
    except UNUSABLE as error:
        print(f"cannot be used: {error!r}")
        return 2
    for claim, is_so in proven.items():
        print(f"{'worked out' if is_so else 'NOT SO'}: {claim}")
    return 0 if all(proven.values()) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
