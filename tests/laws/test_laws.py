"""Every mechanism of the table, and what surrounds it, obeys every law."""

import pytest
from device_laws import CLIENT_LAWS, DRAW_LAWS, SOURCE_LAWS, least_error
from embedded_laws import EMBEDDED_LAWS
from lawbook import CHANNEL_LAWS, SAMPLER_LAWS, declared
from specimens import DESIGNED, SMALL, abridged, automatic

from ldp.mechanisms.contract import lifetime_ratio
from ldp.numbers.randomness import randbelow, system
from ldp_client import Client
from ldp_client.embedding.embedded import EmbeddedClient

SMALLEST = {"she-3": [pytest.mark.fast("no design of this mechanism takes less")]}


def every_specimen(specimens):
    """The test, for each of the specimens, which have names."""
    cases = [
        pytest.param(specimen, id=specimen.name, marks=SMALLEST.get(specimen.name, []))
        for specimen in specimens
    ]
    return pytest.mark.parametrize("specimen", cases)


def violations(laws, subject):
    """What is wrong with a subject, by the law that it violates."""
    problems = {law.__name__: law(subject) for law in laws}
    return {name: listed for name, listed in problems.items() if listed != []}


def test_every_randomizer_is_run_over_every_tape():
    """Whatever randomizer a design gives, some small instance of it is run over every
    tape.
    """
    assert {type(specimen.randomizer) for specimen in DESIGNED} == {
        type(specimen.randomizer) for specimen in SMALL
    }


@every_specimen([*map(abridged, DESIGNED), *SMALL])
def test_channel(specimen):
    """The channel, its decoder and its draws are what the randomizer states."""
    assert violations(CHANNEL_LAWS, specimen) == {}


def test_declared():
    """No design delivers less privacy than declared, and e^epsilon is bounded from
    below.
    """
    assert [
        (specimen.name, declared(specimen))
        for specimen in DESIGNED
        if declared(specimen)
    ] == []


@every_specimen(SMALL)
def test_every_tape(specimen, monkeypatch):
    """Run over every tape, of short blocks of randomness, the sampler draws from its
    channel.
    """
    monkeypatch.setattr("ldp.numbers.randomness.BLOCK", 6)
    assert violations(SAMPLER_LAWS, specimen) == {}


def test_memory_costs_at_least_one_report():
    """What a device ever reveals about a value is bounded by its permanent response, if
    any.
    """
    for specimen in DESIGNED:
        one, ever = specimen.randomizer.ratio, lifetime_ratio(specimen.randomizer)
        assert ever is None or one <= ever, specimen.name


def test_draws():
    """Integers are uniform."""
    assert violations(DRAW_LAWS, randbelow) == {}


def test_source():
    """The operating system's randomness is fresh, or an error."""
    assert violations(SOURCE_LAWS, system) == {}


@pytest.mark.parametrize("law", CLIENT_LAWS, ids=lambda law: law.__name__)
def test_client(law):
    """A device spends its budget once, remembers, and says nothing else."""
    assert law(Client) == []


@pytest.mark.parametrize("law", EMBEDDED_LAWS, ids=lambda law: law.__name__)
def test_embedded_client(law):
    """What apps embed keeps its laws of charging, queueing, repeating and consent.

    It charges and queues as one, repeats its bytes, never forgets a charge, is not
    silent, and asks.
    """
    assert law(EmbeddedClient) == []


def test_automatic_choice():
    """`auto` chooses the least total error."""
    assert least_error(automatic) == []
