"""Clients that pin a register: they open what stands in it, and nothing else."""

import json

import pytest
from places import VECTORS
from registered import content_of, version

from ldp import parse_survey
from ldp.errors import SurveyError
from ldp.transparency.entries import parse_register
from ldp.transparency.proofs import head_of, prove_inclusion
from ldp_client import Client, EmbeddedClient

VERSIONS = version(), version("2"), version("3")
OLD = parse_register(content_of(VERSIONS[0]))
NEW = parse_register(content_of(*VERSIONS))


def plain(survey, **pinned):
    """A client whose caller does the rest."""
    return Client(survey, **pinned).record("mode", "bus")


def embedded(survey, **pinned):
    """A client that an app embeds."""
    with EmbeddedClient(survey, state=None, **pinned) as client:
        return client.record("mode", "bus")


@pytest.fixture(params=[plain, embedded])
def opened(request):
    """Either client."""
    return request.param


def test_registered_surveys_are_opened(opened, tmp_path):
    """By the head of today, by an older one, and by a proof that lies in a file."""
    for since in (OLD, NEW):
        proof = prove_inclusion(NEW, 1, len(since.entries))
        assert opened(
            VERSIONS[1], register_head=head_of(since).text, register_proof=proof
        )
    (tmp_path / "proof.json").write_text(json.dumps(proof))
    assert opened(
        VERSIONS[1],
        register_head=head_of(NEW).text,
        register_proof=tmp_path / "proof.json",
    )


def test_others_are_refused(opened, tmp_path):
    """Another version, other words, another register, half of a pin: with the
    reason.
    """
    proof, head = prove_inclusion(NEW, 1), head_of(NEW).text
    other = head[:-1] + ("1" if head[-1] == "0" else "0")
    for survey, pinned, said in (
        (
            VERSIONS[2],
            {"register_head": head, "register_proof": proof},
            "not the one that is",
        ),
        (
            version("2", text="Drive?"),
            {"register_head": head, "register_proof": proof},
            "words",
        ),
        (
            VERSIONS[1],
            {"register_head": other, "register_proof": proof},
            "another register",
        ),
        (
            VERSIONS[1],
            {"register_head": head_of(OLD).text, "register_proof": proof},
            "--since 1",
        ),
        (VERSIONS[1], {"register_head": head}, "got no proof"),
        (VERSIONS[1], {"register_proof": proof}, "got no head"),
        (VERSIONS[1], {"register_head": "1", "register_proof": proof}, "SIZE:ROOT"),
        (
            VERSIONS[1],
            {"register_head": head, "register_proof": tmp_path / "no"},
            "No such file",
        ),
        (VERSIONS[1], {"register_head": head, "register_proof": []}, "no proof of it"),
    ):
        if pinned.get("register_proof") == []:
            (tmp_path / "list").write_text("[]")
            pinned["register_proof"] = tmp_path / "list"
        with pytest.raises(SurveyError, match=said):
            opened(survey, **pinned)


def test_the_vectors_that_clients_share():
    """Each case is taken or refused as it says, by the surveys that their compiled
    forms are of.
    """
    vectors = json.loads((VECTORS / "registered.json").read_text(encoding="ascii"))
    surveys = [parse_survey(entry["survey"]) for entry in vectors["surveys"]]
    for case in vectors["taken"]:
        Client(
            surveys[case["survey"]],
            register_head=case["head"],
            register_proof=case["proof"],
        )
    for case in vectors["refused"]:
        with pytest.raises(SurveyError):
            Client(
                surveys[case["survey"]],
                register_head=case["head"],
                register_proof=case["proof"],
            )


def test_nothing_is_loaded_without_a_pin():
    """Apps that pin no register do not wait for it."""
    from children import loaded_by

    modules = loaded_by("import ldp, ldp_client; ldp_client.Client")
    assert not any(name.startswith("ldp.transparency") for name in modules)
