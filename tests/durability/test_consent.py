"""What a person agreed to: these terms, these words, this survey, and nothing else."""

import pytest
from surveys import survey_of, yes_no

from ldp_client import SAID, EmbeddedClient
from ldp_client.answering.consent import agreement
from ldp_client.testing import RecordingTransport

CHEAP, DEAR = survey_of(yes_no("a", "1")), survey_of(yes_no("a", "12"))
REWORDED = survey_of(yes_no("a", "1") + '\ntext = "Are you ill?"')
ELSEWHERE = survey_of(yes_no("a", "1"), name="another")


@pytest.fixture
def opened(tmp_path):
    clients = []

    def opened(survey, **settings):
        clients.append(
            EmbeddedClient(
                survey,
                **{"state": tmp_path / "state", "interval": None, "lifetime_cap": "100"}
                | settings,
            )
        )
        return clients[-1]

    yield opened
    for client in clients:
        client.close()


def test_the_three_states_and_what_they_let_through(opened):
    """Never asked: what the app opened with; off: nothing; on: this version."""
    client = opened(CHEAP, consent="off")
    assert (client.said, client.consent) == ("never asked", "off")
    assert (opened(CHEAP).said, opened(CHEAP).consent) == ("never asked", "on")
    assert client.set_consent("off")
    assert (opened(CHEAP).said, opened(CHEAP).consent) == ("off", "off")
    assert client.set_consent("on")
    assert (opened(CHEAP).said, opened(CHEAP).consent) == ("on", "on")
    assert {"never asked", "off", "on", "other terms", "unknown"} == SAID.keys()


@pytest.mark.parametrize("version", [DEAR, REWORDED])
@pytest.mark.parametrize("otherwise", ["on", "off"])
def test_consent_to_one_version_is_none_to_another(version, otherwise, opened):
    """Agreed at epsilon 1, nothing is spent at epsilon 12, nor on a question in other
    words.
    """
    first = opened(CHEAP, consent=otherwise)
    first.set_consent("on")
    second = opened(version, consent=otherwise)
    assert (second.said, second.consent) == ("other terms", "off")
    assert not second.record("a", True)
    assert second.counts() == {"consent-off": 1}
    second.set_consent("on")
    assert second.record("a", True)
    assert (first.said, second.said) == ("other terms", "on")


def test_the_words_of_a_question_cost_nothing():
    """They are agreed to, and change neither fingerprint nor terms: reports stay
    comparable.
    """
    assert CHEAP.terms == REWORDED.terms
    assert CHEAP["a"].fingerprint == REWORDED["a"].fingerprint
    agreements = {agreement(survey) for survey in (CHEAP, DEAR, REWORDED, ELSEWHERE)}
    assert len(agreements) == 4
    assert agreement(CHEAP) == agreement(survey_of(yes_no("a", "1")))


def test_what_was_agreed_to_is_still_sent(opened):
    """Reports that were made under the terms before leave, though no more are made."""
    transport = RecordingTransport()
    first = opened(CHEAP, transport=transport)
    first.set_consent("on")
    assert first.record("a", True)
    first.close()
    second = opened(DEAR, transport=transport)
    assert second.consent == "off"
    assert second.flush(30.0)
    assert len(transport.batches) == 1
    second.set_consent("off")
    assert not second._store.transact(second._consent.sends)


def test_yes_is_for_one_survey_and_no_for_all(opened):
    """No stops surveys that no one asked about too, and yes to another does not start
    them.
    """
    one, other = opened(CHEAP, consent="off"), opened(ELSEWHERE)
    one.set_consent("on")
    assert (one.said, other.said) == ("on", "never asked")
    other.set_consent("on")
    one.set_consent("off")
    assert opened(ELSEWHERE).said == "off"
    one.set_consent("on")
    assert (opened(CHEAP).said, opened(ELSEWHERE).said) == ("on", "off")


def test_one_word_for_a_whole_file_is_consent_to_nothing_in_particular(opened):
    """What was kept before consent was bound to terms; that a person said no stays
    no.
    """
    client = opened(CHEAP)
    for word, said in (("on", "other terms"), ("off", "off")):
        client._store.transact(
            lambda word=word: client._store.put("consent", b"", (word,))
        )
        assert client.said == said
        assert client.consent == "off"


def test_without_being_asked_no_version_gets_more(opened):
    """Where the app never asks, what the first version could spend is all that any
    may.
    """
    assert opened(CHEAP).record("a", True)
    assert not opened(DEAR).record("a", True)
    assert opened(DEAR).ledger().epsilon() < 1.001
