"""Proofs as they are handed out: taken by who keeps a head, unless they say something
else.
"""

import copy
import json

import pytest
from registered import content_of, version

from ldp.transparency.entries import RegisterError, parse_register
from ldp.transparency.proofs import (
    check_consistency,
    check_inclusion,
    check_registration,
    head_of,
    parse_head,
    prove_consistency,
    prove_inclusion,
)

VERSIONS = [version(str(number)) for number in range(1, 8)]
CONTENT = content_of(*VERSIONS)
LINES = CONTENT.splitlines(keepends=True)


def register_of(size):
    """The register when it had so many entries."""
    return parse_register(b"".join(LINES[:size]))


def travelled(proof):
    """A proof as it comes out of JSON."""
    return json.loads(json.dumps(proof))


@pytest.mark.parametrize("size", range(1, 8))
def test_all_surveys_are_registered(size):
    """For whoever keeps the head, or any older one."""
    register = register_of(size)
    for number in range(size):
        for since in range(1, size + 1):
            proof = travelled(prove_inclusion(register, number, since))
            pinned = head_of(register_of(since))
            assert (
                check_registration(VERSIONS[number], pinned, proof)
                == register.entries[number]
            )
            if since != size:
                with pytest.raises(RegisterError, match="got none"):
                    check_inclusion({**proof, "since": None}, pinned)
    for first in range(1, size + 1):
        proof = travelled(prove_consistency(register, first))
        check_consistency(
            proof, first=head_of(register_of(first)), second=head_of(register)
        )


def test_other_surveys_are_not():
    """Another version, also one with other words alone, is refused by the proof for
    this one.
    """
    register = register_of(7)
    proof, head = prove_inclusion(register, 2), head_of(register)
    with pytest.raises(
        RegisterError, match="this version is not the one that is registered"
    ):
        check_registration(VERSIONS[3], head, proof)
    with pytest.raises(RegisterError, match="with other words"):
        check_registration(version("3", text="Do you drive?"), head, proof)


def test_every_changed_part_is_found():
    """Each number, hash and text of a proof, changed by itself."""
    register = register_of(7)
    pinned, head = head_of(register_of(3)), head_of(register)

    def check_both(proof, first):
        # A root says nothing of a size by itself: who checks has both from whoever made
        # the head.
        check_consistency(proof, first=first, second=head)

    for proof, check in (
        (prove_inclusion(register, 4, 3), check_inclusion),
        (prove_consistency(register, 3), check_both),
    ):
        check(proof, pinned)
        for key in proof:
            for other in (
                None,
                5,
                -1,
                1 << 70,
                "0" * 64,
                "x",
                [],
                ["0" * 64] * 100,
                {},
                True,
            ):
                changed = copy.deepcopy(proof)
                changed[key] = other
                if other == proof[key]:
                    continue
                with pytest.raises(RegisterError):
                    check(changed, pinned)


def test_another_register_does_not_go_on():
    """A log that was begun anew is refused by the head of the old one, whatever it
    proves.
    """
    other = parse_register(content_of(*map(version, "5678")))
    pinned = head_of(register_of(2))
    with pytest.raises(RegisterError, match="goes on from the pinned head"):
        check_registration(version("5"), pinned, prove_inclusion(other, 0, 2))
    with pytest.raises(RegisterError, match="another register"):
        check_registration(
            version("5"), head_of(register_of(4)), prove_inclusion(other, 0)
        )
    with pytest.raises(RegisterError, match="7 entries or more, got one for 4"):
        check_registration(
            version("5"), head_of(register_of(7)), prove_inclusion(other, 0)
        )


@pytest.mark.parametrize(
    "text", ["", "7", "7:", "7:xyz", "-1:" + "0" * 64, "07:" + "0" * 64]
)
def test_heads_that_are_none(text):
    """Heads have one form."""
    with pytest.raises(
        RegisterError, match="expected the head of a register, SIZE:ROOT"
    ):
        parse_head(text)


def test_heads_are_read_as_they_are_written():
    """With a line end, as a file has it; the head of nothing is no pin."""
    head = head_of(register_of(3))
    assert parse_head(head.text + "\n") == head
    with pytest.raises(RegisterError, match="with entries, got that of an empty one"):
        check_registration(VERSIONS[0], head_of(parse_register(b"")), {})
    for number in (-1, 3):
        with pytest.raises(
            RegisterError, match="expected an entry of the register, 0 to 2"
        ):
            prove_inclusion(register_of(3), number)
    for first in (0, 4):
        with pytest.raises(
            RegisterError, match="expected a size of the register, 1 to 3"
        ):
            prove_consistency(register_of(3), first)
