"""Runs tests on changed modules: all is collected once, then a forked child for each
change.

    quick   the child gives the functions that changed their new code, in place, so that
            anyone who imported them sees it, and runs the tests that came by the
            statement, by what was measured once; the quickest first
    anew    where what runs at import is changed, the child forgets our modules and
            collects the tests of the area again, which imports the changed source; so
            it does for what survived, if its line runs at collection too

What is measured is measured in a child as well: no child inherits what tests leave in
caches, threads or fixtures. What several tests share counts for each of them, as each
may be the first one in a child: the seconds and the lines of a fixture are those of all
tests that use it, and caches, in memory and on disk, are emptied between tests.
"""

from __future__ import annotations

import faulthandler
import functools
import gc
import hashlib
import importlib.abc
import importlib.util
import inspect
import itertools
import os
import pickle
import resource
import shutil
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CACHE = "LDPKIT_CACHE"
"""Names the folder in which arrays are kept."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""For the environment, before NumPy is imported: seconds of the processor are then
those of a test, and no child waits for threads that were not forked with it.
"""

PATIENCE, SLACK, PAUSE, IMPORT = 10, 5.0, 30.0, 120.0
"""A test may take this many times what it takes on sound code and this many seconds
more of the processor's time, and further seconds by the clock, as others may be busy;
and an import its own.
"""

LONGEST = 1200.0
"""Seconds that a test may take on sound code, while it is measured."""

MOST_SECONDS = 30.0
"""Of the processor: what the tests of one mutant may take together on sound code; the
slowest are left out.
"""

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
        "-o",
        "faulthandler_timeout=0",  # Each test would take back the limit that is set here.
    ),
    # It raises from a signal handler wherever that finds Python, hence within what
    # measures.
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
"""What is imported before the fork cannot be rewritten for better messages, which no
one reads here.
"""


def _processor() -> float:
    """Seconds of the processor that this process and children of it took that have
    ended.

    Others that are busy do not count, so that a loaded machine measures what an idle
    one does.
    """
    return sum(os.times()[:4])


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
            begin, self.failed = _processor(), False
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            yield item, _processor() - begin, self.failed


Lines = dict[str, frozenset[int]]
"""Those that were run, by the file's path."""


class Run(NamedTuple):
    """A test: its own seconds, those of each fixture that others use as well, and all
    its lines.
    """

    own: float
    fixtures: dict[str, float]
    lines: Lines

    @property
    def seconds(self) -> float:
        """What it takes where it is the first that uses its fixtures."""
        return self.own + sum(self.fixtures.values())


class SharedFixtures:
    """A plugin of pytest that measures the fixtures that are set up for several tests.

    It calls `switch` with a name for what is run then: a fixture, or again the test
    that is in `test`.
    """

    def __init__(self, switch: Callable[[str], object]) -> None:
        self.switch, self.test = switch, ""
        self.spent = 0.0
        self._numbers = itertools.count()
        self._latest: dict[object, tuple[str, float]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        """Every fixture comes by, when those that it uses are set up."""
        if fixturedef.scope == "function":
            return (yield)
        name = f"fixture {next(self._numbers)}"
        begin = _processor()
        self.switch(name)
        try:
            return (yield)
        finally:
            took = _processor() - begin
            self.switch(self.test)
            self._latest[fixturedef] = name, took
            self.spent += took

    def used(self, item: Any) -> dict[str, float]:
        """The seconds of those that a test uses, by name, while it is the latest that
        was run.
        """
        definitions = itertools.chain(*item._fixtureinfo.name2fixturedefs.values())
        return dict(self._latest[one] for one in definitions if one in self._latest)


class Measured:
    """How long each test takes, and which lines it runs.

    `early` are those that are run before any test.
    """

    def __init__(self, tests: dict[str, Run], early: Lines) -> None:
        self.seconds = {test: run.seconds for test, run in tests.items()}
        self.early = early
        self._tests = tests
        self._by_line: dict[tuple[str, int], set[str]] = {}
        for test, run in tests.items():
            for path, lines in run.lines.items():
                for line in lines:
                    self._by_line.setdefault((path, line), set()).add(test)

    def passing(self, path: Path, lines: Iterable[int]) -> set[str]:
        """The tests that run one of these lines."""
        return {
            test for line in lines for test in self._by_line.get((str(path), line), ())
        }

    def sees_any(self, tests: Iterable[str]) -> bool:
        """Whether one of these tests runs any line, as none does where all are
        skipped.
        """
        return any(self._tests[test].lines for test in tests)

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
        chosen: list[str] = []
        own, fixtures = 0.0, dict[str, float]()
        for test in sorted(tests, key=lambda name: self.seconds.get(name, 0.0)):
            run = self._tests.get(test, Run(0.0, {}, {}))
            own, fixtures = own + run.own, fixtures | run.fixtures
            if own + sum(fixtures.values()) > most and chosen:
                break
            chosen.append(test)
        return chosen


class Server:
    """A plugin of pytest that takes over once the tests are collected.

    `work` is what it calls then.

    What was measured is kept in a file, by names from the root on: tests are run again
    if their file changed, or a source that they run, also where it comes from another
    copy of the project.
    """

    def __init__(
        self,
        sources: dict[str, Path],
        root: Path,
        kept: Path,
        work: Callable[[Server], int],
    ) -> None:
        import coverage

        self.modules = [*sources]
        self.root = root
        self.kept = kept
        self.work = work
        self.result = 2
        self.watch = Watch()
        include = [str(path) for path in sources.values()]
        self.coverage = coverage.Coverage(
            data_file=None, config_file=False, include=include
        )
        self.coverage.start()

    def pytest_runtestloop(self, session: Any) -> bool:
        """In place of running the tests one after the other."""
        # Also those that are imported late: their functions have to be there to be
        # changed.
        for module in self.modules:
            importlib.import_module(module)
        self.coverage.stop()
        session.config.pluginmanager.register(self.watch)
        self.items = {item.nodeid: item for item in session.items}
        data = self.coverage.get_data()
        early = {
            path: frozenset(data.lines(path) or ()) for path in data.measured_files()
        }
        self.functions: dict[object, list[types.FunctionType]] = {}
        self.caches = []
        # What the tests' configuration froze would not be among the objects.
        gc.unfreeze()
        gc.collect()
        for entry in gc.get_objects():
            if isinstance(entry, types.FunctionType):
                self.functions.setdefault(_place(entry.__code__), []).append(entry)
            elif isinstance(entry, functools._lru_cache_wrapper):
                self.caches.append(entry)
        self.measured = Measured(self._all_measured(), early)
        gc.freeze()
        self.result = self.work(self)
        return True

    def _all_measured(self) -> dict[str, Run]:
        known = pickle.loads(self.kept.read_bytes()) if self.kept.exists() else {}  # noqa: S301  we wrote it
        files: dict[str, list[Any]] = {}
        for item in self.items.values():
            files.setdefault(item.nodeid.partition("::")[0], []).append(item)
        tests: dict[str, Run] = {}
        for file, items in files.items():
            versions, measured = known.get(file, ({}, {}))
            if file not in versions or versions != self._versions(versions):
                measured = self._measured(file, items)
                sources = {path for run in measured.values() for path in run.lines}
                if sources:
                    known[file] = self._versions([file, *sources]), measured
                    self.kept.write_bytes(pickle.dumps(known))
                else:
                    sys.stderr.write(
                        f"no test of {file} runs a line of ours: are they skipped?\n"
                    )
            for test, run in measured.items():
                here = {
                    str(self.root / path): lines for path, lines in run.lines.items()
                }
                tests[test] = run._replace(lines=here)
        return tests

    def _versions(self, names: Iterable[str]) -> dict[str, bytes]:
        paths = {name: self.root / name for name in names}
        return {
            name: hashlib.sha256(path.read_bytes() if path.exists() else b"").digest()
            for name, path in paths.items()
        }

    def _measured(self, file: str, items: list[Any]) -> dict[str, Run]:
        """The seconds and the lines of each test of a file, found out in a child.

        Exits where one fails, or where the child ends or stops in the midst of them.
        """
        reader, writer = os.pipe()

        def measure() -> int:
            os.close(reader)
            with os.fdopen(writer, "wb") as sink:
                try:
                    outcome = self._measured_here(items)
                except BaseException:
                    outcome = {}, traceback.format_exc()
                pickle.dump(outcome, sink)
            return 0

        child = fork(measure)
        os.close(writer)
        with os.fdopen(reader, "rb") as source:
            text = source.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ended = {}, f"the process that measures them ended with {status}"
        measured, wrong = pickle.loads(text) if text else ended  # noqa: S301  our own child wrote it
        if wrong:
            raise SystemExit(f"the tests of {file} cannot be measured: {wrong}")
        return measured

    def _measured_here(self, items: list[Any]) -> tuple[dict[str, Run], str]:
        """What was measured, and what is wrong."""
        shared = SharedFixtures(self.coverage.switch_context)
        items[0].config.pluginmanager.register(shared)
        seconds, fixtures, failed = {}, {}, []
        self.coverage.start()

        def expect(item: Any) -> None:
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            self._empty_caches()
            shared.test, shared.spent = item.nodeid, 0.0
            self.coverage.switch_context(item.nodeid)

        for item, took, bad in self.watch.run(items, expect):
            seconds[item.nodeid] = took - shared.spent
            fixtures[item.nodeid] = shared.used(item)
            failed += [item.nodeid] * bad
        self.coverage.stop()
        with warnings.catch_warnings():
            # Where all tests are skipped there is nothing, which is an error where
            # warnings are.
            warnings.simplefilter("ignore")
            data = self.coverage.get_data()
        users: dict[str, list[str]] = {test: [test] for test in seconds}
        for test, used in fixtures.items():
            for fixture in used:
                users.setdefault(fixture, []).append(test)
        lines: dict[str, dict[str, set[int]]] = {}
        for path in data.measured_files():
            name = str(Path(path).relative_to(self.root))
            for line, contexts in data.contexts_by_lineno(path).items():
                for test in itertools.chain(*(users.get(one, []) for one in contexts)):
                    lines.setdefault(test, {}).setdefault(name, set()).add(line)
        measured = {
            test: Run(
                took,
                fixtures[test],
                {name: frozenset(item) for name, item in lines.get(test, {}).items()},
            )
            for test, took in seconds.items()
        }
        return (
            measured,
            f"without any change these fail: {' '.join(failed)}" if failed else "",
        )

    def quick(
        self, pairs: list[tuple[types.CodeType, types.CodeType]], tests: list[str]
    ) -> int:
        """A child that runs tests, some functions having another code. Its process
        id.
        """

        def child() -> int:
            self._empty_caches()
            for old, new in pairs:
                for function in self.functions.get(_place(old), ()):
                    if function.__code__ == old or old.co_name != "<lambda>":
                        function.__code__ = new
            items = [self.items[test] for test in self.measured.quickest(tests)]
            for _, _, failed in self.watch.run(
                items, lambda item: self._expect(item.nodeid)
            ):
                if failed:
                    return KILLED
            return 0

        return fork(child)

    def anew(self, module: str, path: Path, source: str, tests: list[str]) -> int:
        """A child that imports everything of ours again, one module from another
        source.

        Its process id.
        """

        def child() -> int:
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
                [*QUIET, "--rootdir", str(self.root), *files],
                plugins=[collected, self.watch],
            )
            return 0 if collected.passed else KILLED

        return fork(child)

    def _empty_caches(self) -> None:
        """In memory, and the folder of this process."""
        for cache in self.caches:
            cache.cache_clear()
        shutil.rmtree(os.environ[CACHE], ignore_errors=True)

    def _expect(self, test: str) -> None:
        limit = self.measured.limit(test)
        signal.setitimer(signal.ITIMER_PROF, limit)
        faulthandler.dump_traceback_later(limit + PAUSE, exit=True)


class Again:
    """A plugin of pytest that runs some of the collected tests, in an order, until one
    fails.
    """

    def __init__(
        self, order: list[str], watch: Watch, expect: Callable[[str], None]
    ) -> None:
        self.order, self.watch, self.expect = order, watch, expect
        self.passed = False

    def pytest_runtestloop(self, session: Any) -> bool:
        """In place of running the tests one after the other."""
        items = {item.nodeid: item for item in session.items}
        if not session.testsfailed and all(test in items for test in self.order):
            chosen = [items[test] for test in self.order]
            self.passed = not any(
                failed
                for _, _, failed in self.watch.run(
                    chosen, lambda item: self.expect(item.nodeid)
                )
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

    Its process id. It keeps arrays in a folder of its own: those of a mutant may be
    wrong.
    """
    child = os.fork()
    if child:
        return child
    code = KILLED
    try:
        os.setsid()
        os.environ[CACHE] = str(_folder(os.getpid()))
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nothing, descriptor)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        code = work()
    finally:
        os._exit(code)


def reaped() -> tuple[int, str]:
    """Wait for a child: its process id and what became of it. What it left running is
    ended.
    """
    child, status = os.waitpid(-1, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    shutil.rmtree(_folder(child), ignore_errors=True)
    return child, OUTCOMES.get(os.waitstatus_to_exitcode(status), "killed")


def _folder(process: int) -> Path:
    """Where a child keeps arrays: in the folder of the tests, which is removed at their
    end.
    """
    return Path(os.environ[CACHE]) / str(process)


def changed_code(
    path: Path, sound: str, changed: str
) -> list[tuple[types.CodeType, types.CodeType]] | None:
    """The functions that changed, as they are and as they become.

    None if more than functions did.
    """
    old, new = (
        compile(source, str(path), "exec", dont_inherit=True)
        for source in (sound, changed)
    )
    pairs: list[tuple[types.CodeType, types.CodeType]] = []
    return pairs if _paired(old, new, pairs) else None


def _paired(
    old: types.CodeType,
    new: types.CodeType,
    pairs: list[tuple[types.CodeType, types.CodeType]],
) -> bool:
    """Whether two codes are alike, but for functions in them, which are added to
    `pairs`.
    """
    if old == new:
        return True
    inner = [
        [const for const in code.co_consts if isinstance(const, types.CodeType)]
        for code in (old, new)
    ]
    alike = [code.co_name for code in inner[0]] == [code.co_name for code in inner[1]]
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
    return all(_paired(*pair, pairs) for pair in zip(*inner, strict=True))


def _own(code: types.CodeType) -> tuple[object, ...]:
    consts = [
        repr(const) for const in code.co_consts if not isinstance(const, types.CodeType)
    ]
    return code.co_code, consts, code.co_names


def _place(code: types.CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno
