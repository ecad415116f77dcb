"""What a ledger says: the TypeScript client's in the words of the Python one's."""

import json
from fractions import Fraction

import pytest
from test_js_client import run_js

from ldp_client.answering.ledger import Charge, Ledger

pytestmark = pytest.mark.needs("node", "built client")

DAY = 20_000


def charge(
    question="mood", ratio="3", *, survey="one", version=1, day=DAY, collector="here"
):
    """One charge."""
    return Charge(
        survey,
        question,
        fingerprint=bytes([version] * 16),
        ratio=Fraction(ratio),
        day=day,
        collector=collector,
    )


ERASED = (("the secret was renewed", DAY + 1),)
LEDGERS = {
    "nothing": Ledger(()),
    "nothing, twice erased": Ledger((), ERASED * 2),
    "one": Ledger((charge(),)),
    "several responses": Ledger(
        (charge(), charge(day=DAY + 1), charge("age", "7/2", version=2))
    ),
    "set aside": Ledger((charge(),), aside=Fraction(9, 4)),
    "versions and surveys": Ledger(
        (
            charge(),
            charge(version=2),
            charge("age", "1000000/3", survey="two"),
            charge(collector="there"),
        ),
        ERASED,
    ),
    "nearly certain": Ledger(
        (charge(ratio="12345678901/7"), charge("age", "1234567890123"))
    ),
    "beyond all decimals": Ledger((charge(ratio=f"{10**40}/3"),)),
    "unread": Ledger((), problem="the disk is gone"),
}


def test_ledgers_read_alike():
    """Word by word, for charges of all kinds."""
    given = [
        {
            "charges": [
                {
                    **spent._asdict(),
                    "fingerprint": spent.fingerprint.hex(),
                    "ratio": str(spent.ratio),
                }
                for spent in ledger.charges
            ],
            "events": ledger.events,
            "aside": str(ledger.aside),
            "problem": ledger.problem,
        }
        for ledger in LEDGERS.values()
    ]
    said = json.loads(run_js("ledgers.js", ledgers=given))
    for (name, ledger), words in zip(LEDGERS.items(), said, strict=True):
        assert words == str(ledger), name
    assert any("parameters having changed" in words for words in said)
