"""One virtual environment for each peer, made once and kept in a cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from lab.benchmarks.peers.table import OURS, REQUIREMENTS


class InstallError(Exception):
    """A peer that cannot be installed."""


def default_folder() -> Path:
    """Where environments and results are kept unless told otherwise."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ldpkit" / "peers"


def interpreter(side: str, folder: Path) -> Path:
    """The Python to run a side with.

    For a peer, that of an environment, which is made if it is not there yet.
    """
    if side == OURS:
        return Path(sys.executable)
    requirements = REQUIREMENTS[side]
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    mark = hashlib.sha256("\n".join((version, *requirements)).encode()).hexdigest()[:8]
    place = folder / f"{side}-{mark}"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    finished = place / "finished"
    if not finished.exists():
        uv = shutil.which("uv")
        if uv is None:
            raise InstallError(
                "expected uv, to make the peers' environments; install it with `pip "
                "install uv`"
            )
        shutil.rmtree(place, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        _call([uv, "venv", "--quiet", "--python", sys.executable, str(place)], side)
        _call(
            [uv, "pip", "install", "--quiet", "--python", str(python), *requirements],
            side,
        )
        finished.touch()
    return python


def _call(command: list[str], side: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InstallError(f"expected to install {side}, got: {done.stderr.strip()}")
