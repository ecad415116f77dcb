"""Requests that cross the end of a server on their way: each gets its answer, and then
no other.
"""

import asyncio
import socket
import ssl
from contextlib import closing, suppress
from functools import partial

from hostile_http import fresh
from own_certificate import certificate_in
from pages import TOKEN, UPLOADING, write_tokens
from uvicorn import Config
from wire_samples import SURVEY, TEXT

from ldp_service.counting.served import Served
from ldp_service.http import protocol, upload_protocol
from ldp_service.http import server as ending
from ldp_service.http.app import Application
from ldp_service.http.server import Server
from ldp_service.http.upload_protocol import UploadProtocol
from ldp_service.service import Service, Settings
from ldp_service.uploads.tokens import TokenFile

_LONG = 600
_PATIENCE = 60


def looking():
    """A request for what is answered the usual way."""
    return (
        f"GET /v1/surveys HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {TOKEN}\r\n\r\n"
    ).encode()


def upload():
    """A request of its own for the short way; each has the same head."""
    body = fresh()
    head = (
        f"POST /v1/reports HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {UPLOADING}\r\n"
    )
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


class _Ending:
    """A server within this loop, and connections to it."""

    def __init__(self, service, files=(None, None)):
        self.service = service
        certificate, key = files
        self._config = Config(
            Application(service),
            lifespan="off",
            ws="none",
            log_config=None,
            proxy_headers=False,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        self._config.load()
        nothing = lambda: None  # noqa: E731
        self._server = Server(self._config, nothing, nothing, renew=lambda: False)
        self._server.lifespan = self._config.lifespan_class(self._config)
        self.ending = None
        self.accepted = 0
        self._ends_next = False
        self._writers = []

    async def __aenter__(self):
        listening = await asyncio.get_running_loop().create_server(
            self._connection, "127.0.0.1", ssl=self._config.ssl
        )
        self.address = listening.sockets[0].getsockname()
        self._server.servers = [listening]
        return self

    async def __aexit__(self, *_):
        for writer in self._writers:
            writer.close()
        with suppress(asyncio.CancelledError):
            await self.ending

    async def connected(self, sent=b""):
        """A connection that has sent something and has read what came of it."""
        known = self._server.server_state.connections
        before = len(known)
        connection = await asyncio.open_connection(*self.address)
        self._writers.append(connection[1])
        while len(known) == before:
            await asyncio.sleep(0.001)
        if sent:
            connection[1].write(sent)
            assert "close" not in await _head(connection[0])
        return connection

    def end(self):
        """Begin to end, in the next turn of the loop."""
        self.ending = asyncio.create_task(self._server.shutdown())

    def end_at_next(self):
        """Begin to end after the next connection is accepted, and before it begins."""
        self._ends_next = True

    def _connection(self):
        self.accepted += 1
        if self._ends_next:
            self.end()
        return UploadProtocol(self._config, self._server.server_state, {})


async def _head(reader):
    """The head of the next answer, whose body is read as well."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = head.partition("content-length: ")[2].partition("\r")[0]
    await reader.readexactly(int(length))
    return head


def _ended(tmp_path, scene, **options):
    settings = Settings(TokenFile(write_tokens(tmp_path)))

    async def play(service):
        async with _Ending(service, **options) as server:
            await asyncio.wait_for(scene(server), _PATIENCE)

    store = f"sqlite:///{tmp_path}/store.db"
    with closing(Service([Served(SURVEY, TEXT)], store, settings)) as service:
        asyncio.run(play(service))


def test_what_is_on_its_way_is_answered(tmp_path, monkeypatch):
    """Over connections that are new, that were kept, and that have sent a part of a
    request.
    """
    monkeypatch.setattr(protocol, "LAST", _LONG)

    async def scene(server):
        requests = {}
        for request in (looking, upload):
            requests[await server.connected()] = request()
            # The head of an upload is known by its second time.
            requests[await server.connected(request())] = request()
            begun = request()
            connection = await server.connected()
            connection[1].write(begun[:10])
            requests[connection] = begun[10:]
        await asyncio.sleep(0.1)
        server.end()
        for (reader, writer), request in requests.items():
            writer.write(request)
            head = await _head(reader)
            assert head.split()[1] in ("200", "202")
            assert "connection: close" in head
            assert await reader.read() == b""

    _ended(tmp_path, scene)


def test_silence_ends(tmp_path, monkeypatch):
    """A connection over which nothing comes holds the server for a moment only."""
    monkeypatch.setattr(protocol, "LAST", 0.01)
    monkeypatch.setattr(protocol, "HEAD", _LONG)

    async def scene(server):
        connections = [await server.connected(), await server.connected(upload())]
        server.end()
        for reader, _ in connections:
            assert await reader.read() == b""

    _ended(tmp_path, scene)

    async def begun_late(server):
        server.end_at_next()
        reader, _ = await server.connected()
        assert await reader.read() == b""

    _ended(tmp_path, begun_late)


def test_who_is_accepted_and_has_not_begun_is_answered(tmp_path, monkeypatch):
    """Between the two a turn of the loop passes, and with TLS a handshake."""
    monkeypatch.setattr(protocol, "LAST", _LONG)

    async def scene(server, request):
        server.end_at_next()
        reader, writer = await server.connected()
        writer.write(request)
        assert "connection: close" in await _head(reader)
        assert await reader.read() == b""

    for request in (looking(), upload()):
        _ended(tmp_path, partial(scene, request=request))


def test_a_handshake_that_is_under_way_is_waited_for(tmp_path, monkeypatch):
    """A server over TLS knows of a connection once the two have shaken hands."""
    monkeypatch.setattr(ending, "LAST", _LONG)
    files = certificate_in(tmp_path)
    trusted = ssl.create_default_context(cafile=files[0])

    async def scene(server):
        with socket.create_connection(server.address) as plain:
            plain.setblocking(False)
            while not server.accepted:
                await asyncio.sleep(0.001)
            server.end()
            # Longer than a server waits for anything else where it knows of no
            # connection.
            await asyncio.sleep(0.3)
            reader, writer = await asyncio.open_connection(
                sock=plain, ssl=trusted, server_hostname="127.0.0.1"
            )
            writer.write(upload())
            assert "connection: close" in await _head(reader)
            assert not server.ending.done()
            writer.close()
        server.ending.cancel()

    _ended(tmp_path, scene, files=files)


def test_what_has_begun_may_take_longer(tmp_path, monkeypatch):
    """Part of a head is waited for; a body that would outlast the server is told to
    come again.
    """
    monkeypatch.setattr(protocol, "LAST", 0.01)

    async def slow_head(server):
        reader, writer = await server.connected()
        request = upload()
        writer.write(request[:10])
        await asyncio.sleep(0.1)
        server.end()
        await asyncio.sleep(0.1)
        writer.write(request[10:])
        assert "202" in await _head(reader)

    _ended(tmp_path, slow_head)
    monkeypatch.setattr(upload_protocol, "LAST_WORDS", 0.01)

    async def slow_body(server):
        reader, writer = await server.connected()
        writer.write(upload()[:-5])
        await asyncio.sleep(0.1)
        server.end()
        head = await _head(reader)
        assert head.split()[1] == "503"
        assert "retry-after: 1" in head
        assert "connection: close" in head

    _ended(tmp_path, slow_body)


def test_who_keeps_a_connection_is_told_before_the_end(tmp_path):
    """While the server is not ready any more, and still answers."""

    async def scene(server):
        connections = {}
        for request in (looking, upload):
            connections[await server.connected(request())] = request()
        server.service.leaving = True
        for (reader, writer), request in connections.items():
            writer.write(request)
            assert "connection: close" in await _head(reader)
        server.end()

    _ended(tmp_path, scene)
