"""A client as a command: answers on its standard input, frames on its standard output.

Nothing that it does can do harm but to itself: it has so much time, may say so much,
and whatever else it says is an error that tells what was expected.

    LDP_AUDIT_SURVEY    the path of the survey file
    LDP_AUDIT_COMPILED  the path of its compiled form, in JSON
    LDP_AUDIT_STATE     a folder in which the one device that is asked keeps its state;
                        not set where each line is a device of its own, which forgets
    LDP_AUDIT_EACH      set where each line is a new device, which keeps its state in a
                        new folder of its own below that one
    LDP_AUDIT_FORK      set where the process is to fork, and both are to answer all
                        lines
    LDP_AUDIT_VERDICT   what a collector says to all that is sent: accepted, or retry
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ldp.errors import LDPError
from ldp.survey.compiled import compile_survey
from ldp.survey.survey import Envelope, Survey
from ldp_simulations.audit.clients.frames import Left, read_left

UNKNOWN = 64
"""The exit code of a client that does not do what a line asks for."""
_PREFIX = "LDP_AUDIT_"
FORK = "fork"
ACCEPTED, RETRY = "accepted", "retry"
_PIECE = 1 << 16
_ROOM = 1 << 16
_PER_FRAME = 128
"""Bytes beside the row that a frame may have."""
_LAST_WORDS = 200
_KEPT_WORDS = 4096


class CommandError(LDPError):
    """A command that cannot be audited: it died, hung, or said what it should not."""


class UnknownError(LDPError):
    """A client that does not do what it was asked."""


class Audited:
    """A client under audit, by its command, and the survey that it is asked.

    timeout  seconds for each process
    """

    def __init__(
        self,
        command: str | Sequence[str],
        survey: Survey,
        folder: Path,
        *,
        timeout: float,
    ) -> None:
        self.command = (
            shlex.split(command) if isinstance(command, str) else list(command)
        )
        if not self.command:
            raise CommandError("expected a command that runs a client, got none")
        self.survey = survey
        self.folder = folder
        self.timeout = timeout
        self.envelopes: dict[bytes, Envelope] = {
            envelope.fingerprint: envelope for envelope in survey.envelopes
        }
        self._survey_path = folder / "survey.toml"
        self._survey_path.write_text(survey.to_toml(), encoding="utf-8")
        self._compiled_path = folder / "compiled.json"
        self._compiled_path.write_text(
            json.dumps(compile_survey(survey)), encoding="utf-8"
        )

    def ask(
        self, lines: Sequence[Any], **circumstances: str | Path
    ) -> dict[bytes, Left]:
        """The reports that leave when so many lines are answered, by fingerprint."""
        return read_left(self.bytes_of(lines, **circumstances), self.envelopes)

    def bytes_of(
        self, lines: Sequence[Any], at_most: int = 0, /, **circumstances: str | Path
    ) -> bytes:
        """The bytes that leave.

        at_most        how many reports, if that is not told by the lines
        circumstances  what the environment says, such as `state` for `LDP_AUDIT_STATE`

        Raises `CommandError`, or `UnknownError` if the client says that it does not do
        this.
        """
        reports = at_most or sum(_reports(line) for line in lines)
        if FORK in circumstances:
            reports *= 2
        widest = max(envelope.width for envelope in self.envelopes.values())
        most = reports * (widest + _PER_FRAME) + _ROOM
        process = self._start(circumstances)
        try:
            return _finish(process, lines, most=most, timeout=self.timeout)
        finally:
            _kill(process)
            process.wait()

    def _start(
        self, circumstances: Mapping[str, str | Path]
    ) -> subprocess.Popen[bytes]:
        said = {
            "survey": self._survey_path,
            "compiled": self._compiled_path,
            "verdict": ACCEPTED,
            **circumstances,
        }
        environment = {
            name: value for name, value in os.environ.items() if _PREFIX not in name
        } | {_PREFIX + name.upper(): str(what) for name, what in said.items()}
        try:
            return subprocess.Popen(  # noqa: S603  # a command of the caller's own
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                # What it starts ends with it, and holds no pipe open.
                start_new_session=True,
            )
        except OSError as error:
            raise CommandError(
                f"expected a command that can be started, got {error.strerror}: "
                f"{self.command[0]}"
            ) from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process, and those that it started."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _reports(line: Any) -> int:
    """How many reports a line can lead to, at most."""
    if isinstance(line, Mapping):
        return len(line)
    return sum(map(_reports, line))


def _finish(
    process: subprocess.Popen[bytes],
    lines: Iterable[Any],
    *,
    most: int,
    timeout: float,
) -> bytes:
    """Return the output of a process that ends by itself, within its time and its
    room.
    """
    until = time.monotonic() + timeout
    out, errors = _Heard(process, process.stdout, most), _Heard(process, process.stderr)
    writer = threading.Thread(target=_write, args=(process, lines), daemon=True)
    writer.start()
    is_late = False
    try:
        process.wait(timeout)
        # What it has started may hold its pipes open, and say more.
        for thread in (out.thread, writer):
            thread.join(max(until - time.monotonic(), 0))
            is_late |= thread.is_alive()
    except subprocess.TimeoutExpired:
        is_late = not out.is_too_much
    finally:
        _kill(process)
    if out.is_too_much:
        raise CommandError(
            f"expected at most {most:,} bytes for what was asked, got more: write a "
            "frame for each report, and nothing else, to standard output"
        )
    if is_late:
        raise CommandError(
            "expected a client that is done, and ends when its input does, within "
            f"{timeout:g} s, got none: a larger --timeout gives it more"
        )
    code = process.returncode
    if code == UNKNOWN:
        raise UnknownError("the client does not do it (exit code 64)")
    if code:
        errors.thread.join(max(until - time.monotonic(), 0))
        raise CommandError(
            f"expected exit code 0, got {code}{_last_words(errors.data)}"
        )
    return bytes(out.data)


class _Heard:
    """Output of a process on one of its pipes, as it comes.

    most  bytes, beyond which it is ended; if there is no such number, its last words
          are kept
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        pipe: IO[bytes] | None,
        most: int | None = None,
    ) -> None:
        self.data = bytearray()
        self.is_too_much = False
        self._process, self._pipe, self._most = process, pipe, most
        # A daemon, as a process that outlives its parent could hold the pipe open for
        # ever.
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        if self._pipe is None:
            return
        with self._pipe as pipe:
            while piece := os.read(pipe.fileno(), _PIECE):
                self.data += piece
                if self._most is None:
                    del self.data[:-_KEPT_WORDS]
                elif len(self.data) > self._most:
                    self.is_too_much = True
                    _kill(self._process)
                    return


def _write(process: subprocess.Popen[bytes], lines: Iterable[Any]) -> None:
    pipe = process.stdin
    if pipe is None:
        return
    # A client that ends before it has read all of it says so by what it leaves out.
    with suppress(OSError, ValueError):
        written: dict[int, bytes] = {}
        for line in lines:
            # Most lines are the same object again.
            if id(line) not in written:
                written[id(line)] = json.dumps(line).encode() + b"\n"
            pipe.write(written[id(line)])
    with suppress(OSError, ValueError):
        pipe.close()


def _last_words(said: bytes | bytearray) -> str:
    """The last line on standard error, such as a terminal can show."""
    text = said.decode("utf-8", "replace").strip()
    if not text:
        return ""
    line = text.splitlines()[-1][-_LAST_WORDS:]
    return ": " + "".join(letter if letter.isprintable() else "?" for letter in line)
