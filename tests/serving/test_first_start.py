"""The first start of `ldp serve`: tokens are made once all else that it needs is there."""

import pytest
from calling import run

SURVEY = """
[survey]
name = "s"
[[question]]
name = "x"
type = "boolean"
mechanism = "grr"
epsilon = "1"
"""


@pytest.mark.parametrize(
    "words",
    [
        ("--store", "foo.db"),
        ("--store", "sqlite:///nowhere/foo.db"),
        ("--stops", "none"),
        ("--folder", "none"),
        ("--register", "none"),
        ("--tls-certificate", "none", "--tls-key", "none"),
        ("--host", "192.0.2.1"),
    ],
)
def test_a_start_that_fails_makes_no_tokens(words, tmp_path, monkeypatch):
    """They are shown once: the next start would show none."""
    (tmp_path / "s.toml").write_text(SURVEY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = run("serve", "s.toml", "--port", 0, *words, code=1).output
    assert "tokens" not in said
    assert not (tmp_path / "tokens.toml").exists()
