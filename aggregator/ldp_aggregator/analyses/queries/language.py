"""The language of queries: its grammar, and where a text departs from it.

    share(mode in {bus, train}) - share(mode = car)
    share(mode = bus) / share(mode = car)
    share(trip.mode = bus given trip.sex = female)
    mean(hours), score(mode, car: 2, bus: 1), count(hours >= 40)
    median(hours), quantile(hours, .9)
    number(apps in {maps, mail})

A question is called by its name, a field of it by both (`trip.mode`). Values with
spaces or signs stand in double quotes. What is estimated may be added, subtracted, and
multiplied or divided by numbers; one sum divided by another is a ratio.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ldp.errors import EstimateError

if TYPE_CHECKING:
    from lark import Lark

LONGEST = 1000
"""Of a query, in characters."""
_SHOWN = 40
"""Characters of what came in place of what was expected."""

GRAMMAR = r"""
?start: sum

?sum: product
    | sum "+" product             -> plus
    | sum "-" product             -> minus

?product: factor
    | product "*" factor          -> times
    | product "/" factor          -> over

?factor: NUMBER                   -> number
    | "-" factor                  -> negative
    | "(" sum ")"
    | "share" "(" all [given] ")" -> share
    | "count" "(" all ")"         -> count
    | _HELD "(" test ")"          -> held
    | "mean" "(" subject ")"      -> mean
    | "median" "(" subject ")"    -> median
    | "quantile" "(" subject "," weight ")" -> quantile
    | "score" "(" subject ("," value ":" weight)+ ")" -> score

given: "given" all

all: test ("and" test)*

test: subject "=" value                       -> equal
    | subject UNEQUAL value                   -> unequal
    | subject "in" "{" value ("," value)* "}" -> among
    | subject "in" "[" weight "," weight ")"  -> within
    | subject COMPARISON weight               -> compared

subject: NAME ["." NAME]
weight: SIGNED
value: QUOTED | WORD

_HELD: "number"
UNEQUAL: "!="
COMPARISON: "<=" | ">=" | "<" | ">"
NUMBER: /\d+(\.\d*)?([eE][+-]?\d+)?%?|\.\d+%?/
SIGNED: /[+-]?(\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+)/
NAME: /[^\W\d][\w-]*/
WORD: /[^\s"{}()\[\],:=<>!]+/
QUOTED: /"[^"]*"/

%ignore /\s+/
"""

_WORDS = {
    "NUMBER": "a number",
    "SIGNED": "a number",
    "NAME": "the name of a question",
    "WORD": "a value",
    "QUOTED": 'a value in "quotes"',
    "COMPARISON": "<, <=, > or >=",
    "SHARE": "share(...)",
    "COUNT": "count(...)",
    "_HELD": "number(...)",
    "MEAN": "mean(...)",
    "MEDIAN": "median(...)",
    "QUANTILE": "quantile(...)",
    "SCORE": "score(...)",
    "LPAR": "(",
    "RPAR": ")",
    "LBRACE": "{",
    "RBRACE": "}",
    "LSQB": "[",
    "EQUAL": "=",
    "UNEQUAL": "!=",
    "COMMA": ",",
    "COLON": ":",
    "DOT": ".",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "SLASH": "/",
    "AND": "and",
    "IN": "in",
    "GIVEN": "given",
    "$END": "the end",
}
"""What the words of the grammar are called in messages."""

_parser: Lark | None = None


class QueryError(EstimateError):
    """A query that cannot be answered; the message points at the place."""


@dataclass(frozen=True)
class SyntaxNode:
    """A part of a query: what a rule of the grammar has found."""

    rule: str
    text: str
    """Of a word."""
    parts: tuple[Any, ...]
    """What it is made of; None for what may be left out, and is."""
    span: tuple[int, int]
    """From which character up to which it stands."""


def parse_query(text: str) -> SyntaxNode:
    """The whole of a query. Raises `QueryError`."""
    from lark.exceptions import UnexpectedInput  # slow to import

    if len(text) > LONGEST:
        raise QueryError(
            f"expected a query of at most {LONGEST:,} characters, got {len(text):,}"
        )
    try:
        return _part(_grammar().parse(text))
    except UnexpectedInput as error:
        ended = getattr(getattr(error, "token", None), "type", "") == "$END"
        start = len(text.rstrip()) if ended else _place(error)
        came = _came(text[start:])
        problem = (
            f"expected {_expectation(error)}, got "
            f"{repr(came) if came else _WORDS['$END']}"
        )
        raise error_at(text, problem, (start, start + max(len(came), 1))) from None


def error_at(text: str, problem: str, span: tuple[int, int]) -> QueryError:
    """An error that shows a text, and the place in it from one character up to
    another.
    """
    start, end = span
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start:].partition("\n")[0]
    signs = "^" * max(min(end, line_start + len(line)) - start, 1)
    colon = "" if problem.endswith("?") else ":"
    return QueryError(
        f"{problem}{colon}\n  {line}\n  {' ' * (start - line_start)}{signs}"
    )


def _place(error: Any) -> int:
    return int(error.pos_in_stream or 0)


def _part(tree: Any) -> SyntaxNode:
    children = getattr(tree, "children", None)
    if children is None:
        return SyntaxNode(tree.type, str(tree), (), span=(tree.start_pos, tree.end_pos))
    parts = tuple(None if child is None else _part(child) for child in children)
    return SyntaxNode(
        str(tree.data), "", parts, span=(tree.meta.start_pos, tree.meta.end_pos)
    )


def _grammar() -> Lark:
    global _parser
    if _parser is None:
        from lark import Lark  # slow to import

        _parser = Lark(
            GRAMMAR, parser="lalr", propagate_positions=True, maybe_placeholders=True
        )
    return _parser


def _came(rest: str) -> str:
    """The word, or the sign, that a text begins with; nothing at its end."""
    word = re.match(r'"[^"]*"?|[\w.-]+|\S', rest)
    if word:
        return word[0][:_SHOWN]
    return ""


def _expectation(error: Any) -> str:
    """Describe the possible next parts, in words."""
    names = (
        getattr(error, "accepts", None)
        or getattr(error, "allowed", None)
        or error.expected
    )
    words = sorted({_WORDS.get(name, name.lower()) for name in names})
    if len(words) < 2:
        return words[0] if words else "something else"
    return f"{', '.join(words[:-1])} or {words[-1]}"
