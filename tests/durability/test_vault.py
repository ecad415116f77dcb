"""A secret that the platform keeps: without it, a state file tells nothing, and no
other fits.
"""

import sys
from types import SimpleNamespace

import pytest
from broken_stores import everything
from surveys import DEVICE_SURVEY

from ldp import StateError
from ldp_client import Client, EmbeddedClient, keyring_secret
from ldp_client.keeping.vault import Vault

KEY, OTHER = bytes(range(32)), b"another key of some length"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state"


def opened(path, **settings):
    return EmbeddedClient(DEVICE_SURVEY, state=path, lifetime_cap="1000", **settings)


def secret_of(client):
    """The device's secret, as its memory has it."""
    return client._store.transact(
        lambda: client._recorder.memory().secret(client._draw)
    )


@pytest.mark.parametrize("handed", [KEY, lambda: KEY], ids=["bytes", "function"])
def test_the_file_holds_no_secret(handed, path):
    """Neither what was handed over nor the device's own; its responses are the same
    ones again.
    """
    with opened(path, secret=handed) as client:
        assert client.record("mirror", "red")
        secret = secret_of(client)
        kept = everything(client._store)
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert secret not in content
    assert KEY not in content
    with opened(path, secret=KEY) as client:
        assert client.record("mirror", "red")
        assert len(client.ledger().charges) == 1
        assert secret_of(client) == secret
        assert everything(client._store)["secret", b""] == kept["secret", b""]


@pytest.mark.parametrize(
    "handed", [None, OTHER, lambda: OTHER, lambda: b"", lambda: "text" * 9]
)
def test_another_secret_is_noticed(handed, path):
    """Nothing is reported, and nothing changes, until the one that was there is
    back.
    """
    with opened(path, secret=KEY) as client:
        assert client.record("mirror", "red")
        kept = everything(client._store)
    with opened(path, secret=handed) as client:
        assert not client.record("mirror", "red")
        assert not client.record("once", "red")
        assert client.counts() == {"state": 2}
        assert everything(client._store) == kept
        assert len(client.ledger().charges) == 1
    with pytest.raises(StateError, match="secret"):
        opened(path, secret=handed, strict=True)
    with pytest.raises(StateError, match="secret"):
        Client(DEVICE_SURVEY, state=path, secret=handed)
    with opened(path, secret=KEY) as client:
        assert client.record("mirror", "red")
        assert len(client.ledger().charges) == 1


def test_a_lost_secret_is_replaced_by_rotating(path):
    """What was spent stays so: a question that is answered once is not answered
    again.
    """
    with opened(path, secret=KEY) as client:
        assert client.record("mirror", "red")
        assert client.record("once", "red")
    with opened(path, secret=OTHER) as client:
        assert client.rotate()
        assert client.record("mirror", "red")
        assert not client.record("once", "red")
        assert len(client.ledger().charges) == 3


def test_a_secret_that_was_kept_as_it_is_gets_sealed(path):
    """An app that begins to hand one over loses no responses."""
    with opened(path) as client:
        assert client.record("mirror", "red")
        secret = secret_of(client)
        client._store.settle()
        assert secret in path.read_bytes()
    with opened(path, secret=KEY) as client:
        assert client.record("mirror", "red")
        assert len(client.ledger().charges) == 1
        assert secret_of(client) == secret
    assert secret not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_a_key_store_that_is_locked_is_asked_again(path):
    """Until it opens nothing is recorded; its error is not passed on, nor what it
    says.
    """
    answers = [OSError("locked: hunter2"), OSError("locked: hunter2"), KEY]

    def fetch():
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, OSError):
            raise answer
        return answer

    with opened(path, secret=fetch) as client:
        assert not client.record("once", "red")
        assert client.record("once", "red")
        assert client.counts() == {"state": 1, "recorded": 1}
    with pytest.raises(StateError) as caught:
        Vault(lambda: 1 / 0).seal(bytes(32), bytes)
    assert "ZeroDivisionError" in str(caught.value)
    assert caught.value.__cause__ is None


def test_seals_differ():
    """One secret is sealed otherwise each time, so that two seals combined tell nothing
    of it.
    """
    vault, tape = Vault(KEY), iter(bytes([number]) * 16 for number in range(9))
    seals = [vault.seal(b"s" * 32, lambda _: next(tape)) for _ in range(3)]
    assert len({sealed for _, sealed, _ in seals}) == 3
    assert {vault.open(seal) for seal in seals} == {b"s" * 32}
    with pytest.raises(ValueError, match="at least 16 bytes"):
        Vault(b"short")
    Vault(bytes(16))


def test_a_secret_in_the_keyring(path, monkeypatch):
    """It is made once, under the app's name, and is not what an app without that name
    gets.
    """
    kept = {}
    keyring = SimpleNamespace(
        get_password=lambda app, user: kept.get((app, user)),
        set_password=lambda app, user, text: kept.setdefault((app, user), text),
    )
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    with opened(path, secret=keyring_secret("notes")) as client:
        assert client.record("mirror", "red")
    with opened(path, secret=keyring_secret("notes")) as client:
        assert client.record("mirror", "red")
    with opened(path, secret=keyring_secret("another")) as client:
        assert not client.record("mirror", "red")
    assert len(set(kept.values())) == len(kept) == 2
    monkeypatch.setitem(sys.modules, "keyring", None)
    with opened(path, secret=keyring_secret("notes")) as client:
        assert not client.record("mirror", "red")
