"""Runs tests on changed modules: all is collected once, then a forked child for each change.

    quick   the child gives the functions that changed their new code, in place, so that whoever
            imported them sees it, and runs the tests that came by the statement, by what was
            measured once; the quickest first
    anew    where what runs at import is changed, the child forgets our modules and collects the
            tests of the area again, which imports the changed source; so it does for what survived,
            if its line runs at collection too

What is measured is measured in a child as well: no child inherits what tests leave in caches,
threads or fixtures.
"""

from __future__ import annotations

import faulthandler
import functools
import gc
import hashlib
import importlib.abc
import importlib.util
import inspect
import os
import pickle
import resource
import signal
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

PATIENCE, SLACK, PAUSE, IMPORT = 10, 5.0, 30.0, 120.0
"""A test may take so many times what it takes on sound code and so many seconds more of the
processor's time, and so many besides by the clock, as others may be busy; and an import so many.
"""

LONGEST = 300.0
"""Seconds that a test may take on sound code, while it is measured."""

MOST_SECONDS = 30.0
"""What the tests of one mutant may take together on sound code: the slowest are left out."""

MEMORY = 8 << 30
"""Bytes that a child may ask for."""

KILLED = 10
OUTCOMES = {0: "survived", 1: "timeout", -signal.SIGPROF: "timeout", KILLED: "killed"}
QUIET = (
    *(
        "-o",
        "addopts=--import-mode=importlib",
        "-p",
        "no:terminal",
        "-p",
        "no:doctest",
        "-p",
        "no:cacheprovider",
    ),
    # It raises from a signal handler wherever that finds Python, hence within what measures.
    *(
        "--deselect",
        "tests/stores/test_store.py::test_what_a_signal_handler_raises_leaves_no_lock_held",
    ),
    # They go by the clock, which tells of other processes as well.
    *(
        "--deselect",
        "tests/survey_files/test_survey_file.py::test_enormous_numbers_are_refused_quickly",
    ),
    *(
        "--deselect",
        "tests/survey_files/test_survey_file.py::test_enormous_literals_are_refused_quickly",
    ),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
"""What is imported before the fork cannot be rewritten for better messages, which nobody reads
here.
"""


class Watch:
    """Runs tests one by one in this process and tells whether they pass."""

    def __init__(self) -> None:
        self.failed = False

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Every phase of every test comes by."""
        self.failed = self.failed or report.failed

    def run(
        self, items: list[Any], before: Callable[[Any], object]
    ) -> Iterator[tuple[Any, float, bool]]:
        """Each test, the seconds that it took, and whether it failed."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            before(item)
            begin, self.failed = time.perf_counter(), False
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            yield item, time.perf_counter() - begin, self.failed


Lines = dict[str, frozenset[int]]
"""Those that were run, by the file's path."""


class Measured:
    """How long each test takes, and which lines it runs.

    `early` are those that are run before any test.
    """

    def __init__(self, tests: dict[str, tuple[float, Lines]], early: Lines) -> None:
        self.seconds = {test: seconds for test, (seconds, _) in tests.items()}
        self.early = early
        self._by_line: dict[tuple[str, int], set[str]] = {}
        for test, (_, files) in tests.items():
            for path, lines in files.items():
                for line in lines:
                    self._by_line.setdefault((path, line), set()).add(test)

    def passing(self, path: Path, lines: Iterable[int]) -> set[str]:
        """The tests that run one of these lines."""
        return {test for line in lines for test in self._by_line.get((str(path), line), ())}

    def is_early(self, path: Path, lines: Iterable[int]) -> bool:
        """Whether one of these lines is run before any test."""
        return not self.early.get(str(path), frozenset()).isdisjoint(lines)

    def limit(self, test: str) -> float:
        """How long a test may take on a mutant."""
        return self.seconds.get(test, 0.0) * PATIENCE + SLACK

    def quickest(self, tests: Iterable[str], most: float = MOST_SECONDS) -> list[str]:
        """The quickest tests, as many as there is time for.

        And if there is but a slow one, that.
        """
        chosen, spent = [], 0.0
        for test in sorted(tests, key=lambda each: self.seconds.get(each, 0.0)):
            spent += self.seconds.get(test, 0.0)
            if spent > most and chosen:
                break
            chosen.append(test)
        return chosen


class Server:
    """A plugin of pytest that takes over once the tests are collected.

    `work` is what it calls then.

    What was measured is kept in a file: tests are run again if their file changed, or a source that
    they run.
    """

    def __init__(
        self, sources: dict[str, Path], root: Path, kept: Path, work: Callable[[Server], int]
    ) -> None:
        import coverage

        self.modules, self.root, self.kept, self.work, self.result = [*sources], root, kept, work, 2
        self.watch = Watch()
        include = [str(path) for path in sources.values()]
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=include)
        self.coverage.start()

    def pytest_runtestloop(self, session: Any) -> bool:
        """In place of running the tests one after the other."""
        for module in (
            self.modules
        ):  # also those that are imported late: their functions have to be there to be changed
            importlib.import_module(module)
        self.coverage.stop()
        session.config.pluginmanager.register(self.watch)
        self.items = {item.nodeid: item for item in session.items}
        data = self.coverage.get_data()
        early = {path: frozenset(data.lines(path) or ()) for path in data.measured_files()}
        self.measured = Measured(self._all_measured(), early)
        self.functions: dict[object, list[types.FunctionType]] = {}
        self.caches = []
        gc.collect()
        for each in gc.get_objects():
            if isinstance(each, types.FunctionType):
                self.functions.setdefault(_place(each.__code__), []).append(each)
            elif isinstance(each, functools._lru_cache_wrapper):
                self.caches.append(each)
        gc.freeze()
        self.result = self.work(self)
        return True

    def _all_measured(self) -> dict[str, tuple[float, Lines]]:
        known = pickle.loads(self.kept.read_bytes()) if self.kept.exists() else {}  # noqa: S301  we wrote it
        files: dict[str, list[Any]] = {}
        for item in self.items.values():
            files.setdefault(item.nodeid.partition("::")[0], []).append(item)
        tests: dict[str, tuple[float, Lines]] = {}
        for file, items in files.items():
            versions, found = known.get(file, ({}, {}))
            if not versions or versions != _versions(versions):
                found = self._measured(items)
                run = {path for _, lines in found.values() for path in lines}
                known[file] = _versions([str(self.root / file), *run]), found
                self.kept.write_bytes(pickle.dumps(known))
            tests.update(found)
        return tests

    def _measured(self, items: list[Any]) -> dict[str, tuple[float, Lines]]:
        """The seconds and the lines of each test, found out in a child. Exits where one fails."""
        reader, writer = os.pipe()

        def measure() -> int:
            os.close(reader)
            seconds, failed = {}, []
            self.coverage.start()

            def expect(item: Any) -> None:
                faulthandler.dump_traceback_later(LONGEST, exit=True)
                self.coverage.switch_context(item.nodeid)

            for item, took, bad in self.watch.run(items, expect):
                seconds[item.nodeid] = took
                failed += [item.nodeid] * bad
            self.coverage.stop()
            data = self.coverage.get_data()
            lines: dict[str, dict[str, set[int]]] = {}
            for path in data.measured_files():
                for line, contexts in data.contexts_by_lineno(path).items():
                    for test in contexts:
                        lines.setdefault(test, {}).setdefault(path, set()).add(line)
            found = {
                test: (took, {path: frozenset(item) for path, item in lines.get(test, {}).items()})
                for test, took in seconds.items()
            }
            with os.fdopen(writer, "wb") as file:
                pickle.dump((found, failed), file)
            return 0

        child = fork(measure)
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            found, failed = pickle.load(file)  # noqa: S301  our own child wrote it
        os.waitpid(child, 0)
        if failed:
            raise SystemExit(f"these tests fail without any change: {' '.join(failed)}")
        return found

    def quick(self, pairs: list[tuple[types.CodeType, types.CodeType]], tests: list[str]) -> int:
        """A child that runs tests, some functions having another code. Its process id."""

        def child() -> int:
            for cache in self.caches:
                cache.cache_clear()
            for old, new in pairs:
                for function in self.functions.get(_place(old), ()):
                    if function.__code__ == old or old.co_name != "<lambda>":
                        function.__code__ = new
            items = [self.items[test] for test in self.measured.quickest(tests)]
            for _, _, failed in self.watch.run(items, lambda item: self._expect(item.nodeid)):
                if failed:
                    return KILLED
            return 0

        return fork(child)

    def anew(self, module: str, path: Path, source: str, tests: list[str]) -> int:
        """A child that imports everything of ours again, one module from another source.

        Its process id.
        """

        def child() -> int:
            import pytest

            faulthandler.dump_traceback_later(IMPORT, exit=True)
            for name, item in list(sys.modules.items()):
                file = getattr(item, "__file__", None) or ""
                if (
                    file.startswith(str(self.root))
                    and "site-packages" not in file
                    and name != "__main__"
                ):
                    del sys.modules[name]
            sys.meta_path.insert(0, Instead(module, path, source))
            files = dict.fromkeys(test.partition("::")[0] for test in tests)
            collected = Again(self.measured.quickest(tests), self.watch, self._expect)
            pytest.main(
                [*QUIET, "--rootdir", str(self.root), *files], plugins=[collected, self.watch]
            )
            return 0 if collected.passed else KILLED

        return fork(child)

    def _expect(self, test: str) -> None:
        limit = self.measured.limit(test)
        signal.setitimer(signal.ITIMER_PROF, limit)
        faulthandler.dump_traceback_later(limit + PAUSE, exit=True)


class Again:
    """A plugin of pytest that runs some of the tests that were collected, in an order, until one
    fails.
    """

    def __init__(self, order: list[str], watch: Watch, expect: Callable[[str], None]) -> None:
        self.order, self.watch, self.expect = order, watch, expect
        self.passed = False

    def pytest_runtestloop(self, session: Any) -> bool:
        """In place of running the tests one after the other."""
        items = {item.nodeid: item for item in session.items}
        if not session.testsfailed and all(test in items for test in self.order):
            chosen = [items[test] for test in self.order]
            self.passed = not any(
                failed
                for _, _, failed in self.watch.run(chosen, lambda item: self.expect(item.nodeid))
            )
        return True


class Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another source."""

    def __init__(self, module: str, path: Path, source: str) -> None:
        self.module, self.path, self.source = module, path, source

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Ours, if it is the one."""
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec: object) -> None:
        """As usual."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the other source."""
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)  # noqa: S102


def fork(work: Callable[[], int]) -> int:
    """A child that does something and ends with what it returns, or as a killed mutant.

    Its process id.
    """
    child = os.fork()
    if child:
        return child
    code = KILLED
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nothing, descriptor)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        code = work()
    finally:
        os._exit(code)


def reaped() -> tuple[int, str]:
    """Wait for a child: its process id and what became of it. What it left running is ended."""
    child, status = os.waitpid(-1, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return child, OUTCOMES.get(os.waitstatus_to_exitcode(status), "killed")


def _versions(paths: Iterable[str]) -> dict[str, bytes]:
    return {path: hashlib.sha256(Path(path).read_bytes()).digest() for path in paths}


def changed_code(
    path: Path, sound: str, changed: str
) -> list[tuple[types.CodeType, types.CodeType]] | None:
    """The functions that changed, as they are and as they become.

    None if more than functions did.
    """
    old, new = (
        compile(source, str(path), "exec", dont_inherit=True) for source in (sound, changed)
    )
    pairs: list[tuple[types.CodeType, types.CodeType]] = []
    return pairs if _paired(old, new, pairs) else None


def _paired(
    old: types.CodeType, new: types.CodeType, pairs: list[tuple[types.CodeType, types.CodeType]]
) -> bool:
    """Whether two codes are alike, but for functions in them, which are added to `pairs`."""
    if old == new:
        return True
    inner = [
        [const for const in code.co_consts if isinstance(const, types.CodeType)]
        for code in (old, new)
    ]
    alike = [each.co_name for each in inner[0]] == [each.co_name for each in inner[1]]
    if (
        old.co_flags & inspect.CO_NEWLOCALS and old.co_name == new.co_name
    ):  # neither a module nor the body of a class
        if old.co_freevars != new.co_freevars:
            return False
        pairs.append((old, new))
        if not alike:
            return True
    elif not alike or _own(old) != _own(new):
        return False
    return all(_paired(*each, pairs) for each in zip(*inner, strict=True))


def _own(code: types.CodeType) -> tuple[object, ...]:
    consts = [repr(const) for const in code.co_consts if not isinstance(const, types.CodeType)]
    return code.co_code, consts, code.co_names


def _place(code: types.CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno
