"""Statements of a source: which lines they take, and how they read whatever the
layout.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache


def normal_lines(source: str) -> list[str]:
    """A module's lines as `ast.unparse` writes them, a statement a line, without
    indentation.
    """
    return [line.strip() for line in ast.unparse(ast.parse(source)).splitlines()]


def first_difference(sound: str, changed: str, line: int) -> tuple[str, str]:
    """The first of the normal lines in which the statement at a line differs from what
    it becomes.

    As they are in the source where there is no other difference, or what comes is not
    Python.
    """
    before, after = sound.splitlines(), changed.splitlines()
    within = min(
        (statement for statement in _whole_statements(sound) if line in statement),
        key=len,
    )
    lines = slice(within.start - 1, within.stop - 1)
    of_changed = slice(lines.start, lines.stop + len(after) - len(before))
    try:
        pairs = [*zip(_normal(before[lines]), _normal(after[of_changed]), strict=False)]
    except SyntaxError:
        pairs = []
    pairs += [*zip(before[line - 1 :], after[line - 1 :], strict=False)]
    return next((one.strip(), other.strip()) for one, other in pairs if one != other)


def statement_lines(source: str, first: int, last: int) -> set[int]:
    """The lines of the innermost statements at some lines, without the statements in
    them.
    """
    return {line for at in range(first, last + 1) for line in _statement(source, at)}


def _normal(statement: list[str]) -> list[str]:
    """The lines of a statement, from any depth, as they are where nothing is around
    it.
    """
    text = "\n".join(statement)
    unindented = re.sub(r"^(\s*)elif\b", r"\1if", text)
    inner = ast.parse(f"if True:\n{unindented}" if text[:1].isspace() else unindented)
    return ast.unparse(inner).splitlines()


@lru_cache(maxsize=4)
def _whole_statements(source: str) -> list[range]:
    """All lines of each statement, with its decorators, and with the statements in
    it.
    """
    spans = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            spans.append(range(first, (node.end_lineno or first) + 1))
    return spans


@lru_cache(maxsize=1 << 14)
def _statement(source: str, line: int) -> range:
    span = range(line, line + 1)
    for lines in _statements(source):
        if line in lines and (len(span) == 1 or len(lines) < len(span)):
            span = lines
    return span


@lru_cache(maxsize=4)
def _statements(source: str) -> list[range]:
    """The lines of each statement, for one with others in it those before them."""
    ranges = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt | ast.excepthandler):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno
            ranges.append(range(node.lineno, max(end or 0, node.lineno) + 1))
    return ranges
