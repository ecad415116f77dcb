"""Whatever happens to a service, it holds what a few dictionaries do that are told the
same.

`LDPKIT_MODEL=2000 pytest tests/service/test_service_model.py` lives as many lives,
others each time.
"""

import os
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from service_oracle import Oracle, Sent

from ldp import LDPError, parse_survey
from ldp.numbers.epochs import ID_SIZE, NUMBER_SIZE
from ldp.wire.wire import Batch, decode_batch, encode_batch, encode_frame
from ldp_aggregator import Ingest
from ldp_service.counting import admission, housekeeping
from ldp_service.counting.admission import Rules
from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.turn import EpochTurn, Turn
from ldp_service.counting.writer import Writer
from ldp_service.store.reading import count_received, outcomes_in_all, tally_of
from ldp_service.store.records import EVER, Epoch
from ldp_service.store.sqlite import SQLiteStore, reading
from ldp_service.store.verification import findings
from ldp_service.store.witness import WITNESS, noted_commits

LIVES = int(os.environ.get("LDPKIT_MODEL", "0"))
HOUR, DAY = 3600, 86_400
START = 20_000 * DAY


def question(name, size):
    values = ", ".join(f'"{number}"' for number in range(size))
    return (
        f'[[question]]\nname = "{name}"\ntype = "category"\n'
        f'values = [{values}]\nmechanism = "grr"\nepsilon = 1\n'
    )


HOURLY = question("way", 4) + question("pet", 3)
SURVEYS = {
    "old": f'[survey]\nname = "timed"\nepoch = "1h"\ngrace = "2h"\n{HOURLY}',
    "new": (
        '[survey]\nname = "timed"\nepoch = "1h"\ngrace = '
        f'"3h"\n{HOURLY}{question("tea", 600)}'
    ),
    "daily": f'[survey]\nname = "daily"\nepoch = "1d"\n{question("mood", 5)}',
    "ever": f'[survey]\nname = "ever"\n{question("town", 700)}',
}
SERVED = {name: Served(parse_survey(text), text) for name, text in SURVEYS.items()}
QUESTIONS = {
    question.name: question for served in SERVED.values() for question in served.survey
}
LENGTHS = {name: item.epoch for name, item in QUESTIONS.items()}
ORACLE = partial(
    Oracle, LENGTHS, {name: item.domain.size for name, item in QUESTIONS.items()}
)

sent = st.builds(
    lambda name, hours, number, symbol: Sent(
        name,
        (START + hours * HOUR) // LENGTHS[name] if LENGTHS[name] else 0,
        number,
        symbols=tuple(
            (symbol * place + number) % QUESTIONS[name].domain.size
            for place in range(1 + number % 4)
        ),
    ),
    st.sampled_from(sorted(QUESTIONS)),
    st.integers(-30, 30),
    st.integers(0, 12),
    st.integers(0, 600),
)
UNCOUNTABLE = {
    "frame-damaged": b"no frame",
    "not-a-batch": encode_frame(b"\x95\x01no batch"),
}
uploads = st.lists(
    sent
    | sent.map(lambda batch: batch._replace(symbols=(255,)))
    | st.sampled_from(sorted(UNCOUNTABLE))
)


def body(batch):
    """The bytes that are uploaded."""
    if isinstance(batch, str):
        return UNCOUNTABLE[batch]
    asked = QUESTIONS[batch.question]
    width = NUMBER_SIZE if asked.epoch else 0
    id_ = batch.epoch.to_bytes(width, "little") + batch.number.to_bytes(
        ID_SIZE - width, "little"
    )
    rows = b"".join(symbol.to_bytes(asked.width, "little") for symbol in batch.symbols)
    return encode_frame(
        encode_batch(Batch(asked.fingerprint, id_, len(batch.symbols), rows=rows))
    )


class Lives(RuleBasedStateMachine):
    """Lives of a service on copies of one store, and the oracle that is told what it is
    told.
    """

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "0"
        self.oracle = ORACLE()
        self.now = START
        self.writer = None

    @initialize()
    def begin(self):
        """Serve one survey with epochs, and one without."""
        self.serve(["old", "ever"], 0)

    @rule(
        names=st.lists(st.sampled_from(sorted(SURVEYS)), min_size=1, unique=True),
        keeps=st.integers(0, 2),
    )
    def serve(self, names, keeps):
        """Stop, and serve other surveys."""
        self.stop()
        self.surveys = [SERVED[name] for name in names]
        self.keeps = keeps
        self.open()

    @rule(batches=uploads, together=st.booleans())
    def upload(self, batches, together):
        """Upload some batches in one body, or each by itself."""
        for some in [batches] if together else [[batch] for batch in batches]:
            self.send(some)

    @rule(batches=uploads, lasted=st.booleans())
    def upload_unanswered(self, batches, lasted):
        """Kill the service before it answers, but after the commit or before it.

        Then send the same again.
        """
        files = None if lasted else self.files()
        self.send(batches, told=lasted)
        self.kill(files)
        self.send(batches)

    @rule()
    def kill(self, files=None):
        """Go on from the files as they are, or were."""
        files = files or self.files()
        self.stop()
        self.path = self.path.with_name(str(int(self.path.name) + 1))
        for ending, content in files.items():
            Path(f"{self.path}{ending}").write_bytes(content)
        self.open()

    @rule(
        seconds=st.sampled_from(
            [1, 59, 61, HOUR, 3 * HOUR, DAY, 2 * DAY, 40 * DAY, -1, -HOUR, -DAY]
        )
    )
    def turn_the_clock(self, seconds):
        """Let time pass, or go back."""
        self.now += seconds
        self.send([])

    @rule(name=st.sampled_from(sorted(SURVEYS)), batches=st.lists(sent))
    def merge(self, name, batches):
        """The tally of a service and that of a file add up to both."""
        survey = SERVED[name].survey
        ingest = Ingest(survey)
        ingest.feed(b"".join(map(body, batches)))
        ingest.end_of_stream()
        with reading(self.path) as snapshot:
            tally = tally_of(snapshot, survey)
        merged = tally.merge(ingest.tally)
        for question in survey:
            together = self.expected(question) + ingest.tally.counts[
                question.name
            ].reshape(-1)
            assert (
                merged.counts[question.name].reshape(-1).tolist() == together.tolist()
            )

    @rule(name=st.sampled_from(sorted(SURVEYS)))
    def query_by_epoch(self, name):
        """Each epoch of a survey has its own counts."""
        survey = SERVED[name].survey
        with reading(self.path) as snapshot:
            for epoch in {epoch for _, epoch in self.oracle.counts}:
                tally = tally_of(snapshot, survey, Epoch(*epoch) if epoch else EVER)
                for question in survey:
                    assert (
                        tally.counts[question.name].reshape(-1).tolist()
                        == self.expected(question, {epoch}).tolist()
                    )

    @invariant()
    def all_is_as_it_should_be(self):
        """Sound; all received is accounted for.

        Outcomes, counts, and batches kept or put aside are the oracle's.
        """
        commits = noted_commits(self.path)
        with reading(self.path) as snapshot:
            assert list(findings(snapshot, commits)) == []
            outcomes = outcomes_in_all(snapshot)
            assert count_received(snapshot) == outcomes.total() == self.oracle.received
            assert +outcomes == +self.oracle.outcomes
            for served in SERVED.values():
                tally = tally_of(snapshot, served.survey)
                for question in served.survey:
                    assert (
                        tally.counts[question.name].reshape(-1).tolist()
                        == self.expected(question).tolist()
                    )
            for kind, known in (
                ("kept", self.oracle.kept),
                ("aside", self.oracle.aside),
            ):
                batches = Counter(
                    decode_batch(record.content).rows for record in snapshot.scan(kind)
                )
                assert batches == Counter(
                    decode_batch(body(batch)[16:]).rows for _, batch in known
                )

    def teardown(self):
        """The end of the last life."""
        self.stop()
        self.folder.cleanup()

    def send(self, batches, *, told=True):
        """Upload to the service; the oracle takes the same, unless it is not told."""
        names = {question.name for served in self.surveys for question in served.survey}
        graces = {}
        for served in self.surveys:
            if served.survey.epoch:
                graces[served.survey.epoch] = max(
                    served.survey.grace, graces.get(served.survey.epoch, 0)
                )
        receipt = self.writer.write(b"".join(map(body, batches)))
        if not told:
            return
        before = Counter(self.oracle.outcomes)
        self.oracle.take(one_stretch(batches), names, self.keeps, self.now)
        assert +receipt.outcomes == self.oracle.outcomes - before
        self.oracle.look(names, self.keeps, graces, now=self.now)
        self.writer.write(b"")  # answered after it has looked around

    def open(self):
        """Begin a life, on the files that are there."""
        self.oracle.looked = float("-inf")
        self.oracle.confirmed = self.oracle.can_confirm(self.now)
        self.writer = Writer(
            partial(SQLiteStore, self.path),
            Catalogue(self.surveys),
            Rules(kept_days=self.keeps),
            clock=lambda: self.now,
            confirm_clock=self.oracle.confirmed,
        )
        self.send([])

    def stop(self):
        """End a life in peace."""
        if self.writer is not None:
            self.writer.close()

    def files(self):
        """The store as a kill would leave it."""
        places = {
            ending: Path(f"{self.path}{ending}") for ending in ("", "-wal", WITNESS)
        }
        return {
            ending: place.read_bytes()
            for ending, place in places.items()
            if place.exists()
        }

    def expected(self, asked, epochs=None):
        """The oracle's counts of a question, in some epochs or all."""
        counts = np.zeros(asked.domain.size, dtype=np.int64)
        for (name, epoch), symbols in self.oracle.counts.items():
            if name == asked.name and (epochs is None or epoch in epochs):
                for symbol, count in symbols.items():
                    counts[symbol] += count
        return counts


def one_stretch(batches):
    """What is uploaded, where damaged bytes that touch count once."""
    damaged = [batch == "frame-damaged" for batch in batches]
    return [
        batch
        for place, batch in enumerate(batches)
        if not (place and damaged[place] and damaged[place - 1])
    ]


SETTINGS = settings(
    max_examples=LIVES or 40,
    stateful_step_count=30,
    derandomize=not LIVES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestLives = Lives.TestCase
TestLives.settings = SETTINGS

SOME = Sent("town", 0, 1, symbols=(3, 4))
TIMED = Sent("way", START // HOUR, 1, symbols=(1,))


def twice(lives):
    """The same batch comes again."""
    lives.upload([SOME], together=True)
    lives.upload([SOME], together=True)


def too_late(lives):
    """A batch comes after its epoch was closed."""
    lives.turn_the_clock(HOUR)
    lives.turn_the_clock(3 * HOUR)
    lives.serve(["old"], 0)
    lives.upload([TIMED], together=True)


def too_early(lives):
    """A batch comes of an epoch that no clock has seen."""
    lives.upload([TIMED._replace(epoch=TIMED.epoch + 30)], together=True)


def served_again(lives):
    """A batch comes before its question is served."""
    lives.serve(["old"], 0)
    lives.upload([SOME], together=True)
    lives.serve(["ever"], 0)
    lives.turn_the_clock(61)


def long_past(lives):
    """Batches are kept for a day, and three days go by."""
    lives.serve(["ever"], 1)
    lives.upload([SOME], together=True)
    lives.turn_the_clock(2 * DAY)
    lives.turn_the_clock(DAY)


MUTANTS = {
    "every id is new": (twice, SQLiteStore, "claim", lambda *asked: set(asked[-1])),
    "no epoch is closed": (too_late, EpochTurn, "last_closed", lambda *_: -1),
    "clocks are never ahead": (too_early, admission, "AHEAD", 100 * DAY),
    "nothing that was put aside is taken back": (
        served_again,
        housekeeping,
        "release",
        lambda *_: False,
    ),
    "what is kept is kept for ever": (
        long_past,
        housekeeping,
        "_older",
        lambda *_: iter(()),
    ),
    "nothing is received": (twice, Turn, "receive", lambda *_: None),
}


def live(life):
    """A life in which no chance has a part."""
    lives = Lives()
    try:
        lives.begin()
        life(lives)
        lives.all_is_as_it_should_be()
    finally:
        lives.teardown()


@pytest.mark.parametrize("mutant", MUTANTS)
def test_lives_tell_mutants(mutant, monkeypatch):
    """A service with any of these faults is told from the oracle's, and one without is
    not.
    """
    life, *fault = MUTANTS[mutant]
    live(life)
    monkeypatch.setattr(*fault)
    with pytest.raises((AssertionError, LDPError)):
        live(life)


@pytest.mark.skipif(not LIVES, reason="a trial of minutes: set LDPKIT_MODEL")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_lives_at_random_tell_mutants(mutant, monkeypatch):
    """So do lives that chance makes up, if there are enough of them."""
    monkeypatch.setattr(*MUTANTS[mutant][1:])
    longer = settings(SETTINGS, phases=[Phase.generate], report_multiple_bugs=False)
    with pytest.raises((AssertionError, LDPError)):
        run_state_machine_as_test(Lives, settings=longer)
