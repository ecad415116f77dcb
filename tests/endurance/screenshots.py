"""Pictures of the page: `python tests/endurance/screenshots.py docs` writes them there.

Simulated respondents answer for two weeks; then the page is looked at in headless Chromium: on a
desk, at night, and on a phone. Needs chromium and chromedriver.
"""

import sys
import tempfile
from pathlib import Path
from random import Random

import rooms  # noqa: F401
from browser import browser
from pages import service_of, serving

from ldp_client import Client, report_bytes

SURVEY = """
[survey]
name = "commute-2026"
epoch = "1d"
[[question]]
name = "transport"
text = "How do you get to work?"
type = "category"
values = ["car", "bus", "bike", "walk", "train", "other"]
mechanism = "auto"
epsilon = "1"
[[question]]
name = "app"
text = "Which route planner do you use?"
type = "text"
mechanism = "rappor"
bloom_bits = 64
hashes = 2
cohorts = 16
p = "0.25"
q = "0.75"
f = "0.25"
[[question]]
name = "hours"
text = "How many hours do you spend on the way in a week?"
type = "integer"
low = 0
high = 20
mechanism = "geometric"
epsilon = "2"
"""
APPS = ("maps", "transit", "citymapper", "komoot", "moovit", "naviki")
DAYS, RESPONDENTS = 14, 1200
FIRST_DAY, SECONDS = 20_500, 86_400
VIEWS = (
    ("page", "light", (1280, 1080), False, ""),
    ("page-dark", "dark", (1280, 900), False, "#question-app"),
    ("page-phone", "light", (390, 780), True, "#question-transport"),
)
"""By file: the scheme that is preferred, the size of the screen, whether it is a phone's, and what
is at its top.
"""


def main(folder):
    """Write all pictures."""
    now = [FIRST_DAY * SECONDS + SECONDS / 2]
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        with (
            service_of(
                SURVEY, folder=place, tokens=False, candidates={"app": APPS}, clock=lambda: now[0]
            ) as service,
            serving(service) as url,
            browser(place / "profile") as chromium,
        ):
            collect(service, now)
            for name, scheme, size, phone, top in VIEWS:
                chromium.size(*size, scale=2 if phone else 1, mobile=phone)
                chromium.prefer(scheme)
                chromium.open(f"{url}/?over_time=transport{top}")
                chromium.wait("return document.querySelector('#state').textContent === 'Live'")
                (folder / f"{name}.png").write_bytes(chromium.picture())


def collect(service, now):
    """Two weeks of reports, the same at every call.

    Now and then some come twice, late or damaged.
    """
    survey, chance = service.catalogue.all[0].survey, Random(2026)
    for day in range(DAYS):
        reports = [
            report
            for _ in range(RESPONDENTS)
            for name, answer in answers_on(day, chance).items()
            for report in [Client(survey, random=chance.randbytes).record(name, answer)]
        ]
        upload = report_bytes(reports, size=100, random=chance.randbytes, clock=lambda: now[0])
        service.writer.write(upload)
        if day % 5 == 4:
            service.writer.write(upload[: len(upload) // 3])
        now[0] += SECONDS
    service.writer.write(report_bytes(reports[:300], size=100, clock=lambda: FIRST_DAY * SECONDS))


def answers_on(day, chance):
    """What a respondent answers: bikes gain on cars as the days get longer."""
    modes = ("car", "bus", "bike", "walk", "train", "other")
    return {
        "transport": chance.choices(modes, (34 - day, 18, 9 + day, 14, 22, 0))[0],
        "app": chance.choices((*APPS, "a map of paper"), (40, 22, 14, 6, 3, 0, 15))[0],
        "hours": min(20, int(chance.expovariate(0.2))),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
