"""The page on surveys that are already done: its commands, and the figures that are
published.
"""

import re
import shlex

import pytest
from calling import run
from places import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "analyse-rows.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ ldp (\w+(?: \w+)?) (examples.*)", PAGE, re.MULTILINE)
FIGURES = {
    # Jann, Jerke and Krumpal 2012: 22.3 % by the crosswise model, 7.3 % asked directly.
    "estimate": ("0.2226", "0.0546", "[0.1196, 0.3323]", "female", "160 reports"),
    "analyze compare": ("0.0729", "0.2226", "+0.1497", "0.0196"),
    "analyze weight": ("design weights; 310 reports", "0.2226"),
    "analyze regress": ("sex=male", "semester", "converged"),
    "analyze publish": (),
}


@pytest.mark.parametrize(("command", "words"), COMMANDS)
def test_a_command(command, words, tmp_path, monkeypatch):
    """As it stands; what the page says of codes is what every command says."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    result = run(*command.split(), *shlex.split(words))
    for figure in FIGURES[command]:
        assert figure in result.stdout
    [said] = re.findall(r"^plagiarism, from column .*", PAGE, re.MULTILINE)
    assert said in result.stderr


def test_five_commands():
    """Shares, a comparison, weights, a logit and a page."""
    assert [command for command, _ in COMMANDS] == [*FIGURES]
