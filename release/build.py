"""Wheels and sdists of all distributions, built twice: to the same bytes, or not at
all.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent
DISTRIBUTIONS = (
    "ldpkit",
    "ldpkit_aggregator",
    "ldpkit_client",
    "ldpkit_core",
    "ldpkit_simulations",
)


class ReleaseError(Exception):
    """A release that cannot be made."""


def moment() -> int:
    """The time that all files have: $SOURCE_DATE_EPOCH, or that of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    command = ("git", "log", "-1", "--format=%ct")
    return int(
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    )


def build(folder: Path) -> dict[str, str]:
    """Build everything into a folder; the hash of each file by its name."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(moment())}
    command = ("uv", "build", "--quiet", "--all-packages", "--out-dir", str(folder))
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    paths = sorted((*folder.glob("*.whl"), *folder.glob("*.tar.gz")))
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in paths}


def build_twice(folder: Path) -> dict[str, str]:
    """The same, if a second build has the same bytes. Raises `ReleaseError`."""
    hashes = build(folder)
    with tempfile.TemporaryDirectory() as other:
        again = build(Path(other))
    different = sorted(
        name for name in hashes | again if hashes.get(name) != again.get(name)
    )
    if different:
        raise ReleaseError(
            f"expected two builds of the same bytes, got others of {different}"
        )
    kinds = sorted(name.split("-")[0] for name in hashes)
    if kinds != sorted(DISTRIBUTIONS * 2):
        raise ReleaseError(
            f"expected a wheel and an sdist of each distribution, got {kinds}"
        )
    return hashes
