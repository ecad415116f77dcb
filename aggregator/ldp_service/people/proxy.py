"""A name that a proxy brings, which has signed someone in.

    --trusted-header X-Forwarded-User --trusted-proxy 10.0.0.2 --trusted-proxy 10.1.0.0/16

Rules
- The header counts only where the connection comes from a declared address: everyone
  else could write it. Which address that is says the socket, never a header.
- A header that is there twice, is empty, or has what is no printable text, is no name.
- The proxy has to remove the header from what comes to it, which
  `--proxy-removes-headers` affirms. All that can be seen of it here is a header that
  came twice, which the log says once.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from ldp_service.people.roles import PeopleError, Person

_LONGEST = 256
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]{1,100}", re.ASCII)
"""A token of RFC 9110, section 5.6.2."""
_SPACE = " \t"
"""What may stand around a value, by section 5.5; any other space is part of a name."""
Headers = Iterable[tuple[bytes, bytes]]

_log = logging.getLogger("ldp.service")


class TrustedProxy:
    """Reads names off requests of declared addresses. Raises `PeopleError`."""

    def __init__(
        self, header: str, proxies: Sequence[str], groups_header: str = ""
    ) -> None:
        names = {
            "--trusted-header": header,
            "--trusted-groups-header": groups_header or "X",
        }
        for flag, name in names.items():
            if not _HEADER.fullmatch(name):
                raise PeopleError(
                    f"{flag}: expected the name of a header such as X-Forwarded-User, "
                    f"got {name[:80]!a}"
                )
        if not proxies:
            raise PeopleError(
                "--trusted-header: expected --trusted-proxy as well, the addresses "
                "that may say who someone is"
            )
        self._header = header.lower().encode()
        self._groups = groups_header.lower().encode()
        self._networks = [_network(text) for text in proxies]
        self._doubled: set[bytes] = set()

    def person_of(self, scope: Any) -> Person | None:
        """Return the person of a request, if a trusted proxy names one."""
        if not self._trusts(scope.get("client")):
            return None
        headers = list(scope["headers"])
        name = self._only(headers, self._header)
        if name is None:
            return None
        groups = None
        if self._groups:
            groups = self._only(headers, self._groups)
        parts = (part.strip(_SPACE) for part in (groups or "").split(","))
        return Person(name, frozenset(part for part in parts if part))

    def _trusts(self, client: tuple[str, int] | None) -> bool:
        try:
            address = ip_address(client[0] if client else "")
        except ValueError:
            return False
        # An IPv4 address that came over a socket of both kinds.
        own = getattr(address, "ipv4_mapped", None) or address
        return any(own in network for network in self._networks)

    def _only(self, headers: Headers, name: bytes) -> str | None:
        values = [value for key, value in headers if key.lower() == name]
        if len(values) > 1 and name not in self._doubled:
            self._doubled.add(name)
            _log.warning(
                "expected %s once, got it twice in one request: the proxy has to "
                "remove what clients send; no one is known by such a request",
                name.decode(),
            )
        if len(values) != 1:
            return None
        text = values[0].decode("utf-8", "replace").strip(_SPACE)
        good = 0 < len(text) <= _LONGEST and text.isprintable() and "\ufffd" not in text
        if good:
            return text
        return None


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise PeopleError(
            "--trusted-proxy: expected an address or a network such as 10.0.0.0/8, got "
            f"{error}"
        ) from None
