"""Mutation testing: does a test fail for each small mistake that could be made?

    uv run --group mutation python tests/mutation.py --share 0.05        a sample of all modules
    uv run --group mutation python tests/mutation.py ldp.randomness      every mutant of one

cosmic-ray makes the mutants: one operator, comparison, number, condition, loop or decorator changed. For each, a forked
process imports the changed module under its own name and runs the tests of its area (`AREAS`) until the first that
fails. What is found is kept line by line in a file, so that a second call goes on where the first one ended; a changed
module, or changed tests, begin anew. A mutant that changes no behaviour is no mistake: those are listed in
`mutants_left.toml`, each with the reason, and do not count.

Exits with 1 where less than 95 % are killed. Mutants whose tests take ten times as long as those of the unchanged
module count as killed. What tests see through other processes (commands, examples) is not seen here.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

TESTS = Path(__file__).parent
ROOT = TESTS.parent
LEFT = TESTS / "mutants_left.toml"
PATHS = {"ldp": ROOT, "ldp_client": ROOT / "client", "ldp_aggregator": ROOT / "aggregator"}
GOAL = 0.95
PATIENCE, SLACK = 10, 20.0
"""A mutant's tests may take so many times what they take without it, and so many seconds more."""

_MECHANISM = "laws mutants channel exact vectors published"
AREAS = {
    "ldp.mechanisms.auto": "auto survey_file",
    "ldp.mechanisms": f"{_MECHANISM} longitudinal exponential histogram subset projective additive sets sketches",
    "ldp.accounting": "accounting longitudinal certificate ledger",
    "ldp.bloom": "vectors published laws",
    "ldp.buckets": "laws auto",
    "ldp.certificate": "certificate check_certificate",
    "ldp.channel": "channel laws accounting",
    "ldp.compiled": "vectors certificate",
    "ldp.domain": "survey_file sets vectors",
    "ldp.epochs": "epochs vectors",
    "ldp.errors": "survey_file wire",
    "ldp.exact": "exact vectors exponential published",
    "ldp.field": "field vectors",
    "ldp.joint": "joint survey_file",
    "ldp.keys": "survey_file exact",
    "ldp.layout": "laws vectors ingest wire",
    "ldp.optimum": "optimum",
    "ldp.profiles": "profiles",
    "ldp.randomness": "randomness laws mutants silence",
    "ldp.sets": "sets vectors",
    "ldp.survey": "survey_file vectors ledger",
    "ldp.survey_file": "survey_file ledger epochs joint",
    "ldp.wire": "wire wire_fuzz frames vectors ingest",
    "ldp_client": "silence versions scopes ledger store embedded sending client epochs transport interruptions mutants",
    "ldp_client.codegen": "device_commands notes",
    "ldp_aggregator.ingest": "ingest frames",
    "ldp_aggregator.screening": "ingest",
    "ldp_aggregator.counting": "counting ingest tally",
    "ldp_aggregator.bit_counting": "bit_counting counting",
    "ldp_aggregator.hash_counting": "counting sketches ingest",
    "ldp_aggregator.joint_counting": "joint",
    "ldp_aggregator.tally": "tally ingest snapshot",
    "ldp_aggregator.snapshot": "snapshot tally",
    "ldp_aggregator.moments": "laws result intervals published sampling",
    "ldp_aggregator.noise_moments": "additive result",
    "ldp_aggregator.sketch_moments": "sketches result",
    "ldp_aggregator.window_moments": "longitudinal result",
    "ldp_aggregator.found_moments": "heavy_hitters",
    "ldp_aggregator.means": "result additive",
    "ldp_aggregator.intervals": "intervals result coverage",
    "ldp_aggregator.detection": "result intervals",
    "ldp_aggregator.estimation": "result postprocess",
}
"""The tests that are asked about a module, or about all modules of a package that have no line of their own."""

OPERATORS = (
    *("AddNot", "ExceptionReplacer", "NumberReplacer", "RemoveDecorator", "ZeroIterationForLoop"),
    *("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Invert"),
    *(
        f"ReplaceBinaryOperator_{pair}"
        for pair in (
            *("Add_Sub", "Sub_Add", "Mul_FloorDiv", "Div_Mul", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul"),
            *("LShift_RShift", "RShift_LShift", "BitAnd_BitOr", "BitOr_BitAnd", "BitXor_BitOr"),
        )
    ),
    *(
        f"ReplaceComparisonOperator_{pair}"
        for pair in ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is")
    ),
)
"""Of cosmic-ray's: one replacement for each operator, the one that is least likely to fail by itself."""


class Mutant(NamedTuple):
    """A module with one change: what the line was, what it is, and the whole of its source."""

    module: str
    operator: str
    number: int
    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """Which it is, for as long as the module does not change."""
        return f"{self.module} {self.operator} {self.number}"


def source_of(module: str) -> Path:
    """The file of a module."""
    package = module.partition(".")[0]
    place = PATHS[package].joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def modules(asked: list[str]) -> list[str]:
    """All modules with an area, or those that are asked for, by name or as a package."""
    found = []
    for package, folder in PATHS.items():
        for path in sorted((folder / package).rglob("*.py")):
            name = ".".join(path.relative_to(folder).with_suffix("").parts)
            if path.name != "__init__.py" and tests_of(name) and "testing" not in name:
                found.append(name)
    return [name for name in found if not asked or any(name == each or name.startswith(f"{each}.") for each in asked)]


def tests_of(module: str) -> list[str]:
    """The test files that are asked about a module."""
    names = [module] if module in AREAS else []
    parts = module.split(".")
    names += [".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1)]
    area = next((AREAS[name] for name in names if name in AREAS), "")
    return [str(TESTS / f"test_{name}.py") for name in area.split()]


def mutants(module: str) -> list[Mutant]:
    """All mutants of a module that change what it does, apart from its annotations and its docstrings."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    source = source_of(module).read_text(encoding="utf-8")
    tree, meaning, made = get_ast(source), told(source), []
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        count = sum(1 for node in ast_nodes(tree) for _ in operator.mutation_positions(node))
        for number in range(count):
            try:
                changed = mutate_code(source, operator, number)
            except AttributeError:  # it cannot replace exceptions that have a module's name before them
                continue
            if changed is None or told(changed) == meaning:
                continue
            pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
            line, (before, after) = next((at, pair) for at, pair in enumerate(pairs, 1) if pair[0] != pair[1])
            made.append(Mutant(module, name, number, line, before.strip(), after.strip(), changed))
    return made


def told(source: str) -> str:
    """What a source says, without annotations, which nothing evaluates, docstrings and what type checkers read."""

    class Stripped(ast.NodeTransformer):
        def visit_FunctionDef(self, node):
            self.generic_visit(node)
            node.returns = None
            return node

        def visit_arg(self, node):
            node.annotation = None
            return node

        def visit_AnnAssign(self, node):
            node.annotation = ast.Constant(0)
            return node

        def visit_Expr(self, node):
            self.generic_visit(node)
            return ast.Pass() if isinstance(node.value, ast.Constant) else node

        def visit_If(self, node):
            self.generic_visit(node)
            return ast.Pass() if "TYPE_CHECKING" in ast.dump(node.test) else node

    try:
        return ast.dump(Stripped().visit(ast.parse(source)))
    except SyntaxError:
        return source


class Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another source."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name, _path=None, _target=None):
        """Ours, if it is the one."""
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, source_of(name), loader=self)

    def create_module(self, spec):
        """As usual."""

    def exec_module(self, module):
        """Run the other source."""
        exec(compile(self.source, module.__file__, "exec"), module.__dict__)  # noqa: S102


def outcome(module: str, source: str, seconds: float) -> str:
    """What becomes of the tests of a module with this source: `killed`, `survived`, or `timeout`."""
    child = os.fork()
    if not child:
        code = 3
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(nothing, descriptor)
            sys.meta_path.insert(0, Instead(module, source))
            import pytest

            # What is imported before the fork cannot be rewritten for better messages, which nobody reads here.
            quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            options = ["-n", "0", "-x", "-q", "-p", "no:cacheprovider", *quiet, "--rootdir", str(ROOT)]
            code = pytest.main([*options, *tests_of(module)])
        finally:
            os._exit(int(code))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what the tests may have left running
            return "survived" if status == 0 else "killed"
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def digest(module: str) -> str:
    """Which source and which tests an outcome is about."""
    parts = [source_of(module), *map(Path, tests_of(module))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in parts if path.exists())).hexdigest()[:16]


def preload() -> None:
    """Import what tests need and no mutant changes, once for all forks."""
    import click.testing  # noqa: F401
    import hypothesis  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import rich.table  # noqa: F401
    import scipy.optimize
    import scipy.stats  # noqa: F401


def main(arguments: list[str]) -> int:
    """Run, and say what is left."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="modules or packages; all that have an area if none is named")
    parser.add_argument("--share", type=float, default=1.0, help="of each module's mutants, drawn with a fixed seed")
    parser.add_argument("--results", type=Path, default=Path("mutation.jsonl"), help="where outcomes are kept")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--count", action="store_true", help="only say how many mutants there are")
    options = parser.parse_args(arguments)
    sys.path[:0] = [str(TESTS), *map(str, PATHS.values())]
    os.chdir(ROOT)
    known = {}
    if options.results.exists():
        for line in options.results.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            known[record["mutant"], record["digest"]] = record
    chosen = []
    for module in modules(options.modules):
        made = mutants(module)
        draw = random.Random(f"{module} 1")
        drawn = draw.sample(made, round(options.share * len(made) + draw.random() * 0.999 - 0.4995))
        chosen += [(mutant, digest(module)) for mutant in drawn]
    if options.count:
        sys.stdout.write(f"{len(chosen)}\n")
        return 0
    preload()
    usual: dict[str, float] = {}
    lock = Lock()

    def tried(pair: tuple[Mutant, str]) -> dict[str, object]:
        mutant, version = pair
        record = known.get((mutant.name, version))
        if record is None:
            seconds = usual[mutant.module] * PATIENCE + SLACK
            told = outcome(mutant.module, mutant.source, seconds)
            record = {
                "mutant": mutant.name,
                "digest": version,
                "outcome": told,
                "line": mutant.line,
                "before": mutant.before,
                "after": mutant.after,
            }
            with lock, options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            if told == "survived":
                sys.stdout.write(f"survived: {mutant.module}:{mutant.line}  {mutant.before}  ->  {mutant.after}\n")
                sys.stdout.flush()
        return record

    for module in dict.fromkeys(mutant.module for mutant, version in chosen if (mutant.name, version) not in known):
        begin = time.monotonic()
        if outcome(module, source_of(module).read_text(encoding="utf-8"), 3600) != "survived":
            sys.stderr.write(f"the tests of {module} fail without any change\n")
            return 2
        usual[module] = time.monotonic() - begin
    with ThreadPoolExecutor(options.jobs) as pool:
        return summary(list(pool.map(tried, chosen)))


def summary(records: list[dict[str, object]]) -> int:
    """Print the share that is killed, by module, and what is left without a reason."""
    listed = tomllib.loads(LEFT.read_text(encoding="utf-8"))["mutant"] if LEFT.exists() else []
    reasons = {(each["module"], each["before"], each["after"]): each["reason"] for each in listed}
    by_module: dict[str, list[bool]] = {}
    for record in records:
        module = str(record["mutant"]).partition(" ")[0]
        if record["outcome"] == "survived" and (module, record["before"], record["after"]) in reasons:
            continue
        by_module.setdefault(module, []).append(record["outcome"] != "survived")
    for module, killed in sorted(by_module.items()):
        sys.stdout.write(f"{module:45} {sum(killed):5} of {len(killed):5} killed\n")
    every = [killed for each in by_module.values() for killed in each]
    share = sum(every) / max(1, len(every))
    harmless = len(records) - len(every)
    sys.stdout.write(f"{sum(every)} of {len(every)} killed: {share:.1%}; {harmless} listed as harmless\n")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
