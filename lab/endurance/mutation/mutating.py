"""The mutants of a module: its source with one change.

What changes is an operator, comparison, number, condition, loop or decorator.

cosmic-ray's operators say where a change is possible and what it is. Each is made on
one parsed tree and taken back, so that a thousand mutants take a second. Larger
mistakes, such as people make, are listed in `mistakes.toml`.

Neither goes by how the code is laid out: a mutant is known by a line of its statement
as `ast.unparse` writes it, and the text of a mistake may be broken into other lines.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from lab.endurance.mutation.statements import first_difference

MISTAKES = Path(__file__).with_name("mistakes.toml")

OPERATORS = (
    *(
        "AddNot",
        "ExceptionReplacer",
        "NumberReplacer",
        "RemoveDecorator",
        "ZeroIterationForLoop",
    ),
    *(
        "ReplaceAndWithOr",
        "ReplaceOrWithAnd",
        "ReplaceTrueWithFalse",
        "ReplaceFalseWithTrue",
    ),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *(
        "ReplaceUnaryOperator_Delete_Not",
        "ReplaceUnaryOperator_USub_UAdd",
        "ReplaceUnaryOperator_Delete_Invert",
    ),
    *(
        f"ReplaceBinaryOperator_{pair}"
        for pair in (
            *(
                "Add_Sub",
                "Sub_Add",
                "Mul_FloorDiv",
                "Div_Mul",
                "FloorDiv_Mul",
                "Mod_Mul",
                "Pow_Mul",
            ),
            *(
                "LShift_RShift",
                "RShift_LShift",
                "BitAnd_BitOr",
                "BitOr_BitAnd",
                "BitXor_BitOr",
            ),
        )
    ),
    *(
        f"ReplaceComparisonOperator_{pair}"
        for pair in (
            "Eq_NotEq",
            "NotEq_Eq",
            "Lt_LtE",
            "LtE_Lt",
            "Gt_GtE",
            "GtE_Gt",
            "Is_IsNot",
            "IsNot_Is",
        )
    ),
)
"""Of cosmic-ray's: one replacement for each operator, the one that is least likely to
fail by itself.
"""


class Mutant(NamedTuple):
    """A module with one change: its lines, what its statement was and is, and the whole
    source.

    Lines are the first and the last; the statement is the first of its normal lines
    that changed.
    """

    module: str
    operator: str
    number: int
    line: int
    last: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """Which it is, for as long as the module does not change."""
        return f"{self.module} {self.operator} {self.number}"

    @property
    def change(self) -> tuple[str, str, str]:
        """By what it is known in a list."""
        return self.module, self.before, self.after


def mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of a module but those of annotations, type checkers' code and
    caches.
    """
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    nodes = list(ast_nodes(get_ast(source)))
    starts = [0, 0, *accumulate(len(line) for line in source.splitlines(keepends=True))]
    silent = list(_unevaluated(ast.parse(source)))
    changes = []
    for name in OPERATORS:
        operator, number = get_operator(f"core/{name}")(), -1
        for node in nodes:
            for index, (begin, end) in enumerate(operator.mutation_positions(node)):
                number += 1
                if any(first <= begin and end <= last for first, last in silent):
                    continue
                text = _changed(operator, node, index)
                if text is None:
                    continue
                first, last = (
                    starts[line] + column
                    for line, column in (node.start_pos, node.end_pos)
                )
                if not text:  # a decorator, with its line
                    first -= node.start_pos[1]
                changed = source[:first] + text + source[last:]
                before, after = source.splitlines(), changed.splitlines()
                at = begin[0] - 1
                while before[at] == after[at]:
                    at += 1
                changes.append(
                    Mutant(
                        module,
                        name,
                        number,
                        at + 1,
                        end[0],
                        *first_difference(source, changed, at + 1),
                        changed,
                    )
                )
    return changes


def mistakes(module: str, source: str) -> list[Mutant]:
    """The larger mistakes in a module.

    Raises `ValueError` for one that is not as its source is now.
    """
    changes = []
    for mistake in tomllib.loads(MISTAKES.read_text(encoding="utf-8"))["mistake"]:
        if mistake["module"] != module:
            continue
        what = mistake["what"]
        places = [*re.finditer(_in_any_lines(mistake["before"]), source)]
        if len(places) != 1:
            raise ValueError(
                f"mistakes.toml: expected the text before {what!r} once in {module}"
            )
        begin, end = places[0].span()
        line = source[:begin].count("\n") + 1
        last = line + source[begin:end].count("\n")
        changed = source[:begin] + mistake["after"].strip() + source[end:]
        changes.append(
            Mutant(
                module,
                f"mistake: {what}",
                0,
                line=line,
                last=last,
                before="mistake",
                after=what,
                source=changed,
            )
        )
    return changes


def _in_any_lines(text: str) -> str:
    """A pattern for a text with other white space between its words, and commas before
    closers.
    """
    parts = re.findall(r"\w+|[^\w\s]", text)
    return r"\s*".join(
        rf",?\s*\{part}" if part in ")]}" else re.escape(part) for part in parts
    )


def _changed(operator: Any, node: Any, index: int) -> str | None:
    """The text of a changed node; the node stays what it was."""
    from cosmic_ray.ast import ast_nodes

    saved = [
        (node, getattr(node, "value", None), getattr(node, "children", None))
        for node in ast_nodes(node)
    ]
    saved = [
        (part, value, None if children is None else [*children])
        for part, value, children in saved
    ]
    try:
        changed = operator.mutate(node, index)
        text = "" if changed is None else changed.get_code(include_prefix=False)
    except (
        AttributeError
    ):  # it cannot replace exceptions that have a module's name before them
        return None
    finally:
        for part, value, children in saved:
            if children is None:
                part.value = value
            else:
                part.children = children
    return text.strip(" ")


def _unevaluated(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations are, what only type checkers read, and how results are cached.

    Columns count bytes, or characters: code is ASCII.
    """
    for node in ast.walk(tree):
        part: ast.AST | None = None
        if isinstance(node, ast.FunctionDef):
            part = node.returns
        elif isinstance(node, ast.arg | ast.AnnAssign):
            part = node.annotation
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            part = node
        if isinstance(node, ast.FunctionDef):
            for cache in node.decorator_list:
                if "cache'" in ast.dump(cache):
                    yield (cache.lineno, 0), (cache.end_lineno + 1, 0)
        if part is not None:
            yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
