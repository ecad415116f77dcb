"""Uploads that are framed to be misunderstood: what is sent, by what is wrong with it.

Each holds a batch that no one has sent before, and a good token, so that a server that
takes it by mistake counts it.
"""

import gzip
import os
from typing import NamedTuple

from pages import UPLOADING
from wire_samples import SURVEY, file_of

from ldp.wire.wire import Batch

_HOST = b"host: service"
_AUTHORIZATION = b"authorization: Bearer " + UPLOADING.encode()
_REFUSED = (400, 404, 405, 411, 413, 415)


class Hostile(NamedTuple):
    """Pieces to send, one after the other; statuses that are right for it, 0 being none
    at all.
    """

    pieces: tuple[bytes, ...]
    statuses: tuple[int, ...] = (0, *_REFUSED)
    half_close: bool = False


def fresh():
    """The bytes of a batch that no one has seen."""
    return file_of(Batch(SURVEY["symbol"].fingerprint, os.urandom(16), 1, rows=b"\x01"))


_BODY = fresh()
_PACKED, _BOMB = gzip.compress(_BODY), gzip.compress(bytes(1 << 24))
_LENGTH = b"content-length: %d" % len(_BODY)
_CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (len(_BODY), _BODY)


def _sent(
    *fields,
    line=b"POST /v1/reports HTTP/1.1",
    body=_BODY,
    fixed=(_HOST, _AUTHORIZATION),
    end=b"\r\n",
):
    return Hostile((end.join([line, *fixed, *fields, b"", body]),))


def _chunked(value, body=_CHUNKS, *fields):
    return _sent(b"transfer-encoding:" + value, *fields, body=body)


def _at(line):
    return _sent(_LENGTH, line=line)


_LENGTHS = {
    "none": (),
    "two that agree": (_LENGTH, _LENGTH),
    "two that differ": (_LENGTH, b"content-length: 5"),
    "a list that agrees": (b"content-length: %d, %d" % (len(_BODY), len(_BODY)),),
    "a list that differs": (b"content-length: %d, 5" % len(_BODY),),
    "an underscore": (b"content-length: 5_7",),
    "a plus": (b"content-length: +%d" % len(_BODY),),
    "a minus": (b"content-length: -1",),
    "hexadecimal": (b"content-length: 0x%x" % len(_BODY),),
    "inner space": (b"content-length: 5 7",),
    "a decimal point": (b"content-length: %d.0" % len(_BODY),),
    "nothing": (b"content-length:",),
    "letters": (b"content-length: all",),
    "2^64": (b"content-length: 18446744073709551616",),
    "2^64 and what fits": (b"content-length: %d" % (2**64 + len(_BODY)),),
    "a thousand digits": (b"content-length: " + b"9" * 1000,),
    "other digits": (b"content-length: \xd9\xa5\xd9\xa7",),
    "zero": (b"content-length: 0",),
    "too much": (b"content-length: 17000000",),
    "folded": (b"content-length:", b" %d" % len(_BODY)),
    "folded once more": (_LENGTH, b"\t1"),
    "space before the colon": (b"content-length : %d" % len(_BODY),),
    "a tab before the colon": (b"content-length\t: %d" % len(_BODY),),
    "a vertical tab": (b"content-length: \x0b%d" % len(_BODY),),
    "too little": (b"content-length: %d" % (len(_BODY) - 1),),
}
_ENCODINGS = {
    "and a length": _chunked(b" chunked", _CHUNKS, _LENGTH),
    "chunked": _chunked(b" chunked"),
    "other case": _chunked(b" cHuNkEd"),
    "x before": _chunked(b" xchunked"),
    "a tab": _chunked(b"\tchunked"),
    "a vertical tab": _chunked(b" \x0bchunked"),
    "quoted": _chunked(b' "chunked"'),
    "identity after": _chunked(b" chunked, identity"),
    "identity before": _chunked(b" identity, chunked"),
    "identity": _chunked(b" identity"),
    "gzip before": _chunked(b" gzip, chunked"),
    "twice in one": _chunked(b" chunked, chunked"),
    "twice": _chunked(b" chunked", _CHUNKS, b"transfer-encoding: chunked"),
    "with a parameter": _chunked(b" chunked;q=1"),
    "space before the colon": _sent(b"transfer-encoding : chunked", body=_CHUNKS),
    "folded": _sent(b"transfer-encoding:", b" chunked", body=_CHUNKS),
    "underscores": _sent(b"transfer_encoding: chunked", body=_CHUNKS),
    "extensions": _chunked(b" chunked", _CHUNKS.replace(b"\r\n", b";a=b\r\n", 1)),
    "extensions without end": _chunked(b" chunked", b"1;" + b"a" * 200_000),
    "a size of 2^64": _chunked(b" chunked", b"10000000000000001\r\n" + _BODY),
    "a negative size": _chunked(b" chunked", b"-1\r\n" + _BODY),
    "a size in 0x": _chunked(b" chunked", b"0x" + _CHUNKS),
    "bare line feeds": _chunked(b" chunked", _CHUNKS.replace(b"\r\n", b"\n")),
    "trailers": _chunked(b" chunked", _CHUNKS[:-2] + b"content-length: 5\r\n\r\n"),
}
_HEADS = {
    "bare line feeds": _sent(_LENGTH, end=b"\n"),
    "bare carriage returns": _sent(_LENGTH, end=b"\r"),
    "one bare carriage return": _sent(b"x: a\rcontent-length: 5", _LENGTH),
    "a NUL": _sent(b"x: a\x00b", _LENGTH),
    "a NUL in a name": _sent(b"x\x00: a", _LENGTH),
    "no name": _sent(b": a", _LENGTH),
    "no colon": _sent(b"nothing", _LENGTH),
    "a space in a name": _sent(b"a b: c", _LENGTH),
    "a folded first field": _sent(_LENGTH, fixed=(b" x: y", _HOST, _AUTHORIZATION)),
    "a field of 100 KB": _sent(b"x: " + b"a" * 100_000, _LENGTH),
    "10,000 fields": _sent(*[b"x: y"] * 10_000, _LENGTH),
    "101 fields": _sent(*[b"x: y"] * 101, _LENGTH),
    "a target of 100 KB": _at(b"POST /v1/reports?" + b"a" * 100_000 + b" HTTP/1.1"),
    "no host": _sent(_LENGTH, fixed=(_AUTHORIZATION,)),
    "two hosts": _sent(b"host: other", _LENGTH),
    "two tokens": _sent(b"authorization: Bearer x", _LENGTH),
    "gzip": _sent(
        b"content-encoding: gzip", b"content-length: %d" % len(_PACKED), body=_PACKED
    ),
    "a gzip bomb": _sent(
        b"content-encoding: gzip", b"content-length: %d" % len(_BOMB), body=_BOMB
    ),
    "deflate": _sent(b"content-encoding: deflate", _LENGTH),
    "two expectations": _sent(
        b"expect: 100-continue", b"expect: 100-continue", _LENGTH
    ),
    "an unknown expectation": _sent(b"expect: the best", _LENGTH),
    "an upgrade to HTTP/2": _sent(
        b"connection: upgrade, http2-settings",
        b"upgrade: h2c",
        b"http2-settings: ",
        _LENGTH,
    ),
    "an upgrade to WebSocket": _sent(
        b"connection: upgrade", b"upgrade: websocket", _LENGTH
    ),
    "HTTP/2 without asking": Hostile((b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9),)),
    "TLS": Hostile((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),)),
    "nothing but line ends": Hostile((b"\r\n" * 20_000,)),
}
_LINES = {
    "HTTP/0.9 that posts": _at(b"POST /v1/reports"),
    "HTTP/1.2": _at(b"POST /v1/reports HTTP/1.2"),
    "HTTP/2.0": _at(b"POST /v1/reports HTTP/2.0"),
    "an absolute target": _at(b"POST http://service/v1/reports HTTP/1.1"),
    "a star": _at(b"OPTIONS * HTTP/1.1"),
    "an authority": _at(b"CONNECT service:80 HTTP/1.1"),
    "no target": _at(b"POST  HTTP/1.1"),
    "a space in the target": _at(b"POST /v1/reports /v1/reports HTTP/1.1"),
    "a NUL in the target": _at(b"POST /v1/reports\x00 HTTP/1.1"),
    "lower case": _at(b"post /v1/reports HTTP/1.1"),
    "an unknown method": _at(b"COUNT /v1/reports HTTP/1.1"),
    "GET": _at(b"GET /v1/reports HTTP/1.1"),
    "PUT": _at(b"PUT /v1/reports HTTP/1.1"),
    "TRACE": _at(b"TRACE /v1/reports HTTP/1.1"),
    "HEAD": _at(b"HEAD /v1/reports HTTP/1.1"),
    "two slashes before": _at(b"POST //v1/reports HTTP/1.1"),
    "two slashes within": _at(b"POST /v1//reports HTTP/1.1"),
    "a slash behind": _at(b"POST /v1/reports/ HTTP/1.1"),
    "dots": _at(b"POST /v1/./reports HTTP/1.1"),
    "more dots": _at(b"POST /v1/x/../reports HTTP/1.1"),
    "an escaped slash": _at(b"POST /v1%2freports HTTP/1.1"),
    "an escaped letter": _at(b"POST /%761/reports HTTP/1.1"),
    "an escape cut short": _at(b"POST /v1/reports% HTTP/1.1"),
    "an escaped NUL": _at(b"POST /v1/reports%00 HTTP/1.1"),
    "another case": _at(b"POST /V1/reports HTTP/1.1"),
    "another path": _at(b"POST /livez HTTP/1.1"),
}


def _head(*fields):
    return b"\r\n".join(
        [b"POST /v1/reports HTTP/1.1", _HOST, _AUTHORIZATION, *fields, b"", b""]
    )


_WHOLE = _head(_LENGTH) + _BODY
_BODIES = {
    "longer than announced": Hostile((_WHOLE + b"\x00" * 100,), (400,)),
    "with another request behind it": Hostile(
        (_WHOLE + _head(_LENGTH) + fresh(),), (400,)
    ),
    "with another request in it": Hostile(
        (_head(b"content-length: 5") + _BODY[:5] + _WHOLE,), (400,)
    ),
    "cut short": Hostile((_head(_LENGTH) + _BODY[:-1],), (0, 400), half_close=True),
    "cut before it begins": Hostile((_head(_LENGTH),), (0, 400), half_close=True),
    "cut in its head": Hostile((_head(_LENGTH)[:-3],), (0, 400), half_close=True),
}
SLOW = {
    "nothing": b"",
    "HTTP/0.9": b"GET /v1/reports\r\n",
    "half a head": _head()[:-2],
    "a letter a second": b"POST /v1/reports HTTP/1.1\r\nx: ",
}
"""Beginnings of requests that never end."""
FRAMINGS = {
    **{f"length: {name}": _sent(*fields) for name, fields in _LENGTHS.items()},
    **{f"encoding: {name}": item for name, item in _ENCODINGS.items()},
    **{f"head: {name}": item for name, item in _HEADS.items()},
    **{f"line: {name}": item for name, item in _LINES.items()},
    **{f"body: {name}": item for name, item in _BODIES.items()},
}
