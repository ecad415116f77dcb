"""What a machine can hold of the style in CONTRIBUTING.md: air in code.

Folders are listed as they are finished; a folder that is in neither list is a mistake.
"""

import ast
from collections import defaultdict
from functools import cache

import pytest
from places import ROOT, TESTS
from test_imports import PACKAGES

FINISHED = (
    "ldp",
    "client/ldp_client",
    "aggregator/ldp_aggregator",
    "aggregator/ldp_service",
    "simulations/ldp_simulations",
    "lab",
    "release",
    "examples",
    "tests",
)
TO_DO = ("docs",)
WIDEST = 100
"""Columns of a line."""
VERBS = {"each", "found", "made", "told"}
"""What says which verb came before, and is no name of a local."""
MOST_POSITIONAL = 3
"""Arguments that a call of a function of ours may give by their places."""
WIDER = {
    "examples/notes/answers.py": "written by `ldp client codegen`",
}
"""Files with longer lines, and why."""
CALLED_OTHERWISE = {
    "mean_parts": (
        "a field of `decoder.Decoder` that holds a function, called by places"
    ),
    "average": (
        "a field of `specimens.Specimen` that holds a function, called by places"
    ),
    "permanent": "called on the class, with the instance for its first argument",
    "reshape": "numpy's, beside one of the same name",
}
"""Names whose calls are not looked at, and why."""


def files(folders):
    """The Python files of folders, by their path from the root."""
    paths = (
        path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))
    )
    return {path.relative_to(ROOT).as_posix(): path for path in paths}


CHECKED = files(FINISHED)


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def parameters(function, *, method):
    """The names of what can be given by place, and whether further places are taken."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    static = any(
        getattr(one, "id", "") == "staticmethod" for one in function.decorator_list
    )
    if method and not static:
        names = names[1:]
    return names, function.args.vararg is not None


def fields(class_):
    """The same of a tuple or a dataclass, from its fields."""
    names = [
        one.target.id
        for one in class_.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    ]
    return names, False


@cache
def signatures():
    """What the functions and classes of ours take, by the last part of their names."""
    by_name = defaultdict(list)
    for path in files((*FINISHED, *TO_DO)).values():
        for parent in ast.walk(parsed(path)):
            in_class = isinstance(parent, ast.ClassDef)
            for node in ast.iter_child_nodes(parent):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    name = node.name
                    if in_class and node.name == "__init__":
                        name = parent.name
                    by_name[name].append(parameters(node, method=in_class))
                elif isinstance(node, ast.ClassDef):
                    by_name[node.name].append(fields(node))
    return by_name


def takes_by_name(name, places):
    """Whether all that a call so named may mean have names for these places."""
    fitting = [
        further
        for names, further in signatures()[name]
        if further or len(names) >= places
    ]
    return bool(fitting) and not any(fitting)


def name_called(call):
    """The last part of what is called; nothing if that is no name."""
    return getattr(call.func, "id", None) or getattr(call.func, "attr", "")


def test_every_folder_is_listed():
    """Code is in a folder that is finished, or in one that is still to do."""
    listed = files((*FINISHED, *TO_DO))
    folders = [*PACKAGES.values(), TESTS, ROOT / "lab", ROOT / "examples"]
    rooms = {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in folder.rglob("*.py")
    }
    assert rooms <= listed.keys()
    assert not set(FINISHED) & set(TO_DO)


@pytest.mark.parametrize("folder", FINISHED)
def test_lines_are_short(folder):
    """No line is wider than a page; what is said to a linter does not count."""
    wide = [
        f"{name}:{number}"
        for name, path in files([folder]).items()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line.partition("  # noqa")[0]) > WIDEST and name not in WIDER
    ]
    assert wide == []


@pytest.mark.parametrize("folder", FINISHED)
def test_docstrings_begin_with_a_summary(folder):
    """It would fit in a line of 100 columns; more comes after an empty line."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    long = []
    for name, path in files([folder]).items():
        if name in WIDER:
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, documented) and ast.get_docstring(node):
                summary = ast.get_docstring(node).split("\n\n")[0].replace("\n", " ")
                if node.body[0].col_offset + len('"""' + summary) > 100:
                    long.append(f"{name}: {summary}")
    assert long == []


@pytest.mark.parametrize("folder", FINISHED)
def test_locals_say_what_they_hold(folder):
    """Not which verb came before; fields of a class are no locals."""
    verbs = []
    for name, path in files([folder]).items():
        classes = (
            node for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)
        )
        declared = [
            line.target
            for node in classes
            for line in node.body
            if isinstance(line, ast.AnnAssign)
        ]
        verbs += [
            f"{name}:{node.lineno} {node.id}"
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and node.id in VERBS
            and node not in declared
        ]
    assert verbs == []


@pytest.mark.parametrize("folder", FINISHED)
def test_conditional_expressions_are_small(folder):
    """None is within another, and each would fit in a line."""
    large = []
    for name, path in files([folder]).items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.IfExp):
                inner = sum(isinstance(one, ast.IfExp) for one in ast.walk(node)) - 1
                if inner or len(ast.unparse(node)) > 88:
                    large.append(f"{name}:{node.lineno}")
    assert large == []


@pytest.mark.parametrize("folder", FINISHED)
def test_further_arguments_are_named(folder):
    """From the fourth on, in calls of functions and classes of ours."""
    by_place = [
        f"{name}:{call.lineno} {name_called(call)}"
        for name, path in files([folder]).items()
        for call in ast.walk(parsed(path))
        if isinstance(call, ast.Call)
        and not any(isinstance(one, ast.Starred) for one in call.args)
        and len(call.args) > MOST_POSITIONAL
        and name_called(call) not in CALLED_OTHERWISE
        and takes_by_name(name_called(call), len(call.args))
    ]
    assert by_place == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("batch_id(1, 2, 3)", False),
        ("encode(1, 2, 3, 4)", False),
        ("draw_bits(1, 2, 3, 4)", True),
        ("randomness.draw_bits(1, 2, 3, 4)", True),
        ("SetEncoding(1, 2, 3, 4)", True),
        ("tag(1, 2, 3, 4)", False),
    ],
)
def test_calls_are_told_apart(text, found):
    """Functions and classes of ours are told from others, and from those that take any
    number.
    """
    (call,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    many = len(call.args) > MOST_POSITIONAL
    assert (many and takes_by_name(name_called(call), len(call.args))) == found
