"""Tokens: what is accepted, what the file holds, and how one token takes over from
another.
"""

import random
import stat
from datetime import UTC, datetime
from hashlib import sha256
from unittest.mock import patch

import pytest
from calling import run
from pages import service_of, visitor, write_tokens
from test_service_api import Clock
from wire_samples import TEXT

from ldp_service.uploads import tokens as module
from ldp_service.uploads.tokens import (
    ANALYST,
    EXPIRED,
    GRANTED,
    METRICS,
    MISSING,
    OPERATOR,
    SCOPES,
    UNKNOWN,
    UPLOAD,
    WRONG_SCOPE,
    Token,
    TokenError,
    TokenFile,
    Tokens,
    new_token,
    token_record,
)

NOW = 1_800_000_000.0
EARLIER = datetime.fromtimestamp(NOW - 1, UTC)
LATER = datetime.fromtimestamp(NOW + 1, UTC)
LOOK_ALIKES = str.maketrans("aceopxyi0lS", "асеорхуі０ⅼЅ")


def made(scopes=SCOPES, expires=None):
    """New tokens, one of each scope, and what is kept of them."""
    shown = {scope: new_token() for scope in scopes}
    return shown, Tokens(
        token_record(token, scope, scope, expires=expires)
        for scope, token in shown.items()
    )


def forgeries(token, draw):
    """What somebody may try who knows nearly all of a token, or all of what is kept of
    it.
    """
    at = draw.randrange(len(token))
    digest = sha256(token.encode())
    yield token[:at] + chr(33 + draw.randrange(94)) + token[at + 1 :]
    yield token[:at] + token[at + 1 :]
    yield token[:at] + token[draw.randrange(len(token))] + token[at:]
    yield token[:at] + token[at].swapcase() + token[at + 1 :]
    yield from (
        token[:at],
        token[at:],
        token + token,
        token.upper(),
        token.lower(),
        token[::-1],
        token.swapcase(),
    )
    yield from (
        f" {token}",
        f"{token} ",
        f"{token}\n",
        f"{token}\0",
        f"Bearer {token}",
        f"{token}=",
        f'"{token}"',
    )
    yield from (
        token.translate(LOOK_ALIKES) + "\u200b",
        "\ufeff" + token,
        token.replace("_", "＿"),
        f"{token}\ud800",
    )
    yield from (
        digest.hexdigest(),
        digest.hexdigest().upper(),
        digest.digest().decode("latin-1"),
        f"ldp_{digest.hexdigest()}",
    )
    yield from (
        token.removeprefix("ldp_"),
        new_token(),
        "ldp_",
        "*",
        "%00",
        "a" * draw.choice((43, 600, 1 << 20)),
    )


def test_ten_thousand_forged_tokens_open_nothing():
    """No near miss, no look-alike and nothing in the file is accepted for any scope."""
    shown, tokens = made()
    draw = random.Random(7)
    tried = 0
    while tried < 10_000:
        for token in shown.values():
            for forged in forgeries(token, draw):
                if forged not in shown.values():
                    assert tokens.check(forged, draw.choice(SCOPES), NOW) in (
                        UNKNOWN,
                        MISSING,
                    )
                    tried += 1


def test_a_token_opens_its_scope_until_it_expires():
    """Of all pairs of token and scope only the equal ones are granted, and some to who
    may more.

    In the end none.
    """
    shown, tokens = made(expires=LATER)
    granted = {
        (token, scope)
        for token in SCOPES
        for scope in SCOPES
        if tokens.check(shown[token], scope, NOW) == GRANTED
    }
    own = {*zip(SCOPES, SCOPES, strict=True)}
    assert granted == own | {
        (ANALYST, METRICS),
        (OPERATOR, ANALYST),
        (OPERATOR, METRICS),
    }
    assert tokens.check(shown[UPLOAD], ANALYST, NOW) == WRONG_SCOPE
    assert {
        tokens.check(shown[token], scope, NOW + 1)
        for token in SCOPES
        for scope in SCOPES
    } == {EXPIRED}
    assert tokens.check(None, UPLOAD, NOW) == tokens.check("", UPLOAD, NOW) == MISSING


def compared(check, tokens, shown):
    """How many of the tokens a check compares with what is shown."""
    with patch.object(module, "compare_digest", wraps=module.compare_digest) as compare:
        check(tokens, shown, UPLOAD, NOW)
    return compare.call_count


def stops_early(tokens, shown, scope, now):
    """A check that is done with the first token that fits."""
    digest = sha256(shown.encode()).digest()
    fits = any(module.compare_digest(token.digest, digest) for token in tokens.all)
    return GRANTED if fits else UNKNOWN


def test_every_check_compares_with_every_token():
    """How many comparisons are made does not tell which token fits, or whether any
    does.

    Of a hasty check it does.
    """
    known = [new_token() for _ in range(5)]
    tokens = Tokens(
        token_record(token, f"t{number}", UPLOAD) for number, token in enumerate(known)
    )
    assert {
        compared(Tokens.check, tokens, shown) for shown in (*known, new_token())
    } == {5}
    assert {compared(stops_early, tokens, shown) for shown in known} == {1, 2, 3, 4, 5}


def test_a_token_takes_over_without_loss(tmp_path):
    """While both are in the file both are good, and no user of either is refused.

    Then the old one is done.
    """
    path, (old, new) = tmp_path / "tokens.toml", (new_token(), new_token())
    first, second = token_record(old, "old", UPLOAD), token_record(new, "new", UPLOAD)
    path.write_text(Tokens([first]).to_toml())
    file = TokenFile(path)
    assert (file.check(old, UPLOAD, NOW), file.check(new, UPLOAD, NOW)) == (
        GRANTED,
        UNKNOWN,
    )
    path.write_text(Tokens([first, second]).to_toml())
    assert file.check(new, UPLOAD, NOW + 0.5) == UNKNOWN, "it looks once a second"
    assert (file.check(new, UPLOAD, NOW + 1), file.check(old, UPLOAD, NOW + 1)) == (
        GRANTED,
        GRANTED,
    )
    path.write_text(Tokens([second]).to_toml())
    assert (file.check(new, UPLOAD, NOW + 2), file.check(old, UPLOAD, NOW + 2)) == (
        GRANTED,
        UNKNOWN,
    )
    path.write_text(Tokens([first]).to_toml())
    assert file.check(old, UPLOAD, NOW - 100) == GRANTED, (
        "nor does a clock that is set back keep it from looking"
    )


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_text("[[token]"),
        lambda path: path.write_bytes(b"\xff"),
    ],
)
def test_a_spoiled_file_changes_nothing(tmp_path, caplog, spoil):
    """Tokens stay in force while their file cannot be used.

    That is said once, and the next sound file counts.
    """
    path, (token, other) = tmp_path / "tokens.toml", (new_token(), new_token())
    path.write_text(Tokens([token_record(token, "a", UPLOAD)]).to_toml())
    file = TokenFile(path)
    assert file.is_current(NOW - 2)
    spoil(path)
    assert [file.check(token, UPLOAD, NOW + second) for second in range(3)] == [
        GRANTED
    ] * 3
    assert not file.is_current(NOW + 2)
    assert len(caplog.records) == 1
    path.write_text(Tokens([token_record(other, "b", UPLOAD)]).to_toml())
    assert file.is_current(NOW + 3)
    assert (file.check(other, UPLOAD, NOW + 3), file.check(token, UPLOAD, NOW + 3)) == (
        GRANTED,
        UNKNOWN,
    )


def test_a_service_whose_tokens_cannot_be_taken_away_is_not_ready(tmp_path):
    """`/readyz` says so to anyone, and nothing of the file; a balancer and an alert go
    by it.
    """
    clock = Clock(NOW)
    with service_of(TEXT, folder=tmp_path, clock=clock) as service:
        assert visitor(service).get("/readyz").status_code == 200
        (tmp_path / "tokens.toml").unlink()
        clock.now += 2
        answer = visitor(service).get("/readyz")
        assert answer.status_code == 503
        assert "tokens.toml" not in answer.text
        assert "stay in force" in answer.text
        write_tokens(tmp_path)
        clock.now += 2
        assert visitor(service).get("/readyz").status_code == 200


def test_a_file_that_was_emptied_is_told(tmp_path, caplog):
    """It may be one without tokens, and is taken as such; but it may be a mistake."""
    path = tmp_path / "tokens.toml"
    token = new_token()
    path.write_text(Tokens([token_record(token, "a", UPLOAD)]).to_toml())
    file = TokenFile(path)
    assert not caplog.records
    path.write_text("")
    assert [file.check(token, UPLOAD, NOW + second) for second in range(3)] == [
        UNKNOWN
    ] * 3
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: it has no tokens, so that none is good for anything"
    ]


def test_the_commands_keep_hashes_alone(tmp_path):
    """A new token is shown once, kept as a hash in a private file, listed by name,
    removable.
    """
    path = tmp_path / "tokens.toml"
    shown = [
        run(
            "store",
            "tokens",
            "new",
            "--name",
            name,
            "--scope",
            ANALYST,
            "--token-file",
            path,
        ).stdout.strip()
        for name in "ab"
    ]
    content = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for token in shown:
        assert len(token) == 47
        assert token not in content
        assert token[4:] not in content
        assert sha256(token.encode()).hexdigest() in content
        assert Tokens.read(path).check(token, ANALYST, NOW) == GRANTED
    listed = run("store", "tokens", "list", "--token-file", path).output
    assert [line.split()[:2] for line in listed.splitlines()] == [
        ["a", ANALYST],
        ["b", ANALYST],
    ]
    assert "for ever" in listed
    run("store", "tokens", "remove", "a", "--token-file", path)
    assert [Tokens.read(path).check(token, ANALYST, NOW) for token in shown] == [
        UNKNOWN,
        GRANTED,
    ]
    run("store", "tokens", "remove", "a", "--token-file", path, code=1)
    run(
        "store",
        "tokens",
        "new",
        "--name",
        "b",
        "--scope",
        UPLOAD,
        "--token-file",
        path,
        code=1,
    )
    run(
        "store",
        "tokens",
        "new",
        "--name",
        "!",
        "--scope",
        UPLOAD,
        "--token-file",
        path,
        code=1,
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_token_for_some_days(tmp_path):
    """`--days` makes a token that is good for n days and not a second more."""
    path = tmp_path / "tokens.toml"
    before = datetime.now(UTC).timestamp()
    token = run(
        "store",
        "tokens",
        "new",
        "--name",
        "a",
        "--scope",
        UPLOAD,
        "--days",
        90,
        "--token-file",
        path,
    ).stdout.strip()
    tokens, end = Tokens.read(path), datetime.now(UTC).timestamp() + 90 * 86_400
    assert tokens.check(token, UPLOAD, before + 90 * 86_400 - 1) == GRANTED
    assert tokens.check(token, UPLOAD, end) == EXPIRED


def test_a_list_says_since_when_a_token_is_good_no_more(tmp_path):
    """One has expired on a day, one is good until a day, one for ever."""
    path = tmp_path / "tokens.toml"
    days = {
        "past": datetime(2025, 1, 1, tzinfo=UTC),
        "coming": datetime(9999, 1, 1, tzinfo=UTC),
    }
    tokens = [
        token_record("x" * 40 + name, name, UPLOAD, expires=days.get(name))
        for name in ("past", "coming", "ever")
    ]
    path.write_text(Tokens(tokens).to_toml())
    past, coming, ever = run(
        "store", "tokens", "list", "--token-file", path
    ).stdout.splitlines()
    assert "upload   expired 2025-01-01 00:00:00+00:00, never used" in past
    assert "upload   until 9999-01-01 00:00:00+00:00, never used" in coming
    assert "upload   for ever, never used" in ever


def test_a_file_says_what_it_was_made_of():
    """Tokens written to a file are the same when they are read.

    A date means its first moment, in UTC.
    """
    _, tokens = made(expires=EARLIER)
    assert Tokens.parse(tokens.to_toml().encode(), "file").all == tokens.all
    written = token_record("x", "a", UPLOAD)
    for expires in (
        "2027-01-01",
        "2027-01-01T00:00:00",
        "2027-01-01T00:00:00Z",
        "2027-01-01 01:00:00+01:00",
    ):
        [token] = Tokens.parse(
            f"{Tokens([written]).to_toml()}expires = {expires}\n".encode(), "file"
        ).all
        assert token == Token(
            "a", UPLOAD, written.digest, expires=datetime(2027, 1, 1, tzinfo=UTC)
        )


SECRET, DIGEST = "ldp_" + "Ab3-" * 10 + "xyz", "0f" * 32
SOUND = f'[[token]]\nname = "a"\nscope = "upload"\nsha256 = "{DIGEST}"\n'


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("token = 3", ["file.token"]),
        ("[[tokens]]", ["file.tokens"]),
        ("[[token]]", ["token 1.name", "token 1.scope", "token 1.sha256"]),
        (SOUND + "expires = 12:00:00", ["token 1.expires"]),
        (SOUND + 'expires = "2027-01-01"', ["token 1.expires"]),
        (SOUND + 'expire = "2027-01-01"', ["token 1.expire"]),
        (SOUND + SOUND, ["token 2.name", "token 2.sha256"]),
        (SOUND.replace(DIGEST, DIGEST.upper()), ["token 1.sha256"]),
        (SOUND.replace(DIGEST, SECRET), ["token 1.sha256"]),
        (SOUND.replace('"a"', f'"{SECRET}"'), ["token 1.name"]),
        (SOUND.replace("upload", SECRET), ["token 1.scope"]),
        (
            SOUND + f'secret = "{SECRET}"\n{SECRET} = "{DIGEST}"',
            ["token 1.secret", "token 1.(hidden)"],
        ),
        (f"{SECRET}\n{DIGEST}", ["file"]),
        (
            SOUND + SOUND.replace('"a"', "3").replace("upload", "all"),
            ["token 2.name", "token 2.scope", "token 2.sha256"],
        ),
    ],
)
def test_a_bad_file_is_told_whole_and_without_secrets(text, places):
    """All that is wrong with a file is told at once, each with its place.

    A token or hash is not, wherever it stood.
    """
    with pytest.raises(TokenError) as caught:
        Tokens.parse(text.encode(), "tokens.toml")
    assert [problem.place for problem in caught.value.problems] == places
    for secret in (SECRET, SECRET[4:24], DIGEST[:20], DIGEST[:20].upper()):
        assert secret not in str(caught.value)


def test_what_cannot_be_a_token_file_is_refused(tmp_path):
    """A file that is missing, no text, or enormous is one typed error, without a
    traceback.
    """
    path = tmp_path / "tokens.toml"
    for content in (None, b"\xff", b"#" * ((1 << 20) + 1), b"a = " + b"[" * 10_000):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(TokenError):
            TokenFile(path)
        run("store", "tokens", "list", "--token-file", path, code=1)


def test_nothing_shows_a_hash():
    """What is kept of a token is printed without its hash."""
    assert DIGEST not in repr(Token("a", UPLOAD, bytes.fromhex(DIGEST)))
    assert repr(bytes.fromhex(DIGEST)) not in repr(
        Token("a", UPLOAD, bytes.fromhex(DIGEST))
    )
