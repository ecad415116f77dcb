"""Where things are.

And the folders of tests, all of which are on the path, so that helpers are imported by
name.
"""

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
# What pages say besides is no survey.
EXAMPLE_SURVEYS = sorted(
    path for path in EXAMPLES.rglob("*.toml") if not path.name.endswith(".page.toml")
)
VECTORS = TESTS / "vectors"
DATA = ROOT.parent / "shared" / "data"
"""Data of others, where it is there."""

FOLDERS = [TESTS, *sorted({path.parent for path in TESTS.rglob("*.py")} - {TESTS})]
