"""The documentation as a site: built without a warning, and nothing in it is fetched elsewhere."""

import re
import subprocess
import sys

import pytest
from places import ROOT

from release.site_links import outward


def test_the_site_is_built_without_a_warning(tmp_path, monkeypatch):
    """Every page is reached, every link leads somewhere; no font, script or style of others."""
    pytest.importorskip("mkdocs")
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    site = tmp_path / "site"
    words = (sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site)
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    fetched = re.compile(
        r"<(?:script|img|link|iframe)[^>]*(?:src|href)=[\"']?(https?:)?//[^\"'> ]+"
    )
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(list(ROOT.glob("docs/**/*.md")))
    for page in pages:
        assert not fetched.search(page.read_text(encoding="utf-8")), page
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "randomized response" in index


def test_links_out_of_the_pages_are_whole():
    """To the file in the repository; those between pages, and those that are whole, stay."""
    text = "[a](../README.md#x) [b](survey.md) [c](https://c.example) ![d](../../x.png) [e](#f)"
    assert outward(text, "docs/tutorials", "https://h") == (
        "[a](../README.md#x) [b](survey.md) [c](https://c.example) "
        "![d](https://h/blob/main/x.png) [e](#f)"
    )
    assert outward("[a](../LICENSE)", "docs", "https://h") == "[a](https://h/blob/main/LICENSE)"
