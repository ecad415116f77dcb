"""Property tests try the same examples on every machine, however slow it is.

No test uses what others left behind.
"""

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# Kept until the process ends, and found by the processes that it starts.
_cache = tempfile.TemporaryDirectory()
os.environ["LDPKIT_CACHE"] = _cache.name

# Tests run in as many processes as there are cores; threads of linear algebra beside them would
# wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    """Chromium with a new profile, for all tests of a module; skips where there is none."""
    from browser import MISSING, browser

    if MISSING:
        pytest.skip("needs chromium and chromedriver")
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server; skips where there is none to be had."""
    from postgres import running

    with running() as server:
        yield server
