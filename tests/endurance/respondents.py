"""`python tests/endurance/respondents.py 1000`: n answers in Chromium, and all their requests.

All requests have to be of one number, with names and sizes that do not depend on the answer, and no
answer may stand in one. Whatever name the browser looks up, it finds the host that writes down.
"""

import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "respondents")]

from browser import browser  # noqa: E402
from respondent_pages import alike, hosted  # noqa: E402


def main(number):
    """Whether n answers look alike from outside."""
    with tempfile.TemporaryDirectory() as profile, hosted() as host:
        mapped = f"--host-resolver-rules=MAP * 127.0.0.1:{host.server_address[1]}"
        with browser(profile, mapped) as chromium:
            shapes, plain = alike(chromium, host, number)
    print(f"{number} answers: {len(shapes)} kind of requests; answers in them: {sorted(plain)}")
    return len(shapes) == 1 and not plain


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1])))
