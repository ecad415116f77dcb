"""A register as a text: one spelling, one chain, and whatever is not that is found and
said.
"""

import json

import pytest
from registered import DAY, content_of, version

from ldp.transparency.entries import (
    RegisterError,
    TornError,
    check_surveys,
    parse_register,
    repair_text,
)
from ldp.transparency.tree import leaf_hash

VERSIONS = version(), version("2"), version("3", text="Wie kommst du zur Arbeit? Ж\x85")
CONTENT = content_of(*VERSIONS)


def test_what_is_registered_is_read():
    """Entries, hashes and surveys come back as they were added."""
    register = parse_register(CONTENT)
    assert check_surveys(register) == list(VERSIONS)
    assert [survey.to_toml() for survey in check_surveys(register)] == [
        survey.to_toml() for survey in VERSIONS
    ]
    assert register.leaves == tuple(map(leaf_hash, CONTENT.splitlines()))
    assert [entry.accepted for entry in register.entries] == [
        None,
        "reason 1",
        "reason 2",
    ]
    assert register.find(VERSIONS[1]).number == 1
    assert register.find(version("4")) is None
    assert register.find(version("2", text="Otherwise?")) is None
    assert parse_register(b"").entries == ()


def test_every_changed_byte_is_found():
    """Any bit of any byte: the chain breaks, or a fingerprint does, or the head is
    another.
    """
    head = parse_register(CONTENT).root
    for place in range(len(CONTENT)):
        damaged = bytearray(CONTENT)
        damaged[place] ^= 1 << place % 8
        try:
            register = parse_register(bytes(damaged))
        except RegisterError:
            continue
        assert register.root != head


def test_an_edited_line_is_named():
    """The line behind the one that was edited does not fit it."""
    edited = CONTENT.replace(b"reason 1", b"no reason")
    with pytest.raises(
        RegisterError, match=r"register, line 3: expected the hash of the line"
    ):
        parse_register(edited)


@pytest.mark.parametrize("lines", [(1, 2), (0, 2), (0, 2, 1), (0, 0, 1, 2)])
def test_lines_that_were_moved(lines):
    """Out, in, or to another place."""
    whole = CONTENT.splitlines(keepends=True)
    with pytest.raises(RegisterError, match="a line was taken out, put in or moved"):
        parse_register(b"".join(whole[number] for number in lines))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: b"\xef\xbb\xbf" + text, "byte-order mark"),
        (lambda text: text.replace(b"\n", b"\r\n"), "carriage return"),
        (lambda text: b"\n" + text, "expected an entry in the spelling"),
        (
            lambda text: text.replace(b'", "', b'","'),
            "expected an entry in the spelling",
        ),
        (
            lambda text: b"[" * 100_000 + b"\n" + text,
            "expected an entry in the spelling",
        ),
        (
            lambda text: text.replace(b'"entry": 1', b'"entry": true'),
            "expected an entry in the",
        ),
        (lambda text: b"\xff" + text, "expected an entry in the spelling"),
    ],
)
def test_other_spellings(change, said):
    """There is one: whoever hashes a line hashes the same bytes."""
    with pytest.raises(RegisterError, match=said):
        parse_register(change(CONTENT))


def test_torn_lines():
    """At every byte of the last line: found, said, and mended to what was whole
    before.
    """
    two = CONTENT[: CONTENT[:-1].rindex(b"\n") + 1]
    for place in (*range(len(two) + 1, len(CONTENT), 37), len(CONTENT) - 1):
        torn = CONTENT[:place]
        with pytest.raises(TornError, match="expected a last line that ends") as raised:
            parse_register(torn)
        assert raised.value.sound == len(two)
        assert repair_text(torn) == (CONTENT if place == len(CONTENT) - 1 else two)


def test_what_editors_do_is_mended():
    """A mark and carriage returns are taken out; what cannot be undone stays wrong."""
    changed = b"\xef\xbb\xbf" + CONTENT.replace(b"\n", b"\r\n")
    assert repair_text(changed) == CONTENT == repair_text(CONTENT)
    edited = CONTENT.replace(b"reason 1", b"no reason")
    assert repair_text(edited) == edited


@pytest.mark.parametrize("what", ["survey", "fingerprint", "terms", "toml"])
def test_entries_that_lie(what):
    """What an entry says of its survey has to be true of the text that it keeps."""
    fields = json.loads(content_of(version()))
    fields[what] = {
        "survey": "other",
        "fingerprint": "0" * 32,
        "terms": "0" * 32,
        "toml": version("2").to_toml(),
    }[what]
    register = parse_register(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
    with pytest.raises(
        RegisterError, match=r"entry 0: expected the (name|fingerprint|terms)"
    ):
        check_surveys(register)
    fields["toml"] = "[survey"
    register = parse_register(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
    with pytest.raises(RegisterError, match="entry 0: expected the text of a survey"):
        check_surveys(register)


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "x" * 1001, "a\x1b[31m"])
def test_reasons_are_a_line(reason):
    """Of text, and not of nothing."""
    with pytest.raises(RegisterError, match="expected a reason of one line"):
        parse_register(b"").follow(version(), DAY, (), reason=reason)
