"""The real `ldp serve` in a process of its own, and what can be asked of it over plain
sockets.
"""

import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
from pages import TOKEN, UPLOADING, write_tokens
from wire_samples import TEXT

LDP = str(Path(sys.executable).with_name("ldp"))
_PATIENCE = 90
_TERMS = ("ldp_batches_received_total", "ldp_batches_total", "ldp_batches_quarantined")


class Answer(NamedTuple):
    """What came back before the other side closed, or fell silent: 0 for no answer at
    all.
    """

    status: int
    content: bytes
    closed: bool


class RunningService:
    """A service that listens; its log is a file."""

    def __init__(self, process, port, log):
        self.process, self.port, self.log = process, port, log
        self.url = f"http://127.0.0.1:{port}"

    def get(self, path, token=TOKEN):
        """What a GET brings."""
        return httpx.get(
            f"{self.url}{path}",
            headers={"authorization": f"Bearer {token}"},
            timeout=_PATIENCE,
        )

    def accounts(self):
        """Batches received, and what became of them, by outcome and reason."""
        lines = [
            line.rpartition(" ") for line in self.get("/metrics").text.splitlines()
        ]
        return {
            name: int(float(value))
            for name, _, value in lines
            if name.startswith(_TERMS)
        }

    def resident(self):
        """MiB of memory that the process holds."""
        return self._status("VmRSS")

    def peak(self):
        """MiB of memory that it has held at most."""
        return self._status("VmHWM")

    def complaints(self):
        """What the log says beyond where it listens."""
        return [
            line
            for line in self.log.read_text().splitlines()
            if not line.startswith("serving ")
        ]

    def exchange(self, *pieces, patience=5.0, pause=0.05, half_close=False):
        """Send pieces over a connection of its own, and return the answer."""
        with socket.create_connection(
            ("127.0.0.1", self.port), timeout=_PATIENCE
        ) as connection:
            try:
                for number, piece in enumerate(pieces):
                    time.sleep(pause if number else 0)
                    connection.sendall(piece)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it has closed already: what it said can still be read
            return received(connection, patience)

    def converse(self, *requests, patience=1.0):
        """What comes of requests over one connection, each sent once the one before is
        answered.

        One that is a tuple comes in pieces.
        """
        with socket.create_connection(
            ("127.0.0.1", self.port), timeout=_PATIENCE
        ) as connection:
            answer = Answer(0, b"", closed=False)
            for number, pieces in enumerate(requests, 1):
                for piece in pieces if isinstance(pieces, tuple) else (pieces,):
                    connection.sendall(piece)
                    time.sleep(0.05)
                last = number == len(requests)
                answer = received(
                    connection, patience if last else 0.01, answer.content
                )
            return answer

    def _status(self, name):
        return (
            int(
                re.search(
                    rf"{name}:\s+(\d+)",
                    Path(f"/proc/{self.process.pid}/status").read_text(),
                )[1]
            )
            / 1024
        )


@contextmanager
def running_service(folder, *options, survey=TEXT, port=0):
    """A service on a store and with tokens in a folder; it is stopped in the end."""
    with started(folder, *options, survey=survey, port=port) as service:
        yield service
        service.process.terminate()
        assert service.process.wait(_PATIENCE) == 0, service.log.read_text()


@contextmanager
def started(folder, *options, survey=TEXT, port=0, environment=None, within=()):
    """The same, but killed in the end. `within` is a command that runs it, and becomes
    it.
    """
    survey_path, log = folder / "survey.toml", folder / "log"
    survey_path.write_text(survey)
    if not (folder / "tokens.toml").exists():
        write_tokens(folder)
    # The least first, so that options may ask for another.
    fixed = ["--port", str(port), "--least-reports", "1", "--drain", "0"]
    command = [*within, LDP, "serve", survey_path, *fixed, *options]
    with (
        log.open("w") as file,
        subprocess.Popen(command, cwd=folder, env=environment, stderr=file) as process,
    ):
        try:
            yield RunningService(process, _port_of(process, log), log)
        finally:
            process.kill()


def request(body=b"", *fields, token=UPLOADING, line=b"POST /v1/reports HTTP/1.1"):
    """The bytes of an upload, or of another request."""
    headers = [
        b"host: service",
        b"authorization: Bearer " + token.encode(),
        b"content-length: %d" % len(body),
    ]
    return b"\r\n".join([line, *headers, *fields, b"", body])


def received(connection, patience, before=b""):
    """The answer that comes over a connection, and what follows it within the patience.

    An answer is waited for, and so is the end that it announces: a machine may be busy.
    `before` is what came earlier, with the answers to other requests.
    """
    known = len(_heads(before))
    content, closed = _read(
        connection, before, _PATIENCE, is_enough=lambda now: len(_heads(now)) > known
    )
    if not closed:
        ends = b"connection: close" in b"".join(_heads(content)[-1:]).lower()
        content, closed = _read(connection, content, _PATIENCE if ends else patience)
    match = re.match(rb"HTTP/1.1 (\d{3})", content)
    return Answer(int(match[1]) if match else 0, content, closed)


def _read(connection, content, patience, is_enough=lambda _: False):
    """What has come once it is enough, or nothing comes; and whether the other side has
    closed.
    """
    connection.settimeout(patience)
    try:
        while not is_enough(content):
            piece = connection.recv(1 << 16)
            if not piece:
                return content, True
            content += piece
    except TimeoutError:
        pass
    except ConnectionResetError:
        return content, True
    return content, False


def _heads(content):
    """Those of the answers that are whole, but for those that only tell to go on."""
    heads = []
    while (end := content.find(b"\r\n\r\n") + 4) > 3:
        head = content[:end]
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        end += int(length[1]) if length else 0
        if len(content) < end:
            break
        content = content[end:]
        if not head.startswith(b"HTTP/1.1 1"):
            heads.append(head)
    return heads


def _port_of(process, log):
    """Where it listens, once it does."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if match := re.search(r"serving https?://127.0.0.1:(\d+)", log.read_text()):
            port = int(match[1])
            try:
                if (
                    httpx.get(
                        f"http://127.0.0.1:{port}/readyz", timeout=_PATIENCE
                    ).status_code
                    == 200
                ):
                    return port
            except httpx.TransportError:
                pass
        time.sleep(0.02)
    raise AssertionError(f"expected a service, got {log.read_text()}")
