"""For scripts, which import it first: the folders of tests on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from places import FOLDERS

sys.path[:] = list(dict.fromkeys([*map(str, FOLDERS), *sys.path]))
