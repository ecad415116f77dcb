"""Requests that cross the end of a server on their way: each gets its answer, and then no other."""

import asyncio
from contextlib import closing

from hostile_http import fresh
from pages import TOKEN, UPLOADING, write_tokens
from uvicorn import Config
from uvicorn.server import ServerState
from wire_samples import SURVEY, TEXT

from ldp_aggregator.service.counting.served import Served
from ldp_aggregator.service.http import protocol
from ldp_aggregator.service.http.app import Application
from ldp_aggregator.service.http.upload_protocol import UploadProtocol
from ldp_aggregator.service.service import Service, Settings
from ldp_aggregator.service.uploads.tokens import TokenFile

_LONG = 600
_PATIENCE = 60


def looking():
    """A request for what is answered the usual way."""
    return f"GET /v1/surveys HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {TOKEN}\r\n\r\n".encode()


def upload():
    """A request of its own for the short way; each has the same head."""
    body = fresh()
    head = f"POST /v1/reports HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {UPLOADING}\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


class _Ending:
    """A server within this loop, and connections to it."""

    def __init__(self, service):
        self.state = ServerState()
        application = Application(service)
        self._config = Config(
            application, lifespan="off", ws="none", log_config=None, proxy_headers=False
        )
        self._config.load()
        self._writers = []

    async def __aenter__(self):
        self._server = await asyncio.get_running_loop().create_server(
            lambda: UploadProtocol(self._config, self.state, {}), "127.0.0.1"
        )
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for writer in self._writers:
            writer.close()
        while self.state.connections:
            await asyncio.sleep(0.001)

    async def connected(self, sent=b""):
        """A connection that has sent something and has read what came of it."""
        before = len(self.state.connections)
        connection = await asyncio.open_connection(*self._server.sockets[0].getsockname())
        self._writers.append(connection[1])
        while len(self.state.connections) == before:
            await asyncio.sleep(0.001)
        if sent:
            connection[1].write(sent)
            assert "close" not in await _head(connection[0])
        return connection

    def end(self):
        """What the server does to each connection when it is told to end."""
        for connection in list(self.state.connections):
            connection.shutdown()


async def _head(reader):
    """The head of the next answer, whose body is read as well."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = head.partition("content-length: ")[2].partition("\r")[0]
    await reader.readexactly(int(length))
    return head


def _ended(tmp_path, scene):
    settings = Settings(TokenFile(write_tokens(tmp_path)))

    async def play(service):
        async with _Ending(service) as server:
            await asyncio.wait_for(scene(server), _PATIENCE)

    store = f"sqlite:///{tmp_path}/store.db"
    with closing(Service([Served(SURVEY, TEXT)], store, settings)) as service:
        asyncio.run(play(service))


def test_what_is_on_its_way_is_answered(tmp_path, monkeypatch):
    """Over connections that are new, that were kept, and that have sent a part of a request."""
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

    async def scene(server):
        connections = [await server.connected(), await server.connected(upload())]
        server.end()
        for reader, _ in connections:
            assert await reader.read() == b""

    _ended(tmp_path, scene)
