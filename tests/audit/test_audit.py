"""`ldp client test`: honest clients raise no alarm, each broken one does, hostile ones
are errors.

False alarms of an audit: 1e-6 at most. The broken clients are asked ten times as often
as it takes on average for the bound of epsilon to pass what is declared, or are found
with certainty.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import broken_clients
import numpy as np
import pytest
from calling import ldp, run
from children import CopiedProcess
from js_client import NODE, PACKAGE

from lab import audit_trials
from ldp import parse_survey
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp_simulations.audit.auditing import Audit, AuditEffort
from ldp_simulations.audit.bounds import expected_epsilon, greatest_chance, least_chance
from ldp_simulations.audit.clients.client import Audited
from ldp_simulations.audit.lives import POINTS
from ldp_simulations.audit.tapes import exact

OURS = [sys.executable, "-m", "ldp_simulations.audit.python_client"]
COIN = (
    '[[question]]\nname = "coin"\ntype = "boolean"\nmechanism = "grr"\nepsilon = "1"\n'
)
VALUES = ", ".join(f'"v{number}"' for number in range(9))
BITS = (
    f'[[question]]\nname = "bits"\ntype = "category"\nvalues = [{VALUES}]\nmechanism = '
    '"oue"\n'
    'epsilon = "1"\n'
)
KEPT = (
    '[[question]]\nname = "kept"\ntype = "boolean"\nmechanism = "l-grr"\nepsilon_first '
    '= "1"\n'
    'epsilon_lifetime = "2"\n'
)
SLIGHT = KEPT.replace('"1"', '"0.9"').replace('"2"', '"1"')
"""Permanent responses with little noise behind them."""
DAILY = 'epoch = "1d"\n' + COIN
COINS = COIN + COIN.replace('"coin"', '"other"')
TOGETHER = 'joint = ["coin", "other"]\n' + COINS
HASHED = (
    f'[[question]]\nname = "hashed"\ntype = "category"\nvalues = [{VALUES}]\n'
    'mechanism = "rappor"\nbloom_bits = 16\nhashes = 2\ncohorts = 64\n'
    'p = "0.5"\nq = "0.75"\nf = "0.5"\n'
)
THREE = COINS + COIN.replace('"coin"', '"third"')
MANY = ", ".join(f'"v{number}"' for number in range(100))
BROKEN = {
    "OnlySet": (BITS, 12_600),
    "FromAll": (COIN, 2_500),
    "LastClear": (BITS, 500),
    "Constant": (COIN, 200),
    "Seeded": (COIN, 200),
    "Inherits": (COIN, 200),
    "Forgets": (COIN, 200),
    "Silent": (BITS, 200),
    "NumbersIds": (COIN, 200),
    "OneClear": (BITS.replace("oue", "grr"), 200),
    "TwoOfOne": (BITS, 200),
    "IdsAlike": (COIN, 200),
    "IdsBeside": (COIN, 2_000),
    "Yesterday": (DAILY, 200),
    "Ahead": (COIN, 200),
    "Redraws": (KEPT, 800),
    "RedrawsBehind": (KEPT, 1_000),
    "Sorts": (COINS, 200),
    "Copies": (TOGETHER, 200),
    "OneCohort": (HASHED, 6_400),
    "Again": (COIN, 4_000),
    "ByTheHour": (COIN, 2_000),
    "ThirdAsFirst": ('joint = ["coin", "other", "third"]\n' + THREE, 200),
    "ThirdAsFirstAlone": (THREE, 200),
    "Modulo": (BITS.replace("oue", "grr").replace(VALUES, MANY), 4_000),
    "AliasOff": (BITS.replace("oue", "grr"), 2_000),
    "OneMemo": (SLIGHT + SLIGHT.replace('"kept"', '"kept-too"'), 300),
    "IdParity": (COIN, 10_000),
    "Unasked": (COIN + BITS, 200),
    "FirstAlone": (COINS, 200),
    "SecondByFirst": (COINS, 200),
    "Correlated": (BITS, 5_000),
    "ClearWhereKept": (COIN, 200),
}

TRIED = {"OneClear": 9}
"""How many answers it takes."""
AT_POINTS = {
    "ClearWhereKept": "states",
    "Forgets": "twice",
    "Seeded": "processes",
    "Inherits": "forks",
    "Ahead": "forks",
    "Redraws": "sequences",
    "RedrawsBehind": "sequences",
    "Sorts": "questions",
    "Copies": "questions",
    "ThirdAsFirst": "questions",
    "ThirdAsFirstAlone": "questions",
    "OneMemo": "questions",
    "FirstAlone": "questions",
    "SecondByFirst": "questions",
}


def broken(name):
    return [sys.executable, broken_clients.__file__, name]


def verdict_of(command, questions, draws, folder, **settings):
    survey = parse_survey(f'[survey]\nname = "audited"\n{questions}')
    audit = Audit(
        Audited(command, survey, folder, timeout=60), AuditEffort(draws), **settings
    )
    assert [*audit.steps()][-1] == draws
    return audit.verdict()


def test_the_python_client_raises_no_alarm(tmp_path):
    """Single questions, a kept one, and rows: every point that there is passes."""
    verdict = verdict_of(OURS, COIN + KEPT, 200, folder=tmp_path)
    assert verdict.alarms == ()
    assert [point.verdict for point in verdict.points if point.name != "epochs"] == [
        "pass"
    ] * 8


def test_groups_and_epochs(tmp_path):
    """A row of two questions, in a survey with epochs."""
    head = '[survey]\nname = "audited"\nepoch = "1d"\njoint = ["coin", "bits"]\n'
    survey = parse_survey(head + COIN + BITS)
    audit = Audit(Audited(OURS, survey, tmp_path, timeout=60), AuditEffort(300))
    list(audit.steps())
    assert audit.verdict().alarms == ()


@pytest.mark.needs("built client")
def test_the_typescript_client_raises_no_alarm(tmp_path):
    """The same command; what it does not do is skipped, and said to be."""
    command = [NODE, str(PACKAGE / "test" / "audit.js")]
    verdict = verdict_of(command, COIN + KEPT, 100, folder=tmp_path)
    assert verdict.alarms == ()
    assert {point.name for point in verdict.points if point.verdict == "skip"} == {
        "forks",
        "epochs",
    }


@pytest.mark.needs("built client")
def test_rows_of_the_typescript_client(tmp_path):
    """Questions that are answered together, by the client that apps embed."""
    command = [NODE, str(PACKAGE / "test" / "audit.js")]
    assert verdict_of(command, TOGETHER, 200, folder=tmp_path).alarms == ()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_client_raises_an_alarm(name, tmp_path, monkeypatch):
    """Each is found, as a command, by draws or at its point."""
    monkeypatch.setattr("subprocess.Popen", CopiedProcess)
    questions, draws = BROKEN[name]
    points = {}
    if name in AT_POINTS:
        points = {point: POINTS[point] for point in (AT_POINTS[name],)}
    monkeypatch.setattr("ldp_simulations.audit.auditing.POINTS", points)
    answers = TRIED.get(name, 3)
    verdict = verdict_of(
        broken(name), questions, draws, folder=tmp_path, answers=answers
    )
    assert not verdict.passes
    if name in ("OnlySet", "FromAll", "LastClear"):
        assert any("epsilon is at least" in alarm for alarm in verdict.alarms)


def test_every_broken_client_is_tried():
    """None is left out."""
    assert BROKEN.keys() == broken_clients.BROKEN.keys()


@pytest.mark.parametrize(
    ("name", "said", "timeout"),
    [
        ("dies", "got 1: of something", "60"),
        ("hangs", "within 2 s", "2"),
        ("garbage", "got something else at byte 0", "60"),
        ("floods", "expected at most", "60"),
        ("says-nothing", "got no output", "60"),
        ("leaves-one", "within 2 s", "2"),
        ("shouts", "got no output", "60"),
    ],
)
def test_a_hostile_command_is_an_error(name, said, timeout, tmp_path):
    """It is told what was expected, soon, and there is no traceback."""
    path = tmp_path / "survey.toml"
    path.write_text(f'[survey]\nname = "audited"\n{COIN}', encoding="utf-8")
    words = ("--timeout", timeout, "--budget", "100")
    done = run("client", "test", path, *words, "--", *broken(name), code=1)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_writes_all_it_has(tmp_path, monkeypatch):
    """JSON, a badge, a file of counts that is taken up again; exit code 3 of a broken
    client.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ldp_simulations.audit.auditing.POINTS", {})
    Path("survey.toml").write_text(
        f'[survey]\nname = "audited"\n{COIN}', encoding="utf-8"
    )
    words = ("client", "test", "survey.toml", "--resume", "counts.json", "-q")
    run(*words, "--budget", "200", "--badge", "audit.svg", "-o", "verdict.json")
    record = json.loads(Path("verdict.json").read_text())
    assert (record["verdict"], record["draws_of_each_answer"]) == ("no alarm", 200)
    assert record["questions"][0]["would_have_noticed"]["with_probability"] == 0.99
    assert "no alarm in 200 draws" in Path("audit.svg").read_text()
    again = run(*words, "--budget", "300", "--format", "json")
    assert json.loads(again.stdout)["draws_of_each_answer"] == 300
    assert json.loads(again.stdout)["look"] == 2
    client = ("--", *broken("Constant"))
    refused = run(*words, *client, code=1)
    assert "of an audit of the same client" in refused.stderr
    alarmed = run("client", "test", "survey.toml", "--budget", "200", *client, code=3)
    assert "ALARM" in alarmed.stdout
    assert "Constant" not in Path("verdict.json").read_text()
    ldp("client test survey.toml --budget few", code=2)


def test_bounds_are_those_of_clopper_and_pearson():
    """Their ends are where the binomial tails are alpha; figures are those of the
    literature.
    """
    from scipy.stats import binom

    low = float(least_chance(30, 100, 1e-6))
    high = float(greatest_chance(30, 100, 1e-6))
    assert binom.sf(29, 100, low) == pytest.approx(1e-6, rel=1e-6)
    assert binom.cdf(30, 100, high) == pytest.approx(1e-6, rel=1e-6)
    for mechanism, size, expected in (
        ("grr", 2, 0.989),
        ("grr", 100, 0.922),
        ("oue", 25, 0.981),
    ):
        chances = audit_trials.chances_of(mechanism, size, "1", draws=10**6)
        assert round(expected_epsilon(*chances, 10**6), 3) == expected


def test_trials():
    """A share of those behind docs/audit.md: no alarm of honest clients, every mistake
    found.
    """
    generator = np.random.default_rng(1)
    assert audit_trials.false_alarms("grr", 16, 20, generator=generator) == 0
    assert audit_trials.whole_alarms("grr", 16, 2, generator=generator) == 0
    assert (
        audit_trials.whole_alarms("grr", 16, 2, generator=SimpleNamespace(bytes=bytes))
        == 2
    )
    for mutant in audit_trials.mutants():
        assert audit_trials.count_detections(mutant, 50, generator) == 50


def test_every_tape_notices_a_wrong_sampler():
    """Small integers give their channel, as those of all classes do by the laws; others
    do not.
    """
    right, bits = RandomizedResponse(2, 3, 1).small()
    assert exact.differences(right, bits) == ""

    class Wrong(RandomizedResponse):
        def randomize(self, value, random):
            return (super().randomize(value, random) + 1) % self.size

    assert "drawn with" in exact.differences(Wrong(*right), bits)
