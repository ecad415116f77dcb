"""Three studies, from the plan to the result: `python examples/studies.py`.

    noise     where in a city it is loud at night: a map, and rectangles at three zooms
    health    which of twelve yes/no questions go together: all 66 pairs, and synthetic
              people
    phones    minutes a day by app: who has it, and the mean of those who do

Each is planned and simulated before anyone is asked, and then collected: every person
has a client of their own, reports go over HTTP to a service, and estimates come from
its tally. That is done at epsilon 1 and at epsilon 4; what is estimated stands beside
the truth, which no one would know.

People are made up, with a fixed seed; their reports are drawn from the system's
randomness, so that the numbers differ a little each time.
"""

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import uvicorn

import ldp
import ldp_aggregator
import ldp_simulations
from ldp_client import Client, HTTPTransport, report_bytes
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.http.app import Application
from ldp_service.service import Service, Settings, UploadSettings

PEOPLE = 20_000
EPSILONS = (1, 4)
UPLOAD = 5_000
"""Reports of one upload."""
NONE = (float("nan"), float("nan"))
"""The interval of what has none."""


class Line(NamedTuple):
    """What is estimated, with its interval, and what is true."""

    what: str
    estimate: float
    interval: tuple[float, float]
    truth: float


class Study(NamedTuple):
    """A question, people who answer it, and what is read off their reports."""

    question: Callable[[int], dict[str, object]]
    """By epsilon."""
    answers: Sequence[Any]
    """One of each person."""
    results: Callable[[ldp_aggregator.Tally, Sequence[Any]], Iterator[Line]]


def noise(people: int) -> Study:
    """Two streets of bars, a ring road, and the rest of a city of 8 by 8 kilometres."""
    generator = np.random.default_rng(1)
    bars = np.array([(2.2, 5.1), (5.6, 3.3)])[generator.integers(0, 2, people)]
    bars = bars + generator.normal(0, 0.25, (people, 2))
    turn = generator.uniform(0, 2 * np.pi, people)
    ring = 4 + 3 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    anywhere = generator.uniform(0, 8, (people, 2))
    kind = generator.choice(3, people, p=[0.4, 0.35, 0.25])[:, None]
    places = np.select([kind == 0, kind == 1], [bars, ring], anywhere).clip(0, 8)

    def question(epsilon: int) -> dict[str, object]:
        return ldp.question(
            "loud", x=(0, 8), y=(0, 8), cells=32, goal="rectangles", epsilon=epsilon
        )

    def results(tally: ldp_aggregator.Tally, answers: Sequence[Any]) -> Iterator[Line]:
        where = np.array(answers)
        loud = ldp_aggregator.estimate(tally)["loud"]
        for what, x, y in (
            ("the west", (0, 4), (0, 8)),
            ("the quarter of the bars", (1, 3), (4, 6)),
            ("one street", (2, 2.5), (5, 5.5)),
        ):
            share = loud.rectangle(x=x, y=y)
            low, high = np.array([x, y]).T
            truth = float(((where >= low) & (where < high)).all(axis=1).mean())
            yield Line(what, share.frequency, share.interval, truth=truth)

    return Study(
        question, [tuple(place) for place in places.round(3).tolist()], results
    )


SYMPTOMS = (
    *("smokes", "alone", "sleeps", "sport", "tired", "pain"),
    *("worries", "debts", "works", "drinks", "diet", "doctor"),
)


def health(people: int) -> Study:
    """Who is in debt worries, who worries sleeps badly, and who sleeps badly is
    tired.
    """
    generator = np.random.default_rng(2)
    yes = {name: generator.random(people) < 0.3 for name in SYMPTOMS}
    yes["worries"] = generator.random(people) < np.where(yes["debts"], 0.7, 0.2)
    yes["sleeps"] = generator.random(people) < np.where(yes["worries"], 0.4, 0.8)
    yes["tired"] = generator.random(people) < np.where(yes["sleeps"], 0.15, 0.6)

    def question(epsilon: int) -> dict[str, object]:
        fields = [ldp.field(name, type="boolean") for name in SYMPTOMS]
        return ldp.question("health", fields=fields, collect="subsets", epsilon=epsilon)

    def results(tally: ldp_aggregator.Tally, _: Sequence[Any]) -> Iterator[Line]:
        tables = ldp_aggregator.crosstab(tally, "health")
        for one, other in (
            ("debts", "worries"),
            ("sleeps", "tired"),
            ("smokes", "diet"),
        ):
            share = tables.share(**{one: "true", other: "true"})
            truth = float((yes[one] & yes[other]).mean())
            yield Line(
                f"{one} and {other}", share.frequency, share.interval, truth=truth
            )
        tired = next(
            part
            for part in tables.conditional("tired", given="sleeps")
            if (part.value, part.given) == ("true", "false")
        )
        truth = float(yes["tired"][~yes["sleeps"]].mean())
        yield Line("tired, of bad sleepers", tired.share, tired.interval, truth=truth)
        made_up = ldp_aggregator.synthesize(tally, "health", rows=people, seed=1)
        bad = [row["tired"] == "true" for row in made_up if row["sleeps"] == "false"]
        share_of_them = sum(bad) / max(len(bad), 1)
        yield Line("the same, of synthetic people", share_of_them, NONE, truth=truth)

    answers = zip(*(yes[name].tolist() for name in SYMPTOMS), strict=True)
    return Study(
        question, [dict(zip(SYMPTOMS, row, strict=True)) for row in answers], results
    )


APPS = ("maps", "mail", "chat", "games", "news", "music", "bank", "camera")


def phones(people: int) -> Study:
    """Everyone mails, a third play for long, and some do one thing more."""
    generator = np.random.default_rng(3)
    answers = []
    for _ in range(people):
        used = {"mail": float(generator.uniform(5, 45))}
        if generator.random() < 0.35:
            used["games"] = float(generator.uniform(60, 180))
        elif generator.random() < 0.5:
            used[APPS[int(generator.integers(4, 8))]] = float(generator.uniform(0, 60))
        answers.append({app: round(minutes, 1) for app, minutes in used.items()})

    def question(epsilon: int) -> dict[str, object]:
        scale: dict[str, Any] = {
            "low": 0,
            "high": 240,
            "unit": "minutes",
            "outside": "clip",
        }
        return ldp.question("minutes", keys=APPS, most=2, epsilon=epsilon, **scale)

    def results(tally: ldp_aggregator.Tally, answers: Sequence[Any]) -> Iterator[Line]:
        minutes = ldp_aggregator.estimate(tally)["minutes"]
        for app in ("mail", "games", "music"):
            share, mean = minutes[app], minutes.mean_of(app)
            held = [used[app] for used in answers if app in used]
            truth = len(held) / len(answers)
            yield Line(f"have {app}", share.frequency, share.interval, truth=truth)
            truth = sum(held) / max(len(held), 1)
            yield Line(f"minutes of {app}", mean.estimate, mean.interval, truth=truth)

    return Study(question, answers, results)


STUDIES = {"noise": noise, "health": health, "phones": phones}


@contextmanager
def serving(survey: ldp.Survey) -> Iterator[tuple[str, Service, Served]]:
    """The address of a service for a survey on this machine, and the service itself."""
    served = Served(survey, survey.to_toml())
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{Path(folder) / 'ldp.db'}"
        # Its devices are made up.
        uploads = UploadSettings(open_uploads=True)
        settings = Settings(uploads=uploads, publication=LIVE)
        service = Service([served], store, settings)
        config = uvicorn.Config(
            Application(service), port=0, log_level="error", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                thread.join(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            yield f"http://127.0.0.1:{port}", service, served
        finally:
            server.should_exit = True
            thread.join()
            service.close()


def collected(survey: ldp.Survey, answers: Sequence[Any]) -> ldp_aggregator.Tally:
    """The tally of a service that everyone has sent a report to."""
    (question,) = survey
    reports = [Client(survey).record(question.name, answer) for answer in answers]
    with serving(survey) as (address, service, served):
        transport = HTTPTransport(address)
        for start in range(0, len(reports), UPLOAD):
            transport.send(report_bytes(reports[start : start + UPLOAD]))
        return service.analysis.tally(served)


def show(name: str, epsilon: int, study: Study) -> None:
    """Plan, simulate and collect a study, and print what it comes to."""
    survey = ldp.survey(f"{name}-{epsilon}", study.question(epsilon))
    (question,) = survey
    people = len(study.answers)
    print(f"{name}, epsilon {epsilon}: {question.mechanism}, {people:,} people")
    planned = ldp_simulations.plan(survey, respondents=people).to_dict()["plans"][0]
    population = ldp_simulations.synthetic(survey, people)
    runs = ldp_simulations.simulate(survey, population, runs=5, seed=1).runs[
        question.name
    ]
    print(f"  a report has {planned['report_bytes']} bytes")
    print(
        f"  simulated: {np.mean(runs.coverage):.1%} of the intervals of shares hold "
        "the truth"
    )
    for line in study.results(collected(survey, study.answers), study.answers):
        low, high = line.interval
        ends = "" if np.isnan(low) else f" [{low:.4g}, {high:.4g}]"
        print(f"  {line.what}: {line.estimate:.4g}{ends}, in truth {line.truth:.4g}")


def main(people: int = PEOPLE, names: Sequence[str] = tuple(STUDIES)) -> None:
    """Print all studies, or those that are named."""
    for name in names:
        study = STUDIES[name](people)
        for epsilon in EPSILONS:
            show(name, epsilon, study)


if __name__ == "__main__":
    main(names=sys.argv[1:] or tuple(STUDIES))
