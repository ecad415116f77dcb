"""Who sees the page: tokens, signing in and out, and what a page may do in a
browser.
"""

from datetime import UTC, datetime

import pytest
from html_elements import problem, read
from pages import COMMUTE, TOKEN, UPLOADING, Visitor, service_of, visitor, write_tokens
from starlette.applications import Starlette
from starlette.routing import Mount

from ldp_service.http.app import Application
from ldp_service.page.routes import FILES

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self' data:",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service without reports."""
    with service_of(COMMUTE, folder=tmp_path_factory.mktemp("page")) as running:
        yield running


@pytest.mark.parametrize("way", ["header", "cookie"])
def test_a_token_opens_the_page(service, way):
    """In an Authorization header, or given to the form; then exports open with the
    cookie alone.
    """
    if way == "header":
        person = visitor(service, TOKEN)
    else:
        person = visitor(service)
        assert person.post("/login", data={"token": TOKEN}).status_code == 200
    for path in (
        "/",
        "/v1/surveys/commute/estimates?format=csv",
        "/v1/surveys/commute/tally",
    ):
        assert person.get(path).status_code == 200


def test_the_cookie_is_for_browsers_only(service):
    """No script reads it, no other site sends it.

    Over HTTPS, ours or a proxy's, it never goes out without.
    """
    person = visitor(service)
    for headers, secure in (({}, False), ({"origin": "https://service"}, True)):
        answer = person.post(
            "/login", data={"token": TOKEN}, headers=headers, follow_redirects=False
        )
        parts = {
            part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]
        }
        assert parts == {"httponly", "samesite=strict"} | (
            {"secure"} if secure else set()
        )


@pytest.mark.parametrize(
    "path", ["?survey=commute&level=0.9", "screen/commute?level=0.9"]
)
def test_without_a_token_there_is_a_form(service, path):
    """401, the form, and not a word about surveys; signing in leads to what was asked
    for.
    """
    person = visitor(service)
    answer = person.get(f"/{path}")
    page = read(answer)
    assert answer.status_code == 401
    assert problem(page) == ""
    assert "smoker" not in answer.text
    (entry,) = page.find("input")
    assert entry.attributes["type"] == "password"
    assert entry.attributes["autocomplete"] == "off"
    (form,) = page.find("form")
    action = form.attributes["action"].removeprefix("../")
    there = person.post(f"/{action}", data={"token": TOKEN})
    assert str(there.url) == f"http://service/{path}"
    assert there.status_code == 200


@pytest.mark.parametrize(
    ("token", "status", "words"),
    [
        ("wrong" * 10, 401, "not known here"),
        (UPLOADING, 403, "scope analyst"),
        ("", 401, ""),
    ],
    ids=["unknown", "upload", "empty"],
)
@pytest.mark.parametrize("way", ["form", "header", "cookie"])
def test_a_wrong_token_is_said_to_be_wrong(service, way, token, status, words):
    """By whatever way it comes; and no cookie is kept."""
    if way == "form":
        person = visitor(service)
        answer = person.post("/login", data={"token": token})
        assert not person.cookies
    elif way == "header":
        answer = visitor(service, token).get("/")
    else:
        answer = visitor(service).get("/", headers={"cookie": f"ldp-token={token}"})
    assert answer.status_code == status
    assert words in problem(read(answer))


def test_expiry_and_rotation_take_effect_at_once(tmp_path):
    """A token that expired or was removed opens nothing more, though the browser still
    has it.
    """
    now = [1_800_000_000.0]
    with service_of(COMMUTE, folder=tmp_path, clock=lambda: now[0]) as service:
        write_tokens(tmp_path, expires=datetime.fromtimestamp(now[0] + 100, UTC))
        now[0] += 10
        person = visitor(service)
        assert person.post("/login", data={"token": TOKEN}).status_code == 200
        now[0] += 100
        answer = person.get("/")
        assert answer.status_code == 401
        assert "has expired" in problem(read(answer))
        write_tokens(tmp_path, token="other" * 10)
        now[0] += 10
        answer = person.get("/")
        assert answer.status_code == 401
        assert "not known here" in problem(read(answer))


def test_signing_out_forgets_the_token(service):
    """After it the page asks again."""
    person = visitor(service)
    person.post("/login", data={"token": TOKEN})
    assert person.post("/logout").status_code == 401
    assert not person.cookies
    assert person.get("/").status_code == 401


@pytest.mark.parametrize("path", ["/login", "/logout"])
@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site", "origin": "http://service"}, False),
        ({"origin": "http://elsewhere"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"origin": "http://service"}, True),
        ({}, True),
    ],
)
def test_other_sites_sign_no_one_in_or_out(service, path, headers, allowed):
    """A form that a browser says comes from elsewhere does nothing."""
    person = visitor(service)
    answer = person.post(
        path, data={"token": TOKEN}, headers=headers, follow_redirects=False
    )
    assert answer.status_code == (303 if allowed else 403)
    assert ("set-cookie" in answer.headers) == allowed


@pytest.mark.parametrize(
    "body",
    [b"token=" + b"a" * 5000, b"\xff\xfe", b"", b"{}", b"token", b"token=%00%C3%A9"],
)
def test_whatever_is_posted_is_no_more_than_no_token(service, body):
    """401, without a trace."""
    assert visitor(service).post("/login", content=body).status_code == 401


def test_without_tokens_the_page_is_open(tmp_path):
    """A service that asks for none shows the page at once, and nothing to sign out
    of.
    """
    with service_of(COMMUTE, folder=tmp_path, tokens=False) as service:
        answer = visitor(service).get("/")
    assert answer.status_code == 200
    assert "Sign out" not in answer.text


def test_it_can_be_mounted_anywhere(tmp_path):
    """Under a prefix, signing in, links, files and exports stay under it, as does the
    cookie.
    """
    with service_of(COMMUTE, folder=tmp_path) as service:
        host = Starlette(routes=[Mount("/stats/ldp", Application(service))])
        person = Visitor(host)
        page = read(person.get("/stats/ldp/"))
        there = person.post(
            "/stats/ldp/" + page.find("form")[0].attributes["action"],
            data={"token": TOKEN},
        )
        assert (str(there.url), there.status_code) == ("http://service/stats/ldp/", 200)
        (cookie,) = person.cookies.jar
        assert cookie.path == "/stats/ldp"
        for link in read(there).find("a"):
            assert not link.attributes["href"].startswith("/")
            assert (
                person.get(
                    "/stats/ldp/" + link.attributes["href"].removeprefix("./")
                ).status_code
                == 200
            )
        assert all(
            person.get(f"/stats/ldp/page/{name}").status_code == 200 for name in FILES
        )


@pytest.mark.parametrize(
    "path", ["/", "/?survey=nothing", *(f"/page/{name}" for name in FILES)]
)
def test_the_policy_is_strict(service, path):
    """No inline script or style, nothing from elsewhere, no frames.

    No page is kept or guessed at.
    """
    headers = visitor(service, TOKEN).get(path).headers
    assert (
        dict(
            directive.strip().split(" ", 1)
            for directive in headers["content-security-policy"].split(";")
        )
        == POLICY
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == (
        "no-cache" if path.startswith("/page/") else "no-store"
    )
