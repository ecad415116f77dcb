"""A small provider of OpenID Connect on this machine, which can be made to say what is wrong."""

import json
from base64 import urlsafe_b64encode
from contextlib import contextmanager
from hashlib import sha256
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey
from listening import Handler, listening

CLIENT, SECRET = "ldp-here", "s" * 40
KEYS = {"first": RSAKey.generate_key(2048, {"kid": "first"}), "next": ECKey.generate_key("P-256")}
ADA = {"sub": "17", "email": "ada@example.org", "email_verified": True, "groups": ["night"]}


def packed(content):
    """JSON as a part of a token has it."""
    return urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


class SmallProvider:
    """Signs in whoever `claims` says; `key` signs."""

    def __init__(self):
        self.url = ""
        self.codes, self.asked = {}, []
        self.claims, self.key, self.algorithm = dict(ADA), "first", "RS256"
        self.published = ["first"]
        self.token = None
        """Another token than is right, made of the right claims."""

    def sign_in(self, query, now):
        """What a browser brings back: code and state."""
        one = {name: values[0] for name, values in parse_qs(query).items()}
        assert one["client_id"] == CLIENT
        assert one["code_challenge_method"] == "S256"
        code = f"code {len(self.codes)}"
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": int(now),
            "exp": int(now) + 300,
            "nonce": one["nonce"],
            **self.claims,
        }
        self.codes[code] = one, claims
        return {"code": code, "state": one["state"]}

    def answer(self, path, form):
        """What is answered, as JSON."""
        self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            names = {"authorization_endpoint": "in", "token_endpoint": "token", "jwks_uri": "keys"}
            return {"issuer": self.url} | {name: f"{self.url}/{at}" for name, at in names.items()}
        if path == "/keys":
            return {"keys": [self.public(name) for name in self.published]}
        asked, claims = self.codes.pop(form["code"][0])
        digest = sha256(form["code_verifier"][0].encode()).digest()
        challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
        assert challenge == asked["code_challenge"]
        assert form["client_secret"] == [SECRET]
        assert form["redirect_uri"] == [asked["redirect_uri"]]
        make = self.token or self.signed
        return {"id_token": make(claims)}

    def public(self, name):
        """The public half of a key."""
        return {**KEYS[name].as_dict(private=False), "kid": name}

    def signed(self, claims):
        """A token as it should be."""
        header = {"alg": self.algorithm, "kid": self.key}
        return jwt.encode(header, claims, KEYS[self.key], algorithms=[self.algorithm])

    def by_public_key(self, claims):
        """Signed with what everyone knows, as if it were a secret."""
        key = OctKey.import_key(KEYS["first"].as_pem(private=False))
        return jwt.encode({"alg": "HS256", "kid": "first"}, claims, key, algorithms=["HS256"])

    def by_someone_else(self, claims):
        """Signed with a key that is not published, under the name of one that is."""
        key = RSAKey.generate_key(2048)
        return jwt.encode({"alg": "RS256", "kid": "first"}, claims, key, algorithms=["RS256"])


@contextmanager
def small_provider():
    """A provider that listens."""
    provider = SmallProvider()

    class Answering(Handler):
        def do_GET(self):
            form = parse_qs(self.body().decode())
            self.answer(200, json.dumps(provider.answer(self.path, form)).encode())

        do_POST = do_GET  # noqa: N815

    with listening(Answering) as provider.url:
        yield provider
