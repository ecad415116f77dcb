"""Files of the TypeScript client that are restored from a backup: one report, which
counts once.
"""

import json
import shutil
import subprocess

import pytest
from js_client import NODE
from surveys import survey_of, yes_no
from test_js_client import run_js

from ldp.survey.compiled import compile_survey
from ldp.wire.wire import FrameReader, decode_batch
from ldp_aggregator import Ingest

pytestmark = pytest.mark.needs("node", "built client")

CITY = (
    'name = "city"\ntype = "category"\nvalues = ["Aachen", "Bonn", "Celle", '
    '"Dresden"]\n'
    'mechanism = "grr"\nepsilon = "0.5"\n'
)
MOOD = yes_no("mood", "0.5")
LIVES = 8


def has_sqlite():
    """Whether this node has a library for SQLite."""
    script = "process.exit(process.getBuiltinModule?.('node:sqlite') ? 0 : 1)"
    return (
        NODE is not None
        and subprocess.run([NODE, "-e", script], check=False).returncode == 0
    )


@pytest.fixture(
    params=[
        "file",
        pytest.param(
            "sqlite",
            marks=pytest.mark.skipif(not has_sqlite(), reason="needs node 22.5"),
        ),
    ]
)
def lived(tmp_path, request):
    """A device whose file is restored before each session; gives what a session
    sends.
    """
    survey = survey_of(CITY, MOOD)
    backup, state = tmp_path / "backup", tmp_path / "state"

    def session(path, answers, **settings):
        lines = run_js(
            "restored.js",
            survey=json.dumps(compile_survey(survey)),
            path=str(path),
            kind=request.param,
            answers=answers,
            settings=settings,
        )
        return [bytes.fromhex(line) for line in lines.decode().split()]

    # The app was opened once, and asked nothing.
    session(backup, {})

    def restored(answers, **settings):
        for leftover in tmp_path.glob("state*"):
            leftover.unlink()
        shutil.copy(backup, state)
        return session(state, answers, **settings)

    return survey, restored


def batches_of(payloads):
    return [
        decode_batch(payload)
        for file in payloads
        for payload in FrameReader().feed(file)
    ]


def test_a_collector_counts_a_restored_report_once(lived):
    """Eight lives send the same bytes under the same ids: one report, and seven
    duplicates.
    """
    survey, restored = lived
    lives = [restored({"city": "Bonn", "mood": True}) for _ in range(LIVES)]
    assert len({frozenset(life) for life in lives}) == 1
    ingest = Ingest(survey)
    ingest.feed(b"".join(payload for life in lives for payload in life))
    assert [ingest.tally.reports(name) for name in ("city", "mood")] == [1, 1]
    assert ingest.tally.intake.duplicate == 2 * (LIVES - 1)


def test_without_it_each_life_counts(lived):
    """With `rollbackSafe: false` eight lives are eight reports."""
    survey, restored = lived
    lives = [restored({"city": "Bonn"}, rollbackSafe=False) for _ in range(LIVES)]
    ingest = Ingest(survey)
    ingest.feed(b"".join(payload for life in lives for payload in life))
    assert ingest.tally.reports("city") == LIVES
    assert len({batch.id for life in lives for batch in batches_of(life)}) == LIVES


def test_a_changed_answer_is_a_report_of_its_own(lived):
    """Reports that differ have ids that do; those that are the same have one."""
    _, restored = lived
    batches = [
        batch
        for answer in ("Aachen", "Bonn", "Celle", "Dresden")
        for batch in batches_of(restored({"city": answer}))
    ]
    assert len(batches) == 4
    assert len({batch.id for batch in batches}) == len(
        {batch.rows for batch in batches}
    )
