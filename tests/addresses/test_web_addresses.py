"""Addresses of web sites, wherever one is given: none that is a program, a file or
nonsense.
"""

import pytest
from calling import run
from surveys import SMALL

from ldp_aggregator.output.web_addresses import AddressError, web_address, web_origin

NONSENSE = (
    "javascript:alert(1)",
    "foo",
    "//ask.example",
    "ftp://ask.example",
    "file:///etc/passwd",
    "https://",
    "https:///path",
    "https://a b",
    "https://a.example/ x",
    "https://a.example\n",
    "https://a.example;script-src *",
    'https://a.example/"><script>',
    "https://a..example",
    "https://-a.example",
    "https://a.example:0",
    "https://a.example:65536",
    "https://a.example:x",
    "https://1.2.3.400",
    "https://[::1",
    "https://[12]",
    "https://user:word@a.example",
    "https://a.example#fragment",
    "https://*",
    "https://é.example",
    "https://" + "a" * 254,
)
GOOD = (
    "https://ask.example",
    "http://192.168.0.7:8000/",
    "https://ask.example:8443/surveys/one/",
    "HTTP://LocalHost",
    "http://[::1]:80/x",
    "https://xn--mnchen-3ya.example",
)
FLAGS = (
    "--public-address",
    "--allow-origin",
    "--embed-in",
    "--alert-webhook",
)


@pytest.mark.parametrize("text", NONSENSE)
def test_what_is_no_address_is_no_origin_either(text):
    """And each says what was expected."""
    with pytest.raises(AddressError, match="expected https"):
        web_address(text)
    with pytest.raises(AddressError, match="expected an origin"):
        web_origin(text, any_below=True)


@pytest.mark.parametrize("text", GOOD)
def test_an_address_stays_as_it_came(text):
    """Its letters and its path."""
    assert web_address(text) == text


def test_an_origin_is_written_as_browsers_write_it():
    """Or it would never be that of a page: small letters, no usual port, nothing behind
    it.
    """
    assert web_origin("HTTPS://Page.Example:443/") == "https://page.example"
    assert web_origin("http://[::1]:8000") == "http://[::1]:8000"
    assert (
        web_origin("https://*.page.example:8443", any_below=True)
        == "https://*.page.example:8443"
    )
    for text in (
        "https://a.example/page",
        "https://a.example?x",
        "https://*.a.example",
    ):
        with pytest.raises(AddressError, match="expected an origin"):
            web_origin(text)


def test_secrets_go_over_https_and_into_no_message():
    """But for this machine; a query is for those who ask for it."""
    assert web_address("http://127.0.0.1:9/x", secure=True)
    with pytest.raises(AddressError, match="or http:// on this machine, got 'http:"):
        web_address("http://a.example", secure=True)
    with pytest.raises(AddressError) as caught:
        web_address("http://a.example/secret", secure=True, secret=True)
    assert "secret" not in str(caught.value)
    assert web_address("https://a.example/?key=1", query=True)
    with pytest.raises(AddressError, match="expected"):
        web_address("https://a.example/?key=1")


@pytest.fixture
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "tokens.toml").write_text("")
    return "survey.toml"


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("text", ["javascript:alert(1)", "nonsense"])
def test_flags_that_take_addresses_take_nothing_else(survey, flag, text):
    """By their names, before anything is opened."""
    said = run("serve", survey, "--public", flag, text, code=2).stderr
    assert flag in said
    assert "expected" in said


def test_other_commands_take_no_nonsense_either(survey, tmp_path):
    """Where a page sends to, where cards lead, who may frame it."""
    said = run(
        "survey",
        "page",
        survey,
        "-o",
        "page",
        "--collector",
        "javascript:alert(1)",
        code=2,
    ).stderr
    assert "--collector" in said
    link = (
        "store",
        "tokens",
        "respondents",
        survey,
        "--number",
        "2",
        "--link",
        "javascript:alert(1)",
    )
    assert "--link" in run(*link, code=2).stderr
    (tmp_path / "survey.page.toml").write_text(
        '[page]\nparents = ["https://a.example/x"]\n'
    )
    assert (
        "parents: expected origins"
        in run("survey", "page", survey, "-o", "page", code=1).stderr
    )


@pytest.mark.parametrize(
    ("flags", "said", "code"),
    [
        (
            "--public-address https://a.example",
            "--public-address: expected --public",
            2,
        ),
        ("--kafka-settings x", "--kafka-settings: expected --kafka", 2),
        (
            "--trusted-header X-User --trusted-proxy ::1",
            "--trusted-header: expected --people",
            1,
        ),
        (
            "--trusted-header X:User",
            "--trusted-header: expected the name of a header",
            1,
        ),
        ("--trusted-proxy ::1", "--trusted-proxy: expected --trusted-header", 1),
        (
            "--proxy-removes-headers nc",
            "--proxy-removes-headers: expected --trusted-header",
            1,
        ),
        ("--people people.toml", "--people: expected --trusted-header", 1),
        ("--folder none", "--folder none: expected a folder", 1),
        ("--audit-log none/audit", "--audit-log none/audit: expected a folder", 1),
        ("--audit-log .", "--audit-log .: expected a file", 1),
        ("--store sqlite:////none/a.db", "expected a store at /none/a.db", 1),
    ],
)
def test_a_flag_that_would_do_nothing_is_refused_by_its_name(survey, flags, said, code):
    """Not passed over, and not by the name of another one."""
    assert said in run("serve", survey, *flags.split(), code=code).stderr
