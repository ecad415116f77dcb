"""Stop lists on the collector's side: written by a command, handed out, and said of
estimates.
"""

import stat
from fractions import Fraction

import pytest
from calling import ldp, run
from pages import COMMUTE, TOKEN, UPLOADING, answers, service_of, visitor

from ldp import parse_survey
from ldp.transparency.stops import read_stops

STOPS_PATH = "/v1/surveys/commute/stops"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a survey, reports to it, and a key."""
    (tmp_path / "survey.toml").write_text(COMMUTE)
    (tmp_path / "reports").write_bytes(
        answers(parse_survey(COMMUTE), 40, clock=lambda: 1e9)
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "public").write_text(ldp("survey stop-list key key.pem").stdout.strip())
    return tmp_path


def sign(*words, code=0):
    line = (
        "survey",
        "stop-list",
        "sign",
        "survey.toml",
        "--key",
        "key.pem",
        *words,
        "-o",
        "list",
    )
    return run(*line, code=code)


def test_a_list_from_the_command_line(folder):
    """It says what it was asked to, under the key that was printed; serial numbers go
    up.
    """
    assert stat.S_IMODE((folder / "key.pem").stat().st_mode) == 0o600
    key = bytes.fromhex((folder / "public").read_text())
    signed = sign("--stop", "smoker", "--share", "hours=1/10")
    assert "list 1 of commute" in signed.stdout
    assert key.hex() in signed.stdout
    first = read_stops((folder / "list").read_bytes(), key)
    assert (first.survey, first.serial) == ("commute", 1)
    assert first.shares == {"smoker": 0, "hours": Fraction("1/10")}
    shown = ldp("survey stop-list show list").stdout
    assert "smoker: stopped" in shown
    assert "hours: asked of 1/10 of the devices" in shown
    sign("--share", "hours=0.5", "--share", "hours=0.25")
    second = read_stops((folder / "list").read_bytes(), key)
    assert (second.serial, second.shares) == (2, {"hours": Fraction("1/4")})


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--stop", "smoke"), 1, "did you mean 'smoker'"),
        (("--share", "hours=2"), 2, "expected a share from 0 to 1"),
        (("--share", "hours"), 2, "expected a share from 0 to 1"),
        (("--key", "survey.toml"), 1, "expected a private key"),
        (("--key", "nowhere"), 1, "No such file: nowhere"),
    ],
)
def test_what_cannot_be_signed(folder, words, code, said):
    assert said in sign(*words, code=code).stderr
    assert not (folder / "list").exists()


def test_a_key_is_never_replaced(folder):
    before = (folder / "key.pem").read_bytes()
    assert (
        "expected no file at key.pem"
        in ldp("survey stop-list key key.pem", code=1).stderr
    )
    assert (folder / "key.pem").read_bytes() == before


def test_estimates_say_who_was_asked(folder):
    """On the command line, for the questions that the list is about."""
    sign("--stop", "smoker", "--share", "hours=1/10")
    estimated = ldp("estimate survey.toml reports --stop-list list")
    assert "has stopped this question" in estimated.stdout
    assert "asked of 1/10 of the devices" in estimated.stdout
    assert estimated.stdout.count("Stop list 1") == 2
    refused = ldp("estimate survey.toml reports --stop-list survey.toml", code=1)
    assert "`ldp survey stop-list sign` writes such lists" in refused.stderr


def test_a_service_hands_lists_out(folder):
    """To those who may upload, byte by byte, as the file is now; estimates say so as
    well.
    """
    with service_of(COMMUTE, folder=folder) as service:
        assert visitor(service, UPLOADING).get(STOPS_PATH).status_code == 404
    sign("--share", "transport=1/3")
    with service_of(COMMUTE, folder=folder, stop_lists=[folder / "list"]) as service:
        assert visitor(service).get(STOPS_PATH).status_code == 401
        assert visitor(service, UPLOADING).get(STOPS_PATH).content == read(folder)
        looker = visitor(service, TOKEN)
        assert named(looker, "transport") == ["sampled"]
        sign("--stop", "transport")
        assert visitor(service, UPLOADING).get(STOPS_PATH).content == read(folder)
        assert named(looker, "transport") == ["stopped"]
        assert named(looker, "hours") == []
        (folder / "list").write_text("no list")
        assert visitor(service, UPLOADING).get(STOPS_PATH).status_code == 503


def named(looker, question):
    """The names of the remarks about stop lists."""
    estimates = looker.get("/v1/surveys/commute/estimates").json()
    remarks = [
        remark["name"] for remark in estimates["questions"][question].get("remarks", ())
    ]
    return [name for name in remarks if name in ("sampled", "stopped")]


def read(folder):
    return (folder / "list").read_bytes()


def test_a_list_of_another_survey_is_not_served(folder):
    sign("--stop", "smoker")
    (folder / "survey.toml").write_text(COMMUTE.replace('"commute"', '"other"'))
    refused = ldp("serve survey.toml --port 0 --stop-list list", code=1)
    assert (
        "--stop-list list: expected surveys that are served (other), got commute"
        in refused.stderr
    )
