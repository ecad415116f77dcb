"""Signing in through a provider: the authorization code flow of OpenID Connect, with PKCE.

    GET /sign-in     to the provider, with state, nonce and the hash of a verifier; a signed cookie
                     keeps all three, with where to go afterwards, for ten minutes
    GET /signed-in   back from there with a code, which is exchanged for a token, which is checked
                     (`id_tokens`); then a session begins

Rules
- Everything is over https, but for a provider on this machine; what the provider says about itself
  has to name the issuer that was asked for. Redirects are not followed.
- The public address comes from a setting: `Host` may say anything.
- Nothing is asked of the provider for a state that we did not give to this browser.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from hmac import compare_digest
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from ldp_aggregator.service.people.id_tokens import IdTokens, person_in
from ldp_aggregator.service.people.roles import PeopleError, Person
from ldp_aggregator.service.people.sessions import Seal
from ldp_aggregator.web_addresses import AddressError, web_address

PATIENCE = 10.0
LASTS = 600
_DISCOVERY = "/.well-known/openid-configuration"
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderOptions(NamedTuple):
    """Which provider, and who we are to it."""

    issuer: str
    client: str
    public_url: str
    secret: str = ""
    name_claim: str = "email"
    groups_claim: str = "groups"


class Provider:
    """One provider. Raises `PeopleError` for addresses that cannot be used."""

    def __init__(self, options: ProviderOptions, seal: Seal) -> None:
        for name, url in (("--oidc-issuer", options.issuer), ("--public-url", options.public_url)):
            _check(url, name)
        self.secure = urlsplit(options.public_url).scheme == "https"
        self._options, self._seal = options, seal
        self._back = f"{options.public_url.rstrip('/')}/signed-in"
        self._found: dict[str, Any] = {}
        self._tokens = IdTokens(options.issuer, options.client, self._keys)

    def begin(self, now: float, query: str = "") -> tuple[str, str]:
        """Where to send a browser, and the cookie it keeps. Raises `PeopleError`."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._options.client,
            "redirect_uri": self._back,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        record = {"state": state, "nonce": nonce, "verifier": verifier, "query": query[:1000]}
        cookie = self._seal.sealed("sign-in", {**record, "until": int(now) + LASTS})
        place = self._discovered()["authorization_endpoint"]
        return f"{place}{'&' if '?' in place else '?'}{urlencode(asked)}", cookie

    def end(self, cookie: str | None, state: str, code: str, *, now: float) -> tuple[Person, str]:
        """Who came back, and what they had asked for. Raises `PeopleError`."""
        record = self._seal.opened("sign-in", cookie, now)
        if record is None or not compare_digest(record["state"].encode(), state.encode()):
            raise PeopleError("expected a sign-in that was begun here, within ten minutes")
        answer = self._exchanged(code, record["verifier"])
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise PeopleError("expected an ID token from the provider, got none")
        claims = self._tokens.claims(token, record["nonce"], now)
        name, groups = self._options.name_claim, self._options.groups_claim
        return person_in(claims, name, groups), record["query"]

    def _exchanged(self, code: str, verifier: str) -> dict[str, Any]:
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._back,
            "client_id": self._options.client,
            "code_verifier": verifier,
        }
        if self._options.secret:
            asked["client_secret"] = self._options.secret
        return _asked("POST", self._discovered()["token_endpoint"], data=asked)

    def _keys(self) -> dict[str, Any]:
        return _asked("GET", self._discovered()["jwks_uri"])

    def _discovered(self) -> dict[str, Any]:
        if not self._found:
            answer = _asked("GET", self._options.issuer.rstrip("/") + _DISCOVERY)
            if answer.get("issuer") != self._options.issuer:
                raise PeopleError("expected a provider that calls itself by --oidc-issuer")
            for name in _ENDPOINTS:
                _check(str(answer.get(name)), f"{name} of the provider")
            self._found = answer
        return self._found


def _asked(method: str, url: str, **options: Any) -> dict[str, Any]:
    """What the provider answers. Raises `PeopleError`."""
    import httpx

    try:
        answer = httpx.request(method, url, timeout=PATIENCE, follow_redirects=False, **options)
        content = answer.json() if answer.status_code == 200 else None
    except (httpx.HTTPError, ValueError) as error:
        raise PeopleError(
            f"expected an answer of the provider, got {type(error).__name__}"
        ) from None
    if not isinstance(content, dict):
        raise PeopleError(f"expected an answer of the provider, got status {answer.status_code}")
    return content


def _check(url: str, what: str) -> None:
    try:
        web_address(url, secure=True, query=True)
    except AddressError as error:
        raise PeopleError(f"{what}: {error}") from None
