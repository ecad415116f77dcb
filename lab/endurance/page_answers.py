"""`python -m lab.endurance.page_answers 1000`: n answers, and all their requests.

All requests have to be of one number, with names and sizes that do not depend on the
answer, and no answer may stand in one. Whatever name the browser looks up, it finds the
host that writes down, but for that of its updates: Chromium asks for its own components
every few minutes, whatever is shown.
"""

import sys
import tempfile

from browser import browser
from respondent_pages import alike, hosted

UPDATES = "update.googleapis.com"


def main(number):
    """Whether n answers look alike from outside."""
    with tempfile.TemporaryDirectory() as profile, hosted() as host:
        everything = f"MAP * 127.0.0.1:{host.server_address[1]}"
        mapped = f"--host-resolver-rules=MAP {UPDATES} ~NOTFOUND , {everything}"
        with browser(profile, mapped) as chromium:
            shapes, plain = alike(chromium, host, number)
    outcome = f"{len(shapes)} kind of requests; answers in them: {sorted(plain)}"
    print(f"{number} answers: {outcome}")
    return len(shapes) == 1 and not plain


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1])))
