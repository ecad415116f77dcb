"""The two tiers of tests: which are slow, and whether that is so.

A test is slow if it takes more than a second of processor time, its fixtures included.
Those that do are listed in `slow.txt`, by measurement: `uv run pytest --all --measure`
says what is missing there and what should go. Three marks are not judged by seconds:
`@pytest.mark.slow("kills a service")`, `@pytest.mark.fast("the README's commands")`, and
`needs` of what takes its time (`SLOW` in `needs.py`). Where a fast test takes more than
eight seconds, three on a quick machine, a run that measures fails.

Seconds are those of the test's process and of the children that ended by then. Machines
differ threefold, so a second is one of a slow machine: of one that turns an empty loop
ten million times in .4 s. What many tests import is loaded before the first of them,
which would otherwise pay for it. Look again on an idle machine before a mark is
changed.
"""

import importlib
import os
import time
from collections import defaultdict

import pytest
from needs import SLOW, names_of
from places import TESTS

LISTED = frozenset((TESTS / "slow.txt").read_text(encoding="utf-8").splitlines())
"""The slow tests: files, functions with all their parameters, or single ids."""
SLOW_FROM = 1.0
FAST_BELOW = 0.5
"""A slow test that takes less than this could be fast; between the two, either will do.
"""
FAILS_FROM = 8.0
SHOWN = 20
TURNS, SECONDS_A_TURN = 10_000_000, 4e-8
LOADED_FIRST = (
    "hypothesis",
    "ldp_aggregator.commands.main",
    "ldp_service",
    "ldp_client",
    "ldp_simulations",
    "matplotlib.pyplot",
    "pandas",
    "scipy.stats",
    "statsmodels.api",
)


def tier_of(item):
    """The tier of a test, and whether it is judged by its seconds: "slow", "slow by
    nature" ...
    """
    if mark := item.get_closest_marker("fast"):
        return "fast by nature" if mark.args else "fast"
    mark = item.get_closest_marker("slow")
    if SLOW & names_of(item) or (mark and mark.args):
        return "slow by nature"
    file, function = item.nodeid.partition("::")[0], item.nodeid.partition("[")[0]
    return "slow" if mark or LISTED & {file, function, item.nodeid} else "fast"


def is_slow(item):
    """Whether a test is in the slow tier."""
    return tier_of(item).startswith("slow")


def processor_seconds():
    """The processor time of this process so far, with that of children that have
    ended.
    """
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def slowness():
    """How many times as long as on the machine of reference an empty loop takes
    here.
    """
    before = time.process_time()
    for _ in range(TURNS):
        pass
    return (time.process_time() - before) / TURNS / SECONDS_A_TURN


class Measuring:
    """A plugin: processor seconds of each test, on its reports and in the summary."""

    def __init__(self):
        self._slowness = slowness()
        self._before = 0.0
        self._seconds = defaultdict(float)
        self._marks = {}

    def pytest_sessionstart(self, session):
        """Load what many tests import, in the processes that run tests."""
        if session.config.pluginmanager.has_plugin("dsession"):
            return  # the process that hands tests out
        for name in LOADED_FIRST:
            importlib.import_module(name)

    def pytest_runtest_logstart(self):
        """A test begins."""
        self._before = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item):
        """Note on each report what its phase has taken, and how the test is marked."""
        report = yield
        now = processor_seconds()
        report.processor_seconds = (now - self._before) / self._slowness
        self._before = now
        report.tier = tier_of(item)
        return report

    def pytest_runtest_logreport(self, report):
        """Add the phases of a test up, wherever it ran."""
        self._seconds[report.nodeid] += report.processor_seconds
        self._marks[report.nodeid] = report.tier

    def _rows(self, tier, least=0.0, most=float("inf")):
        return sorted(
            (
                (seconds, name)
                for name, seconds in self._seconds.items()
                if self._marks[name] == tier and least <= seconds < most
            ),
            reverse=True,
        )

    def pytest_terminal_summary(self, terminalreporter):
        """List the slowest fast tests and those marked wrongly."""
        tables = {
            f"the {SHOWN} slowest fast tests": self._rows("fast")[:SHOWN],
            f"not in the slow tier, and above {SLOW_FROM} s": self._rows(
                "fast", least=SLOW_FROM
            ),
            f"in the slow tier, and below {FAST_BELOW} s": self._rows(
                "slow", most=FAST_BELOW
            ),
        }
        for title, rows in tables.items():
            terminalreporter.section(title)
            for seconds, name in rows:
                terminalreporter.line(f"{seconds:8.2f} s  {name}")

    def pytest_sessionfinish(self, session):
        """Fail where a fast test is far too slow."""
        if (
            self._rows("fast", least=FAILS_FROM)
            and session.exitstatus == pytest.ExitCode.OK
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
