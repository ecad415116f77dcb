"""The service over HTTP, in one process: what is counted, what is answered, and who may
ask.
"""

import json
from collections import Counter
from unittest.mock import Mock

import pytest
from calling import run
from pages import TOKEN, UPLOADING, Visitor, service_of, visitor
from wire_samples import BATCHES, SURVEY, TEXT, batch_of, file_of, taken

from ldp import parse_survey
from ldp.numbers.epochs import batch_id
from ldp.numbers.randomness import system
from ldp.wire.wire import Batch
from ldp_aggregator import FileError, estimate
from ldp_aggregator.tallies.identity import EVER_ENDS
from ldp_aggregator.tallies.intake.overlaps import TallyOverlaps
from ldp_aggregator.tallies.tally_file import decode_tally, encode_tally
from ldp_service.counting.admission import Rules
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.counting.submissions import OverloadError
from ldp_service.http.app import Application
from ldp_service.service import Service, Settings
from ldp_service.store.errors import StoreError, StoreFullError

HOUR = 3600
TIMED = TEXT.replace('name = "example"', 'name = "example"\nepoch = "1h"\ngrace = "2h"')


def upload(service, body, token=UPLOADING, **headers):
    """The answer to an upload."""
    headers = {"authorization": f"Bearer {token}"} | headers if token else headers
    return visitor(service).post("/v1/reports", content=body, headers=headers)


def timed_batch(name, seconds):
    """A batch of one report, made at a time."""
    question = parse_survey(TIMED)[name]
    return Batch(
        question.fingerprint,
        batch_id(system, question.epoch, seconds),
        3,
        rows=BATCHES[name].rows,
    )


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now):
        self.now = now

    def __call__(self):
        """The time that it was set to."""
        return self.now


def test_what_is_uploaded_is_what_files_give(tmp_path):
    """Tally and estimates of a service are those of one ingest of its bytes, to the
    last bit.
    """
    bodies = [file_of(batch) for batch in BATCHES.values()]
    with service_of(TEXT, folder=tmp_path) as service:
        for body in bodies:
            answer = upload(service, body)
            assert answer.status_code == 202
            assert answer.json() == {
                "accepted": 1,
                "duplicate": 0,
                "quarantined": 0,
                "rejected": {},
            }
        looker = visitor(service, TOKEN)
        content = looker.get("/v1/surveys/example/tally").content
        tally, expected = decode_tally(content, SURVEY), taken(*bodies)
        assert tally == expected
        # By itself it says of which store it is, and not of which batches.
        [(_, start, end)] = tally.identity.origins
        assert (start, end) == (0, EVER_ENDS)
        expected.identity = tally.identity
        assert encode_tally(expected) == content
        expected = json.loads(json.dumps(estimate(taken(*bodies)).to_dict()))
        assert looker.get("/v1/surveys/example/estimates").json() == expected
        assert (
            looker.get("/v1/surveys/example/estimates?format=csv").text
            == estimate(taken(*bodies)).to_csv()
        )


def test_a_batch_counts_once(tmp_path):
    """In one upload or in several, before and after a restart: once.

    Its repetitions are duplicates.
    """
    body = file_of(BATCHES["symbol"], BATCHES["bits"])
    for sent in range(3):
        with service_of(TEXT, folder=tmp_path) as service:
            twice = upload(service, body + body).json()
            assert (twice["accepted"], twice["duplicate"]) == (
                (0, 4) if sent else (2, 2)
            )
            tally = service.analysis.tally(service.catalogue.by_name["example"][-1])
            assert (
                tally.counts["symbol"].tolist() == taken(body).counts["symbol"].tolist()
            )
            accounts = service.analysis.accounts()
            assert accounts.received == accounts.outcomes.total() == 4 * (sent + 1)


def test_every_outcome_is_told_and_adds_up(tmp_path):
    """Every outcome, rejects by reason, is in the receipt, and the same in the
    metrics.
    """
    other = parse_survey(TEXT.replace("car", "tram"))["symbol"]
    stranger = Batch(other.fingerprint, b"s" * 16, 3, rows=BATCHES["symbol"].rows)
    impossible = BATCHES["symbol"]._replace(id=b"i" * 16, rows=b"\4\4\4")
    body = (
        file_of(BATCHES["symbol"], BATCHES["symbol"], stranger, stranger, impossible)
        + b"garbage"
    )
    with service_of(TEXT, folder=tmp_path) as service:
        everyone = Visitor(Application(service))
        outcomes = everyone.post(
            "/v1/reports",
            content=body,
            headers={"authorization": f"Bearer {UPLOADING}"},
        ).json()
        rejected = {"frame-damaged": 1, "symbol-range": 1}
        assert outcomes == {
            "accepted": 1,
            "duplicate": 2,
            "quarantined": 1,
            "rejected": rejected,
        }
        metrics = everyone.get(
            "/metrics", headers={"authorization": f"Bearer {TOKEN}"}
        ).text
        for line in (
            "ldp_batches_received_total 6.0",
            'ldp_batches_total{outcome="accepted",reason=""} 1.0',
            'ldp_batches_total{outcome="duplicate",reason=""} 2.0',
            'ldp_batches_total{outcome="rejected",reason="symbol-range"} 1.0',
            "ldp_batches_quarantined 1.0",
            'ldp_uploads_total{status="202"} 1.0',
        ):
            assert line in metrics


def test_quarantine_is_counted_when_its_survey_is_served(tmp_path):
    """A batch that came before its survey is counted once the survey is there, received
    once.
    """
    newer = TEXT.replace("car", "tram")
    question = parse_survey(newer)["symbol"]
    body = file_of(
        Batch(question.fingerprint, b"s" * 16, 3, rows=BATCHES["symbol"].rows)
    )
    with service_of(TEXT, folder=tmp_path) as service:
        assert upload(service, body).json()["quarantined"] == 1
    with service_of(TEXT, newer, folder=tmp_path) as service:
        while not service.analysis.accounts().outcomes["accepted"]:
            pass
        accounts = service.analysis.accounts()
        assert accounts.received == 1
        assert +accounts.outcomes == Counter(accepted=1)
        assert upload(service, body).json()["duplicate"] == 1
        assert (
            service.analysis.tally(service.catalogue.by_name["example"][-1]).reports(
                "symbol"
            )
            == 3
        )


def test_quarantine_has_an_end(tmp_path):
    """Beyond its bytes or days a quarantined batch is rejected."""
    question, clock = parse_survey(TEXT.replace("car", "tram"))["symbol"], Clock(0)
    batches = [
        Batch(
            question.fingerprint, bytes([number]) * 16, 3, rows=BATCHES["symbol"].rows
        )
        for number in range(3)
    ]
    rules = Rules(aside_days=2, aside_bytes=2 * len(file_of(batches[0])))
    settings = Settings(rules=rules, publication=LIVE)
    service = Service(
        [Served(SURVEY, TEXT)], f"sqlite:///{tmp_path}/s.db", settings, clock=clock
    )
    answers = [upload(service, file_of(batch), None).json() for batch in batches]
    assert [answer["quarantined"] for answer in answers] == [1, 1, 0]
    assert answers[2]["rejected"] == {"fingerprint": 1}
    clock.now = 4 * 24 * HOUR
    upload(service, file_of(BATCHES["symbol"]), None)
    upload(
        service, file_of(BATCHES["symbol"]), None
    )  # the writer looks at its clock after each turn
    accounts = service.analysis.accounts()
    assert accounts.received == accounts.outcomes.total() == 5
    assert +accounts.outcomes == Counter(accepted=1, duplicate=1, fingerprint=3)
    service.close()


def test_epochs_close_and_their_ids_go(tmp_path):
    """Late batches are refused by their epoch, early ones told to come again.

    After the grace the ids are gone, the counts stay, and a clock that goes back opens
    nothing.
    """
    clock = Clock(10 * HOUR)
    served = [Served(parse_survey(TIMED), TIMED)]
    service = Service(
        served, f"sqlite:///{tmp_path}/s.db", Settings(publication=LIVE), clock=clock
    )
    ours, early = timed_batch("symbol", 10 * HOUR), timed_batch("symbol", 12 * HOUR)
    assert (
        upload(service, file_of(ours, timed_batch("symbol", 11 * HOUR)), None).json()[
            "accepted"
        ]
        == 2
    )
    waiting = upload(service, file_of(early, timed_batch("symbol", 0)), None)
    assert (waiting.status_code, waiting.headers["retry-after"]) == (503, "600")
    assert +service.analysis.accounts().outcomes == Counter(accepted=2, late=1)
    clock.now = 11.5 * HOUR
    upload(service, b"x", None)
    upload(service, b"x", None)
    clock.now = 12.5 * HOUR
    assert upload(service, file_of(ours, early), None).json() | {"rejected": 0} == {
        "accepted": 1, "duplicate": 1, "quarantined": 0, "rejected": 0,
    }  # fmt: skip
    # Answers come before the look that follows: the next one is behind it.
    upload(service, b"x", None)
    clock.now = 13.5 * HOUR
    upload(service, file_of(ours), None)
    assert upload(service, file_of(ours), None).json()["rejected"] == {"late": 1}
    with service.analysis._snapshot() as snapshot:
        assert [epoch.number for epoch in snapshot.epochs()] == [11, 12]
    clock.now = 10 * HOUR
    back = upload(service, file_of(timed_batch("symbol", 10 * HOUR)), None)
    assert (back.status_code, back.headers["retry-after"]) == (503, "600")
    looker = visitor(service)
    history = looker.get("/v1/surveys/example/history?question=symbol").json()["epochs"]
    assert [(epoch["epoch"], epoch["reports"]) for epoch in history] == [
        (10, 3),
        (11, 3),
        (12, 3),
    ]
    at = looker.get("/v1/surveys/example/estimates?epoch=11").json()
    assert at["questions"]["symbol"]["reports"] == 3
    service.close()


def test_kept_batches_are_exported_and_counted_again(tmp_path):
    """`ldp aggregate` makes the service's tally of what `ldp store export` writes."""
    body = file_of(*BATCHES.values())
    store = f"sqlite:///{tmp_path}/s.db"
    folder = tmp_path / "kept"
    survey = tmp_path / "survey.toml"
    clock = Clock(20_000 * 24 * HOUR)
    service = Service(
        [Served(SURVEY, TEXT)],
        store,
        Settings(rules=Rules(kept_days=2), publication=LIVE),
        clock=clock,
    )
    upload(service, body, None)
    run("store", "export", store, "-o", folder)
    [exported] = folder.glob("*.ldp")
    assert exported.name == f"example-{SURVEY.fingerprint.hex()[:8]}-2024-10-04.ldp"
    survey.write_text(TEXT)
    run("aggregate", survey, exported, "-o", tmp_path / "again.tally")
    served = visitor(service).get("/v1/surveys/example/tally").content
    again = (tmp_path / "again.tally").read_bytes()
    assert decode_tally(again, SURVEY) == decode_tally(served, SURVEY)
    clock.now += 4 * 24 * HOUR
    upload(service, body, None)
    upload(service, body, None)
    assert "got none" in run("store", "export", store, "-o", folder, code=1).output
    assert (
        visitor(service)
        .get("/v1/surveys/example/estimates")
        .json()["questions"]["symbol"]["reports"]
        == 3
    )
    service.close()


def test_versions_live_side_by_side(tmp_path):
    """Questions of one fingerprint share a tally.

    The others are apart by version, and pooled where nothing is said.
    """
    newer = TEXT.replace(
        'values = ["car", "bus", "bike", "walk"]\nepsilon = "1"',
        'values = ["car", "bus", "bike", "walk"]\nepsilon = "2"  # the author\'s own',
        1,
    )
    question = parse_survey(newer)["symbol"]
    assert question.fingerprint != SURVEY["symbol"].fingerprint
    new = Batch(question.fingerprint, b"n" * 16, 3, rows=BATCHES["symbol"].rows)
    with service_of(TEXT, newer, folder=tmp_path) as service:
        upload(service, file_of(BATCHES["symbol"], BATCHES["wide"], new))
        looker = visitor(service, TOKEN)
        old, young = (
            version["fingerprint"]
            for version in looker.get("/v1/surveys").json()["surveys"]
        )
        reports = {
            (version, name): looker.get(
                f"/v1/surveys/example/estimates{version}"
            ).json()["questions"][name]["reports"]
            for version in (f"?version={old}", f"?version={young}", "")
            for name in ("symbol", "wide")
        }
        assert list(reports.values()) == [3, 3, 3, 3, 6, 3]
        pooled = looker.get("/v1/surveys/example/estimates").json()["questions"][
            "symbol"
        ]
        assert pooled["note"].startswith(
            "pooled over 2 versions, by weights that do not depend on the answers"
        )
        survey = looker.get("/v1/surveys/example").json()["survey"]
        assert parse_survey(survey).fingerprint == parse_survey(newer).fingerprint
        assert "the author's own" in newer
        assert "the author's own" not in survey


def test_ids_that_differ_in_one_byte_are_of_two_batches(tmp_path):
    """Every byte of an id counts, whichever it is."""
    batch = BATCHES["symbol"]
    ids = [
        batch.id,
        *(
            bytes(byte ^ (at == place) for at, byte in enumerate(batch.id))
            for place in range(16)
        ),
    ]
    with service_of(TEXT, folder=tmp_path) as service:
        assert (
            upload(
                service, file_of(*(batch._replace(id=identity) for identity in ids))
            ).json()["accepted"]
            == 17
        )


def test_surveys_of_two_names_share_nothing(tmp_path):
    """What is reported to one survey is no answer to the same question of another."""
    other = TEXT.replace('name = "example"', 'name = "elsewhere"')
    with service_of(TEXT, other, folder=tmp_path) as service:
        upload(service, file_of(BATCHES["symbol"]))
        looker = visitor(service, TOKEN)
        reports = [
            looker.get(f"/v1/surveys/{name}/estimates").json()["questions"]["symbol"][
                "reports"
            ]
            for name in ("example", "elsewhere")
        ]
    assert reports == [3, 0]


@pytest.mark.parametrize(
    ("path", "token", "status"),
    [
        ("/v1/surveys", UPLOADING, 403),
        ("/v1/surveys", None, 401),
        ("/v1/surveys", "wrong", 401),
        ("/v1/surveys/example", UPLOADING, 200),
        ("/v1/surveys/example", TOKEN, 200),
        ("/v1/surveys/other", TOKEN, 404),
        ("/v1/surveys/example/estimates?version=00", TOKEN, 404),
        ("/v1/surveys/example/estimates?level=2", TOKEN, 400),
        ("/v1/surveys/example/estimates?level=x", TOKEN, 400),
        ("/v1/surveys/example/estimates?epoch=-1", TOKEN, 400),
        ("/v1/surveys/example/estimates?format=pdf", TOKEN, 400),
        ("/v1/surveys/example/estimates?interval=wald", TOKEN, 400),
        ("/v1/surveys/example/history?question=nothing", TOKEN, 400),
        ("/v1/surveys/example/health", TOKEN, 200),
        ("/metrics", UPLOADING, 403),
        ("/livez", None, 200),
        ("/readyz", None, 200),
        ("/version", None, 200),
    ],
)
def test_what_is_asked_is_answered_or_refused(tmp_path, path, token, status):
    """Each request gets the documented status, and an error says what was expected."""
    with service_of(TEXT, folder=tmp_path) as service:
        answer = visitor(service, token).get(path)
        assert answer.status_code == status
        if status >= 400:
            assert answer.json()["error"].startswith("expected ")


@pytest.mark.parametrize(
    ("content", "headers", "status", "reason"),
    [
        (b"", {}, 400, "empty"),
        (b"x" * 200_000, {"content-length": "100"}, 400, None),
        (b"x", {"content-length": "1_0"}, 411, None),
        (b"x", {"transfer-encoding": "chunked"}, 411, None),
        (b"x", {"content-encoding": "gzip"}, 415, "encoded"),
        (b"x", {"content-length": str(1 << 40)}, 413, "too-large"),
    ],
)
def test_odd_framing_is_refused_and_the_connection_closed(
    tmp_path, content, headers, status, reason
):
    """Nothing of it is counted. What no retry changes has a reason, for which clients
    drop it.
    """
    with service_of(TEXT, folder=tmp_path) as service:
        answer = upload(service, content, **headers)
        assert answer.status_code == status
        assert answer.headers["connection"] == "close"
        assert answer.json().get("reason") == reason
        assert service.analysis.accounts().received == 0


@pytest.mark.parametrize(
    ("failure", "goes_on"),
    [
        (OverloadError(), True),
        (StoreFullError("expected room"), True),
        (StoreError("broken"), False),
    ],
)
def test_what_does_not_last_is_not_acknowledged(
    tmp_path, monkeypatch, failure, goes_on
):
    """A turn that cannot be committed gets 503 and Retry-After, and its bytes count
    once later.

    After an error that is neither a full disk nor a lost connection nothing is taken
    any more.
    """
    body = file_of(BATCHES["symbol"])
    with service_of(TEXT, folder=tmp_path) as service:
        with monkeypatch.context() as patched:
            if isinstance(failure, OverloadError):
                patched.setattr("ldp_service.counting.submission_queue.MOST_WAITING", 0)
            else:
                commit = Mock(side_effect=failure)
                patched.setattr("ldp_service.store.sqlite.SQLiteStore.commit", commit)
            answer = upload(service, body)
            assert (answer.status_code, int(answer.headers["retry-after"]) > 0) == (
                503,
                True,
            )
            assert service.analysis.accounts().received == 0
        answer = upload(service, body)
        assert answer.status_code == (202 if goes_on else 503)
        assert service.analysis.accounts().received == int(goes_on)
        assert visitor(service).get("/readyz").status_code == (200 if goes_on else 503)


def test_a_submission_that_makes_us_fail_takes_no_one_else_down(tmp_path, monkeypatch):
    """A defect of ours over one batch is an error 500 for its upload alone.

    The others of its turn are counted.
    """
    from ldp_service.counting import admission

    counted, poison = admission.count_parts, BATCHES["bits"]

    def failing(envelope, rows):
        if envelope.name == "bits":
            raise ZeroDivisionError
        return counted(envelope, rows)

    monkeypatch.setattr(admission, "count_parts", failing)
    with service_of(TEXT, folder=tmp_path) as service:
        assert upload(service, file_of(poison)).status_code == 500
        assert upload(service, file_of(BATCHES["symbol"])).status_code == 202
        assert service.analysis.accounts().received == 1


def test_a_store_has_one_writer_in_sqlite(tmp_path):
    """A second service on the same file is refused, and says what to do."""
    with (
        service_of(TEXT, folder=tmp_path),
        pytest.raises(StoreError, match="PostgreSQL"),
        service_of(TEXT, folder=tmp_path),
    ):
        pass


def test_a_service_can_be_mounted(tmp_path):
    """Under a path of another application, uploads and estimates work as they do at the
    root.
    """
    from starlette.applications import Starlette
    from starlette.routing import Mount

    with service_of(TEXT, folder=tmp_path, tokens=False) as service:
        outer = Visitor(Starlette(routes=[Mount("/collect", Application(service))]))
        assert (
            outer.post(
                "/collect/v1/reports", content=file_of(batch_of("symbol", 2, "m"))
            ).status_code
            == 202
        )
        assert (
            outer.get("/collect/v1/surveys/example/estimates").json()["questions"][
                "symbol"
            ]["reports"]
            == 2
        )


def test_two_downloads_of_one_store_are_known_as_such(tmp_path):
    """An earlier and a later one, with a restart in between; those of another store are
    not.
    """
    downloads = []
    for folder in ("here", "here", "there"):
        (tmp_path / folder).mkdir(exist_ok=True)
        with service_of(TEXT, folder=tmp_path / folder) as service:
            upload(service, file_of(list(BATCHES.values())[len(downloads)]))
            content = visitor(service, TOKEN).get("/v1/surveys/example/tally").content
            downloads.append(decode_tally(content, SURVEY))
    earlier, later, elsewhere = downloads
    known = TallyOverlaps()
    known.add("earlier", earlier)
    known.check("elsewhere", elsewhere)
    with pytest.raises(
        FileError, match="leave out earlier: later counts what it counts, and more"
    ):
        known.check("later", later)
