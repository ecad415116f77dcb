"""The page on surveys that are already done: its commands, and the figures that are published."""

import re
import shlex

import pytest
from calling import run
from places import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "analyse-rows.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ ldp (.* examples.*)", PAGE, re.MULTILINE)
FIGURES = {
    # Jann, Jerke and Krumpal 2012: 22.3 % by the crosswise model, 7.3 % asked directly.
    "estimate": ("0.2226", "0.0546", "[0.1196, 0.3323]", "female", "160 reports"),
    "compare": ("0.0729", "0.2226", "+0.1497", "0.0196"),
    "weigh": ("design weights; 310 reports", "0.2226"),
    "regress": ("sex=male", "semester", "converged"),
    "report": (),
}


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[0])
def test_a_command(line, tmp_path, monkeypatch):
    """As it stands; what the page says of codes is what every command says."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    result = run(*shlex.split(line))
    for figure in FIGURES[line.split()[0]]:
        assert figure in result.stdout
    [said] = re.findall(r"^plagiarism, from column .*", PAGE, re.MULTILINE)
    assert said in result.stderr


def test_five_commands():
    """Shares, a comparison, weights, a logit and a page."""
    assert [line.split()[0] for line in COMMANDS] == [*FIGURES]
