"""Pages of figures are of the code that is there, or nearly so."""

import pytest

from lab.measured import MEASURES, ROOT, changes_since, commit_of, git, name_commit

MOST_CHANGES = 200
WAITING = {"changes-coverage.md", "coverage.md", "model-coverage.md", "peers.md"}
"""Pages to measure again, which takes hours or an idle machine. None is added."""


def text_of(page):
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


@pytest.mark.skipif(
    git("rev-parse", "--is-shallow-repository") != "false", reason="needs all commits"
)
@pytest.mark.parametrize("page", MEASURES)
def test_figures_are_recent(page):
    """Fewer than 201 commits have changed what a page measures since it was measured."""
    changes = changes_since(commit_of(text_of(page)), MEASURES[page])
    assert (changes > MOST_CHANGES) == (page in WAITING), f"{changes} commits"


def test_a_page_names_one_commit():
    """The one of which it was made; a new one takes its place."""
    page = name_commit("# Title\n\nFigures.\n", "0123abcd")
    assert page == "# Title\n\nMeasured at commit `0123abcd`.\n\nFigures.\n"
    assert commit_of(name_commit(page, "89ef")) == "89ef"
