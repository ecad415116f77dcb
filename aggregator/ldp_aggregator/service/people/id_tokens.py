"""The signed word of a provider on who someone is: an ID token of OpenID Connect, checked.

Checked are (OpenID Connect Core, 3.1.3.7): the signature, by a key that the provider publishes, in
an algorithm with public keys; issuer, audience, and whom it was issued to; that it is neither over
nor from the future; and the nonce, which ties it to one sign-in of one browser. Keys are fetched
again, once a minute at most, where a token names one that is not known: providers rotate them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import Any

from ldp_aggregator.service.people.roles import PeopleError, Person

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "Ed25519", "EdDSA")
LEEWAY = 60
_PAUSE = 60.0
_LONGEST = 256
_MOST_GROUPS = 200


class IdTokens:
    """Checks those of one issuer for one client; `fetch_keys` brings its key set."""

    def __init__(
        self, issuer: str, client: str, fetch_keys: Callable[[], Mapping[str, Any]]
    ) -> None:
        self._issuer, self._client, self._fetch = issuer, client, fetch_keys
        self._keys: Any = None
        self._fetched = float("-inf")

    def claims(self, token: str, nonce: str, now: float) -> dict[str, Any]:
        """What it says. Raises `PeopleError` unless all of it is in order."""
        from joserfc.errors import JoseError

        try:
            claims: dict[str, Any] = self._decoded(token).claims
            self._check(claims, now)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            # Never what it says: that may be someone's name.
            raise PeopleError(
                f"expected a sound token of the provider, got one with {type(error).__name__}"
            ) from None
        if not compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise PeopleError("expected the token of this sign-in, got that of another")
        return claims

    def _decoded(self, token: str) -> Any:
        from joserfc import jwt
        from joserfc.errors import JoseError

        if self._keys is None:
            self._renew()
        try:
            return jwt.decode(token, self._keys, algorithms=ALGORITHMS)
        except (JoseError, ValueError):
            # It may be signed by a key that is new.
            if not self._renew():
                raise
            return jwt.decode(token, self._keys, algorithms=ALGORITHMS)

    def _renew(self) -> bool:
        from joserfc.jwk import KeySet

        now = time.monotonic()
        if now - self._fetched < _PAUSE:
            return False
        self._fetched = now
        known = self._fetch().get("keys", ())
        # Secret keys would let whoever knows the public ones sign.
        public = [key for key in known if key.get("kty") in ("RSA", "EC", "OKP")]
        self._keys = KeySet.import_key_set({"keys": public})
        return True

    def _check(self, claims: Mapping[str, Any], now: float) -> None:
        from joserfc.jwt import JWTClaimsRegistry

        JWTClaimsRegistry(
            now=int(now),
            leeway=LEEWAY,
            iss={"essential": True, "value": self._issuer},
            aud={"essential": True, "value": self._client},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        ).validate(dict(claims))
        audience = claims["aud"]
        several = isinstance(audience, list) and len(audience) > 1
        if (several or "azp" in claims) and claims.get("azp") != self._client:
            raise ValueError("azp")


def person_in(claims: Mapping[str, Any], name_claim: str, groups_claim: str) -> Person:
    """Who it is. Raises `PeopleError` where the provider does not say, or does not vouch."""
    name = claims.get(name_claim)
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST or not name.isprintable():
        raise PeopleError(f"expected a claim {name_claim!r} with a name in the provider's token")
    if name_claim == "email" and claims.get("email_verified") is not True:
        raise PeopleError("expected an address that the provider has verified, got another")
    groups = claims.get(groups_claim) or []
    known = [group for group in groups if isinstance(group, str)] if type(groups) is list else []
    return Person(name, frozenset(known[:_MOST_GROUPS]))
