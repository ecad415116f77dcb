"""Pages of figures are of the code that is there, or nearly so."""

import pytest

from lab.measured import MEASURES, ROOT, changes_since, commit_of, git, name_commit

MOST_CHANGES = 200
WAITING = {*MEASURES} - {"shuffle-figures.md"}
"""Pages to measure again, which takes hours or an idle machine. None is added, and one
that was measured is taken out.
"""


def text_of(page):
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", MEASURES)
def test_figures_are_recent(page):
    """Fewer than 201 commits have changed what a page measures since it was
    measured.
    """
    commit = commit_of(text_of(page))
    assert commit
    if git("cat-file", "-t", commit) != "commit":
        pytest.skip("needs the history of the project")
    changes = changes_since(commit, MEASURES[page])
    if page in WAITING:
        assert changes > 0
    else:
        assert changes <= MOST_CHANGES


def test_a_page_names_one_commit():
    """The one of which it was made; a new one takes its place."""
    page = name_commit("# Title\n\nFigures.\n", "0123abcd")
    assert page == "# Title\n\nMeasured at commit `0123abcd`.\n\nFigures.\n"
    assert commit_of(name_commit(page, "89ef")) == "89ef"
