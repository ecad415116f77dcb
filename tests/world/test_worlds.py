"""The whole, simulated: a share of what `python -m lab.world` lives through."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from click.testing import CliRunner

from lab.world import __main__ as command
from lab.world.bugs import BUGS
from lab.world.machines.faults import FAULTS, Faults, missing
from lab.world.machines.fibers import Hub
from lab.world.machines.substitutes import simulated
from lab.world.runs import rules_broken, run, verdict
from lab.world.scenario import REAL_FILES, scenario
from lab.world.shrinking import shrink
from lab.world.world import live

SHARE = 300
WITHIN = 40
"""Seeds within which each defect is found."""
RULES = {
    "early-acknowledgement": "counted",
    "id-forgotten": "counted",
    "pause-lost": "pause",
    "double-turn": "tally",
    "epoch-closed-early": "late",
    "shown-early": "shown",
    "uncharged": "ledger",
    "page-stale": "page",
    "shared-fingerprints": "tally",
    "jumps-believed": "late",
    "pauses-forgotten": "pause",
}
"""What each of them breaks."""
ON_FILES = REAL_FILES - 1
REPLAYED = (1, 2, ON_FILES)


def test_a_share_of_the_worlds_is_sound():
    """In each everything is true that has to be, and together every kind of fault has
    happened.
    """
    runs = run(0, SHARE)
    assert runs.failures == ()
    assert missing(runs.faults) == []
    assert runs.batches > 5 * SHARE


def test_all_that_fail_are_counted():
    """Also beyond those of which it is told what was wrong."""
    runs = run(0, 25, "uncharged")
    assert len(runs.failures) == 20
    assert runs.failed > 20
    assert runs.plus(runs).failed == 2 * runs.failed


@pytest.mark.parametrize("seed", [64_772])
def test_worlds_that_once_failed_are_sound(seed):
    """A backup of an app that had not sent yet had a secret that a loss of power then
    took.
    """
    assert verdict(scenario(seed)).wrong == ()


def test_every_defect_has_a_rule():
    """None is put in of which nobody says how it shows."""
    assert RULES.keys() == BUGS.keys()


@pytest.mark.parametrize("bug", RULES)
def test_defects_are_found(bug):
    """Each within some seeds, by the rule that it breaks; without it these are
    sound.
    """
    broken = (
        seed
        for seed in range(WITHIN)
        if RULES[bug] in rules_broken(scenario(seed), bug)
    )
    seed = next(broken)
    assert verdict(scenario(seed)).wrong == ()


@pytest.mark.parametrize("seed", [81, 111])
def test_the_store_in_memory_does_what_sqlite_does(seed):
    """A world goes the same way, byte for byte, on either of them, with crashes and
    torn logs.
    """
    world = scenario(seed)._replace(shared=False)
    in_memory, on_files = [live(world._replace(files=files)) for files in (False, True)]
    assert in_memory.faults["service crash"]
    assert in_memory.faults["torn write"]
    assert on_files.trace == in_memory.trace
    assert on_files.faults == in_memory.faults


def test_worlds_come_again_byte_for_byte():
    """In another process, whose sets are in another order, too."""
    code = (
        "from lab.world.runs import verdict\n"
        "from lab.world.scenario import scenario\n"
        f"print(*(verdict(scenario(seed)).digest for seed in {REPLAYED}))"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    assert answer.stdout.split() == [
        verdict(scenario(seed)).digest for seed in REPLAYED
    ]


def test_a_failing_world_gets_smaller_and_still_fails():
    """What is left of it breaks the same rule, by what that takes; less of it breaks
    none.
    """
    world = scenario(7)
    small, tries = shrink(world, lambda smaller: rules_broken(smaller, "pause-lost"))
    assert rules_broken(small, "pause-lost") == {"pause"}
    assert small.size < world.size / 2
    assert tries < 200
    for place in range(len(small.events)):
        left = small.events[:place] + small.events[place + 1 :]
        assert not rules_broken(small._replace(events=left), "pause-lost")


def test_a_fault_that_never_happens_fails_a_run():
    """One world has not seen them all; the command says which, and exits with 1."""
    answer = CliRunner().invoke(command.main, ["--seeds", "3:4"])
    assert answer.exit_code == 1
    assert "expected a fault that happens, got none of: torn write" in answer.output
    assert missing(Counter(FAULTS)) == []


def test_a_failing_seed_is_told_and_replayed():
    """With what is wrong, and a trace of the smaller world."""
    answer = CliRunner().invoke(
        command.main, ["--replay", "0", "--bug", "shared-fingerprints"]
    )
    assert answer.exit_code == 1
    assert "seed 0 fails" in answer.output
    assert "wrong: tally: " in answer.output
    sound = CliRunner().invoke(command.main, ["--replay", "0"])
    assert sound.exit_code == 0
    assert sound.output.splitlines()[-1] == f"trace {verdict(scenario(0)).digest}"


@pytest.mark.parametrize(
    "arguments", [[], ["--seeds", "3"], ["--seeds", "1:2", "--replay", "1"]]
)
def test_what_cannot_be_run_is_refused(arguments):
    """One range of seeds, or one seed."""
    answer = CliRunner().invoke(command.main, arguments)
    assert answer.exit_code == 2
    assert "expected" in answer.output


def test_faults_have_names():
    """One that is not in the table is a mistake."""
    with pytest.raises(KeyError):
        Faults().happened("something else")


def test_shipped_code_is_as_it_was_afterwards():
    """Whatever stands in for its threads and clocks goes when a world ends."""
    from ldp_service.counting import writer

    before = vars(writer).copy()
    with simulated(Hub(0.0)):
        assert vars(writer) != before
    assert vars(writer) == before
