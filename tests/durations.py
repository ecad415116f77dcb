"""Are tests in the right tier? `uv run pytest --all --measure` lists those that are not.

A test that takes more than a second of processor time, its fixtures included, is slow. What is in
the slow tier for another reason says so, `@pytest.mark.slow("kills a service")`, or by what it
needs; it is not judged by its seconds. Where a fast test takes more than three seconds, the run
fails.

Seconds are those of the test's process and of the children that ended by then, divided by what an
empty loop takes, as machines differ threefold: a second is one of a machine that turns it ten
million times in .13 s. What many tests import is loaded before the first of them, which would
otherwise pay for it. Look again on an idle machine before a mark is changed.
"""

import importlib
import os
import time
from collections import defaultdict

import pytest
from needs import SLOW, names_of

SLOW_FROM = 1.0
FAST_BELOW = 0.5
"""A slow test that takes less than this could be fast; between the two, either will do."""
FAILS_FROM = 3.0
SHOWN = 20
TURNS, SECONDS_A_TURN = 10_000_000, 1.3e-8
LOADED_FIRST = (
    "hypothesis",
    "ldp_aggregator.commands.main",
    "ldp_aggregator.service",
    "ldp_client",
    "ldp_simulations",
    "matplotlib.pyplot",
    "pandas",
    "scipy.stats",
    "statsmodels.api",
)


def processor_seconds():
    """The processor time of this process so far, with that of children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def slowness():
    """How many times as long as on the machine of reference an empty loop takes here."""
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
        marker = item.get_closest_marker("slow")
        report.tier = "slow" if marker else "fast"
        if SLOW & names_of(item) or (marker and marker.args):
            report.tier = "slow by nature"
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
            f"not marked slow, and above {SLOW_FROM} s": self._rows("fast", least=SLOW_FROM),
            f"marked slow, and below {FAST_BELOW} s": self._rows("slow", most=FAST_BELOW),
        }
        for title, rows in tables.items():
            terminalreporter.section(title)
            for seconds, name in rows:
                terminalreporter.line(f"{seconds:8.2f} s  {name}")

    def pytest_sessionfinish(self, session):
        """Fail where a fast test is far too slow."""
        if self._rows("fast", least=FAILS_FROM) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
