"""The vectors in tests/vectors, replayed, and held equal to what their generator
makes.
"""

import json
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from lab.endurance.make_vectors import FOLDER, QUESTIONS, answer_of, layout_of, vectors
from ldp import parse_survey
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.chains.bloom import bloom_positions
from ldp.mechanisms.contract import integers
from ldp.numbers.epochs import batch_id
from ldp.numbers.randomness import Replay
from ldp.survey.compiled import compile_survey
from ldp.wire.wire import (
    REASONS,
    Batch,
    Damage,
    FrameReader,
    decode_batch,
    encode_batch,
    encode_frame,
)
from ldp_aggregator import Ingest, decode_tally, encode_tally
from ldp_client import Client


def read(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))


NAMES = (*QUESTIONS, "contributions", "tables", "maps", "key-values")


def outcome(survey_text, file):
    """The tally of one file."""
    ingest = Ingest(parse_survey(survey_text))
    ingest.feed(bytes.fromhex(file))
    ingest.end_of_stream()
    return ingest.tally


def replay(question, case):
    """The report that a case's tape makes of its value; the tape has to be used up."""
    source = Replay(bytes.fromhex(case["tape"]))
    value = question.value(answer_of(question, case["value"]), source)
    report = question.randomizer.randomize(value, source)
    assert source.used == case["used"] == len(case["tape"]) // 2
    return report.to_bytes(question.width, "little").hex()


def test_committed_vectors_are_the_generated_ones():
    """The files on disk are exactly what `python -m lab.endurance.make_vectors`
    writes.
    """
    committed = {
        path.name: path.read_text(encoding="ascii") for path in Path(FOLDER).iterdir()
    }
    generated = vectors()
    assert committed.keys() == generated.keys()
    changed = [name for name in generated if generated[name] != committed[name]]
    assert not changed, (
        "the wire has changed, or the vectors are stale: see docs/wire.md"
    )


def test_every_mechanism_has_vectors():
    """A mechanism that joins the table needs vectors."""
    assert QUESTIONS.keys() == MECHANISMS.keys()


def cases_of(names):
    """Each case of these files, with its vector and question."""
    for name in names:
        for vector in read(name):
            question = parse_survey(vector["survey"])["asked"]
            for case in vector["cases"]:
                yield vector, question, case


@pytest.mark.parametrize("name", NAMES)
def test_questions_replay(name):
    """Fingerprint, integers, layout and every report follow from the survey text and
    the tape.
    """
    for place, vector in enumerate(read(name)):
        question = parse_survey(vector["survey"])["asked"]
        listed = {}
        for integer, number in integers(question.randomizer).items():
            if isinstance(number, int):
                listed[integer] = str(number)
            else:
                listed[integer] = [[str(entry) for entry in row] for row in number]
        assert question.fingerprint.hex() == vector["fingerprint"], place
        assert listed == vector["integers"], place
        assert layout_of(question) == vector["layout"], place
        for case in vector["cases"]:
            assert replay(question, case) == case["report"], place


def test_numbers_are_the_shortest_texts_of_floats():
    """A client that has no decimals reads them as floats, and places them alike."""
    for vector, question, case in cases_of(NAMES):
        if not {"scale", "ball"} & set(vector) or '"key-value"' in vector["survey"]:
            continue
        exact = answer_of(question, case["value"])
        many = isinstance(exact, list)
        rounded = [float(record) for record in exact] if many else float(exact)
        if many:
            shortest = [Decimal(repr(record)) for record in rounded]
        else:
            shortest = Decimal(repr(rounded))
        assert shortest == exact, question
        assert question.places(rounded) == question.places(exact), question


@pytest.mark.parametrize("name", NAMES)
def test_the_client_sends_what_the_vectors_say(name):
    """A device's report is the vector's, from the same bytes.

    Where it is memoized, a device draws its memo secret in between.
    """
    for vector, question, case in cases_of([name]):
        if getattr(question.randomizer, "memoizes", False):
            continue
        source = Replay(bytes.fromhex(case["tape"]))
        client = Client(parse_survey(vector["survey"]), random=source)
        answer = answer_of(question, case["value"])
        assert client.record("asked", answer).row.hex() == case["report"], question
        assert source.used == case["used"], question


def test_memoized_responses_replay_in_stages():
    """Cohort or seed, Bloom positions and both responses are each what the vector
    says.
    """
    for _, question, case in cases_of(NAMES):
        if "used_by_stage" not in case:
            continue
        randomizer = question.randomizer
        source = Replay(bytes.fromhex(case["tape"]))
        value = question.value(case["value"])
        ends = [0]
        cohort = randomizer.draw_cohort(source)
        ends.append(source.used)
        assert cohort == int(case["cohort"])
        if "true_positions" in case:
            assert randomizer.true_bits(value, cohort) == sum(
                1 << position for position in case["true_positions"]
            )
        else:
            assert randomizer.memo_value(value, cohort) == case["kept_for"]
        permanent = randomizer.permanent(value, cohort, source)
        ends.append(source.used)
        assert permanent == int.from_bytes(bytes.fromhex(case["permanent"]), "little")
        report = randomizer.instantaneous(permanent, cohort, source)
        ends.append(source.used)
        assert report == int.from_bytes(bytes.fromhex(case["report"]), "little")
        assert [end - start for start, end in pairwise(ends)] == case["used_by_stage"]


def test_hashing_replays():
    """Bloom positions follow from text, cohort, number of hashes and of bits."""
    for case in read("hashing"):
        positions = bloom_positions(
            case["text"].encode(), case["cohort"], case["hashes"], bits=case["bits"]
        )
        assert positions == case["positions"]


def test_draws_replay():
    """Which questions are drawn follows from the weights and the tape, which is used
    up.
    """
    for vector in read("draws"):
        survey = parse_survey(vector["survey"])
        assert compile_survey(survey) == vector["compiled"]
        (draw,) = survey.draws
        for case in vector["cases"]:
            source = Replay(bytes.fromhex(case["tape"]))
            assert [*draw.draw_questions(source)] == case.get(
                "names", [case.get("name")]
            )
            assert source.used == len(case["tape"]) // 2


def test_ids_replay():
    """An id follows from the length of the epochs, the time and the tape, which is used
    up.
    """
    for case in read("epochs"):
        source = Replay(bytes.fromhex(case["tape"]))
        assert batch_id(source, case["length"], case["seconds"]).hex() == case["id"]
        assert source.used == len(case["tape"]) // 2


def test_batches_and_frames_replay():
    """A batch has one encoding and decodes to its parts; a frame is its header and the
    batch.
    """
    wire = read("wire")
    survey = parse_survey(wire["survey"])
    assert survey.fingerprint.hex() == wire["fingerprint"]
    for case in wire["batches"]:
        parts = [bytes.fromhex(case[name]) for name in ("fingerprint", "id", "rows")]
        batch = Batch(parts[0], parts[1], case["count"], rows=parts[2])
        assert survey[case["question"]].fingerprint == batch.fingerprint
        assert encode_batch(batch).hex() == case["batch"]
        assert decode_batch(bytes.fromhex(case["batch"])) == batch
        assert encode_frame(encode_batch(batch)).hex() == case["frame"]


def test_a_damaged_file_replays():
    """The reader finds the sound frames and the damage where the vector says."""
    vector = read("wire")["damaged_file"]
    reader = FrameReader()
    parts = [*reader.feed(bytes.fromhex(vector["file"])), *reader.close()]
    assert [part.hex() for part in parts if isinstance(part, bytes)] == vector[
        "payloads"
    ]
    assert [list(part) for part in parts if isinstance(part, Damage)] == vector[
        "damage"
    ]


def test_a_tally_replays():
    """A file of frames, one of them twice, gives the vector's snapshot byte for
    byte.
    """
    wire = read("wire")
    survey = parse_survey(wire["survey"])
    tally = outcome(wire["survey"], wire["tally"]["file"])
    assert (tally.intake.accepted, tally.intake.duplicate) == (len(wire["batches"]), 1)
    assert encode_tally(tally).hex() == wire["tally"]["snapshot"]
    assert decode_tally(bytes.fromhex(wire["tally"]["snapshot"]), survey) == tally


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["what"]) for case in read("bad")["cases"]]
)
def test_bad_bytes_are_rejected_for_their_reason(case):
    """Each bad file is rejected once, for the stated reason, and adds nothing to any
    count.
    """
    survey = parse_survey(read("bad")["survey"])
    tally = outcome(read("bad")["survey"], case["file"])
    assert tally.intake.rejected == {case["reason"]: 1}
    assert tally.intake.received == 1
    assert not any(tally.reports(question.name) for question in survey)


def test_bad_vectors_cover_every_reason():
    """No reason for rejection lacks a vector, but for those of a service's rules, time
    or disk.
    """
    assert {case["reason"] for case in read("bad")["cases"]} == REASONS.keys() - {
        "batch-size",
        "token-spent",
        "late",
        "early",
        "lost",
    }
