"""The line protocol: one JSON object a line, asked on standard input, answered on
standard output.

    {"do": "record", "question": "smoker", "answer": true}
    {"recorded": true}

Bytes are hexadecimal texts. A request has one answer; before its answer, `send` has a
line `{"payload": "..."}` for each payload, at the moment when it leaves. What a client
does not do it answers with `{"refused": "unknown"}`.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

from ldp.errors import LDPError

PATIENCE = 60.0
"""Seconds for an answer."""
MOST_LINE = 1 << 26
_END = b""

Answer = dict[str, Any]


class ClientError(LDPError):
    """A client that does not speak the protocol, or has come to an end."""


class Process:
    """A client as a process, which is asked line by line."""

    def __init__(self, command: Sequence[str], errors: IO[bytes]) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # a command of the caller's own
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        except OSError as error:
            raise ClientError(
                f"expected a command that can be started, got {error}"
            ) from error
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, do: str, **words: object) -> Answer:
        """The answer to a request, beside which nothing leaves."""
        self.tell(do, **words)
        return self.answer()

    def tell(self, do: str, **words: object) -> None:
        """Send a request, whose answer will be read later, if ever."""
        line = json.dumps({"do": do, **words}).encode() + b"\n"
        pipe = self._process.stdin
        if pipe is None or pipe.closed:
            raise ClientError("expected a client that runs, got one that was killed")
        try:
            pipe.write(line)
            pipe.flush()
        except OSError:
            raise ClientError(
                f"expected an answer to {do}, got {self._ending()}"
            ) from None

    def answer(self, patience: float = PATIENCE) -> Answer:
        """The next line."""
        try:
            line = self._lines.get(timeout=patience)
        except queue.Empty:
            raise ClientError(
                f"expected an answer within {patience:.0f} s, got none"
            ) from None
        if line == _END:
            raise ClientError(f"expected an answer, got {self._ending()}")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise ClientError(
                "expected a JSON object on a line of its own, got something else"
            )
        return answer

    def left(self) -> Iterator[Answer]:
        """The lines that were written before the end, once there is one."""
        while (line := self._lines.get(timeout=PATIENCE)) != _END:
            # The last one may have been cut short.
            if line.endswith(b"\n"):
                yield json.loads(line)

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self._process.kill()
        self._leave()

    def close(self) -> None:
        """Let it end by itself, as it does when there are no more requests."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            try:
                self._process.stdin.close()
                self._process.wait(PATIENCE)
            except (OSError, subprocess.TimeoutExpired):
                self._process.kill()
        self._leave()

    def _leave(self) -> None:
        self._process.wait(PATIENCE)
        if self._process.stdin is not None:
            with suppress(OSError):  # a line that it was too late for
                self._process.stdin.close()

    def _ending(self) -> str:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "the end of its output"
        return f"its end, with exit code {code} (its standard error says why)"

    def _read(self) -> None:
        pipe = self._process.stdout
        while pipe is not None and (line := pipe.readline(MOST_LINE)):
            self._lines.put(line)
        if pipe is not None:
            pipe.close()
        self._lines.put(_END)
