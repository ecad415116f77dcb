"""A query as a term: questions are looked up, and tests of their answers become weights
of values.

    share(test)             the weight 1 for every value that passes, else 0
    share(test given test)  a quotient: both, over the second
    count(test)             as many times the share as there are respondents
    number(test)            of sets and keys: how many values that pass a respondent
                            holds, on average, which is the sum of their shares
    mean(question)          its mean, as it is estimated by itself; of a field, the
                            numbers that its values are
    median(question)        the number that half of the answers lie at or below
    quantile(question, .9)  the same for any share
    score(question, ...)    the numbers that are given for them, 0 for all others

A question with fields is tested by each (`trip.mode = bus and trip.sex = female`), its
values being the cells of their table. Numbers that were asked for their distribution
are tested by ranges, of which those with mechanisms in cells have whole ones.

Where a respondent may hold several values (sets, keys, fields told in subsets, nodes of
a tree), a sum of shares is no share: a test of these is of one value, and no report
tells who holds two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.queries.language import SyntaxNode, error_at, parse_query
from ldp_aggregator.analyses.queries.subjects import Subject
from ldp_aggregator.analyses.queries.terms import (
    Key,
    Linear,
    Located,
    Quotient,
    Term,
    Weights,
    over,
    plus,
    scale_term,
    times,
    weights_of,
)
from ldp_aggregator.numerics.arrays import Flags

MOST = 1e12
"""Of a number in a query: beyond, sums of shares have no digits left."""

Subjects = Callable[[str], Subject]
"""The question of a name. Raises `UnknownNameError`, `EstimateError`."""


def read(text: str, subjects: Subjects) -> Term | Located:
    """The term of a query. Raises `QueryError`, which points at the place."""
    return _Reader(text, subjects).term(parse_query(text))


class _Reader:
    """Reader of the parts of one text."""

    def __init__(self, text: str, subjects: Subjects) -> None:
        self._text = text
        self._subjects = subjects

    def term(self, tree: SyntaxNode) -> Term | Located:
        """Any part with a value; a rule of the grammar has a method of its name."""
        rule = tree.rule
        if rule in _OPERATIONS:
            left, right = (self._summand(child) for child in tree.parts)
            answer: Term = self._pointing(tree, _OPERATIONS[rule], left, right)
            return answer
        read: Callable[[SyntaxNode], Term | Located] = getattr(self, f"_{rule}")
        return read(tree)

    def _summand(self, tree: SyntaxNode) -> Term:
        term = self.term(tree)
        if isinstance(term, Located):
            raise error_at(
                self._text,
                "expected a quantile by itself, got a sum or a multiple with one (`ldp "
                "analyze compare` compares those of groups and tallies)",
                tree.span,
            )
        return term

    def _number(self, tree: SyntaxNode) -> Term:
        number = self._finite(tree)
        return Linear(number / 100 if tree.parts[0].text.endswith("%") else number)

    def _finite(self, tree: SyntaxNode) -> float:
        """The number that a part is. Raises `QueryError` for one that is too large."""
        text = tree.parts[0].text
        number = float(text.removesuffix("%"))
        if abs(number) > MOST:
            raise error_at(
                self._text, f"expected a number up to {MOST:g}, got {text}", tree.span
            )
        return number

    def _negative(self, tree: SyntaxNode) -> Term:
        return scale_term(self._summand(tree.parts[0]), -1)

    def _share(self, tree: SyntaxNode) -> Term:
        tests, given = tree.parts
        subject, passing = self._all(tests)
        if given is None:
            return _of(subject, passing)
        if subject.overlap:
            raise error_at(
                self._text,
                "expected no condition, as no report tells who holds two values of "
                f"question {subject.name!r}",
                given.span,
            )
        among, condition = self._all(given.parts[0])
        if among.name != subject.name:
            raise error_at(
                self._text,
                f"expected a condition on question {subject.name!r}, whose fields one "
                f"report tells together, got one on {among.name!r}",
                given.span,
            )
        return Quotient(_of(subject, passing & condition), _of(among, condition))

    def _count(self, tree: SyntaxNode) -> Term:
        subject, passing = self._all(tree.parts[0])
        return scale_term(_of(subject, passing), subject.respondents)

    def _held(self, tree: SyntaxNode) -> Term:
        subject, passing = self._test(tree.parts[0])
        if subject.question.domain.most is None:
            raise error_at(
                self._text,
                "expected a question of type multi or key-value, got "
                f"{subject.name!r}; of others there is share(...)",
                tree.span,
            )
        return _of(subject, passing)

    def _mean(self, tree: SyntaxNode) -> Term:
        subject, field = self._subject(tree.parts[0])
        if not field:
            self._pointing(tree, lambda: subject.mean)
            return Linear(
                0.0, {Key(subject.name, is_mean=True): weights_of(np.ones(1))}
            )
        numbers = self._pointing(tree.parts[0], subject.numbers, field)
        return Linear(0.0, {Key(subject.name): weights_of(numbers)})

    def _median(self, tree: SyntaxNode) -> Located:
        return self._located(tree, 0.5)

    def _quantile(self, tree: SyntaxNode) -> Located:
        return self._located(tree, self._finite(tree.parts[1]))

    def _located(self, tree: SyntaxNode, share: float) -> Located:
        subject, field = self._subject(tree.parts[0])
        if field:
            raise error_at(
                self._text,
                "expected a question, got a field of one, which has no quantiles",
                tree.span,
            )
        self._pointing(tree, subject.quantile, share)
        return Located(subject.name, share)

    def _score(self, tree: SyntaxNode) -> Term:
        subject, field = self._subject(tree.parts[0])
        weights = np.zeros(self._pointing(tree, lambda: subject.size))
        given = np.zeros(len(weights), dtype=bool)
        for value, weight in zip(tree.parts[1::2], tree.parts[2::2], strict=True):
            passing = self._pointing(value, subject.among, field, [_value(value)])
            if (passing & given).any():
                problem = (
                    f"expected a number for each value once, got {_value(value)!r} "
                    "again"
                )
                raise error_at(self._text, problem, value.span)
            given |= passing
            weights = np.where(passing, self._finite(weight), weights)
        return Linear(0.0, {Key(subject.name): weights_of(weights)})

    def _all(self, tree: SyntaxNode) -> tuple[Subject, Flags]:
        """The question that tests are of, and which of its values pass all of them."""
        first, *others = (self._test(test) for test in tree.parts)
        subject, passing = first
        for place, (other, flags) in enumerate(others, 1):
            if other.name != subject.name:
                raise error_at(
                    self._text,
                    f"expected tests of one question, got {subject.name!r} and "
                    f"{other.name!r}: no report tells who holds both",
                    tree.parts[place].span,
                )
            passing = passing & flags
        if subject.overlap and not (len(tree.parts) == 1 and _is_of_one(tree.parts[0])):
            instead = (
                "number(...) tells how many of several a respondent holds, on average"
            )
            if subject.question.domain.most is None:
                instead = "score(...) adds up shares"
            raise error_at(
                self._text,
                f"expected a test of a single value, such as {subject.name} = value, "
                "as one respondent may hold several: a sum of shares is no share, and "
                f"{instead}",
                tree.span,
            )
        return subject, passing

    def _test(self, tree: SyntaxNode) -> tuple[Subject, Flags]:
        subject, field = self._subject(tree.parts[0])
        size = self._pointing(tree, lambda: subject.size)
        rule, rest = tree.rule, tree.parts[1:]
        if rule == "within":
            low, high = (end.parts[0].text for end in rest)
            return subject, self._pointing(tree, subject.within, field, low, high)
        if rule == "compared":
            sign, end = rest[0].text, rest[1].parts[0].text
            return subject, self._pointing(tree, subject.compare, field, sign, end)
        passing = np.zeros(size, dtype=bool)
        for value in rest[1:] if rule == "unequal" else rest:
            passing |= self._pointing(value, subject.among, field, [_value(value)])
        return subject, ~passing if rule == "unequal" else passing

    def _subject(self, tree: SyntaxNode) -> tuple[Subject, str]:
        name, field = tree.parts
        subject = self._pointing(tree, self._subjects, name.text)
        if field is None:
            return subject, ""
        self._pointing(field, subject.field, field.text)
        return subject, field.text

    def _pointing(
        self, tree: SyntaxNode, ask: Callable[..., Any], *arguments: Any
    ) -> Any:
        """What a function returns; what it raises points at this part of the text."""
        try:
            return ask(*arguments)
        except (EstimateError, UnknownNameError) as error:
            raise error_at(self._text, str(error), tree.span) from None


def _minus(left: Term, right: Term) -> Term:
    return plus(left, scale_term(right, -1))


_OPERATIONS: Mapping[str, Callable[[Term, Term], Term]] = {
    "plus": plus,
    "minus": _minus,
    "times": times,
    "over": over,
}


def _is_of_one(test: SyntaxNode) -> bool:
    """Whether a test is of a single value, or of those of one field, which exclude one
    another.
    """
    subject, *values = test.parts
    return test.rule in ("equal", "among") and (
        len(values) == 1 or subject.parts[1] is not None
    )


def _value(tree: SyntaxNode) -> str:
    text: str = tree.parts[0].text
    if text.startswith('"'):
        return text[1:-1]
    return text


def _of(subject: Subject, passing: Flags) -> Linear:
    places = np.flatnonzero(passing)
    return Linear(0.0, {Key(subject.name): Weights(places, np.ones(len(places)))})
