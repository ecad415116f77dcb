"""What is shown of tallies: many reports together, by whatever way one asks."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from calling import run
from collecting import wait_for
from joint_counts import JOINT, count
from pages import TOKEN, service_of, serving, visitor
from wire_samples import SURVEY, TEXT, batch_of, file_of

from ldp import parse_survey
from ldp.survey.survey import Group
from ldp_aggregator.tallies.counting.joint_counting import count_parts
from ldp_aggregator.tallies.tally_file import decode_tally
from ldp_service.counting.books import Books
from ldp_service.counting.housekeeping import define
from ldp_service.counting.publication import LIVE, Publication, Publisher, reports_of
from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.turn import begin
from ldp_service.repair.doctor import repair
from ldp_service.store.errors import StoreDamagedError
from ldp_service.store.opening import open_snapshot, open_store
from ldp_service.store.reading import tally_of
from ldp_service.store.records import EVER, SHOWN, Epoch, seal, shard_of, tally_key
from ldp_service.store.released_snapshot import ShownSnapshot
from ldp_service.store.verification import findings
from ldp_service.uploads.tokens import (
    ANALYST,
    OPERATOR,
    TokenFile,
    Tokens,
    token_record,
)

DEVICES = 8
PATHS = (
    "/v1/surveys/example/estimates",
    "/v1/surveys/example/estimates?format=csv",
    "/v1/surveys/example/estimates?epoch=0",
    "/v1/surveys/example/history?question=wide",
    "/v1/surveys/example/health",
    "/metrics",
    "/",
)
"""Ways to ask, besides that for the tally."""


def polled(service, looker):
    """What polling the tally recovers of the reports of eight devices, which come one
    by one.

    Beside each difference of two tallies, the report that came between them.
    """
    counts = decode_tally(
        looker.get("/v1/surveys/example/tally").content, SURVEY
    ).counts["wide"]
    recovered, sent = [], []
    for device in range(DEVICES):
        batch = batch_of("wide", 1, f"device {device}")
        service.writer.write(file_of(batch))
        answer = looker.get("/v1/surveys/example/tally").content
        after = decode_tally(answer, SURVEY).counts["wide"]
        recovered.append(after - counts)
        rows = np.frombuffer(batch.rows, dtype=np.uint8).reshape(1, -1)
        [(_, own)] = count_parts(SURVEY["wide"], rows)
        sent.append(own)
        counts = after
    return recovered, sent


def test_polling_recovers_no_report(tmp_path, monkeypatch):
    """Eight devices upload while someone polls: where all is shown eight of eight, else
    none.

    What is answered, by any way, stays the same but for the numbers of batches.
    """
    monkeypatch.setattr("ldp_service.counting.publication.PACE", 0)
    monkeypatch.setattr("ldp_service.http.metrics.PAUSE", 0)
    monkeypatch.setattr("ldp_service.http.estimate_metrics.MOST_VALUES", 10**6)
    for folder, publication in (("live", LIVE), ("default", Publication())):
        (tmp_path / folder).mkdir()
        shown = {"publication": publication, "metrics_estimates": True}
        with service_of(TEXT, folder=tmp_path / folder, **shown) as service:
            looker = visitor(service, TOKEN)
            before = [looker.get(path).text for path in PATHS]
            recovered, sent = polled(service, looker)
            after = [looker.get(path).text for path in PATHS]
        same = [np.array_equal(*pair) for pair in zip(recovered, sent, strict=True)]
        if publication is LIVE:
            assert same == [True] * DEVICES
            assert before != after
            assert (
                'ldp_estimate_low{question="wide",survey="example",value="' in after[-2]
            )
            continue
        assert not any(difference.any() for difference in recovered)
        assert before[:-3] == after[:-3]
        assert _without_batches(before[-3]) == _without_batches(after[-3])
        assert _masked(before[-2]) == _masked(after[-2])
        # The page has the accounts of batches, and nothing else that has changed.
        assert _masked(before[-1]) == _masked(after[-1])
        assert "Answers are shown 20 reports at a time" in after[-1]


def _without_batches(health):
    """All but what it says of how many batches are late."""
    answer = json.loads(health)
    del answer["service"]["late"]
    return answer


def _masked(text):
    """Without what counts batches and requests; the numbers of reports of metrics
    stay.
    """
    if text.startswith("# HELP"):
        kept = [
            line
            for line in text.splitlines()
            if line.startswith(("ldp_reports", "ldp_check"))
        ]
        return "\n".join(kept)
    start, end = text.index('id="accounts"'), text.index('id="together"')
    table = text.index('id="batches"')
    return text[:start] + text[end:table] + text[text.index("</table>", table) :]


def test_more_is_shown_when_as_many_more_have_come(tmp_path, monkeypatch):
    """Of 65 reports, one at a time, those who poll see 20, 40, 60; and so after a
    restart.
    """
    monkeypatch.setattr("ldp_service.counting.publication.PACE", 0)
    seen = []
    for life in range(2):
        with service_of(TEXT, folder=tmp_path, publication=Publication()) as service:
            served = service.catalogue.all[0]
            for number in range(40 * life, 40 + 25 * life):
                service.writer.write(file_of(batch_of("wide", 1, f"device {number}")))
                seen.append(service.analysis.tally(served).reports("wide"))
            service.writer.write(b"")  # what was due before is shown by then
            seen.append(service.analysis.tally(served).reports("wide"))
    assert sorted(set(seen)) == [0, 20, 40, 60]
    assert seen == sorted(seen)


@pytest.mark.parametrize("running", [True, False])
def test_a_survey_that_is_closed_shows_all_once(tmp_path, running, monkeypatch):
    """A class of 30: 20 answers are seen until nothing more comes; what comes later is
    late.

    The service that runs is asked to by who may; the store of one that does not is
    enough.
    """
    other = TEXT.replace('name = "example"', 'name = "other"')
    theirs = parse_survey(other)["wide"]
    later = file_of(batch_of("wide", 1, "later"))
    url, seen = f"sqlite:///{tmp_path}/store.db", []
    for life in range(3):
        with service_of(
            TEXT, other, folder=tmp_path, publication=Publication()
        ) as service:
            if not life:
                service.writer.write(file_of(batch_of("wide", 20, "class")))
                service.writer.write(b"")
                wait_for(
                    lambda: (
                        service.analysis.tally(served_in(service)).reports("wide") == 20
                    )
                )
                service.writer.write(file_of(batch_of("wide", 10, "rest")))
            seen.append(service.analysis.tally(served_in(service)).reports("wide"))
            if running:
                close_running(service, tmp_path, monkeypatch)
            if life or running:
                assert service.writer.write(later).outcomes == {"late": 1}
                of_other = batch_of("wide", 1, f"other {life}")._replace(
                    fingerprint=theirs.fingerprint
                )
                assert service.writer.write(file_of(of_other)).outcomes == {
                    "accepted": 1
                }
                seen.append(service.analysis.tally(served_in(service)).reports("wide"))
        with open_snapshot(url) as snapshot:
            assert list(findings(snapshot, None)) == []
        if not running:
            run("store", "close-survey", "example", url, "--yes")
    assert list(dict.fromkeys(seen)) == [20, 30]
    assert seen.count(20) == 1
    run("store", "close-survey", "nothing", url, "--yes", code=1)


def close_running(service, folder, monkeypatch):
    """Close a survey that is served, as who may: the page has a button for it."""
    own = "operator" + "o" * 40
    tokens = (
        token_record(own, "operates", OPERATOR),
        token_record(TOKEN, "looks", ANALYST),
    )
    file = folder / "closing.toml"
    file.write_text(Tokens(tokens).to_toml())
    service.settings = replace(service.settings, tokens=TokenFile(file))
    button = "Close and show all"
    assert button not in visitor(service, TOKEN).get("/?survey=example").text
    assert visitor(service, TOKEN).post("/v1/surveys/example/close").status_code == 403
    operator = visitor(service, own)
    shown = operator.get("/?survey=example").text
    if service.is_closed(served_in(service).survey):
        assert "This survey is closed" in shown
    else:
        assert button in shown
    foreign = {"sec-fetch-site": "cross-site"}
    assert (
        operator.post("/v1/surveys/example/close", headers=foreign).status_code == 403
    )
    with serving(service) as address:
        run("store", "close-survey", "example", address, "--yes", code=1)
        monkeypatch.setenv("LDP_TOKEN_OPERATOR", own)
        run("store", "close-survey", "example", address, "--yes")
        run("store", "close-survey", "nothing", address, "--yes", code=1)
        monkeypatch.delenv("LDP_TOKEN_OPERATOR")
    assert "This survey is closed" in operator.get("/?survey=example").text


def served_in(service):
    return service.catalogue.all[0]


def test_fewer_are_shown_after_a_time_if_that_is_asked_for(tmp_path, monkeypatch):
    """With `minutes`, once the least are there; not before."""
    monkeypatch.setattr("ldp_service.counting.publication.PACE", 0)
    publication = Publication(4, minutes=1e-9)
    with service_of(TEXT, folder=tmp_path, publication=publication) as service:
        served = service.catalogue.all[0]
        service.writer.write(file_of(batch_of("wide", 3, "few")))
        service.writer.write(b"")
        service.writer.write(b"")
        assert service.analysis.tally(served).reports("wide") == 0
        service.writer.write(file_of(batch_of("wide", 2, "more")))
        service.writer.write(file_of(batch_of("wide", 1, "one")))
        wait_for(lambda: service.analysis.tally(served).reports("wide") == 6)


@pytest.fixture
def books(tmp_path):
    """The books of a new store, of a survey with a group of questions."""
    catalogue = Catalogue([Served(parse_survey(JOINT), JOINT)])
    with closing(open_store(f"sqlite:///{tmp_path}/s.db")) as store:
        yield Books(store, catalogue.tally_parts), catalogue


def shown_reports(books, catalogue):
    """The reports that are shown, by question and group; the store is sound."""
    survey = catalogue.all[0].survey
    with books.store.snapshot() as snapshot:
        assert list(findings(snapshot, None)) == []
        counts = tally_of(ShownSnapshot(snapshot), survey).counts
    reports = {
        part.name: reports_of(part, counts[part.name]) for part in survey.tally_parts
    }
    groups = [part.name for part in survey.tally_parts if isinstance(part, Group)]
    return [reports[name] for name in ("pet", "tea", "car", *groups)]


def test_each_epoch_and_question_counts_for_itself(books):
    """No epoch and no question is shown because another has enough; a group with its
    questions.
    """
    books, catalogue = books
    [group] = [
        one.name for one in catalogue.envelopes.values() if isinstance(one, Group)
    ]
    publisher = Publisher(catalogue, Publication(10))
    publisher.start(books)
    count(books, catalogue, group, reports=10, epoch=Epoch(3600, 5))
    count(books, catalogue, group, reports=9, epoch=Epoch(3600, 6))
    count(books, catalogue, "car", reports=9, epoch=Epoch(3600, 5))
    publisher.look(books, at_once=True)
    assert shown_reports(books, catalogue) == [10, 10, 0, 10]
    count(books, catalogue, "car", reports=1, epoch=Epoch(3600, 5))
    count(books, catalogue, group, reports=9, epoch=Epoch(3600, 5))
    publisher.look(books, at_once=True)
    assert shown_reports(books, catalogue) == [10, 10, 10, 10]


@pytest.mark.parametrize("minutes", [None, 60.0])
def test_what_is_shown_of_a_closed_epoch_stays(books, minutes):
    """At its end the rest is shown if it is not too few, or time would show it; never
    later.
    """
    books, catalogue = books
    publication, epoch = Publication(10, minutes), Epoch(3600, 5)
    publisher = Publisher(catalogue, publication)
    publisher.start(books)
    count(books, catalogue, "car", reports=10, epoch=epoch)
    publisher.look(books, at_once=True)
    count(books, catalogue, "car", reports=3, epoch=epoch)
    publisher.look(books, closing={3600: 5})
    with begin(books, alone=True) as turn:
        turn.epochs.close(3600, 5)
    expected = [0, 0, 10 if minutes is None else 13, 0]
    assert shown_reports(books, catalogue) == expected
    again = Books(books.store, catalogue.tally_parts)
    Publisher(catalogue, publication).start(again)
    assert shown_reports(again, catalogue) == expected


def test_what_another_process_never_showed_of_a_closed_epoch_stays_hidden(books):
    """It died with reports unseen; while it was away others closed the epoch and showed
    theirs.
    """
    books, catalogue = books
    epoch = Epoch(3600, 5)
    count(books, catalogue, "car", reports=25, epoch=epoch)
    with begin(books, alone=True) as turn:
        turn.epochs.close(3600, 5)
    [car] = [part for part in catalogue.tally_parts.values() if part.name == "car"]
    books.store.begin()
    books.store.put(
        [seal(SHOWN, tally_key(car.fingerprint, epoch, 1, part=0), bytes(8))]
    )
    books.store.commit()
    Publisher(catalogue, Publication(10)).start(books)
    assert [shard_of(record) for record in books.store.scan(SHOWN)] == [1]


def test_what_is_shown_is_repaired_as_a_whole(tmp_path):
    """A tally of several parts of which one is lost is not shown in part; what it
    counts stays.
    """
    catalogue, url = Catalogue([Served(SURVEY, TEXT)]), f"sqlite:///{tmp_path}/s.db"
    publication = Publication(10)

    def reports_shown():
        with closing(open_store(url)) as store:
            books = Books(store, catalogue.tally_parts)
            define(books, catalogue)
            if not books.tallies:
                count(books, catalogue, "filter", reports=12, epoch=EVER)
                count(books, catalogue, "symbol", reports=12, epoch=EVER)
            Publisher(catalogue, publication).start(books)
            with store.snapshot() as snapshot:
                return tally_of(ShownSnapshot(snapshot), SURVEY).reports("filter")

    assert reports_shown() == 12
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        broken = (
            "UPDATE records SET content = zeroblob(8) WHERE kind = 'shown' AND key = "
        )
        connection.execute(
            broken + "(SELECT min(key) FROM records WHERE kind = 'shown')"
        )
    with pytest.raises(StoreDamagedError):
        reports_shown()
    examination = repair(url, {})
    assert examination.troubles
    assert not examination.lost
    with open_snapshot(url) as snapshot:
        assert list(snapshot.scan("shown")) == []
        assert tally_of(snapshot, SURVEY).reports("filter") == 12
    assert reports_shown() == 12


def test_what_was_counted_before_it_was_kept_back_is_shown_at_a_start(books):
    """A store of a service that showed all: closed epochs too, once, but for those of
    too few.
    """
    books, catalogue = books
    count(books, catalogue, "car", reports=12, epoch=Epoch(3600, 5))
    count(books, catalogue, "car", reports=3, epoch=Epoch(3600, 4))
    with begin(books, alone=True) as turn:
        turn.epochs.close(3600, 5)
    count(books, catalogue, "car", reports=11, epoch=Epoch(3600, 6))
    Publisher(catalogue, Publication(10)).start(books)
    assert shown_reports(books, catalogue) == [0, 0, 23, 0]
