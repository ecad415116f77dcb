"""Reports in plain words: `ldp client decode`, and the debug view of clients."""

import json
import os
import subprocess
import sys

import pytest
from calling import run
from surveys import COMMUTE, COMMUTE_SURVEY, survey_of, yes_no

from lab.endurance.make_vectors import FOLDER
from ldp import parse_survey
from ldp.numbers.randomness import system
from ldp.wire.decoded import decoded_file, describe_row
from ldp.wire.wire import encode_batch
from ldp_client import Client, EmbeddedClient, batches, report_bytes
from ldp_client.testing import RecordingTransport

GROUP = 'joint = ["a", "b"]'
TOGETHER = survey_of(yes_no("a"), yes_no("b"), head=GROUP)
QUESTIONS = [
    pytest.param(vector, id=f"{path.stem}-{number}")
    for path in sorted(FOLDER.glob("*.json"))
    if isinstance(content := json.loads(path.read_text()), list)
    for number, vector in enumerate(content)
    if "integers" in vector
]


@pytest.fixture
def upload():
    """A report to each question of the documentation's survey."""
    client = Client(COMMUTE_SURVEY)
    answers = {"smoker": True, "transport": "bus", "homepage": "x"}
    return report_bytes(
        [client.record(name, answer) for name, answer in answers.items()]
    )


@pytest.mark.parametrize("vector", QUESTIONS)
def test_every_report_is_put_into_words(vector):
    """Of each mechanism in the vectors, and of rows of any other length."""
    question = parse_survey(vector["survey"])["asked"]
    for case in vector["cases"]:
        row = bytes.fromhex(case["report"])
        words = describe_row(question, row)
        assert "no report" not in words
        assert "\n" not in words
        assert "no report to asked" in describe_row(question, row + b"\0")
        assert describe_row(question, system(question.width))


def test_what_is_supported_is_what_counts_for_the_value():
    """Of k-ary response the symbol, of unary encoding the bits that are set, at any
    size.
    """
    few = ", ".join(f'"v{number}"' for number in range(4))
    many = ", ".join(f'"v{number}"' for number in range(300))
    for values in (few, many):
        for mechanism in ("grr", "oue"):
            keys = f'name = "q"\ntype = "category"\nvalues = [{values}]\nepsilon = 1\n'
            question = survey_of(f'{keys}mechanism = "{mechanism}"')["q"]
            symbol = 3 if mechanism == "grr" else 1 << 3
            words = describe_row(question, symbol.to_bytes(question.width, "little"))
            assert words.startswith("supports v3 (1 of ")


def test_a_symbol_beyond_the_last_is_no_report():
    """It is said, and nothing fails."""
    assert "no report that" in describe_row(COMMUTE_SURVEY["smoker"], b"\x07")


def test_files_are_explained(upload, tmp_path):
    """By question where the survey is given, else by fingerprint; damage is said."""
    (tmp_path / "survey.toml").write_text(COMMUTE)
    (tmp_path / "reports.ldp").write_bytes(upload + b"junk")
    shown = run(
        "client",
        "decode",
        tmp_path / "reports.ldp",
        "--survey",
        tmp_path / "survey.toml",
    ).output
    for part in (
        "question smoker, 1 report of 1 bytes",
        "cohort",
        "damage: 4 bytes",
        "supports",
    ):
        assert part in shown
    unknown = run("client", "decode", tmp_path / "reports.ldp").output
    assert COMMUTE_SURVEY["smoker"].fingerprint.hex() in unknown
    assert "smoker" not in unknown


def test_a_batch_by_itself_is_explained():
    """Also one of a group, one of many reports, and what is none."""
    reports = [
        Client(TOGETHER).record_together({"a": True, "b": False}) for _ in range(12)
    ]
    (batch,) = batches(reports)
    lines = list(decoded_file(encode_batch(batch), [TOGETHER]))
    assert "question a+b, 12 reports of 2 bytes" in lines[0]
    assert len(lines) == 12
    assert "a: supports" in lines[1]
    assert "b: supports" in lines[1]
    assert lines[-1] == "  and 2 more"
    assert len(list(decoded_file(encode_batch(batch), [TOGETHER], most_rows=0))) == 2
    assert "no batch" in next(decoded_file(b"\x95\x01\x00"))
    assert "nothing" in next(decoded_file(b""))


def test_epochs_are_shown():
    """Of a question that has them."""
    survey = survey_of(yes_no("a"), head='epoch = "1d"')
    report = Client(survey).record("a", True)
    (line, _) = decoded_file(
        report_bytes([report], clock=lambda: 86_400.0 * 20_000), [survey]
    )
    assert line.endswith("epoch 20000")


@pytest.mark.parametrize("way", ["argument", "environment"])
def test_what_leaves_is_logged(way, caplog, monkeypatch):
    """Question, bytes, support and outcome, if it is asked for; the answer never."""
    survey = survey_of(
        'name = "q"\ntype = "text"\nbloom_bits = 64\nmechanism = "rappor"\nf = "0.5"\n'
        'p = "0.25"\nq = "0.75"'
    )
    with EmbeddedClient(survey, state=None, transport=RecordingTransport()) as client:
        client.record("q", "a telling answer")
        assert client.flush(30.0)
    assert not [
        record for record in caplog.records if record.name == "ldp_client.batches"
    ]
    if way == "environment":
        monkeypatch.setenv("LDP_LOG_BATCHES", "1")
    transport = RecordingTransport()
    with EmbeddedClient(
        survey, state=None, transport=transport, debug=way == "argument"
    ) as client:
        client.record("q", "a telling answer")
        assert client.flush(30.0)
    said = "\n".join(record.getMessage() for record in caplog.records)
    (batch,) = transport.batches
    for part in (
        batch.id.hex(),
        "question q, 1 report of 8 bytes",
        batch.rows.hex(),
        "accepted",
    ):
        assert part in said
    assert "telling" not in said


def test_the_view_keeps_the_destination():
    """A device with the view on is the same to its collector: the queue is that of the
    address.
    """
    transport = RecordingTransport()
    transport.destination = "https://collect.example/v1/reports"
    with EmbeddedClient(
        COMMUTE_SURVEY, state=None, transport=transport, debug=True
    ) as client:
        client.record("smoker", True)
        (charge,) = client.ledger().charges
    assert charge.collector == transport.destination


PROGRAM = """
import ldp, ldp_client
from ldp_client.testing import RecordingTransport
survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
with ldp_client.EmbeddedClient(survey, state=None, transport=RecordingTransport()) as client:
    client.record("mode", "bus")
    client.flush(30.0)
"""


@pytest.mark.parametrize(("asked", "seen"), [("1", True), ("0", False), ("", False)])
def test_the_view_is_seen_without_logging(asked, seen):
    """On standard error, by a program that has set up nothing."""
    environment = os.environ | {"LDP_LOG_BATCHES": asked}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    )
    assert ("question mode, 1 report of 1 bytes" in done.stderr) is seen
    assert done.stdout == ""
