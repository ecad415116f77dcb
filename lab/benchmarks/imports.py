"""What `import ldp_client` adds to a bare interpreter: time, modules, bytes."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from lab.benchmarks.figures import Figure

_RUNS = 25
_IMPORT = "import ldp_client"
_OF_LIBRARY = """
import sys
before = set(sys.modules)
import ldp_client
added = [name for name in sys.modules if name not in before]
print(*(name for name in added if name.split(".")[0] in sys.stdlib_module_names))
"""
_WEIGH = """
import os, sys
before = set(sys.modules)
import ldp_client
added = [module for name, module in sys.modules.items() if name not in before]
files = {module.__file__: module.__name__ for module in added if getattr(module, "__file__", None)}
own = [path for path, name in files.items() if name.split(".")[0] in ("ldp", "ldp_client")]
print(len(added), len(own), sum(map(os.path.getsize, files)), sum(map(os.path.getsize, own)))
"""


def figures() -> Iterator[Figure]:
    """Median milliseconds over a bare interpreter, and over one with the library's
    modules alone.

    Runs of the three are interleaved.

    Bytecode is compiled beforehand.

    Both clocks are shown: the target is held against the wall clock, which is what a
    user waits for.
    """
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONDONTWRITEBYTECODE"
        }
        environment["PYTHONPYCACHEPREFIX"] = cache
        programs = (
            "pass",
            f"import {', '.join(_printed(_OF_LIBRARY).split())}",
            _IMPORT,
        )
        for program in programs:
            _seconds(program, environment)
        rounds = [
            [_seconds(program, environment) for program in programs]
            for _ in range(_RUNS)
        ]
    bare, library, loaded = (
        [statistics.median(clock) for clock in zip(*runs, strict=True)]
        for runs in zip(*rounds, strict=True)
    )
    wall, processor = (
        1000 * (with_import - without)
        for without, with_import in zip(bare, loaded, strict=True)
    )
    yield Figure(
        "import ldp_client: wall time over a bare interpreter", wall, "ms", target=40
    )
    yield Figure(
        "import ldp_client: processor time over a bare interpreter", processor, "ms"
    )
    yield Figure(
        (
            "import ldp_client: wall time over that of the standard library's modules "
            "in it"
        ),
        wall / (1000 * (library[0] - bare[0])),
        "times",
        target=3,
    )
    modules, own, size, own_size = (int(number) for number in _printed(_WEIGH).split())
    yield Figure("import ldp_client: modules", modules, "modules")
    yield Figure("import ldp_client: modules of the project itself", own, "modules")
    yield Figure("import ldp_client: files read", size / 1024, "KiB")
    yield Figure(
        "import ldp_client: files of the project itself", own_size / 1024, "KiB"
    )


def _printed(code: str) -> str:
    """What a program prints."""
    run = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    return run.stdout


def _seconds(code: str, environment: dict[str, str]) -> tuple[float, float]:
    """(wall, processor) seconds of a fresh interpreter."""
    start = time.perf_counter()
    used = _children()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - start, _children() - used


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
