"""Two tiers: `pytest` runs the fast tests, `pytest --all` the slow ones too.

Property tests try the same examples on every machine, however slow it is. No test uses
what others left behind.
"""

import gc
import os
import tempfile

import needs
import pytest
from durations import LISTED, Measuring, is_slow
from hypothesis import HealthCheck, settings
from places import ROOT

# Kept until the process ends, and found by the processes that it starts.
_cache = tempfile.TemporaryDirectory()
os.environ["LDPKIT_CACHE"] = _cache.name

# Clients record here, whatever the developer says to other programs.
for switch in ("LDP_DISABLED", "DO_NOT_TRACK"):
    os.environ.pop(switch, None)

# Tests run in as many processes as there are cores; threads of linear algebra beside
# them would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests stay until the end: it takes a third of their collection to look for garbage
# among them.
gc.disable()

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


def pytest_addoption(parser):
    """The two options of this project."""
    parser.addoption("--all", action="store_true", help="run the slow tests as well")
    parser.addoption(
        "--measure",
        action="store_true",
        help=(
            "list the tests that take too long for the fast tier, or too little for "
            "the slow one"
        ),
    )


def pytest_configure(config):
    """Say what the marks mean; measure where that is asked for."""
    config.addinivalue_line(
        "markers", "slow(reason): only with --all; see tests/durations.py"
    )
    config.addinivalue_line("markers", "fast(reason): without --all, whatever it takes")
    config.addinivalue_line(
        "markers", "needs(*names): skipped without them; see tests/needs.py"
    )
    if config.getoption("--measure"):
        config.pluginmanager.register(Measuring())


def is_named(config, path):
    """Whether a file, or a test in it, is asked for by its name."""
    return any(name.partition("::")[0].endswith(path.name) for name in config.args)


def pytest_ignore_collect(collection_path, config):
    """Leave files out in which all is slow, so that what they import is not loaded."""
    if config.getoption("--all") or is_named(config, collection_path):
        return None
    return True if str(collection_path.relative_to(ROOT)) in LISTED else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave the slow tests out, but for those that are asked for by name.

    With `--all` they are marked, so that `-m slow` chooses them.
    """
    if config.getoption("--all"):
        for item in items:
            if is_slow(item) and item.get_closest_marker("slow") is None:
                item.add_marker("slow")
        return
    named = tuple(name for name in config.args if "::" in name)
    chosen, slow = [], []
    for item in items:
        is_left = is_slow(item) and not item.nodeid.startswith(named or "::")
        (slow if is_left else chosen).append(item)
    config.hook.pytest_deselected(items=slow)
    items[:] = chosen


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Look for garbage from now on, but not among the tests."""
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item):
    """Skip what this machine cannot run, and say what it lacks."""
    missing = sorted(name for name in needs.names_of(item) if not needs.is_here(name))
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    """Chromium with a new profile, for all tests of a module."""
    from browser import browser

    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server."""
    from postgres import running

    with running() as server:
        yield server
