"""The first start of `ldp serve`: tokens are made once all else that it needs is
there.
"""

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest
from calling import ldp, run

from ldp_service.commands.tokens import write_first_tokens
from ldp_service.store.opening import open_store

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
        ("--stop-list", "none"),
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
    for check in [(), ("--check",)]:
        fails = words[0] != "--host" or not check
        said = run(
            "serve", "s.toml", "--port", 0, *words, *check, code=int(fails)
        ).output
        assert fails == ("in order" not in said)
        assert ": made" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_store_and_tokens_can_be_tried_while_they_serve(tmp_path, monkeypatch):
    """As before a restart: by nothing that writes."""
    (tmp_path / "s.toml").write_text(SURVEY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    write_first_tokens(Path("tokens.toml"))
    with closing(open_store("sqlite:///ldp.db")):
        ldp("serve s.toml --check")
    Path("ldp.db").write_bytes(b"no store" * 1000)
    ldp("serve s.toml --check", code=1)
    Path("ldp.db").unlink()
    Path("tokens.toml").write_text("x")
    ldp("serve s.toml --check", code=1)


def test_a_journal_keeps_no_token(tmp_path, monkeypatch, capsys):
    """There the first ones are written to a file for who starts the service."""
    status = os.fstat(2)
    for journal, places in ((f"{status.st_dev}:{status.st_ino}", 0), ("1:1", 2)):
        monkeypatch.setenv("JOURNAL_STREAM", journal)
        write_first_tokens(tmp_path / f"{places}.toml")
        said = capsys.readouterr().err
        assert said.count(" ldp_") == places
    beside = tmp_path / "0.toml-first"
    assert beside.read_text().count(" ldp_") == 2
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert not (tmp_path / "2.toml-first").exists()
