"""Formulas: `smokes ~ age + sex`, what is to be explained and by what.

    a + b     both
    a:b       their product: of categories, each combination
    a * b     both, and their product
    C(a)      the values of `a` as categories, though they are numbers
    I(a^2)    a power of the numbers `a`
    `a b`     a name with other signs than letters, digits, _ and .
    1         nothing: the mean alone

There is always an intercept. Whatever else R's formulas know is refused, with its
place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ldp.errors import EstimateError

_TOKEN = re.compile(
    r"\s*(?:(?P<name>`[^`]+`|[^\W\d][\w.]*)|(?P<one>1)|(?P<power>\^\s*\d)|(?P<sign>[~+:*()]))"
)
_SHOWN = 40


class Factor(NamedTuple):
    """A name in a term, whether its values are categories whatever they are, and their
    power.
    """

    name: str
    categories: bool
    power: int = 1

    @property
    def text(self) -> str:
        """Name of a coefficient."""
        if self.power == 1:
            return self.name
        return f"I({self.name}^{self.power})"


Term = tuple[Factor, ...]
"""The product of its factors."""


class Formula(NamedTuple):
    """A formula that has been read."""

    outcome: str
    terms: tuple[Term, ...]
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the predictors, each once."""
        return tuple(
            dict.fromkeys(factor.name for term in self.terms for factor in term)
        )


def formula_of(text: str) -> Formula:
    """A formula as it is written. Raises `EstimateError` that points at the place."""
    reader = _Reader(text)
    outcome = reader.name("the name of what is to be explained")
    reader.sign("~")
    terms: list[Term] = reader.summand()
    while reader.take("+"):
        terms += reader.summand()
    if reader.place < len(reader.tokens):
        raise reader.wrong("+, : or * or the end")
    for term in terms:
        names = [factor.name for factor in term]
        again = next((name for name in names if names.count(name) > 1), None)
        if again is not None:
            raise EstimateError(
                f"formula {text!r}: {again!r} stands twice in a product; write "
                f"I({again}^2) for its square"
            )
    unique: dict[Term, Term] = {}
    for term in terms:
        unique.setdefault(tuple(sorted(term)), term)
    chosen = tuple(sorted(unique.values(), key=len))
    if any(factor.name == outcome for term in chosen for factor in term):
        raise EstimateError(f"expected {outcome!r} on one side of ~, got it on both")
    return Formula(outcome, chosen, " ".join(text.split()))


def text_of(term: Term) -> str:
    """A term as it is written."""
    return ":".join(factor.text for factor in term)


class _Reader:
    """The signs of a formula, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.place = 0
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                start = position + len(text[position:]) - len(text[position:].lstrip())
                raise self._error(
                    "a name, ~, +, :, * or C()", text[start : start + 10], start
                )
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], match.start(kind)))
            position = match.end()

    def summand(self) -> list[Term]:
        """What stands between two plus signs: a product with all its parts, or
        without.
        """
        if self._kind() == "one":
            self.place += 1
            return []
        terms = [self._product()]
        while self.take("*"):
            other = self._product()
            terms += [other, *((*term, *other) for term in list(terms))]
        return terms

    def _product(self) -> Term:
        factors = [self._factor()]
        while self.take(":"):
            factors.append(self._factor())
        return tuple(factors)

    def _factor(self) -> Factor:
        name = self.name("a name")
        if name == "C" and self.take("("):
            inner = self.name("a name")
            self.sign(")")
            return Factor(inner, categories=True)
        if name == "I" and self.take("("):
            inner = self.name("a name")
            if self._kind() != "power":
                raise self.wrong("a power such as ^2")
            power = int(self.tokens[self.place][1][-1])
            self.place += 1
            self.sign(")")
            return Factor(inner, categories=False, power=power)
        return Factor(name, categories=False)

    def name(self, expected: str) -> str:
        """The name that comes next."""
        if self._kind() != "name":
            raise self.wrong(expected)
        token = self.tokens[self.place][1]
        self.place += 1
        return token.strip("`")

    def sign(self, sign: str) -> None:
        """The sign that has to come next."""
        if not self.take(sign):
            raise self.wrong(sign)

    def take(self, sign: str) -> bool:
        """Whether a sign comes next; then it is behind us."""
        there = self.place < len(self.tokens) and self.tokens[self.place][1] == sign
        self.place += there
        return there

    def wrong(self, expected: str) -> EstimateError:
        """What comes next is not what was expected."""
        if self.place < len(self.tokens):
            _, token, start = self.tokens[self.place]
            return self._error(expected, token, start)
        return self._error(expected, "its end", len(self.text))

    def _kind(self) -> str:
        if self.place < len(self.tokens):
            return self.tokens[self.place][0]
        return ""

    def _error(self, expected: str, token: str, start: int) -> EstimateError:
        shown = self.text[:_SHOWN] + ("..." if len(self.text) > _SHOWN else "")
        return EstimateError(
            f"formula {shown!r}, place {start + 1}: expected {expected}, got {token!r}"
        )
