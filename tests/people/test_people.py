"""People who sign in through a proxy, what they may look at, and who only says so."""

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest
from pages import COMMUTE, TOKEN, UPLOADING, service_of, visitor
from wire_samples import TEXT

from ldp_service.logs.audit_log import AuditLog
from ldp_service.people.admission import SignIn
from ldp_service.people.flags import PeopleOptions, sign_in
from ldp_service.people.proxy import TrustedProxy
from ldp_service.people.roles import People, PeopleError, Person, parse

NOW = 1_800_000_000.0
GRANTS = """
[[grant]]
person = "ada@example.org"
role = "operator"
[[grant]]
person = "bob@example.org"
role = "viewer"
surveys = ["example"]
[[grant]]
group = "night"
role = "viewer"
"""
ESTIMATES = "/v1/surveys/example/estimates"
NONE = PeopleOptions(
    people_path=None,
    trusted_header="",
    trusted_groups_header="",
    trusted_proxies=(),
    proxy_removes_headers="",
)


def people_in(folder, text=GRANTS):
    """The people of a file."""
    (folder / "people.toml").write_text(text)
    return People(folder / "people.toml")


@contextmanager
def signing_in(folder, proxy):
    """A service of two surveys whose people a proxy knows, and its audit log."""
    with service_of(TEXT, COMMUTE, folder=folder, clock=lambda: NOW) as service:
        audit = AuditLog(folder / "audit.log")
        known = SignIn(people_in(folder), proxy)
        service.settings = replace(service.settings, sign_in=known, audit=audit)
        yield service


def lines(folder):
    """Those of the audit log."""
    return [
        json.loads(line) for line in (folder / "audit.log").read_text().splitlines()
    ]


@pytest.mark.parametrize(
    ("who", "asked", "status"),
    [
        ({"x-user": "ada@example.org"}, "/", 200),
        ({"x-user": "ada@example.org"}, "/metrics", 200),
        ({"x-user": "ada@example.org"}, "/v1/surveys/example/close", 200),
        ({"x-user": "bob@example.org"}, "/v1/surveys/example/close", 403),
        ({"x-user": "bob@example.org"}, ESTIMATES, 200),
        ({"x-user": "bob@example.org"}, "/v1/surveys/commute/estimates", 403),
        ({"x-user": "bob@example.org"}, "/", 403),
        ({"x-user": "bob@example.org"}, "/metrics", 403),
        ({"x-user": "eve@example.org", "x-groups": "day, night"}, "/", 200),
        ({"x-user": "eve@example.org", "x-groups": "day"}, "/", 401),
        ({"x-user": "ADA@example.org"}, ESTIMATES, 401),
        ({"x-user": ""}, ESTIMATES, 401),
        ({"x-user": "ada@example.org\x07"}, ESTIMATES, 401),
        ({}, ESTIMATES, 401),
        (
            {"x-user": "ada@example.org", "authorization": "Bearer wrong"},
            ESTIMATES,
            401,
        ),
        (
            {"x-user": "ada@example.org", "authorization": f"Bearer {UPLOADING}"},
            ESTIMATES,
            403,
        ),
        ({"x-user": "nobody", "authorization": f"Bearer {TOKEN}"}, ESTIMATES, 200),
    ],
)
def test_a_proxy_says_who_someone_is(tmp_path, who, asked, status):
    """With the verdicts of tokens; a header with a token is judged by that alone."""
    proxy = TrustedProxy("X-User", ["127.0.0.0/8"], "X-Groups")
    with signing_in(tmp_path, proxy) as service:
        ask = visitor(service).post if asked.endswith("close") else visitor(service).get
        assert ask(asked, headers=who).status_code == status


def test_a_header_counts_from_declared_addresses_alone(tmp_path, caplog):
    """From elsewhere, twice, or over a socket without an address it is no name.

    Where it came twice, the proxy passes on what clients send: that is said once.
    """
    proxy = TrustedProxy("X-User", ["10.0.0.2", "fd00::/8"], "X-Groups")
    ada = (b"x-user", b"ada@example.org")

    def person(*headers, client=("10.0.0.2", 1)):
        return proxy.person_of({"client": client, "headers": headers})

    assert person(ada) == Person("ada@example.org")
    assert person(ada, client=("fd12::1", 1)) == person(
        ada, client=("::ffff:10.0.0.2", 1)
    )
    for client in (("10.0.0.3", 1), ("127.0.0.1", 1), ("", 0), None):
        assert person(ada, client=client) is None
    assert person((b"x-user", "ada@example.org\u00a0".encode())) is None
    assert not caplog.records
    for _ in range(3):
        assert person(ada, ada) is None
    [record] = caplog.records
    assert record.getMessage().startswith("expected x-user once, got it twice")
    with signing_in(tmp_path, proxy) as service:
        looks = visitor(service).get(ESTIMATES, headers={"x-user": "ada@example.org"})
        # Whoever it is, the address that the socket has is another.
        forged = {"x-user": "ada@example.org", "x-forwarded-for": "10.0.0.2"}
        assert (
            looks.status_code,
            visitor(service).get("/", headers=forged).status_code,
        ) == (
            401,
            401,
        )
    assert {line["token"] for line in lines(tmp_path)} == {None}
    assert not any("person" in line for line in lines(tmp_path))


def test_the_audit_log_names_people(tmp_path):
    """Those who looked and those who were refused."""
    with signing_in(tmp_path, TrustedProxy("X-User", ["127.0.0.1"])) as service:
        for name in ("ada@example.org", "mallory"):
            visitor(service).get(ESTIMATES, headers={"x-user": name})
    looks = [(line["person"], line["status"]) for line in lines(tmp_path)]
    assert looks == [("ada@example.org", 200), ("mallory", 401)]


def test_who_is_taken_out_is_out(tmp_path):
    """A second after the file changed; one that cannot be read changes nothing."""
    people, ada = people_in(tmp_path), Person("ada@example.org")
    assert people.check(ada, "analyst", NOW) == "granted"
    (tmp_path / "people.toml").write_text("[[grant")
    assert people.check(ada, "analyst", NOW + 2) == "granted"
    assert not people.is_current(NOW + 2)
    (tmp_path / "people.toml").write_text("")
    assert people.check(ada, "analyst", NOW + 2.5) == "granted"
    assert people.check(ada, "analyst", NOW + 4) == "unknown"


def test_mistakes_in_the_file_are_told():
    """All of them, with what was expected."""
    wrong = (
        '[[grant]]\nrole = "boss"\n[[grant]]\nperson = "a"\ngroup = "b"\nrole = '
        '"viewer"\nx = 1'
    )
    with pytest.raises(PeopleError) as refused:
        parse(wrong.encode(), "people.toml")
    said = str(refused.value)
    for part in ("4 problems", "grant 1.role", "a person or a group", "grant 2.x"):
        assert part in said, said


def test_settings_that_would_not_do_are_refused(tmp_path):
    """At the start, by their names."""
    people_in(tmp_path)
    path = tmp_path / "people.toml"
    cases = {
        "--people": {"trusted_header": "X-User", "trusted_proxies": ("::1",)},
        "--trusted-proxy": {"people_path": path, "trusted_header": "X-User"},
        "--proxy-removes-headers": {
            "people_path": path,
            "trusted_header": "X-User",
            "trusted_proxies": ("::1",),
        },
        "--trusted-header as well": {"people_path": path},
        "network": {
            "people_path": path,
            "trusted_header": "X-User",
            "trusted_proxies": ("10.0.0.1/8",),
        },
    }
    for words, asked in cases.items():
        with pytest.raises(PeopleError, match=words):
            sign_in(NONE._replace(**asked))
    assert sign_in(NONE) is None
