"""The command `ldp-client`, for developers of apps: what needs no more than the client
itself.

    ldp-client codegen SURVEY      a typed Python module that records answers to a
                                   survey
    ldp-client explain SURVEY      what is sent, as a page for privacy notices
    ldp-client decode FILE         what a report file, an upload or a batch says
    ldp-client ledger STATE        what a device has spent

The command `ldp` of the other packages has all of these too, and more.

Exit codes: 0 done; 1 the input could not be used, with a message; 2 called wrongly.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ldp import __version__
from ldp.errors import LDPError, StateError

DASH = "-"


def main(words: Sequence[str] | None = None) -> int:
    """Run the command. Words are those of the command line, unless given."""
    asked = _parser().parse_args(words)
    try:
        text: str = asked.run(asked)
        _hand_out(text, getattr(asked, "output", None))
    except LDPError as error:
        return _fail(error)
    except BrokenPipeError:  # the reader has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        return _fail(error)
    return 0


def _fail(error: Exception) -> int:
    sys.stderr.write(f"Error: {error}\n")
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ldp-client",
        description="For apps that collect answers under local differential privacy.",
    )
    parser.add_argument(
        "--version", action="version", version=f"ldp-client {__version__}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    output = argparse.ArgumentParser(add_help=False)
    output.add_argument("-o", "--output", metavar="FILE", help="write to this file")

    codegen = commands.add_parser(
        "codegen",
        parents=[output],
        help="write a typed Python module that records answers",
    )
    codegen.add_argument("survey", metavar="SURVEY")
    codegen.set_defaults(run=_codegen)

    explain = commands.add_parser(
        "explain",
        parents=[output],
        help="write what is sent, as a page for privacy notices",
    )
    explain.add_argument("survey", metavar="SURVEY")
    explain.add_argument(
        "--disclosure", choices=("md", "html"), default="md", help="how"
    )
    explain.set_defaults(run=_explain)

    decode = commands.add_parser(
        "decode",
        help="explain a file of reports: batches, and what each report supports",
    )
    decode.add_argument("file", metavar="FILE", help="- is standard input")
    decode.add_argument(
        "--survey", action="append", default=[], help="whose questions it may be of"
    )
    decode.add_argument(
        "--rows", type=int, default=10, help="how many reports of a batch to show"
    )
    decode.set_defaults(run=_decode)

    ledger = commands.add_parser(
        "ledger",
        help=(
            "say what the device with this state file has spent; the app may be running"
        ),
    )
    ledger.add_argument("state", metavar="STATE")
    ledger.add_argument(
        "--set-aside",
        action="store_true",
        help="set a damaged file aside and begin a new one with what can be read of it",
    )
    ledger.set_defaults(run=_ledger)
    return parser


# What a command needs is imported when it runs.


def _codegen(asked: argparse.Namespace) -> str:
    from ldp_client.answering.terms import read_survey
    from ldp_client.tools.codegen import module

    return module(read_survey(asked.survey))


def _explain(asked: argparse.Namespace) -> str:
    from ldp.privacy.disclosure import disclosure
    from ldp_client.answering.terms import read_survey

    return disclosure(read_survey(asked.survey), asked.disclosure)


def _decode(asked: argparse.Namespace) -> str:
    from ldp.wire.decoded import decoded_file
    from ldp_client.answering.terms import read_survey

    surveys = [read_survey(path) for path in asked.survey]
    if asked.file == DASH:
        content = sys.stdin.buffer.read()
    else:
        with open(asked.file, "rb") as file:
            content = file.read()
    return "\n".join(decoded_file(content, surveys, max(0, asked.rows))) + "\n"


def _ledger(asked: argparse.Namespace) -> str:
    from ldp_client.answering.ledger import Ledger
    from ldp_client.keeping.database import Database

    if not os.path.isfile(asked.state):
        # Opening it would make one.
        raise StateError(f"expected a state file at {asked.state}, found none")
    if asked.set_aside:
        from ldp_client.tools.recovery import recover

        return f"{recover(asked.state)}\n{Ledger.read(Database(asked.state))}\n"
    return f"{Ledger.read(Database(asked.state))}\n"


def _hand_out(text: str, output: str | None) -> None:
    """Write a result to a file, or to standard output, as UTF-8."""
    if output is None or output == DASH:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
        return
    with open(output, "w", encoding="utf-8", newline="") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(main())
