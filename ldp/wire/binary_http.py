"""Binary HTTP (RFC 9292), messages of known length: what travels within Oblivious HTTP.

A request or an answer as one string of bytes: numbers say how long each part is, and
what is cut off at the end counts as empty. No input or output of its own.

    number    in 1, 2, 4 or 8 bytes, of which the first two bits say in how many (RFC
              9000)
    request   0, method, scheme, authority, path, fields, content, trailers
    response  1, status, fields, content, trailers; statuses below 200 may stand before
              it
    fields    a length, then names and values in turn

Rules
- Nothing is believed before it is checked: a message is at most `MOST_MESSAGE` bytes,
  and every length lies within it. Trouble with a peer's bytes is a `MessageError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ldp.errors import LDPError

MOST_MESSAGE = 1 << 25
_REQUEST, _RESPONSE = 0, 1
_FINAL = 200
_MOST_FIELDS = 100

Fields = Sequence[tuple[bytes, bytes]]
"""Names, in lower case, and values."""


class MessageError(LDPError, ValueError):
    """Bytes that are no message."""


class Request(NamedTuple):
    """Request: method, address, headers and content."""

    method: bytes
    scheme: bytes
    authority: bytes
    path: bytes
    fields: Fields
    content: bytes


class Response(NamedTuple):
    """Response: status, headers and content."""

    status: int
    fields: Fields
    content: bytes

    def field(self, name: bytes) -> bytes | None:
        """The value of a field; None where there is none."""
        return dict(self.fields).get(name)


def encode_request(request: Request) -> bytes:
    """The bytes of a request, without trailers."""
    control = b"".join(map(_long, request[:4]))
    return b"".join(
        (
            _number(_REQUEST),
            control,
            _fields(request.fields),
            _long(request.content),
            _number(0),
        )
    )


def decode_request(data: bytes) -> Request:
    """The request that bytes are. Raises `MessageError`."""
    reader = _Reader(data)
    reader.begin(_REQUEST, "request")
    method, scheme, authority, path = (reader.part() for _ in range(4))
    return Request(
        method,
        scheme,
        authority,
        path=path,
        fields=reader.fields(),
        content=reader.part(),
    )


def encode_response(response: Response) -> bytes:
    """The bytes of a response, without trailers."""
    begun = _number(_RESPONSE) + _number(response.status)
    return begun + _fields(response.fields) + _long(response.content) + _number(0)


def decode_response(data: bytes) -> Response:
    """The final response that bytes are. Raises `MessageError`."""
    reader = _Reader(data)
    reader.begin(_RESPONSE, "response")
    status, fields = reader.number(), reader.fields()
    while 0 < status < _FINAL:
        status, fields = reader.number(), reader.fields()
    return Response(status, fields, reader.part())


class _Reader:
    """Reads a message from its beginning on."""

    def __init__(self, data: bytes) -> None:
        if len(data) > MOST_MESSAGE:
            raise MessageError(f"expected a message of at most {MOST_MESSAGE} bytes")
        self._data = data
        self._at = 0

    @property
    def over(self) -> bool:
        return self._at == len(self._data)

    def begin(self, framing: int, what: str) -> None:
        if self.over or self.number() != framing:
            raise MessageError(f"expected a {what} of binary HTTP, of known length")

    def number(self) -> int:
        # What is cut off at the end is 0.
        if self.over:
            return 0
        width = 1 << (self._data[self._at] >> 6)
        return int.from_bytes(self._take(width), "big") & ((1 << 8 * width - 2) - 1)

    def part(self) -> bytes:
        return self._take(self.number())

    def fields(self) -> Fields:
        inner = _Reader(self.part())
        fields: list[tuple[bytes, bytes]] = []
        while not inner.over:
            if len(fields) == _MOST_FIELDS:
                raise MessageError(f"expected at most {_MOST_FIELDS} fields")
            name = inner.part()
            fields.append((name.lower(), inner.part()))
        return fields

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise MessageError(
                "expected a whole message of binary HTTP, got one that is cut off"
            )
        taken = self._data[self._at : end]
        self._at = end
        return taken


def _number(number: int) -> bytes:
    form = next(form for form in range(4) if number < 1 << (8 << form) - 2)
    width = 1 << form
    return (number | form << 8 * width - 2).to_bytes(width, "big")


def _long(data: bytes) -> bytes:
    return _number(len(data)) + data


def _fields(fields: Fields) -> bytes:
    return _long(b"".join(_long(name) + _long(value) for name, value in fields))
