"""The documentation as a site: built without a warning, searched, and complete by
itself.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import partial
from http.server import SimpleHTTPRequestHandler
from math import log

import pytest
from browser import browser
from listening import listening
from places import ROOT

from release.reference_pages import on_page_content
from release.site_links import outward

LOOKED_AT = (
    *(
        "",
        "tutorials/two-minutes/",
        "tutorials/epsilon/",
        "respondents/",
        "mechanisms/",
    ),
    *("commands/", "api/client/", "appendix/places/", "evidence/"),
)
"""In the browser: the beginnings, and the page with the widest tables."""
SEARCHES = {
    "legal": ["gdpr", "consent", "opt out"],
    "ab-tests": ["a/b test"],
    "operating": ["docker", "backup", "monitoring"],
    "clients": ["ios", "android", "swift"],
    "service-options": ["rate limit", "token", "postgresql"],
    "planning": ["how many users do I need", "sample size"],
    "faq": ["negative share", "what if people lie"],
    "embedding": ["limesurvey", "otree"],
    "exchange": ["sql"],
    "analysis": ["data frame"],
    "alternatives": ["opendp"],
    "designs": ["crosswise", "list experiment"],
    "tutorials/coins": ["randomized response"],
    "respondents": ["paper", "qr code"],
    "scaling": ["spark"],
    "threat-model": ["threat model"],
    "tutorials/epsilon": ["choose epsilon"],
    "client-options": ["privacy budget"],
    "regression": ["regression"],
    "weights": ["weights", "non-response", "raking"],
    "places": ["heat map"],
    "estimates": ["confidence interval"],
    "relay": ["relay"],
    "client-typescript": ["typescript"],
    "rappor": ["migrate rappor"],
    "audit": ["audit"],
    "comparisons": ["trend"],
}
"""By page, the searches that must find it first."""
_STOP = {
    "how",
    "however",
    "do",
    "does",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "what",
}
"""Words of these searches that the index leaves out, and those that begin like them."""
_WIDER = "return document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as a release builds it: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    words = (
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        folder,
    )
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.needs("mkdocs")
def test_nothing_is_fetched_elsewhere(site):
    """Every page is there, and the words of all; no font, script or style of others."""
    fetched = re.compile(
        r"<(?:script|img|link|iframe)[^>]*(?:src|href)=[\"']?(https?:)?//[^\"'> ]+"
    )
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(list(ROOT.glob("docs/**/*.md")))
    for page in pages:
        assert not fetched.search(page.read_text(encoding="utf-8")), page
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "randomized response" in index


class Quiet(SimpleHTTPRequestHandler):
    """A static host that says nothing."""

    def log_message(self, *_):
        """Not here."""


@pytest.mark.needs("mkdocs", "chromium")
def test_the_site_in_a_browser(site, tmp_path):
    """On a desktop and on a phone, light and dark; a search finds; a prompt is not
    copied.
    """
    host = partial(Quiet, directory=site)
    with listening(host) as address, browser(tmp_path) as chromium:
        for width, scheme in ((1300, "light"), (390, "dark")):
            chromium.size(width, 900, mobile=width < 600)
            chromium.prefer(scheme)
            for page in LOOKED_AT:
                chromium.open(f"{address}/{page}")
                assert chromium.run(_WIDER) <= 0, (page, width)
                shown = chromium.run("return document.body.dataset.mdColorScheme")
                assert shown == {"light": "default", "dark": "slate"}[scheme]
        assert chromium.complaints() == []
        chromium.size(1300, 900)
        chromium.open(f"{address}/tutorials/two-minutes/")
        chromium.run(
            "document.querySelector('.highlight "
            ".gp').closest('code').dataset.mdCopying = ''"
        )
        copied = chromium.text("code[data-md-copying]")
        assert copied.strip() == "ldp simulate smoking.toml --respondents 1000"
        chromium.type(".md-search__input", "heavy hitters")
        chromium.wait(
            "return document.querySelectorAll('.md-search-result__item').length"
        )


def test_links_out_of_the_pages_are_whole():
    """To the file in the repository; those between pages, and those that are whole,
    stay.
    """
    text = (
        "[a](../README.md#x) [b](survey.md) [c](https://c.example) ![d](../../x.png) "
        "[e](#f)"
    )
    assert outward(text, "docs/tutorials", "https://h") == (
        "[a](../README.md#x) [b](survey.md) [c](https://c.example) "
        "![d](https://h/blob/main/x.png) [e](#f)"
    )
    assert (
        outward("[a](../LICENSE)", "docs", "https://h")
        == "[a](https://h/blob/main/LICENSE)"
    )


def test_cells_name_their_columns():
    """In tables of three columns or more, for phones, where rows are lists."""
    row = "<tr><td>a</td><td>1</td><td>2</td></tr>"
    head = '<thead><th></th><th>of <em>it</em></th><th style="x">&lt; 2</th></thead>'
    html = on_page_content(f"<table>{head}{row}{row}</table><table><td>b</td></table>")
    assert re.findall(r'data-heading="([^"]*)"', html) == ["of it", "&lt; 2"] * 2
    assert html.endswith("<td>b</td></table>")


def first_page(index, query):
    """Return the page that the site's search shows first.

    It scores as lunr does in the theme: words match as prefixes, titles weigh most, and
    a page counts more than its sections.
    """
    places = {one["location"]: one for one in index["docs"]}
    separator = re.compile(index["config"]["separator"])
    asked = set(separator.split(query.lower()))
    hits = defaultdict(list)
    spread = Counter()
    for place, one in places.items():
        for field, settings in index["config"]["fields"].items():
            words = separator.split(re.sub("<[^>]*>", " ", one.get(field, "")).lower())
            for word, count in Counter(words).items():
                matched = {term for term in asked if word.startswith(term)}
                if matched and word not in _STOP:
                    spread[word] += 1
                    weight = (
                        settings["boost"] * one.get("boost", 1) * count / (1.2 + count)
                    )
                    hits[place].append((word, weight * len(matched), matched))
    scores = Counter()
    for place, words in hits.items():
        matched = set().union(*(terms for *_, terms in words))
        rare = sum(
            weight * rarity(len(places), spread[word]) for word, weight, _ in words
        )
        share = len(matched) / len(matched | (asked - _STOP))
        page, _, section = place.partition("#")
        scores[page] = max(scores[page], rare * (1 + (share + (not section)) ** 2))
    return max(scores, key=scores.get, default="")


def rarity(documents, count):
    """Return the inverse document frequency of a word."""
    return log(1 + abs((documents - count + 0.5) / (count + 0.5)))


@pytest.mark.needs("mkdocs")
def test_a_search_finds_its_page(site):
    """Forty searches of users show the page that answers them first."""
    index = json.loads(
        (site / "search" / "search_index.json").read_text(encoding="utf-8")
    )
    first = {
        query: first_page(index, query).rstrip("/")
        for queries in SEARCHES.values()
        for query in queries
    }
    assert len(first) >= 40
    wanted = {query: page for page, queries in SEARCHES.items() for query in queries}
    assert {query: page for query, page in first.items() if page != wanted[query]} == {}
