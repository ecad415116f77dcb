"""The documentation as a site: built without a warning, searched, and complete by itself."""

import os
import re
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler

import pytest
from browser import browser
from listening import listening
from places import ROOT

from release.site_links import outward

LOOKED_AT = ("", "tutorials/two-minutes/", "tutorials/epsilon/", "respondents/", "mechanisms/")
"""In the browser: the beginnings, and the page with the widest tables."""
_WIDER = "return document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as a release builds it: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    words = (sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder)
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
    """On a desktop and on a phone, light and dark; a search finds; a prompt is not copied."""
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
            "document.querySelector('.highlight .gp').closest('code').dataset.mdCopying = ''"
        )
        copied = chromium.text("code[data-md-copying]")
        assert copied.strip() == "ldp simulate smoking.toml --respondents 1000"
        chromium.type(".md-search__input", "heavy hitters")
        chromium.wait("return document.querySelectorAll('.md-search-result__item').length")


def test_links_out_of_the_pages_are_whole():
    """To the file in the repository; those between pages, and those that are whole, stay."""
    text = "[a](../README.md#x) [b](survey.md) [c](https://c.example) ![d](../../x.png) [e](#f)"
    assert outward(text, "docs/tutorials", "https://h") == (
        "[a](../README.md#x) [b](survey.md) [c](https://c.example) "
        "![d](https://h/blob/main/x.png) [e](#f)"
    )
    assert outward("[a](../LICENSE)", "docs", "https://h") == "[a](https://h/blob/main/LICENSE)"
