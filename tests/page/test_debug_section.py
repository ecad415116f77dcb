"""Uploads of developers on the page: shown as they come, bounded, escaped, and never
counted.
"""

import pytest
from html_elements import read
from pages import (
    COMMUTE,
    HOSTILE,
    HOSTILE_VALUES,
    TOKEN,
    UPLOADING,
    answers,
    service_of,
    visitor,
)
from running_service import request, running_service
from wire_samples import BATCHES, file_of

from ldp import parse_survey
from ldp_service.service import UploadSettings
from ldp_service.uploads.debugging import MOST_BODY, MOST_UPLOADS

SURVEY = parse_survey(COMMUTE)


@pytest.fixture
def shown(tmp_path):
    """A service that shows uploads of developers."""
    with service_of(
        COMMUTE, folder=tmp_path, uploads=UploadSettings(debug_tags=True)
    ) as service:
        yield service


def uploaded(service, body, tag):
    """What a developer's upload is answered."""
    return visitor(service, UPLOADING).post(
        "/v1/reports", content=body, headers={"LDP-Debug-Tag": tag}
    )


def section(service, survey="commute"):
    """The part of the page that shows them; None without."""
    page = visitor(service, TOKEN).get(f"/?survey={survey}")
    return next(iter(read(page).find("section", id="debug")), None)


def test_an_upload_with_a_tag_is_shown_and_not_counted(shown):
    """By question, with its ids, while the accounts of the service stay as they are."""
    assert "None yet" in section(shown).text
    body = answers(SURVEY, 3)
    assert uploaded(shown, body, "my-phone").json() == {
        "accepted": 0,
        "duplicate": 0,
        "quarantined": 0,
        "rejected": {},
        "debug": 3,
    }
    text = section(shown).text
    for part in (
        "my-phone",
        "question smoker, 3 reports of 1 bytes",
        "supports",
        "epoch",
    ):
        assert part in text
    assert shown.analysis.accounts().received == 0
    # The ids are not taken: the same bytes count when they come without a tag.
    counted = visitor(shown, UPLOADING).post("/v1/reports", content=body)
    assert counted.json()["accepted"] == 3


def test_the_page_follows(shown):
    """Its tag changes with each such upload, and only then."""
    analyst = visitor(shown, TOKEN)
    before = analyst.get("/").headers["etag"]
    assert analyst.get("/", headers={"if-none-match": before}).status_code == 304
    uploaded(shown, answers(SURVEY, 1), "a")
    assert analyst.get("/", headers={"if-none-match": before}).status_code == 200


def test_without_the_option_it_is_refused(tmp_path):
    """So that nobody's trial is counted; and the page says nothing of such uploads."""
    with service_of(COMMUTE, folder=tmp_path) as service:
        answer = uploaded(service, answers(SURVEY, 1), "a")
        assert answer.status_code == 403
        assert "--debug-tags" in answer.json()["error"]
        assert section(service) is None
        assert service.analysis.accounts().received == 0


@pytest.mark.parametrize("tag", ["", "a b", "x" * 41, "<b>", "a/../b"])
def test_tags_are_plain(tag, shown):
    """Any other is refused, and nothing is shown."""
    assert uploaded(shown, answers(SURVEY, 1), tag).status_code == 400
    assert "None yet" in section(shown).text


def test_what_is_kept_is_bounded(shown):
    """In number, in bytes, in lines and in their length."""
    assert uploaded(shown, bytes(MOST_BODY + 1), "large").status_code == 413
    assert uploaded(shown, b"\x00" * MOST_BODY, "junk").json()["debug"] == 1
    many = answers(SURVEY, 500)
    for number in range(MOST_UPLOADS + 5):
        uploaded(shown, many, f"tag{number}")
    uploads = shown.board.uploads()
    assert len(uploads) == MOST_UPLOADS
    assert [upload.tag for upload in uploads[:2]] == [
        f"tag{MOST_UPLOADS + 4 - n}" for n in (0, 1)
    ]
    assert max(len(upload.lines) for upload in uploads) <= 40
    assert max(len(line) for upload in uploads for line in upload.lines) <= 300


def test_texts_are_escaped(tmp_path):
    """Values of a hostile survey are shown letter by letter."""
    survey = parse_survey(HOSTILE)
    with service_of(
        HOSTILE, folder=tmp_path, uploads=UploadSettings(debug_tags=True)
    ) as service:
        uploaded(service, answers(survey, 200), "a")
        text = section(service, "hostile").text
        assert any(value in text for value in HOSTILE_VALUES)
        page = visitor(service, TOKEN).get("/?survey=hostile")
        assert "alert(1)</script>" not in page.text


def test_it_is_for_those_with_a_token(shown):
    """Uploads need one for uploads, the page one for analysts."""
    upload = {"content": answers(SURVEY, 1), "headers": {"LDP-Debug-Tag": "a"}}
    assert visitor(shown).post("/v1/reports", **upload).status_code == 401
    assert visitor(shown, TOKEN).post("/v1/reports", **upload).status_code == 403
    assert "Uploads of developers" not in visitor(shown).get("/").text


def test_the_short_way_of_ldp_serve_shows_them_too(tmp_path):
    """Over plain sockets, with one connection for several uploads."""
    body = file_of(next(iter(BATCHES.values())))
    tagged, plain = request(body, b"LDP-Debug-Tag: a"), request(body)
    with running_service(tmp_path, "--debug-tags") as service:
        answer = service.converse(tagged, plain)
        assert answer.content.count(b"HTTP/1.1 202") == 2
        assert b'"debug": 1' in answer.content
        assert b'"accepted": 1' in answer.content
        assert "Uploads of developers" in service.get("/").text
        assert service.accounts()["ldp_batches_received_total"] == 1
