"""A small notes app that takes part in a survey, if its user agrees.

    python examples/notes/notes.py add "Buy milk"
    python examples/notes/notes.py list
    python examples/notes/notes.py privacy on        (or off, forget; alone: what was spent, and
                                                     what would be sent)
    python examples/notes/notes.py passwords no      (or yes, or nothing at all)

Notes live in the folder NOTES_HOME; reports go to NOTES_COLLECTOR: a folder, or the
address of a collector, which may want NOTES_TOKEN.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

from answers import (
    TERMS,
    record_kept,
    record_sensitive,
    record_theme,
)  # written by `ldp client codegen survey.toml`

from ldp_client import EmbeddedClient, FolderTransport, HTTPTransport

HOME = Path(os.environ.get("NOTES_HOME", "~/.notes")).expanduser()
COLLECTOR = os.environ.get("NOTES_COLLECTOR", "https://collect.example")
SURVEY = Path(__file__).with_name("survey.toml")


def main(words: list[str]) -> None:
    """One command."""
    HOME.mkdir(parents=True, exist_ok=True)
    with open_client() as client:
        match words:
            case ["add", note]:
                with (HOME / "notes.txt").open("a", encoding="utf-8") as file:
                    file.write(note.replace("\n", " ") + "\n")
            case ["list"]:
                print(*notes(), sep="\n")
            case ["privacy"]:
                print(client.ledger(), client.preview("kept", kept()), sep="\n\n")
            case ["privacy", "on" | "off" | "forget" as said]:
                client.set_consent(said)
            case ["passwords", "yes", *_]:
                record_sensitive(client, "yes")
            case ["passwords", "no", *_]:
                record_sensitive(client, "no")
            case ["passwords", *_]:
                # Saying nothing is an answer like any other: otherwise silence would
                # tell.
                record_sensitive(client, "rather not say")
            case _:
                sys.exit(__doc__)
        record_kept(client, kept())
        record_theme(client, "never chosen")
        client.flush(timeout=1.0)


def open_client() -> EmbeddedClient:
    """The client: off until the user agrees.

    For these terms only, and for at most epsilon 6 a question, ever.
    """
    token = os.environ.get("NOTES_TOKEN")
    remote = COLLECTOR.startswith(("http://", "https://"))
    return EmbeddedClient(
        SURVEY,
        state=HOME / "ldp.db",
        transport=HTTPTransport(COLLECTOR, token=token)
        if remote
        else FolderTransport(COLLECTOR),
        pins=[TERMS],
        ceiling=6,
        consent="off",
        interval=None,
    )


def notes() -> list[str]:
    """All notes."""
    path = HOME / "notes.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def kept() -> Literal["none", "1 to 9", "10 to 99", "100 or more"]:
    """Which of the survey's values their number is."""
    number = len(notes())
    if not number:
        return "none"
    if number < 10:
        return "1 to 9"
    return "10 to 99" if number < 100 else "100 or more"


if __name__ == "__main__":
    main(sys.argv[1:])
