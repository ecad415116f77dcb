"""What a device keeps, record by record: the next version has to read what this one
wrote.

`python tests/client/test_device_state.py` writes the records of a scripted life, and
its ledger, to `device_state.json`. Where they change, devices in the field would take
an old permanent response for none, or an old charge for no one's.
"""

import hashlib
import json
import time
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

from broken_stores import everything
from surveys import mirror, survey_of, yes_no

from ldp.numbers.exact import exp_lower
from ldp.numbers.randomness import Replay
from ldp_client.answering.budget import Budget, renew
from ldp_client.answering.consent import ON, Consent
from ldp_client.answering.ledger import Ledger
from ldp_client.answering.memory import Memory
from ldp_client.answering.respondent import Respondent
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.outbox import Outbox
from ldp_client.delivery.outcomes import retry
from ldp_client.keeping import clocks
from ldp_client.keeping.clocks import Now
from ldp_client.keeping.database import Database
from ldp_client.keeping.hidden_answer import HiddenAnswer
from ldp_client.keeping.scope import Scope

KEPT = Path(__file__).with_name("device_state.json")
DAY = 20_000
COLLECTOR = "https://collect.example/v1/reports"
HASHED = 'name = "hashed"\ntype = "integer"\nlow = 0\nhigh = 99\nmechanism = "loloha"\n'
FIRST = (
    yes_no("once"),
    mirror("mirror", 3),
    HASHED + 'epsilon_first = "1"\nepsilon_lifetime = "2"\nmemoized_values = 2',
)
SECOND = (yes_no("once", "1/3"), *FIRST[1:])
LIVES = [
    (FIRST, "once", [True]),
    (FIRST, "mirror", ["a", "b", "a"]),
    (FIRST, "hashed", [3, 97]),
    (SECOND, "once", [False]),
]


def life():
    """Two versions of a survey are answered; one batch is tried.

    Then, twice, the secret is renewed.
    """
    store = Database(None)
    scope = Scope.of(COLLECTOR)
    tape = Replay(hashlib.shake_256(b"device").digest(1 << 14))
    memory, cap, records = Memory(store, scope), exp_lower(Fraction(100)), []
    outbox = Outbox(
        store,
        b"12345678",
        b"",
        limits=QueueLimits(batch=2),
        random=tape,
        count=print,
        inherits=lambda: True,
    )

    def note():
        records.append(
            [
                [kind, key.hex(), *map(_plain, record)]
                for (kind, key), record in everything(store).items()
            ]
        )

    def answer(keys, name, answers):
        survey = survey_of(*keys)
        budget = Budget(store, survey, scope, cap=cap)
        respondent = Respondent(survey, memory, budget, random=tape)
        if keys is SECOND:
            store.transact(budget.agree)
        for answer in answers:
            hidden = HiddenAnswer({name: answer})
            store.transact(
                lambda hidden=hidden: outbox.put(
                    respondent.report(hidden, together=False)
                )
            )

    def erase():
        memory.erase("the secret was renewed")
        renew(store)

    moment = Now(86_400.0 * DAY + 5, 1000.5)
    with (
        patch.object(time, "time", return_value=moment.wall),
        patch.object(clocks, "since_start", return_value=moment.boot),
    ):
        for keys, name, answers in LIVES:
            answer(keys, name, answers)
        store.transact(lambda: Consent(store, survey_of(*FIRST)).keep(ON))
        note()
        outbox.decide(outbox.take() or b"", retry(60.0, "status 503"), lambda _: 0.0)
        for _ in range(2):
            store.transact(erase)
            answer(*LIVES[1])
        note()
    return {"records": records, "ledger": str(Ledger.read(store)).splitlines()}


def _plain(part):
    return part.hex() if isinstance(part, bytes) else part


def test_a_device_keeps_what_it_always_kept():
    """Keys, contents and the ledger's words, to the byte."""
    assert life() == json.loads(KEPT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    KEPT.write_text(
        json.dumps(life(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
