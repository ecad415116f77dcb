"""Sealed reports: HPKE against the RFC, envelopes byte by byte, what opens and what
does not.
"""

import json

import msgpack
import pytest
from hpke_reference import open_sealed, point, private_key, seal
from places import VECTORS

from ldp import parse_survey
from ldp.errors import WireError
from ldp.wire.sealed import (
    NO_ID,
    Mixed,
    Sealed,
    decode_mixed_part,
    decode_sealed_report,
    encode_mixed_part,
    encode_sealed_report,
    envelope_size,
    epoch_bytes,
    info_of,
    plaintext_of,
    public_key_text,
    read_public_key,
    row_in,
)
from ldp.wire.wire import Batch, decode_batch, encode_batch, read_frames
from ldp_aggregator.tallies.mixing.keys import (
    KeyFileError,
    make_key,
    public_text,
    read_key,
    suite,
)
from ldp_aggregator.tallies.mixing.opening import Opener
from ldp_client.delivery.sealing import Relay, sealer

TEXT = """
[survey]
name = "mixed"

[[question]]
name = "symbol"
type = "category"
values = ["a", "b", "c"]
mechanism = "grr"
epsilon = "1"

[[question]]
name = "bits"
type = "category"
values = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
mechanism = "oue"
epsilon = "1"
"""
SURVEY = parse_survey(TEXT)
SYMBOL, BITS = SURVEY.questions
KEY = private_key(bytes(31) + b"\7")
PUBLIC = public_key_text(point(KEY))
ENVELOPES = {question.fingerprint: question for question in SURVEY}


def sealed_one(question, row, *, key=PUBLIC, id_=bytes(16)):
    """What a client seals of one report."""
    seal_one = sealer(Relay("https://relay.example", key), SURVEY)
    (payload,) = read_frames(
        seal_one(Batch(question.fingerprint, id_, 1, rows=row), None)
    )
    return decode_sealed_report(payload)


def mixed_of(question, envelopes, size=None):
    """A part of a batch of these."""
    return Mixed(
        question.fingerprint,
        b"i" * 16,
        len(envelopes),
        envelopes=b"".join(envelopes),
        batch=b"b" * 16,
        size=size or len(envelopes),
        least=1,
    )


def counted_in(opened):
    """The batches that an opened part has, and the reasons for what else there is."""
    batches, reasons = [], []
    for payload in read_frames(opened.frames):
        try:
            batches.append(decode_batch(payload))
        except WireError as error:
            reasons.append(error.reason)
    return batches, reasons


# RFC 9180, appendix A.3.1: the first encryption.
RFC = {
    "info": "4f6465206f6e2061204772656369616e2055726e",
    "skEm": "4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb",
    "skRm": "f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2",
    "pkRm": "04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8"
    "a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0",
    "enc": "04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4"
    "b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4",
    "aad": "436f756e742d30",
    "pt": "4265617574792069732074727574682c20747275746820626561757479",
    "ct": "5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f9076ac232e3ab2523f"
    "39513434",
}


def test_reference_is_that_of_the_rfc():
    """What the library is held against gives the bytes of the RFC."""
    rfc = {name: bytes.fromhex(digits) for name, digits in RFC.items()}
    ephemeral, recipient = private_key(rfc["skEm"]), private_key(rfc["skRm"])
    assert point(recipient) == rfc["pkRm"]
    sealed = seal(
        rfc["pkRm"], ephemeral, rfc["info"], aad=rfc["aad"], plaintext=rfc["pt"]
    )
    assert sealed == rfc["enc"] + rfc["ct"]
    assert open_sealed(recipient, sealed, rfc["info"], aad=rfc["aad"]) == rfc["pt"]


def test_library_and_reference_open_what_the_other_seals():
    """Our suite is HPKE: both ways, with the information that is bound."""
    info = info_of(SYMBOL.fingerprint, bytes(4))
    ours = suite().encrypt(b"something", KEY.public_key(), info=info)
    assert open_sealed(KEY, ours, info, aad=b"") == b"something"
    theirs = seal(
        point(KEY),
        private_key(bytes(31) + b"\11"),
        info,
        aad=b"",
        plaintext=b"something",
    )
    assert suite().decrypt(theirs, KEY, info=info) == b"something"


def test_envelopes_of_a_question_have_one_length_and_differ():
    """Length tells nothing, and equal reports do not look alike."""
    for question in SURVEY:
        rows = [
            bytes(question.width),
            bytes(question.width),
            b"\1" + bytes(question.width - 1),
        ]
        envelopes = [sealed_one(question, row).envelope for row in rows]
        assert {len(envelope) for envelope in envelopes} == {
            envelope_size(question.width)
        }
        assert (
            len(set(envelopes)) == len({envelope[:65] for envelope in envelopes}) == 3
        )
    assert envelope_size(300) == 65 + 42 + 300 + 16


def test_an_envelope_byte_by_byte():
    """What docs/wire.md says, from msgpack and the reference alone."""
    sealed = sealed_one(SYMBOL, b"\2", id_=b"n" * 16)
    assert encode_sealed_report(sealed) == msgpack.packb(
        [3, SYMBOL.fingerprint, b"n" * 16, sealed.envelope]
    )
    info = b"ldpkit sealed report\3" + SYMBOL.fingerprint + bytes(4)
    plaintext = open_sealed(KEY, sealed.envelope, info, aad=b"")
    assert plaintext == msgpack.packb([1, SYMBOL.fingerprint, bytes(16), 1, b"\2"])
    assert row_in(plaintext, SYMBOL.fingerprint) == b"\2"
    assert epoch_bytes(b"\1\2\3\4" + bytes(12), 60) == b"\1\2\3\4"


def test_vectors_of_sealed_reports():
    """The files of tests/vectors open, and say what they hold."""
    vectors = json.loads((VECTORS / "sealed.json").read_text(encoding="ascii"))
    key = private_key(bytes.fromhex(vectors["private_key"]))
    assert public_text(key) == vectors["public_key"]
    survey = parse_survey(vectors["survey"])
    for case in vectors["cases"]:
        question = survey[case["question"]]
        (payload,) = read_frames(bytes.fromhex(case["frame"]))
        sealed = decode_sealed_report(payload)
        assert [part.hex() for part in sealed] == [
            case[name] for name in ("fingerprint", "id", "envelope")
        ]
        assert epoch_bytes(sealed.id, case["epoch_length"]).hex() == case["epoch"]
        info = info_of(sealed.fingerprint, bytes.fromhex(case["epoch"]))
        assert info.hex() == case["info"]
        plaintext = suite().decrypt(sealed.envelope, key, info=info)
        assert plaintext.hex() == case["plaintext"]
        assert row_in(plaintext, question.fingerprint).hex() == case["row"]
        (part,) = read_frames(bytes.fromhex(case["part"]))
        assert decode_mixed_part(part).envelopes == sealed.envelope


def test_a_part_is_opened_and_what_is_wrong_costs_itself_only():
    """Wrong key, question, epoch, bytes, symbol, batch within: refused; the others are
    counted.
    """
    sound = [sealed_one(SYMBOL, bytes((row,))).envelope for row in (0, 1, 2, 2)]
    info = info_of(SYMBOL.fingerprint, bytes(4))
    encrypt = suite().encrypt
    key = KEY.public_key()
    other = public_key_text(point(private_key(bytes(31) + b"\11")))
    two = encode_batch(Batch(SYMBOL.fingerprint, NO_ID, 1, rows=b"\1", combination=1))
    named = encode_batch(Batch(SYMBOL.fingerprint, b"n" * 16, 1, rows=b"\1"))
    wrong = {
        "another key": sealed_one(SYMBOL, b"\1", key=other).envelope,
        "another epoch": encrypt(
            plaintext_of(SYMBOL.fingerprint, b"\1"),
            key,
            info=info_of(SYMBOL.fingerprint, b"\1\0\0\0"),
        ),
        "a flipped bit": sound[0][:-1] + bytes((sound[0][-1] ^ 1,)),
        "no point": b"\4" + bytes(64) + sound[0][65:],
        "an id": encrypt(named, key, info=info),
        "another question": encrypt(
            plaintext_of(BITS.fingerprint, b"\1"), key, info=info
        ),
        "no such symbol": encrypt(
            plaintext_of(SYMBOL.fingerprint, b"\7"), key, info=info
        ),
    }
    envelopes = [sound[0], *wrong.values(), *sound[1:]]
    opened = Opener([KEY]).open(mixed_of(SYMBOL, envelopes), ENVELOPES)
    batches, reasons = counted_in(opened)
    assert [batch.id for batch in batches[:1]] == [b"i" * 16]
    assert sorted(batches[0].rows) == [0, 1, 2, 2]
    # The symbol is refused by who counts, for its own reason; the rest never gets
    # there.
    assert [batch.rows for batch in batches[1:]] == [b"\7"]
    assert reasons == ["sealed"] * 6
    assert (opened.sound, opened.opened) == (4, 7)
    said = suite().encrypt(two, key, info=info)
    refused = Opener([KEY]).open(mixed_of(SYMBOL, [said]), ENVELOPES)
    assert refused.sound == 0
    assert counted_in(refused)[1] == ["sealed"]


def test_an_envelope_that_a_part_has_twice_is_one_report():
    """A relay that sends copies of one report makes no crowd of it."""
    one, other = (sealed_one(SYMBOL, b"\1").envelope for _ in range(2))
    opened = Opener([KEY]).open(mixed_of(SYMBOL, [one, other, one, one]), ENVELOPES)
    assert (opened.sound, opened.opened) == (2, 2)
    batches, reasons = counted_in(opened)
    assert [batch.size for batch in batches] == [2]
    assert reasons == ["sealed"] * 2


def test_all_keys_are_tried():
    """A collector that changes its key opens what was sealed for the one before."""
    old = private_key(bytes(31) + b"\11")
    envelopes = [
        sealed_one(SYMBOL, b"\1", key=public_key_text(point(key))).envelope
        for key in (old, KEY)
    ]
    assert Opener([KEY, old]).open(mixed_of(SYMBOL, envelopes), ENVELOPES).sound == 2
    assert Opener([KEY]).open(mixed_of(SYMBOL, envelopes), ENVELOPES).sound == 1


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "not-a-batch"),
        (b"\x94\3", "not-a-batch"),
        (msgpack.packb([2, b"x" * 16, b"y" * 16, b"z"]), "format-version"),
        (msgpack.packb([3, b"x" * 15, b"y" * 16, b"z"]), "not-a-batch"),
        (msgpack.packb([3, b"x" * 16, b"y" * 16, b""]), "not-a-batch"),
        (msgpack.packb([3, b"x" * 16, b"y" * 16, 1]), "not-a-batch"),
        (msgpack.packb([3, b"x" * 16, b"y" * 16, b"z"]) + b"!", "not-a-batch"),
        (encode_batch(Batch(b"x" * 16, b"y" * 16, 1, rows=b"z")), "format-version"),
    ],
)
def test_what_is_no_sealed_report_is_refused(payload, reason):
    """Bytes of a peer give a reason, and nothing else."""
    with pytest.raises(WireError) as caught:
        decode_sealed_report(payload)
    assert caught.value.reason == reason


def test_what_is_no_part_is_refused():
    """Each number of a part is bounded, and fits the others."""
    part = mixed_of(SYMBOL, [b"e" * 9] * 4, size=6)
    assert decode_mixed_part(encode_mixed_part(part)) == part
    wrong = [
        part._replace(id=b"short"),
        part._replace(batch=b"short"),
        part._replace(number=0),
        part._replace(number=7, envelopes=b"e" * 7),
        part._replace(number=5),
        part._replace(least=7),
        part._replace(least=0),
        part._replace(size=1 << 32),
        part._replace(envelopes=b""),
        part._replace(envelopes="text"),
        part._replace(number=True),
    ]
    for mistaken in wrong:
        with pytest.raises(WireError):
            decode_mixed_part(encode_mixed_part(mistaken))
    with pytest.raises(WireError):
        decode_mixed_part(encode_mixed_part(part)[:-1])


def test_a_sealed_report_at_the_wrong_door_is_named():
    """Who counts open reports says that one is sealed."""
    sealed = encode_sealed_report(Sealed(SYMBOL.fingerprint, NO_ID, b"-"))
    with pytest.raises(WireError) as caught:
        decode_batch(sealed)
    assert caught.value.reason == "sealed"


def test_keys_are_made_once_and_read_by_their_owner_alone(tmp_path):
    """The private key has no other reader, is never written over, and comes back."""
    path = tmp_path / "key.pem"
    text = make_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert public_text(read_key(path)) == text
    with pytest.raises(KeyFileError, match="never written over"):
        make_key(path)
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        read_key(path)
    (tmp_path / "no").write_text("no key")
    (tmp_path / "no").chmod(0o600)
    with pytest.raises(KeyFileError, match=r"private key of P-256"):
        read_key(tmp_path / "no")


@pytest.mark.parametrize(
    "text", ["", "x", PUBLIC[:-2], PUBLIC.replace("_", "-"), "ldp-relay-p256_é"]
)
def test_what_is_no_public_key_is_refused(text):
    """With what was expected."""
    with pytest.raises(ValueError, match="ldp relay keys"):
        read_public_key(text)
    with pytest.raises(ValueError, match="ldp relay keys"):
        sealer(Relay("https://relay.example", text), SURVEY)


def test_a_point_beside_the_curve_is_refused():
    """The right length is not enough."""
    with pytest.raises(ValueError, match="point"):
        sealer(
            Relay("https://relay.example", public_key_text(b"\4" + bytes(64))), SURVEY
        )


def test_a_survey_with_attributes_is_not_mixed():
    """What is said openly of a device would tell its reports from others."""
    attributed = parse_survey(
        TEXT + '\n[[attribute]]\nname = "platform"\nvalues = ["ios", "android"]\n'
    )
    with pytest.raises(ValueError, match="without attributes"):
        sealer(Relay("https://relay.example", PUBLIC), attributed)
