"""What tests need that a machine may lack: `@pytest.mark.needs("chromium", "node")`.

A name is a Python package, a program on the path, a file in the data of others, or a
row of `OTHERS`. A test that needs something of `SLOW` starts a program that takes its
time, or wants what the README does not install: it is in the slow tier.
"""

import importlib.util
import os
import shutil
import signal
import sys
from pathlib import Path

from places import DATA, ROOT

JS = ROOT / "client" / "js"
PACKAGES = (
    "PyInstaller",
    "confluent_kafka",
    "dask",
    "dp_accounting",
    "gevent",
    "mkdocs",
    "obstore",
    "prometheus_client",
    "psycopg",
    "pyarrow",
    "pyspark",
)
PROGRAMS = (
    "Rscript",
    "bash",
    "caddy",
    "cc",
    "java",
    "nginx",
    "node",
    "openssl",
    "prlimit",
    "promtool",
    "systemd-analyze",
    "uv",
)
FILES = ("adult.data", "apiclus1.csv", "apistrat.csv", "minarets.csv", "rappor-example")
OTHERS = {
    "axe-core": lambda: (JS / "node_modules" / "axe-core").exists(),
    "built client": lambda: (
        (JS / "dist" / "index.js").exists() and (JS / "node_modules").exists()
    ),
    "chromium": lambda: (
        bool(shutil.which("chromium") or shutil.which("google-chrome"))
        and shutil.which("chromedriver") is not None
    ),
    "firefox": lambda: bool(shutil.which("firefox-esr") or shutil.which("firefox")),
    "interval timers": lambda: hasattr(signal, "setitimer"),
    "linux": lambda: sys.platform == "linux",
    "postgresql": lambda: bool(
        os.environ.get("LDP_TEST_POSTGRES")
        or shutil.which("postgres")
        or any(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    ),
    "webkit": lambda: (
        all(shutil.which(name) for name in ("WebKitWebDriver", "Xvfb"))
        and any(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    ),
}
SLOW = {
    *PACKAGES,
    *(
        "Rscript",
        "axe-core",
        "built client",
        "caddy",
        "cc",
        "chromium",
        "firefox",
        "java",
    ),
    *("nginx", "node", "postgresql", "promtool", "systemd-analyze", "uv", "webkit"),
}
"""What makes a test slow."""


def is_here(name):
    """Whether this machine has what is needed; a `KeyError` for a name that is in no
    table.
    """
    if name in PACKAGES:
        return importlib.util.find_spec(name) is not None
    if name in PROGRAMS:
        return shutil.which(name) is not None
    if name in FILES:
        return (DATA / name).exists()
    return OTHERS[name]()


FIXTURES = {
    "certificate": ("openssl",),
    "chromium": ("chromium",),
    "postgres_server": ("psycopg", "postgresql"),
}
"""What fixtures need, and with them the tests that ask for them."""


def names_of(item):
    """What a test needs: the names in its markers, and those of its fixtures."""
    marked = [name for marker in item.iter_markers("needs") for name in marker.args]
    fixtures = [
        name for fixture in item.fixturenames for name in FIXTURES.get(fixture, ())
    ]
    return {*marked, *fixtures}
