"""Tokens that come with the process, as containers get them: by environment, or in a secret's file.

    LDP_TOKEN_UPLOAD, LDP_TOKEN_ANALYST, LDP_TOKEN_METRICS        the token itself
    LDP_TOKEN_UPLOAD_FILE, ...                                    a file that has it, as secrets are

They are known as `environment-upload`, and so on, and stand beside those of the token file. A token
has at least 32 characters: it is hashed plainly, so it must be one that no one guesses.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ldp_aggregator.files import FileError, read_bytes
from ldp_aggregator.service.uploads.tokens import SCOPES, Token, kept

_LEAST, _MOST = 32, 512


def given_tokens(environment: Mapping[str, str]) -> tuple[Token, ...]:
    """What is kept of the tokens that are given. Raises `FileError`, which shows none."""
    tokens = []
    for scope in SCOPES:
        name = f"LDP_TOKEN_{scope.upper()}"
        plain, path = environment.get(name), environment.get(f"{name}_FILE")
        if plain and path:
            raise FileError(f"expected {name} or {name}_FILE, got both")
        if not plain and not path:
            continue
        secret = plain.strip() if plain else _content(f"{name}_FILE", Path(str(path)))
        if not _LEAST <= len(secret) <= _MOST or not secret.isascii() or not secret.isprintable():
            raise FileError(
                f"{name}: expected a token of {_LEAST} to {_MOST} letters, digits and signs, got "
                f"another; ldp token new makes one"
            )
        tokens.append(kept(secret, f"environment-{scope}", scope))
    return tuple(tokens)


def _content(name: str, path: Path) -> str:
    try:
        return read_bytes(path, 2 * _MOST).decode().strip()
    except UnicodeDecodeError:
        raise FileError(f"{name}: expected text in {path}, got bytes that are none") from None
