r"""Standard input and output, as the commands use them.

Rules
- `-` stands for standard input where a file is read, and for standard output where one
  is written.
- What machines read (CSV, JSON, source text, tallies, reports) is UTF-8, or bytes,
  whatever the locale.
- What people read is in the encoding of the locale. What that cannot say is said
  otherwise: the few characters of our own as in `PLAIN`, those of surveys and texts by
  their numbers, such as \u0436. Nothing is lost, and nothing fails.
"""

from __future__ import annotations

import codecs
import sys
from typing import BinaryIO

import click

from ldp.errors import LDPError

DASH = "-"
STANDARD_OUTPUT = (DASH, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
PLAIN = {
    "─": "-",
    "…": "...",
    "–": "-",
    "±": "+-",
    "×": "x",
    "━": "=",
    "│": "|",
    "●": "o",
}
"""The characters beyond ASCII that our own texts have, and what stands for them where
they cannot be written.
"""

_HANDLER = "ldp.plain"
_INPUT_TAKEN = "ldp.standard_input"


class StreamError(LDPError):
    """A standard stream that was asked for twice, or is closed."""


def say_everything() -> None:
    """Let standard output and standard error take any text."""
    codecs.register_error(_HANDLER, _said_otherwise)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)


def standard_input() -> BinaryIO:
    """Standard input, to be read to its end.

    Raises `StreamError` the second time: nothing would be left.
    """
    if sys.stdin is None:
        raise StreamError(
            "expected a standard input to read, got a closed one; name a file instead"
        )
    context = click.get_current_context(silent=True)
    if context is not None:
        if context.meta.get(_INPUT_TAKEN):
            raise StreamError(
                f"expected one file from standard input, got {DASH} twice; name one of "
                "the files"
            )
        context.meta[_INPUT_TAKEN] = True
    return sys.stdin.buffer


def is_standard_output(path: object) -> bool:
    """Whether a path of the command line names standard output.

    None does, which is what is written to by default.
    """
    return path is None or str(path) in STANDARD_OUTPUT


def check_one_output(*outputs: tuple[str, object]) -> None:
    """Raise `click.UsageError` if more than one of these options writes to standard
    output.
    """
    both = [option for option, path in outputs if is_standard_output(path)]
    if len(both) > 1:
        raise click.UsageError(
            f"expected one result on standard output, got {' and '.join(both)}; give a "
            "file to all but one"
        )


def _said_otherwise(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(
        PLAIN.get(character) or character.encode("ascii", "backslashreplace").decode()
        for character in characters
    ), error.end
