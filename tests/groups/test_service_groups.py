"""Groups out of a service: of closed epochs, the same in every answer, and none of few
people.
"""

import sqlite3
import time
from contextlib import closing

import pytest
from group_samples import MODES, PLATFORM, people_of, questions
from pages import TOKEN, UPLOADING, service_of, visitor
from test_release import attack

import ldp
from ldp.numbers.epochs import epoch_of
from ldp.wire.wire import decode_batch, encode_frame, read_frames
from ldp_aggregator import aggregate, estimate_groups
from ldp_aggregator.analyses.groups.asking import GroupRequest
from ldp_aggregator.analyses.groups.estimation import sizes_of
from ldp_service.counting.admission import Rules
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.repair.doctor import examine, repair
from ldp_service.service import Service, Settings
from ldp_service.store.combinations import KnownQuestions
from ldp_service.store.records import last_closed_epochs
from ldp_simulations import randomize

HOUR = 3600
COUNTRY = ldp.attribute("country", ["de", "us"])
SURVEY = ldp.survey(
    "groups", *questions()[:2], attributes=[PLATFORM, COUNTRY], epoch="1h"
)
TEXT = SURVEY.to_toml()
PLAIN = ldp.survey("plain", *questions()[:1], attributes=[PLATFORM])


def reports_of_one_hour():
    """Those of 3,000 people and of 90; made again if the hour was over before the last
    of them.
    """
    while True:
        hour = time.time() // HOUR
        reports = [
            randomize(SURVEY, people_of(number, seed), seed=seed)
            for seed, number in ((1, 3000), (2, 90))
        ]
        if time.time() // HOUR == hour:
            return reports


REPORTS = reports_of_one_hour()
NUMBER = epoch_of(decode_batch(read_frames(REPORTS[0])[0]).id)


class Clock:
    """A clock that can be set."""

    def __init__(self):
        self.now = time.time()

    def __call__(self):
        """The time that it was set to."""
        return self.now


def upload(service, body):
    headers = {"authorization": f"Bearer {UPLOADING}"}
    assert (
        visitor(service).post("/v1/reports", content=body, headers=headers).status_code
        == 202
    )


def close_epochs(service, clock):
    """Let all epochs up to now be closed, however long that takes."""
    clock.now += 5 * HOUR
    service.writer.confirm_clock()
    while True:
        time.sleep(0.1)
        with service.analysis._snapshot() as snapshot:
            if last_closed_epochs(snapshot).get(HOUR, 0) * HOUR > clock.now - 4 * HOUR:
                return


def of_service(service, **query):
    return visitor(service, TOKEN).get("/v1/surveys/groups/estimates", params=query)


@pytest.fixture
def service(tmp_path):
    """A service with an epoch of 3,000 people; whoever asks may close it."""
    clock = Clock()
    with service_of(TEXT, PLAIN.to_toml(), folder=tmp_path, clock=clock) as service:
        upload(service, REPORTS[0])
        service.test_clock = clock
        yield service


def test_nothing_is_shown_of_an_open_epoch(service):
    """Its groups still grow, by a few at a time."""
    answer = of_service(service, by="platform").json()
    assert answer["groups"] == []
    assert answer["suppressed"]["mode"]
    answer = of_service(service, by="platform", epoch=NUMBER)
    assert answer.status_code == 400
    assert "closed" in answer.json()["error"]


def test_a_closed_epoch_gives_what_its_tally_does(service):
    """To the last digit; and so does every form of the answer."""
    close_epochs(service, service.test_clock)
    tally = aggregate(SURVEY, REPORTS[0])
    expected = estimate_groups(tally, by=["platform"])
    answer = of_service(service, by="platform").json()
    assert answer["groups"] == expected.to_dict()["groups"]
    with service.analysis._snapshot() as snapshot:
        assert len({record.key[16:24] for record in snapshot.scan("tally")}) == 1
    of_epoch = of_service(
        service, by="platform", where="country=de", epoch=NUMBER
    ).json()
    assert of_epoch["where"] == {"country": "de"}
    csv = of_service(service, by="platform", format="csv").text
    assert csv.startswith("platform,question,value")
    assert "ios" in csv
    served = service.catalogue.by_name["groups"][-1]
    assert (
        service.analysis.tally(served).groups("mode").keys()
        == tally.groups("mode").keys()
    )


def test_the_history_of_groups(service):
    """Of closed epochs alone, as estimates of an epoch are; on the page as well."""
    asked = {"question": "mode", "by": "platform"}

    def history(**asked):
        answer = visitor(service, TOKEN).get("/v1/surveys/groups/history", params=asked)
        return answer.json()["epochs"]

    assert history(**asked) == []
    close_epochs(service, service.test_clock)
    [epoch] = history(**asked)
    of_epoch = of_service(service, by="platform", question="mode", epoch=NUMBER).json()
    assert epoch["epoch"] == NUMBER
    assert epoch["groups"] == of_epoch["groups"]
    [hidden] = history(question="mode", by="country")
    of_all = of_service(service, by="country", question="mode").json()
    assert hidden["suppressed"] == of_all["suppressed"]
    assert hidden["suppressed"]["mode"]
    query = {"survey": "groups", "by": "platform", "over_time": "mode"}
    page = visitor(service, TOKEN).get("/", params=query).text
    assert "mode by group, over time: car" in page


def test_what_a_service_shows_recovers_no_small_group(service):
    """By any linear algebra on all groups that it shows, in whatever way they are asked
    for.
    """
    close_epochs(service, service.test_clock)
    shown = set()
    for by in ("platform", "country", "platform,country"):
        for where in ("", "platform=ios", "country=us", "country=unknown"):
            answer = of_service(service, by=by, where=where)
            if answer.status_code == 200:
                for group in answer.json()["groups"]:
                    if "mode" in group["questions"]:
                        labels = group["group"]
                        shown.add(
                            (labels.get("platform", ""), labels.get("country", ""))
                        )
    sizes = sizes_of(aggregate(SURVEY, REPORTS[0]), SURVEY["mode"])
    assert len(shown) > 5
    assert not attack(SURVEY.attributes, sizes, shown)


CROSSED = {
    ("android", "de"): 1,
    ("android", "us"): 260,
    ("ios", "de"): 99,
    ("ios", "us"): 2000,
}
"""People of two attributes: by 100 both margins are shown, and by 300 one of the cells.
"""


def version_of(least_group, *more):
    mode = ldp.question(
        "mode", MODES, mechanism="l-grr", epsilon_first=1, epsilon_lifetime=2
    )
    attributes = [PLATFORM, COUNTRY]
    keys = {"epoch": "1h", "least_group": least_group}
    return ldp.survey("groups", mode, *more, attributes=attributes, **keys)


def all_shown(service):
    """The groups of a question that any way to ask shows."""
    shown = set()
    for served in service.catalogue.all:
        for by in ("platform", "country", "platform,country"):
            for reports_per_person in (1, 2, 3):
                asked = {
                    "by": by,
                    "reports_per_person": reports_per_person,
                    "version": served.fingerprint,
                }
                groups = of_service(service, question="mode", **asked).json()["groups"]
                labels = [group["group"] for group in groups]
                shown |= {
                    (one.get("platform", ""), one.get("country", "")) for one in labels
                }
    return shown


@pytest.mark.parametrize("leasts", [(100, 300), (300, 100)])
def test_what_is_shown_of_an_epoch_is_decided_once(tmp_path, leasts):
    """By the survey that was served first: no other version and no reports_per_person
    show more.
    """
    first, second = version_of(leasts[0]), version_of(leasts[1], questions()[1])
    people = [labels for labels, number in CROSSED.items() for _ in range(number)]
    platforms, countries = zip(*people, strict=True)
    modes = ["car", "bus"] * (len(people) // 2)
    answers = {"mode": modes, "platform": platforms, "country": countries}
    clock, looks = Clock(), []
    for versions in ([first], [first, second], [second], [first]):
        texts = [version.to_toml() for version in versions]
        with service_of(*texts, folder=tmp_path, clock=clock) as service:
            if not looks:
                upload(service, randomize(first, answers, seed=1))
                close_epochs(service, clock)
            looks.append(all_shown(service))
    assert all(shown <= looks[0] for shown in looks)
    assert ("ios", "us") in looks[0] or ("ios", "") in looks[0]
    # What was once asked for more is not shown by less, whichever versions are served
    # then.
    assert looks[1:] == [looks[1]] * 3
    sizes = sizes_of(aggregate(first, randomize(first, answers, seed=1)), first["mode"])
    assert not attack(first.attributes, sizes, set().union(*looks))


def test_an_epoch_of_few_adds_nothing(service):
    """Its 90 people are no crowd: what is shown over all epochs stays as it was."""
    close_epochs(service, service.test_clock)
    before = of_service(service, by="platform").json()["groups"]
    served = service.catalogue.by_name["groups"][-1]
    groups = service.analysis.groups(served, GroupRequest(("platform",)))
    assert [group.labels for group in groups.groups] == [
        group["group"] for group in before
    ]
    upload(service, REPORTS[1])
    assert of_service(service, by="platform").json()["groups"] == before


@pytest.mark.parametrize(
    "query",
    [
        {"by": "planet"},
        {"where": "platform"},
        {"where": "platform=web"},
        {"by": "platform,platform"},
    ],
)
def test_groups_that_there_are_none_of_are_refused(service, query):
    """In words, and not by a failure of the service."""
    answer = of_service(service, **query)
    assert answer.status_code == 400
    assert "expected" in answer.json()["error"]
    page = visitor(service, TOKEN).get("/", params={"survey": "groups", **query})
    assert page.status_code in (200, 400)
    assert "expected" in page.text


def test_without_epochs_there_are_no_groups(service):
    """Nothing of such a survey is ever closed."""
    answer = visitor(service, TOKEN).get(
        "/v1/surveys/plain/estimates", params={"by": "platform"}
    )
    assert answer.status_code == 400
    assert "epochs" in answer.json()["error"]


def test_a_tally_with_groups_of_any_size_is_not_handed_out(service):
    """Whoever may look may not take what is suppressed."""
    answer = visitor(service, TOKEN).get("/v1/surveys/groups/tally")
    assert answer.status_code == 403
    page = visitor(service, TOKEN).get("/", params={"survey": "groups"}).text
    assert "/tally" not in page


def test_the_page_offers_groups(service):
    """A chooser, and a table of what is shown; nothing of what is not but its name."""
    close_epochs(service, service.test_clock)
    page = visitor(service, TOKEN).get("/", params={"survey": "groups"}).text
    assert 'name="by"' in page
    assert "by group" not in page
    page = (
        visitor(service, TOKEN)
        .get("/", params={"survey": "groups", "by": "platform"})
        .text
    )
    assert "mode by group" in page
    assert 'value="platform" selected' in page
    assert "Suppressed, because they have fewer than 100 reports" not in page
    page = (
        visitor(service, TOKEN)
        .get("/", params={"survey": "groups", "by": "country"})
        .text
    )
    assert "Suppressed, because they have fewer than 100 reports" in page


def test_groups_on_postgresql(postgres_server):
    """Two processes that share a store count parts of it: combinations add up, and are
    shown.
    """
    clock, url = Clock(), postgres_server.emptied()
    frames = [encode_frame(payload) for payload in read_frames(REPORTS[0])]
    served, settings = [Served(SURVEY, TEXT)], Settings(publication=LIVE)
    with (
        closing(Service(served, url, settings, clock=clock)) as one,
        closing(Service(served, url, settings, clock=clock)) as other,
    ):
        for service, part in ((one, frames[::2]), (other, frames[1::2])):
            body = b"".join(part)
            answer = visitor(service).post("/v1/reports", content=body)
            assert answer.json()["accepted"] == len(part)
        tally = aggregate(SURVEY, REPORTS[0])
        counted = one.analysis.tally(served[0])
        assert counted.combinations.keys() == tally.combinations.keys()
        for name, parts in tally.combinations.items():
            for number, counts in parts.items():
                assert (counted.combinations[name][number] == counts).all()
        close_epochs(one, clock)
        expected = estimate_groups(tally, by=["platform"]).to_dict()["groups"]
        for service in (one, other):
            groups = service.analysis.groups(served[0], GroupRequest(("platform",)))
            assert groups.to_dict()["groups"] == expected


@pytest.mark.parametrize("what", ["a combination", "all of them"])
def test_a_damaged_store_is_repaired_with_its_combinations(tmp_path, what):
    """What is lost is counted anew from batches that were kept, of all combinations
    alike.
    """
    clock, store = Clock(), f"sqlite:///{tmp_path}/store.db"
    settings = Settings(rules=Rules(kept_days=9), publication=LIVE)
    service = Service([Served(SURVEY, TEXT)], store, settings, clock=clock)
    visitor(service).post("/v1/reports", content=REPORTS[0])
    served = service.catalogue.all[0]
    tally = service.analysis.tally(served)
    service.close()
    assert (
        tally.groups("mode").keys()
        == aggregate(SURVEY, REPORTS[0]).groups("mode").keys()
    )
    whole = SURVEY["mode"].fingerprint
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        rows = connection.execute(
            "SELECT key FROM records WHERE kind = 'tally'"
        ).fetchall()
        of_mode = [
            key
            for (key,) in rows
            if KnownQuestions([SURVEY["mode"]]).get(key[:16]) is not None
        ]
        damaged = [key for key in of_mode if key[:16] != whole]
        for key in damaged[:1] if what == "a combination" else of_mode:
            change = (
                "UPDATE records SET content = zeroblob(24) WHERE kind = 'tally' AND "
                "key = ?"
            )
            connection.execute(change, (key,))
    assert examine(store, {}).troubles
    repair(store, {})
    assert not examine(store, {}).troubles
    service = Service([Served(SURVEY, TEXT)], store, settings, clock=clock)
    assert service.analysis.tally(served) == tally
    service.close()
