"""People who sign in through a proxy or a provider, what they may look at, and who only says so."""

import json
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from pages import COMMUTE, TOKEN, UPLOADING, service_of, visitor
from small_provider import CLIENT, SECRET, packed, small_provider
from wire_samples import TEXT

from ldp_aggregator.service.logs.audit_log import AuditLog
from ldp_aggregator.service.people import id_tokens
from ldp_aggregator.service.people.admission import SignIn
from ldp_aggregator.service.people.flags import PeopleOptions, sign_in
from ldp_aggregator.service.people.oidc import Provider, ProviderOptions
from ldp_aggregator.service.people.proxy import TrustedProxy
from ldp_aggregator.service.people.roles import People, PeopleError, Person, parse
from ldp_aggregator.service.people.sessions import COOKIE, LASTS, Seal, Sessions

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
    path=None,
    header="",
    groups_header="",
    proxies=(),
    removal="",
    issuer="",
    client="",
    name_claim="email",
    groups_claim="groups",
    public_url="",
)


def people_in(folder, text=GRANTS):
    """The people of a file."""
    (folder / "people.toml").write_text(text)
    return People(folder / "people.toml")


@contextmanager
def signing_in(folder, **ways):
    """A service of two surveys whose people are known in some ways, and its audit log."""
    with service_of(TEXT, COMMUTE, folder=folder, clock=lambda: NOW) as service:
        audit = AuditLog(folder / "audit.log")
        known = SignIn(people_in(folder), **ways)
        service.settings = replace(service.settings, sign_in=known, audit=audit)
        yield service


def lines(folder):
    """Those of the audit log."""
    return [json.loads(line) for line in (folder / "audit.log").read_text().splitlines()]


@pytest.mark.parametrize(
    ("who", "asked", "status"),
    [
        ({"x-user": "ada@example.org"}, "/", 200),
        ({"x-user": "ada@example.org"}, "/metrics", 200),
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
        ({"x-user": "ada@example.org", "authorization": "Bearer wrong"}, ESTIMATES, 401),
        ({"x-user": "ada@example.org", "authorization": f"Bearer {UPLOADING}"}, ESTIMATES, 403),
        ({"x-user": "nobody", "authorization": f"Bearer {TOKEN}"}, ESTIMATES, 200),
    ],
)
def test_a_proxy_says_who_someone_is(tmp_path, who, asked, status):
    """With the verdicts of tokens; a header with a token is judged by that alone."""
    proxy = TrustedProxy("X-User", ["127.0.0.0/8"], "X-Groups")
    with signing_in(tmp_path, proxy=proxy) as service:
        assert visitor(service).get(asked, headers=who).status_code == status


def test_a_header_counts_from_declared_addresses_alone(tmp_path, caplog):
    """From elsewhere, twice, or over a socket without an address it is no name.

    Where it came twice, the proxy passes on what clients send: that is said once.
    """
    proxy = TrustedProxy("X-User", ["10.0.0.2", "fd00::/8"], "X-Groups")
    ada = (b"x-user", b"ada@example.org")

    def person(*headers, client=("10.0.0.2", 1)):
        return proxy.person_of({"client": client, "headers": headers})

    assert person(ada) == Person("ada@example.org")
    assert person(ada, client=("fd12::1", 1)) == person(ada, client=("::ffff:10.0.0.2", 1))
    for client in (("10.0.0.3", 1), ("127.0.0.1", 1), ("", 0), None):
        assert person(ada, client=client) is None
    assert person((b"x-user", "ada@example.org\u00a0".encode())) is None
    assert not caplog.records
    for _ in range(3):
        assert person(ada, ada) is None
    [record] = caplog.records
    assert record.getMessage().startswith("expected x-user once, got it twice")
    with signing_in(tmp_path, proxy=proxy) as service:
        looks = visitor(service).get(ESTIMATES, headers={"x-user": "ada@example.org"})
        # Whoever it is, the address that the socket has is another.
        forged = {"x-user": "ada@example.org", "x-forwarded-for": "10.0.0.2"}
        assert (looks.status_code, visitor(service).get("/", headers=forged).status_code) == (
            401,
            401,
        )
    assert {line["token"] for line in lines(tmp_path)} == {None}
    assert not any("person" in line for line in lines(tmp_path))


def test_the_audit_log_names_people(tmp_path):
    """Those who looked and those who were refused."""
    with signing_in(tmp_path, proxy=TrustedProxy("X-User", ["127.0.0.1"])) as service:
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
    wrong = '[[grant]]\nrole = "boss"\n[[grant]]\nperson = "a"\ngroup = "b"\nrole = "viewer"\nx = 1'
    with pytest.raises(PeopleError) as refused:
        parse(wrong.encode(), "people.toml")
    said = str(refused.value)
    for part in ("4 problems", "grant 1.role", "a person or a group", "grant 2.x"):
        assert part in said, said


def provider_of(small, seal, public="http://127.0.0.1:1"):
    """Ways to sign in through a small provider."""
    options = ProviderOptions(small.url, CLIENT, public, secret=SECRET)
    return {"provider": Provider(options, seal), "sessions": Sessions(seal)}


@pytest.fixture(scope="module")
def small():
    """One provider for all; what was changed is put back."""
    with small_provider() as provider:
        yield provider


@pytest.fixture
def provider(small, monkeypatch):
    """It, as it should be."""
    kept = {name: getattr(small, name) for name in ("claims", "key", "algorithm", "published")}
    monkeypatch.setattr(id_tokens, "_PAUSE", 0)
    yield small
    vars(small).update(kept, token=None, asked=[])


def signed_in(service, provider, **changed):
    """Someone who goes to the provider and comes back, and the answer to that."""
    someone = visitor(service)
    away = someone.get("/sign-in?survey=example", follow_redirects=False)
    assert away.status_code == 303
    place = urlsplit(away.headers["location"])
    assert away.headers["location"].startswith(f"{provider.url}/in?")
    back = {**provider.sign_in(place.query, NOW), **changed}
    return someone, someone.get("/signed-in", params=back, follow_redirects=False)


def test_people_sign_in_and_out(tmp_path, provider):
    """Through the provider, with PKCE; the session is a cookie that no script reads, and ends."""
    with signing_in(tmp_path, **provider_of(provider, Seal())) as service:
        assert 'href="sign-in"' in visitor(service).get("/").text
        someone, answer = signed_in(service, provider)
        assert (answer.status_code, answer.headers["location"]) == (303, "./?survey=example")
        [session] = [
            line for line in answer.headers.get_list("set-cookie") if line.startswith(COOKIE)
        ]
        assert "HttpOnly" in session
        assert "SameSite=lax" in session
        assert someone.get("/").status_code == 200
        kept = someone.cookies[COOKIE]
        out = someone.post("/logout", headers={"sec-fetch-site": "same-origin"})
        assert out.status_code == 401
        assert COOKIE not in someone.cookies
        stolen = visitor(service).get("/", headers={"cookie": f"{COOKIE}={kept}"})
        assert stolen.status_code == 401
    names = [line.get("person") for line in lines(tmp_path) if line["path"] == "/"]
    assert names[:2] == [None, "ada@example.org"]


def test_cookies_are_secure_where_the_address_is(provider):
    """And addresses that are not https, or not of this machine, are refused."""
    seal = Seal()
    assert provider_of(provider, seal, "https://ldp.example.org")["provider"].secure
    for issuer, public in (("http://a.example", "https://b"), (provider.url, "http://b.example")):
        with pytest.raises(PeopleError, match="https"):
            Provider(ProviderOptions(issuer, CLIENT, public), seal)


FORGED = {
    "expired": lambda own: own.claims.update(exp=int(NOW) - 3600),
    "of the future": lambda own: own.claims.update(iat=int(NOW) + 3600),
    "for another": lambda own: own.claims.update(aud="another"),
    "for several": lambda own: own.claims.update(aud=[CLIENT, "another"]),
    "issued to another": lambda own: own.claims.update(azp="another"),
    "of another issuer": lambda own: own.claims.update(iss="https://another.example"),
    "of another sign-in": lambda own: own.claims.update(nonce="another"),
    "without an audience": lambda own: own.claims.update(aud=None),
    "without a nonce": lambda own: own.claims.update(nonce=""),
    "without a name": lambda own: own.claims.pop("email"),
    "with an unverified address": lambda own: own.claims.update(email_verified=False),
    "with several names": lambda own: own.claims.update(email=["ada@example.org"]),
    "signed by someone else": lambda own: setattr(own, "token", own.by_someone_else),
    "signed by a public key": lambda own: setattr(own, "token", own.by_public_key),
    "of no algorithm": lambda own: setattr(
        own, "token", lambda claims: f"{packed({'alg': 'none'})}.{packed(claims)}."
    ),
    "no token": lambda own: setattr(own, "token", lambda _: "..."),
    "nothing": lambda own: setattr(own, "token", lambda _: None),
}


@pytest.mark.parametrize("how", FORGED)
def test_forged_tokens_sign_no_one_in(tmp_path, provider, how):
    """Whatever is wrong with what the provider seems to say."""
    provider.claims = dict(provider.claims)
    FORGED[how](provider)
    with signing_in(tmp_path, **provider_of(provider, Seal())) as service:
        someone, answer = signed_in(service, provider)
        assert answer.status_code == 403, how
        assert COOKIE not in someone.cookies
        assert "ada@" not in answer.text
        assert someone.get("/").status_code == 401


def test_a_sign_in_belongs_to_one_browser(tmp_path, provider):
    """Another's state, or one that is too old, is refused before the provider is asked."""
    with signing_in(tmp_path, **provider_of(provider, Seal())) as service:
        _, answer = signed_in(service, provider, state="another")
        assert answer.status_code == 403
        stranger = visitor(service).get("/signed-in?code=code+0&state=", follow_redirects=False)
        assert stranger.status_code == 403
        assert "/token" not in provider.asked
        own = service.settings.sign_in.provider
        place, cookie = own.begin(NOW)
        back = provider.sign_in(urlsplit(place).query, NOW)
        with pytest.raises(PeopleError, match="ten minutes"):
            own.end(cookie, **back, now=NOW + 601)


def test_keys_of_the_provider_rotate(tmp_path, provider):
    """A token under a key that is new makes them be fetched again."""
    with signing_in(tmp_path, **provider_of(provider, Seal())) as service:
        assert signed_in(service, provider)[1].status_code == 303
        provider.key, provider.algorithm, provider.published = "next", "ES256", ["next"]
        assert signed_in(service, provider)[1].status_code == 303
        provider.key, provider.algorithm = "first", "RS256"
        assert signed_in(service, provider)[1].status_code == 403
    assert provider.asked.count("/keys") >= 2


def test_sessions_are_signed_and_end():
    """By the first secret, good under all, over after eight hours; no other purpose's record is."""
    old, new = "o" * 40, "n" * 40
    cookie = Sessions(Seal(old)).begun(Person("ada", frozenset({"night"})), NOW)
    for secret, known in ((old, True), (f"{new}\n{old}", True), (new, False), ("", False)):
        assert (Sessions(Seal(secret)).person_of(cookie, NOW) is not None) is known
    sessions = Sessions(Seal(old))
    assert sessions.person_of(cookie, NOW + LASTS) is None
    content, mac = cookie.split(".")
    for forged in (
        f"{content}.{mac[:-4]}AAA=",
        f"{content[:-4]}fX0=.{mac}",
        content,
        "",
        "é",
        "a.b",
    ):
        assert sessions.person_of(forged, NOW) is None
    assert Seal(old).opened("sign-in", cookie, NOW) is None
    with pytest.raises(PeopleError):
        Seal("short")


def test_settings_that_would_not_do_are_refused(tmp_path):
    """At the start, by their names."""
    people_in(tmp_path)
    path = tmp_path / "people.toml"
    provider = {"issuer": "https://a.example", "client": "b", "public_url": "https://c.example"}
    cases = {
        "--people": {"header": "X-User", "proxies": ("::1",)},
        "--trusted-proxy": {"path": path, "header": "X-User"},
        "--proxy-removes-headers": {"path": path, "header": "X-User", "proxies": ("::1",)},
        "--trusted-header or": {"path": path},
        "--public-url": {"path": path, **provider, "public_url": ""},
        "network": {"path": path, "header": "X-User", "proxies": ("10.0.0.1/8",)},
    }
    secrets = {"client_secret": "", "session_secret": ""}
    for words, asked in cases.items():
        with pytest.raises(PeopleError, match=words):
            sign_in(NONE._replace(**asked), 1, **secrets)
    good = NONE._replace(path=path, **provider)
    assert sign_in(good, 1, **secrets).provider.secure
    with pytest.raises(PeopleError, match="LDP_SESSION_SECRET"):
        sign_in(good, 2, **secrets)
    assert sign_in(NONE, 1, **secrets) is None
