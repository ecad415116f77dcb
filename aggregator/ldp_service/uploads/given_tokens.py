"""Tokens that come with the process, as containers get them: by environment, or in a
secret's file.

    LDP_TOKEN_UPLOAD, LDP_TOKEN_ANALYST, LDP_TOKEN_METRICS        the token itself
    LDP_TOKEN_UPLOAD_FILE, ...                                    a file that has it, as secrets are
    ldp_token_upload, ...                                         in $CREDENTIALS_DIRECTORY

They are known as `environment-upload`, and so on, and stand beside those of the token
file. A token has at least 32 characters: it is hashed plainly, so it must be one that
no one guesses.
"""

from __future__ import annotations

from collections.abc import Mapping

from ldp_aggregator.output.files import FileError, secret_of
from ldp_service.uploads.tokens import SCOPES, Token, token_record

_LEAST, _MOST = 32, 512


def given_tokens(environment: Mapping[str, str]) -> tuple[Token, ...]:
    """Read tokens from the environment. Raises `FileError`, which shows none."""
    tokens = []
    for scope in SCOPES:
        name = f"LDP_TOKEN_{scope.upper()}"
        secret = secret_of(name, environment)
        if not secret:
            continue
        if (
            not _LEAST <= len(secret) <= _MOST
            or not secret.isascii()
            or not secret.isprintable()
        ):
            raise FileError(
                f"{name}: expected a token of {_LEAST} to {_MOST} letters, digits and "
                "signs, got another; ldp store tokens new makes one"
            )
        tokens.append(token_record(secret, f"environment-{scope}", scope))
    return tuple(tokens)
