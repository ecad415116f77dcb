"""Harnesses that kill, flip bits, fill disks and send wrong bytes, for hours if asked
to.

Helpers of the tests are imported by their names, as in the tests.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from places import FOLDERS

sys.path[:] = list(dict.fromkeys([*map(str, FOLDERS), *sys.path]))
