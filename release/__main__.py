"""`python -m release FOLDER`: everything that is uploaded, in a folder that is empty
before.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from release.build import ROOT, ReleaseError, build_twice, moment
from release.sbom import bill


def main() -> None:
    """Build it; exit code 1 where it cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python -m release",
        description="Build everything that is uploaded, twice.",
    )
    parser.add_argument(
        "folder", type=Path, help="where to, such as dist; empty or not there"
    )
    folder = parser.parse_args().folder
    if folder.is_dir() and any(folder.iterdir()):
        sys.exit(f"expected an empty folder, got {folder}")
    try:
        hashes = build_twice(folder)
    except ReleaseError as error:
        sys.exit(str(error))
    (folder / "ldpkit.cdx.json").write_bytes(bill(ROOT, moment(), hashes))
    lines = [f"{digest}  {name}\n" for name, digest in hashes.items()]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    print("".join(lines), end="")


main()
