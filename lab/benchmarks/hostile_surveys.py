"""Survey files that cost as much as a file of up to a mebibyte can, by kind of attack.

They are hostile, or only clumsy.

Each is a function without arguments that gives a text of at most `LARGEST` bytes,
filled up as far as its idea carries. They are read by `lab.benchmarks.surveys`, which
times them, and by the tests, which count what reading them does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

LARGEST = 1 << 20
MOST_QUESTIONS = 1000

HEAD = '[survey]\nname = "s"\n'
_SEED = 11


def filled(
    head: str, piece: Callable[[int], str], tail: str = "", most: int = LARGEST
) -> str:
    """As many pieces between head and tail as go into a file."""
    pieces = [head]
    room = LARGEST - len((head + tail).encode())
    for number in range(most):
        text = piece(number)
        room -= len(text.encode())
        if room < 0:
            break
        pieces.append(text)
    return "".join([*pieces, tail])


def asked(keys: str, most: int = MOST_QUESTIONS) -> str:
    """A survey of as many questions as there may be.

    `{}` in their keys is a question's number, from 1.
    """
    return filled(
        HEAD,
        lambda at: (
            f'[[question]]\nname = "q{at}"\n' + keys.replace("{}", str(at + 1)) + "\n"
        ),
        "",
        most=most,
    )


def one(keys: str) -> str:
    """A survey of one question."""
    return f'{HEAD}[[question]]\nname = "q"\n{keys}\n'


def listed(values: Iterable[str]) -> str:
    """A list of texts."""
    return "[" + ",".join(f'"{value}"' for value in values) + "]"


def short_values(count: int) -> list[str]:
    """Different texts, as short as they come."""
    signs = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
    return [
        signs[at & 63] + signs[at >> 6 & 63] + signs[at >> 12] for at in range(count)
    ]


def numbers_of_digits(digits: int) -> Callable[[], str]:
    """Different numbers below 1 of n digits, the same ones every time."""
    generator = random.Random(_SEED)
    return lambda: f"{generator.randrange(10 ** (digits - 1), 10**digits)}"


def _table(rows: int, columns: int, entry: Callable[[], str]) -> str:
    return (
        "["
        + ",".join(
            "[" + ",".join(entry() for _ in range(columns)) + "]" for _ in range(rows)
        )
        + "]"
    )


_fifteen = numbers_of_digits(15)


def _long_numbers() -> str:
    return f"0.{_fifteen()}"


def _fractions() -> str:
    """A matrix whose rows sum to 1, of 30-digit fractions that have no denominator in
    common.
    """
    digits = numbers_of_digits(29)
    rows = []
    for _ in range(64):
        entries = [f'"{digits()}/9{digits()}"' for _ in range(64)]
        rows.append(f"[{','.join(entries)}]")
    return f"[{','.join(rows)}]"


def _dense(size: int, offset: int) -> str:
    """A proper matrix over a common denominator; only elimination tells it from a
    singular one.
    """
    generator = random.Random(offset)
    rows = []
    for _ in range(size):
        weights = [generator.randrange(50, 150) for _ in range(size)]
        weights[0] += 200 * size - sum(weights)
        rows.append(
            "[" + ",".join(f'"{weight}/{200 * size}"' for weight in weights) + "]"
        )
    return f"[{','.join(rows)}]"


def _of_values(count: int, mechanism: str, keys: str = "epsilon = 1") -> str:
    values = listed(short_values(count))
    return f'type = "category"\nvalues = {values}\nmechanism = "{mechanism}"\n{keys}'


def _multi(count: int, most: int, mechanism: str, keys: str = "epsilon = 1") -> str:
    values = listed(value for value in short_values(count))
    return (
        f'type = "multi"\nmost = {most}\nvalues = {values}\nmechanism = '
        f'"{mechanism}"\n{keys}'
    )


_RAPPOR = (
    'type = "text"\nmechanism = "rappor"\nbloom_bits = 65536\nhashes = 16\ncohorts = '
    "65536\n"
    f'p = "0.{"3" * 27}{{}}"\nq = "0.{"7" * 27}{{}}"\nf = "0.{"1" * 27}{{}}"'
)


def _rappors_of_long_fractions() -> str:
    """As many different ones as there may be, of numbers that have no denominator in
    common.
    """
    digits = numbers_of_digits(28)

    def question(at: int) -> str:
        numbers = "\n".join(
            f'{key} = "{first}{digits()}/9{digits()}9"'
            for key, first in (("p", 1), ("q", 8), ("f", 3))
        )
        return f'[[question]]\nname = "q{at}"\n{_RAPPOR.partition("p =")[0]}{numbers}\n'

    return filled(HEAD, question, most=MOST_QUESTIONS)


_MATRIX_64 = (
    f'type = "category"\nvalues = {listed(short_values(64))}\nmechanism = '
    '"matrix"\nmatrix = '
)
_QUALITY_64 = (
    f'type = "category"\nvalues = {listed(short_values(64))}\n'
    'mechanism = "exponential"\nepsilon = 1\nquality = '
)
_YES_NO = 'type = "boolean"\nmechanism = '
_SMALL = f'{_YES_NO}"grr"\nepsilon = 1'
_WIDE = 'type = "integer"\nlow = {}\nhigh = 6{}535\n'

_TABLE_OF_BINS = (
    'type = "table"\nmechanism = "grr"\nepsilon = "1.00{}"\n'
    '[[question.field]]\nname = "a"\ntype = "number"\nlow = 0\nhigh = 1\nbins = 65536\n'
    '[[question.field]]\nname = "b"\ntype = "boolean"'
)
_MAP = (
    'type = "place"\ncells = 64\nmechanism = "stripes"\nepsilon = "1.00{}"\n'
    "x.low = 0\nx.high = 1\ny.low = 0\ny.high = 1"
)

SYNTAX: dict[str, Callable[[], str]] = {
    "one name of a million characters": lambda: one(f"x{'x' * (LARGEST - 100)} = 1"),
    "one text of a million characters": lambda: one(
        f'text = "{"x" * (LARGEST - 100)}"'
    ),
    "a text of escapes": lambda: filled(f'{HEAD}x = "', lambda _: "\\n", '"'),
    "a text of long escapes": lambda: filled(
        f'{HEAD}x = """', lambda _: "\\\n ", '"""'
    ),
    "a text that does not end": lambda: filled(f'{HEAD}x = "', lambda _: '\\"'),
    "a long text that does not end": lambda: filled(f'{HEAD}x = """', lambda _: 'a"'),
    "many texts that do not end": lambda: filled(HEAD, lambda _: '"x\n'),
    "quotes": lambda: filled(HEAD + "x = ", lambda _: "'"),
    "a dotted key": lambda: filled("a", lambda _: ".a", " = 1"),
    "a dotted key of texts": lambda: filled('""', lambda _: '.""', " = 1"),
    "a dotted header": lambda: filled("[a", lambda _: ".a", "]"),
    "a long header above many keys": lambda: filled(
        f"[a{'.a' * 3000}]\n", lambda at: f"b{at}=[]\n"
    ),
    "headers, each within the last": lambda: filled(
        "", lambda at: f"[{'.'.join('a' * (at + 1))}]\n", most=1400
    ),
    "dotted keys of four parts": lambda: filled("", lambda at: f"a{at}.b.c.d=[]\n"),
    "dotted keys of two parts": lambda: filled("", lambda at: f"a{at}.b=[]\n"),
    "headers": lambda: filled("", lambda at: f"[a{at}]\n"),
    "tables of a list": lambda: filled("", lambda _: "[[a]]\n"),
    "tables of lists": lambda: filled("", lambda at: f"[[a{at}]]\n"),
    "keys": lambda: filled("", lambda at: f"a{at}=1\n"),
    "keys of lists": lambda: filled("", lambda at: f"a{at}=[]\n"),
    "nested lists": lambda: "a = " + "[" * (LARGEST // 2) + "]" * (LARGEST // 2 - 4),
    "lists that do not end": lambda: "a = " + "[" * (LARGEST - 4),
    "nested tables": lambda: filled("a=", lambda _: "{a="),
    "lists": lambda: filled("a=[", lambda _: "[],", "]"),
    "inline tables": lambda: filled("a=[", lambda _: "{},", "]"),
    "inline tables with keys": lambda: filled("a=[", lambda _: "{a=1},", "]"),
    "one inline table": lambda: filled("a={", lambda at: f"a{at}=1,", "b=1}"),
    "numbers": lambda: filled("a=[", lambda _: "1,", "]"),
    "fractions": lambda: filled("a=[", lambda _: ".1,".replace(".", "0."), "]"),
    "times": lambda: filled("a=[", lambda _: "1979-05-27T07:32:00.999999Z,", "]"),
    "truths": lambda: filled("a=[", lambda _: "true,", "]"),
    "a number of a million digits": lambda: f"a = {'1' * (LARGEST - 10)}",
    "a fraction of a million digits": lambda: f"a = 0.{'1' * (LARGEST - 10)}",
    "an exponent of a million digits": lambda: f"a = 1e{'1' * (LARGEST - 10)}",
    "a hexadecimal number": lambda: one(f"epsilon = 0x{'f' * (LARGEST - 100)}"),
    "a number with underscores": lambda: filled("a = 1", lambda _: "_1"),
    "comments": lambda: filled("", lambda _: "#\n"),
    "one comment": lambda: "#" * LARGEST,
    "blank lines": lambda: "\n" * LARGEST,
    "blanks": lambda: f"a = 1{' ' * (LARGEST - 5)}",
    "carriage returns": lambda: "\r\n" * (LARGEST // 2),
    "NUL": lambda: "\0" * LARGEST,
    "lists of blank lines": lambda: f"a = [{chr(10) * (LARGEST - 10)}]",
    "commas": lambda: "a = [" + "," * (LARGEST - 5),
    "equals signs": lambda: "a " + "=" * (LARGEST - 2),
    "dots": lambda: "a" + "." * (LARGEST - 1),
    "closing brackets": lambda: "]" * (LARGEST // 2) + "[" * (LARGEST // 2),
    "wide characters": lambda: filled(HEAD + 'x = "', lambda _: "\U0001f600", '"'),
}
"""What is costly to read as TOML, whatever it says."""

KEYS: dict[str, Callable[[], str]] = {
    "unknown keys": lambda: filled(one(_SMALL), lambda at: f"a{at} = 1\n", most=8000),
    "unknown long keys": lambda: filled(
        one(_SMALL), lambda at: f"{'epsilon_lifetim' * 30}{at} = 1\n"
    ),
    "unknown keys at the top": lambda: (
        filled("", lambda at: f"b{at} = 1\n", most=8000) + one(_SMALL)
    ),
    "unknown keys of every question": lambda: asked(
        _SMALL + "\n" + "\n".join(f"epsilo{at} = 1" for at in range(60))
    ),
    "unknown keys that are texts": lambda: filled(
        one(_SMALL), lambda at: f'"\\u001b[{at}m\\u0000\\ud7ff" = 1\n'
    ),
    "names that are all the same": lambda: asked(_SMALL).replace(
        'name = "q', 'name = "q" #'
    ),
    "questions of blanks": lambda: filled(HEAD, lambda _: "[[question]]\n"),
    "questions with every mistake": lambda: asked(
        f'name = "{"?" * 300}"\n'.replace("name", "text")
        + 'type = "x"\nmechanism = "y"\nepsilon = "z"\nprofile = "w"'
    ),
    "questions of long mistakes": lambda: asked(
        f'type = "{"x" * 400}"\nmechanism = "{"y" * 400}"'
    ),
    "a list of mistakes": lambda: filled(one("type = ["), lambda _: '"x",', "]"),
    "joint names": lambda: filled(f"{HEAD}joint = [", lambda at: f'"n{at}",', "]\n"),
    "joint groups": lambda: filled(
        f"{HEAD}joint = [", lambda at: f'["n{at}","m{at}"],', "]\n"
    ),
    "joint groups of questions": lambda: (
        f"{HEAD}joint = ["
        + '["q0","q1"],' * 80_000
        + "]\n"
        + asked(_SMALL, 500)[len(HEAD) :]
    ),
    "joint groups of wide questions": lambda: (
        f"{HEAD}joint = ["
        + ",".join(f'["q{at}","q{at + 1}","q{at + 2}"]' for at in range(0, 996, 3))
        + "]\n"
        + asked(
            'type = "integer"\nlow = 0\nhigh = 200\nmechanism = "grr"\nepsilon = 1'
        )[len(HEAD) :]
    ),
}
"""What is costly to say."""

VALUES: dict[str, Callable[[], str]] = {
    "values, the last one twice": lambda: one(
        f'type = "category"\nvalues = {listed([*map(str, range(60_000)), "59999"])}\n'
        'mechanism = "grr"\nepsilon = 1'
    ),
    "as many values as there may be": lambda: one(_of_values(174_000, "grr")),
    "wide values": lambda: one(
        'type = "category"\nvalues = '
        f"{listed(chr(0x10000 + at) for at in range(140_000))}\n"
        'mechanism = "grr"\nepsilon = 1'
    ),
    "values, one of them a lone half": lambda: one(
        _of_values(170_000, "grr").replace('"aaa"', '"\\ud800"')
    ),
    "values, one of them too long": lambda: one(
        f'type = "category"\nvalues = {listed([*short_values(150_000), "v" * 1001])}\n'
        'mechanism = "grr"\nepsilon = 1'
    ),
    "values, one of them empty": lambda: one(
        _of_values(170_000, "grr").replace('"aaa"', '""')
    ),
    "long values": lambda: one(
        f'type = "category"\nvalues = {listed(f"{at:01000}" for at in range(1000))}\n'
        'mechanism = "grr"\nepsilon = 1'
    ),
    "values of a set": lambda: one(_multi(170_000, 85_000, "auto")),
    "values with separators": lambda: one(
        _multi(170_000, 5, "auto").replace('"zzz"', '"|"')
    ),
    "values for auto": lambda: one(_of_values(170_000, "auto")),
    "a thousand wide ranges": lambda: asked(
        'type = "integer"\nlow = {}\nhigh = 65000\nmechanism = "grr"\nepsilon = 1'
    ),
    "a thousand noisy ranges": lambda: asked(
        'type = "integer"\nlow = {}\nhigh = 65000\nmechanism = "geometric"\nepsilon = '
        '"0.000{}"'
    ),
    "a thousand ranges of laplace": lambda: asked(
        'type = "integer"\nlow = {}\nhigh = 16000\nmechanism = "laplace"\nepsilon = '
        '"0.000{}"'
    ),
    "a thousand narrow ranges": lambda: asked(
        'type = "integer"\nlow = {}\nhigh = 1100\nmechanism = "auto"\nepsilon = '
        '"1.000{}"'
    ),
    **{
        f"bins of {mechanism}": lambda mechanism=mechanism: asked(
            'type = "number"\nlow = 0\nhigh = "1/3"\nbins = 65536\nmechanism = '
            f'"{mechanism}"\n'
            'epsilon = "0.0001{}"',
            most=8,
        )
        for mechanism in ("grr", "tree")
    },
    "a thousand questions of many bins": lambda: asked(
        'type = "number"\nlow = 0\nhigh = 1\nbins = 65536\nmechanism = "tree"\nepsilon '
        '= "0.0001{}"'
    ),
    "bins of arcs": lambda: asked(
        (
            'type = "number"\nlow = 0\nhigh = 1\nbins = 4096\nmechanism = '
            '"arcs"\nepsilon '
            '= "1.00{}"'
        ),
        most=128,
    ),
    "bins of fields": lambda: asked(_TABLE_OF_BINS),
    "ranges of fields": lambda: asked(
        _TABLE_OF_BINS.replace("bins = 65536", "")
        .replace("high = 1", "high = 65535")
        .replace('"number"', '"integer"')
    ),
    "maps": lambda: asked(_MAP.replace("stripes", "pyramid"), most=32),
    "maps of stripes": lambda: asked(_MAP, most=32),
    "a thousand maps": lambda: asked(_MAP),
    "ranges without a mechanism": lambda: asked(
        'type = "integer"\nlow = {}\nhigh = 65000'
    ),
    "a range at the end": lambda: one(
        'type = "integer"\nlow = -999999999999999\nhigh = 999999999999999'
    ),
}
"""What is costly to hold."""


def _thousand(size: int, mechanism: str, keys: str) -> Callable[[], str]:
    return lambda: asked(_of_values(size, mechanism, keys))


def _thousand_sets(
    size: int, most: int, mechanism: str, keys: str
) -> Callable[[], str]:
    return lambda: asked(_multi(size, most, mechanism, keys=keys))


_CLOSED = (
    "grr",
    "ss",
    "pgr",
    "sue",
    "oue",
    "the",
    "she",
    "hr",
    "olh",
    "blh",
    "cms",
    "hcms",
    "auto",
)
_LASTING = ("l-grr", "l-sue", "l-osue", "loloha")
_SETS = ("auto", "set-unary", "pad-grr", "pad-ss", "pad-pgr", "pad-hr")
_EPSILONS = {"small": '"0.000{}"', "eight": '"8.000{}"', "large": '"39.{}"'}

DESIGNS: dict[str, Callable[[], str]] = {
    **{
        f"{mechanism}, {size} values, epsilon {name}": _thousand(
            size, mechanism, f"epsilon = {epsilon}"
        )
        for mechanism in _CLOSED
        for name, epsilon in _EPSILONS.items()
        for size in ((2, 100) if mechanism == "auto" else (100,))
    },
    **{
        f"{mechanism}, 64 values, {name}": _thousand(
            64, mechanism, f'epsilon_first = {epsilon}\nepsilon_lifetime = "39.9"'
        )
        for mechanism in _LASTING
        for name, epsilon in _EPSILONS.items()
        if name != "large"
    },
    **{
        f"{mechanism}, {most} of {size} values, epsilon {name}": _thousand_sets(
            size, most, mechanism, keys=f"epsilon = {epsilon}"
        )
        for mechanism in _SETS
        for name, epsilon in _EPSILONS.items()
        for size, most in ((100, 50), (100, 100))
    },
    "auto, 160 values": _thousand(
        160, "auto", 'epsilon = "5.1234567890123456789012345{}"'
    ),
    "auto, 50 of 160 values": _thousand_sets(
        160, 50, "auto", keys='epsilon = "5.1234567890123456789012345{}"'
    ),
    "dbitflip": _thousand(100, "dbitflip", 'sampled = 50\nepsilon = "1.000{}"'),
    "rappor": lambda: asked(_RAPPOR),
    "rappor, almost no noise": lambda: asked(
        _RAPPOR.replace("0.333", "0.000000000000000000000000").replace(
            "0.777", "0.999999999999999999999999"
        )
    ),
    "rappor, long fractions": _rappors_of_long_fractions,
    "profiles": lambda: asked('type = "text"\nprofile = "chromium-sparse"'),
    "heavy-hitters": lambda: asked(
        'type = "text"\nmechanism = "heavy-hitters"\nlongest = 64\nepsilon = "1.000{}"'
    ),
    "heavy-hitters, large epsilons": lambda: asked(
        'type = "text"\nmechanism = "heavy-hitters"\nlongest = 64\nepsilon = "39.{}"'
    ),
    "heavy-hitters, few cells": lambda: asked(
        'type = "text"\nmechanism = "heavy-hitters"\nlongest = 64\n'
        'cells = {}\nheld_out = 256\nepsilon = "0.000{}"'
    ),
    "warner": lambda: asked(
        f'{_YES_NO}"warner"\ntruth = "0.7000000000000000000000000{{}}"'
    ),
    "warner, by its epsilon": lambda: asked(
        f'{_YES_NO}"warner"\nepsilon = "0.7000000000000000000000000{{}}"'
    ),
    "unrelated": lambda: asked(
        f'{_YES_NO}"unrelated"\ntruth = "1/{"7" * 26}{{}}"\nprevalence = '
        f'"1/{"3" * 26}{{}}"'
    ),
    "a matrix of long fractions": lambda: one(_MATRIX_64 + _fractions()),
    "matrices of long fractions": lambda: asked(_MATRIX_64 + _fractions()),
    "two by two of long fractions": lambda: asked(
        f'{_YES_NO}"matrix"\n'
        f'matrix = [["{"1" * 26}{{}}/{"7" * 26}{{}}","0.5"],["1/{"3" * 26}{{}}","0.5"]]'
    ),
    "a dense matrix": lambda: one(_MATRIX_64 + _dense(64, 0)),
    "dense matrices": lambda: asked(_MATRIX_64 + _dense(64, 0)),
    "small dense matrices": lambda: asked(
        f'type = "category"\nvalues = {listed(short_values(8))}\n'
        f'mechanism = "matrix"\nmatrix = {_dense(8, 0)}'
    ),
    "a large quality": lambda: one(_QUALITY_64 + _table(64, 256, numbers_of_digits(2))),
    "a large quality of long numbers": lambda: one(
        _QUALITY_64 + _table(64, 256, _long_numbers)
    ),
    "qualities": lambda: asked(_QUALITY_64 + _table(64, 256, numbers_of_digits(2))),
    "a thousand small qualities": lambda: asked(
        f'type = "category"\nvalues = {listed(short_values(8))}\n'
        'mechanism = "exponential"\nepsilon = "1.000{}"\n'
        f"quality = {_table(8, 16, numbers_of_digits(3))}"
    ),
    "a thousand qualities of two": lambda: asked(
        f'{_YES_NO}"exponential"\nepsilon = "1.000{{}}"\n'
        f"quality = {_table(2, 256, numbers_of_digits(1))}"
    ),
}
"""What is costly to work out."""

ATTACKS: dict[str, Callable[[], str]] = {**SYNTAX, **KEYS, **VALUES, **DESIGNS}
