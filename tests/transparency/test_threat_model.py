"""The figures of the threat model are those that the code gives today."""

from places import ROOT

from lab.threat_figures import TABLES, linkage, reconstruction, written

PAGE = ROOT / "docs" / "threat-model.md"


def test_figures_are_worked_out():
    """Each table stands on the page as it is worked out, and none is missing."""
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    for name in TABLES:
        assert page.count(f"<!-- {name} -->") == page.count(f"<!-- /{name} -->") == 1


def test_figures_that_are_typed_in_are_noticed():
    """A figure that is off by one in its last digit is."""
    page = PAGE.read_text(encoding="utf-8")
    assert "1.099 | 75.0 % | 50.0 % | 75.0 %" in page
    assert written(page.replace("1.099 | 75.0 %", "1.099 | 75.1 %")) == page
    assert reconstruction() in page
    assert linkage() in page
