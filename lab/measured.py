"""Pages of figures: what each measures, and the commit of which its figures are.

A page names that commit below its title. A test fails when many commits have changed what a
page measures since then.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_ANALYSIS = ("ldp", "aggregator/ldp_aggregator")
_SYSTEM = ("ldp", "client/ldp_client", "aggregator")
MEASURES = {
    "benchmarks.md": (*_SYSTEM, "lab/benchmarks"),
    "changes-coverage.md": (*_ANALYSIS, "lab/changes"),
    "coverage.md": (*_ANALYSIS, "lab/coverage"),
    "model-coverage.md": (*_ANALYSIS, "lab/model_coverage"),
    "numbers-measured.md": (*_ANALYSIS, "lab/benchmarks/means"),
    "peers.md": (*_SYSTEM, "lab/benchmarks/peers"),
    "rappor-grid.md": (*_ANALYSIS, "lab/rappor_suite"),
    "shuffle-figures.md": ("ldp", "lab/shuffled_figures.py"),
}
"""The pages of `docs`, and the files that their figures come from."""
_LINE = "Measured at commit `{}`."
_NAMED = re.compile(re.escape(_LINE).replace(r"\{\}", "([0-9a-f]+)"))


def git(*words: str) -> str:
    """Return what git says of this checkout; nothing where it is none."""
    command = ["git", "-C", str(ROOT), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def commit_of(page: str) -> str:
    """Return the commit that a page names; nothing if it names none."""
    named = _NAMED.search(page)
    return named[1] if named else ""


def name_commit(page: str, commit: str = "") -> str:
    """Return a page that names a commit below its title: this checkout's, if none is
    given.
    """
    line = _LINE.format(commit or git("rev-parse", "--short=8", "HEAD"))
    if commit_of(page):
        return _NAMED.sub(line, page)
    title, _, rest = page.partition("\n")
    return f"{title}\n\n{line}\n{rest}"


def changes_since(commit: str, paths: Sequence[str]) -> int:
    """Return how many commits have changed these files since then."""
    return int(git("rev-list", "--count", f"{commit}..HEAD", "--", *paths))
