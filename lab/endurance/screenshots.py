"""Pictures of the page: `python -m lab.endurance.screenshots docs` writes them there.

People of the census extract Adult (`shared/data`, beside the checkout) answer two
surveys for two weeks; then the page is looked at in headless Chromium: on a desk, at
night, on a phone, on paper; and that of `ldp demo`. With `--all` every view is, for
whoever wants to look. Needs chromium and chromedriver.
"""

import base64
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from random import Random

from browser import browser
from pages import service_of, serving
from places import DATA

from ldp_client import Client, report_bytes
from ldp_service.analysis.notes import NoteFile
from ldp_service.service import PageSettings
from ldp_simulations.demo.website import Demonstration

WORK = """
[survey]
name = "work-and-life"
epoch = "1d"
[[attribute]]
name = "region"
values = ["north", "south"]
[[question]]
name = "education"
text = "What is the highest level of school that you have finished?"
type = "category"
values = ["no school", "school", "some college", "associate", "bachelor", "master", "doctor"]
mechanism = "auto"
epsilon = "2"
[[question]]
name = "hours"
text = "How many hours do you work in a usual week?"
type = "integer"
low = 0
high = 99
goal = "distribution"
mechanism = "auto"
epsilon = "2"
[[question]]
name = "applies"
text = "Which of these apply to you?"
type = "multi"
values = ["married", "works for the state", "has capital gains", "born abroad", "over 50"]
most = 5
mechanism = "auto"
epsilon = "3"
[[question]]
name = "job"
text = "What is your occupation?"
type = "text"
mechanism = "rappor"
bloom_bits = 64
hashes = 2
cohorts = 16
p = "0.25"
q = "0.75"
f = "0.25"
"""
BIRTH = """
[survey]
name = "ages"
epoch = "1d"
[[question]]
name = "age"
text = "How old are you?"
type = "integer"
low = 17
high = 90
mechanism = "grr"
epsilon = "5"
[[question]]
name = "origin"
text = "Where were you born?"
type = "category"
values = [{origins}]
mechanism = "auto"
epsilon = "3"
"""
NOTES = """
[[note]]
on = 2026-02-20
text = "The survey is shown to new users as well"
survey = "work-and-life"
[[note]]
on = 2026-02-24
text = "Release 2.4"
"""
SCHOOLS = {
    "Bachelors": "bachelor",
    "Masters": "master",
    "Doctorate": "doctor",
    "Prof-school": "doctor",
    "Some-college": "some college",
    "Assoc-acdm": "associate",
    "Assoc-voc": "associate",
    "HS-grad": "school",
}
DAYS, RESPONDENTS = 14, 900
FIRST_DAY, SECONDS = 20_500, 86_400
DESK, LONG, PHONE = (1280, 1080), (1280, 2600), (390, 780)
OVER_TIME = "?survey=work-and-life&over_time=education"
VIEWS = (
    ("page", "light", DESK, f"{OVER_TIME}#question-hours"),
    ("page-dark", "dark", (1280, 900), f"{OVER_TIME}&way=smoothed#question-education"),
    ("page-phone", "light", PHONE, f"{OVER_TIME}#question-hours"),
)
"""By file: the scheme that is preferred, the size of the screen, and the view with what
is at its top.
"""
SIDES = "first=survey%3Dwork-and-life%26epoch%3D20500&second=survey%3Dwork-and-life%26epoch%3D20512"
MORE = (
    ("all-overview", "light", DESK, ""),
    ("all-survey", "light", LONG, "?survey=work-and-life"),
    ("all-smoothed", "light", LONG, f"{OVER_TIME}&way=smoothed#question-education"),
    (
        "all-cumulated",
        "dark",
        DESK,
        f"{OVER_TIME}&way=cumulated&axes=fit#question-education",
    ),
    (
        "all-groups",
        "light",
        DESK,
        "?survey=work-and-life&by=region&over_time=education#groups",
    ),
    ("all-compare", "light", (1280, 1500), f"compare?{SIDES}&question=education"),
    ("all-hours", "light", (1280, 1500), f"compare?{SIDES}&question=hours"),
    ("all-compare-phone", "dark", PHONE, f"compare?{SIDES}&question=education"),
    ("all-ages", "light", LONG, "?survey=ages&since=2026-02-18&until=2026-02-25"),
    (
        "all-find",
        "light",
        DESK,
        "?survey=ages&values_of=origin&find=an#question-origin",
    ),
    ("all-phone-top", "light", PHONE, "?survey=work-and-life"),
    ("all-phone-time", "dark", PHONE, f"{OVER_TIME}&way=smoothed#question-education"),
    ("all-overview-phone", "light", PHONE, ""),
    ("all-embed", "light", (640, 560), "embed?survey=work-and-life&question=hours"),
)


def demonstrate(chromium, place, path):
    """Write the picture of `ldp demo`: an answer that is flipped, and all people."""
    shown = Demonstration(f"sqlite:///{place / 'demo.db'}", pause=0)
    with serving(shown.service, application=shown.application()) as url:
        chromium.size(1280, 760)
        chromium.prefer("light")
        while "flipped it" not in chromium.text(".cards"):
            chromium.open(f"{url}/demo")
            chromium.run("document.querySelector('button[value=no]').click()")
            chromium.wait("return document.querySelector('.cards')")
        shown.wait()
        chromium.open(f"{url}/demo")
        path.write_bytes(chromium.picture())
    shown.service.close()


def main(folder, *options):
    """Write all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    views = VIEWS + (MORE if "--all" in options else ())
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        with collected(place) as url, browser(place / "profile") as chromium:
            for name, scheme, size, view in views:
                phone = size == PHONE
                chromium.size(*size, scale=2 if phone else 1, mobile=phone)
                chromium.prefer(scheme)
                chromium.open(f"{url}/{view}")
                if not view.startswith("embed"):
                    words = (
                        "return document.querySelector('#state').textContent === 'Live'"
                    )
                    chromium.wait(words)
                (folder / f"{name}.png").write_bytes(chromium.picture())
            demonstrate(chromium, place, folder / "demo.png")
            if "--all" in options:
                chromium.size(*DESK)
                chromium.open(f"{url}/{OVER_TIME}")
                paper = chromium.devtools("Page.printToPDF", printBackground=False)
                (folder / "all-print.pdf").write_bytes(base64.b64decode(paper["data"]))


@contextmanager
def collected(place):
    """The URL of a service to which people have answered for two weeks."""
    now = [FIRST_DAY * SECONDS + SECONDS / 2]
    people = everyone()
    jobs = sorted({person["occupation"] for person in people})
    (place / "notes.toml").write_text(NOTES, encoding="utf-8")
    origins = ", ".join(
        f'"{name}"' for name in sorted({one["origin"] for one in people})
    )
    options = {
        "folder": place,
        "tokens": False,
        "candidates": {"job": [*jobs, "Astronaut"]},
        "clock": lambda: now[0],
        "page": PageSettings(
            notes=NoteFile(place / "notes.toml"), frame_ancestors=("'self'",)
        ),
    }
    texts = (WORK, BIRTH.replace("{origins}", origins))
    with service_of(*texts, **options) as service, serving(service) as url:
        collect(service, people, now)
        yield url


def everyone():
    """People of the extract, by column."""
    names = (
        "age",
        "class",
        "",
        "education",
        "",
        "married",
        "occupation",
        "",
        "",
        "sex",
    )
    names += ("gain", "", "hours", "origin", "income")
    with (DATA / "adult.data").open(encoding="utf-8") as file:
        rows = [
            line.strip().split(", ")
            for line in file
            if "?" not in line and line.strip()
        ]
    return [dict(zip(names, row, strict=True)) for row in rows]


def collect(service, people, now):
    """Two weeks of reports, the same at every call.

    Now and then some come twice, late or damaged; from the tenth day on more people of
    higher education are asked.
    """
    work, ages = (served.survey for served in service.catalogue.all)
    chance = Random(2026)
    for day in range(DAYS):
        reports = []
        for _ in range(RESPONDENTS):
            person = chance.choice(people)
            if day >= DAYS - 5 and chance.random() < 0.25:
                person = {**chance.choice(people), "education": "Bachelors"}
            attributes = {"region": "north" if person["sex"] == "Male" else "south"}
            of_work = Client(work, random=chance.randbytes, attributes=attributes)
            reports += [
                of_work.record(*answer) for answer in answers_of(person).items()
            ]
            of_ages = Client(ages, random=chance.randbytes)
            reports.append(of_ages.record("age", int(person["age"])))
            reports.append(of_ages.record("origin", person["origin"]))
        upload = report_bytes(
            reports, size=100, random=chance.randbytes, clock=lambda: now[0]
        )
        service.writer.write(upload)
        if day % 5 == 4:
            service.writer.write(upload[: len(upload) // 3])
        now[0] += SECONDS
    service.writer.write(
        report_bytes(reports[:300], size=100, clock=lambda: FIRST_DAY * SECONDS)
    )


def answers_of(person):
    """What someone answers to the survey on work."""
    applies = {
        "married": person["married"].startswith("Married"),
        "works for the state": person["class"].endswith("gov"),
        "has capital gains": person["gain"] != "0",
        "born abroad": person["origin"] != "United-States",
        "over 50": int(person["age"]) > 50,
    }
    return {
        "education": SCHOOLS.get(person["education"], "no school"),
        "hours": int(person["hours"]),
        "applies": [value for value, holds in applies.items() if holds],
        "job": person["occupation"],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
