"""`ldp client test --depth device`: both clients pass, and each wrong one fails at its
own point.

False alarms of a run are below 1e-6 (`ldp_simulations.conformance.law`). With the 600
reports for an answer of these tests, a probability that is off by .18 is noticed; the
wrong ones are by more.
"""

import sys

import pytest
import small_client
import wrong_clients
from calling import run
from children import CopiedProcess
from js_client import NODE, PACKAGE
from places import ROOT, VECTORS

from lab.endurance.make_vectors import QUESTIONS
from ldp_simulations.conformance import kills
from ldp_simulations.conformance.law import detectable
from ldp_simulations.conformance.points import POINTS, conform

OURS = (sys.executable, "-m", "ldp_simulations.conformance.python_client")
SMALL = (sys.executable, small_client.__file__)
TEST = ("client", "test", "--depth", "device")
FEW = {"samples": 600, "kills": 2}


def verdicts(command, **settings):
    """What became of each point, by name, but for those that passed."""
    points = list(conform(command, **settings))
    assert [point.name for point in points] == [*POINTS]
    return {point.name: point.detail for point in points if point.verdict != "pass"}


def test_the_python_client_passes():
    """Every point, with the project's vectors."""
    assert verdicts(OURS, vectors=VECTORS, samples=1000, kills=6) == {}


@pytest.mark.needs("built client")
def test_the_typescript_client_passes():
    """The same of the one for browsers, in Node."""
    command = (NODE, str(PACKAGE / "test" / "conform.js"))
    assert verdicts(command, vectors=VECTORS, samples=1000, kills=6) == {}


def test_a_small_client_passes():
    """What the wrong ones are made of is right."""
    assert verdicts(SMALL, **FEW) == {}


@pytest.mark.parametrize(
    ("number", "point"),
    [
        pytest.param(number, point, id=client.__name__)
        for number, (client, point) in enumerate(wrong_clients.WRONG)
    ],
)
def test_a_wrong_client_fails_at_its_point(number, point, monkeypatch):
    """And at no other. What is lost is not waited for as long as it would be."""
    monkeypatch.setattr("subprocess.Popen", CopiedProcess)
    if wrong_clients.WRONG[number][0] is wrong_clients.ForgottenBeforeItLeaves:
        monkeypatch.setattr(kills, "LONGEST_PAUSE", 5.0)
    command = (sys.executable, wrong_clients.__file__, str(number))
    assert [*verdicts(command, **FEW)] == [point]


def test_every_point_can_be_failed():
    """There is a wrong client for each."""
    assert {point for _, point in wrong_clients.WRONG} == POINTS.keys()


def test_a_survey_of_ones_own_is_tried():
    """Its reports, their lengths and their law: of the notes app, whose law is written
    out.
    """
    survey = ROOT / "examples" / "notes" / "survey.toml"
    words = (
        "--only",
        "vectors",
        "--only",
        "lengths",
        "--only",
        "law",
        "--samples",
        200,
    )
    shown = run(*TEST, survey, *words, "--", *OURS)
    assert shown.output.count("pass") == 3
    assert run(*TEST, "--only", "lengths", "--", *OURS).output != shown.output


def test_every_mechanism_is_tried(tmp_path):
    """Reports, lengths and law of a question of each, by the client in Python.

    With 150 reports for an answer; false alarms of the whole below 1e-6.
    """
    questions = (
        f'[[question]]\nname = "{mechanism}"\nmechanism = "{mechanism}"\n{rows[0][0]}\n'
        for mechanism, rows in QUESTIONS.items()
    )
    survey = tmp_path / "survey.toml"
    survey.write_text(
        '[survey]\nname = "every"\n' + "".join(questions), encoding="utf-8"
    )
    words = (
        "--only",
        "vectors",
        "--only",
        "lengths",
        "--only",
        "law",
        "--samples",
        150,
    )
    assert run(*TEST, survey, *words, "--", *OURS).output.count("pass") == 3


def test_the_command_fails_with_its_client():
    """Exit code 1, and the point that failed; 2 where it is called wrongly."""
    number = next(
        n for n, (_, point) in enumerate(wrong_clients.WRONG) if point == "once"
    )
    wrong = (sys.executable, wrong_clients.__file__, number)
    shown = run(*TEST, "--only", "once", "--", *wrong, code=1)
    assert "FAIL  once" in shown.output
    assert "expected the command of a client" in run(*TEST, code=2).output
    assert "--only" in run(*TEST, "--only", "nothing", "--", *SMALL, code=2).output


@pytest.mark.parametrize(
    "command",
    [
        ("no such program",),
        (sys.executable, "-c", "pass"),
        (sys.executable, "-c", "print('hello')"),
        (sys.executable, "-c", 'print(\'{"refused": "unknown"}\')'),
        (sys.executable, "-c", "print('{}')"),
    ],
)
def test_what_is_no_client_is_told_in_a_line(command):
    """No traceback, whatever it says instead."""
    assert "expected" in run(*TEST, "--", *command, code=1).output


def test_what_is_noticed_is_said():
    """As with n reports: at 10,000 and a level of 1e-8, about 9 halves of a standard
    deviation.
    """
    assert abs(detectable(10_000, 1e-8) - (5.73 + 3.09) / 200) < 1e-3
