"""A service with a register: it serves what is in it, and shows everyone that it is."""

import asyncio

import httpx
import pytest
from calling import ldp
from registered import version

from ldp.transparency.entries import RegisterError, parse_register
from ldp.transparency.proofs import (
    check_consistency,
    check_registration,
    head_of,
    parse_head,
)
from ldp_aggregator.versions.published import PublishedRegister
from ldp_aggregator.versions.register_file import add_version
from ldp_service.counting.served import Served
from ldp_service.http.app import Application
from ldp_service.service import Service, Settings

VERSIONS = version(), version("2"), version("3")


@pytest.fixture
def log(tmp_path):
    """A register of two versions."""
    for number, survey in enumerate(VERSIONS[:2]):
        add_version(tmp_path / "log", survey, f"reason {number} <i>")
    return tmp_path / "log"


@pytest.fixture
def service(log, tmp_path):
    """A service that serves both."""
    settings = Settings(register=PublishedRegister(log, VERSIONS[:2]))
    served = [Served(survey, survey.to_toml()) for survey in VERSIONS[:2]]
    service = Service(served, f"sqlite:///{tmp_path}/store.db", settings)
    yield service
    service.close()


def asked(service, path):
    """What is answered to anyone."""

    async def ask():
        transport = httpx.ASGITransport(Application(service))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://service"
        ) as client:
            return await client.get(path)

    return asyncio.run(ask())


def test_what_is_served_is_shown_to_be_registered(service, log):
    """By its head, its lines, and proofs that a client takes."""
    head = parse_head(asked(service, "/v1/register").json()["head"])
    assert head == head_of(parse_register(log.read_bytes()))
    assert asked(service, "/v1/register/entries").content == log.read_bytes()
    proof = asked(service, "/v1/surveys/trip/registered").json()
    assert check_registration(VERSIONS[1], head, proof).number == 1
    old = VERSIONS[0].fingerprint.hex()
    proof = asked(service, f"/v1/surveys/trip/registered?version={old}&since=1").json()
    first = head_of(parse_register(log.read_bytes().splitlines(keepends=True)[0]))
    assert check_registration(VERSIONS[0], first, proof).number == 0
    check_consistency(
        asked(service, "/v1/register/consistency?since=1").json(), first, head
    )
    page = asked(service, "/register").text
    assert "reason 1 &lt;i&gt;" in page
    assert "<script" not in page


def test_a_register_grows_and_does_not_shrink(service, log):
    """What is added is shown at once; what was shown and is gone, or is changed, is not
    hidden.
    """
    before = log.read_bytes()
    add_version(log, VERSIONS[2], "reason 2")
    after = log.read_bytes()
    assert asked(service, "/v1/register").json()["size"] == 3
    for content in (before, after.replace(b"reason 2", b"another!"), b""):
        log.write_bytes(content + b"")
        answer = asked(service, "/v1/register")
        assert answer.status_code == 503
        assert "expected" in answer.text
    log.write_bytes(after)
    assert asked(service, "/v1/register").json()["size"] == 3


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/register/consistency", 400),
        ("/v1/register/consistency?since=3", 400),
        ("/v1/register/consistency?since=x", 400),
        ("/v1/register/consistency?until=1", 400),
        ("/v1/surveys/trip/registered?since=-1", 400),
        ("/v1/surveys/trip/registered?version=0", 404),
        ("/v1/surveys/other/registered", 404),
    ],
)
def test_questions_that_make_no_sense(service, path, status):
    """Are answered with what was expected."""
    answer = asked(service, path)
    assert answer.status_code == status
    assert "expected" in answer.text


def test_a_service_does_not_start_without(log, tmp_path, monkeypatch):
    """A survey that is served has to be registered, and the register has to be
    sound.
    """
    with pytest.raises(RegisterError, match="got no entry of this version"):
        PublishedRegister(log, VERSIONS)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(VERSIONS[2].to_toml())
    said = ldp("serve survey.toml --register log --port 0", code=1).output
    assert "got no entry of this version" in said
