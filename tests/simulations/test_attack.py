"""Simulated poisoning: gains stay within the published bound, and come up to it.

A forged report is worth the same in every run, so most of this is exact; honest tallies
are drawn, and cancel out.
"""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from calling import ldp, run
from specimens import MEANS, question

from lab.endurance.poisonings import (
    DESIGNED,
    QUESTIONS,
    ROUNDING,
    drawn_attack,
    violations,
)
from ldp_aggregator.answers.results.manipulation import decoded_reports, score_range
from ldp_aggregator.decoders.marginals.marginals import values_of
from ldp_aggregator.tallies.counting.counting import empty_counts, faults, total_reports
from ldp_simulations.attacks.attack import (
    ATTACKS,
    INPUT,
    MAXIMAL_GAIN,
    RANDOM,
    Attack,
    forged_counts,
    simulate_attack,
    usual_targets,
)
from ldp_simulations.field_holders import FieldHolders
from ldp_simulations.holders import Holders, SetHolders, apportion, holders_of
from ldp_simulations.population import points_of
from ldp_simulations.reports.form import Wanted
from ldp_simulations.reports.rows import random_rows
from ldp_simulations.sampling.table import crafted_rows

LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
HEAD = '[survey]\nname = "s"\n'
PETS = 'type = "category"\nvalues = ["cat", "dog", "rat", "hen"]\nepsilon = 1\n'
PET = f'[[question]]\nname = "pet"\nmechanism = "oue"\n{PETS}'
AGED = (
    '[[question]]\nname = "aged"\ntype = "boolean"\nmechanism = "warner"\nepsilon = 1\n'
)
PAGE = (
    '[[question]]\nname = "page"\ntype = "text"\n'
    'candidates = "pages.txt"\nmechanism = "rappor"\np = "0.25"\n'
    'q = "0.75"\nf = "0.5"\nbloom_bits = 32\nhashes = 2\ncohorts = 4\n'
)


def attacked(
    mechanism, kind, targets, hashes=None, respondents=2600, forged=400, epsilon=1
):
    """(the attack, its outcome) on 26 values, all but the last 16 held by as many."""
    asked = question(
        mechanism, f'type = "category"\nvalues = {list(LETTERS)}\nepsilon = {epsilon}'
    )
    holders = Holders(
        LETTERS, apportion(respondents, (np.arange(26) < 10).astype(float))
    )
    attack = Attack(asked, holders, targets, forged=forged, kind=kind, hashes=hashes)
    return attack, simulate_attack(attack, np.random.default_rng(7))


def test_no_gain_is_beyond_the_bound():
    """A hundred random attacks on every mechanism move no estimate beyond what is
    published.
    """
    problems, kinds = violations(120, seed=2)
    assert problems == []
    assert kinds.keys() == set(ATTACKS)


def test_a_bound_that_is_too_small_is_caught():
    """The same attacks go beyond a bound that is 1 % too small."""
    assert violations(120, seed=2, bound=lambda outcome: 0.99 * outcome.bound)[0]


OF_FREQUENCIES = [
    name for name, asked in QUESTIONS.items() if asked.randomizer.kind not in MEANS
]
OF_A_MEAN = [
    name
    for name, asked in QUESTIONS.items()
    if name not in OF_FREQUENCIES and asked.domain.ball is None
]


@pytest.mark.parametrize(
    "name", [name for name in OF_FREQUENCIES if name.endswith("-1")]
)
def test_the_maximal_gain_is_the_greatest_score(name):
    """On a value that no one holds, forged reports have the greatest score that there
    is.
    """
    asked, most = QUESTIONS[name], 0.0
    values = asked.domain.values or ("aa", "b", "ab")
    if asked.domain.collect:
        values = values_of(asked)
    generator = np.random.default_rng(3)
    inner = () if asked.domain.taxonomy is None else asked.domain.taxonomy.inner
    for target in range(len(inner) + len(values)):
        counts = np.where(np.arange(len(values)) == target - len(inner), 0, 300)
        if inner:
            below = (
                target in asked.domain.taxonomy.path(len(inner) + x)
                for x in range(len(values))
            )
            counts = np.where([*below], 0, 300)
        if asked.domain.collect:
            holders = _without(asked.domain, target)
        elif asked.domain.most is None:
            holders = holders_of(asked.domain, values, counts)
        else:
            holders = SetHolders(
                values, counts, tuple((place,) for place in range(len(values)))
            )
        attack = Attack(asked, holders, (target,), forged=120, kind=MAXIMAL_GAIN)
        forged = decoded_reports(
            asked.randomizer, forged_counts(attack, np.random.default_rng(3))
        )
        outcome = simulate_attack(attack, generator)
        if asked.randomizer.kind == "search":
            # Who of the honest is held out varies, and so does the share that is
            # forged.
            assert outcome.gain[target] <= outcome.bound
            continue
        most = max(most, outcome.gain[target] * (holders.respondents + 120) / forged)
    greatest = float(score_range(asked.randomizer)[1])
    if asked.randomizer.kind != "search":
        assert most == pytest.approx(greatest, rel=1e-9)


def _without(domain, target):
    """Respondents who hold the first value of each field, or the second if that is the
    target.
    """
    firsts = np.cumsum([0, *(field.size for field in domain.fields)])[:-1]
    return FieldHolders.holding(
        domain, (firsts == target)[None].astype(int), np.array([300])
    )


@pytest.mark.parametrize("name", OF_A_MEAN)
@pytest.mark.parametrize("end", [0, -1])
def test_a_mean_is_moved_as_far_as_its_bound(name, end):
    """Reports of greatest worth against people at the other end: the bound, to the last
    digit.
    """
    asked = QUESTIONS[name]
    values = points_of(asked.domain)
    counts = np.zeros(len(values), dtype=np.int64)
    counts[-1 - end] = 300
    attack = Attack(
        asked,
        Holders(values, counts),
        (end % len(values),),
        forged=120,
        kind=MAXIMAL_GAIN,
    )
    outcome = simulate_attack(attack, np.random.default_rng(3))
    towards = 1 if end else -1
    assert outcome.gain.shape == attack.truth.shape == (1,)
    assert towards * outcome.gain[0] == pytest.approx(outcome.bound, rel=1e-9)
    assert attack.estimates == ((0, "mean"),)
    for kind in (RANDOM, INPUT):
        other = simulate_attack(replace(attack, kind=kind), np.random.default_rng(4))
        assert abs(other.gain[0]) <= other.bound * (1 + ROUNDING)


def test_a_scale_of_many_points_is_attacked_by_coarser_ones():
    """Targets among the points that can be listed pull to the end that they are
    near.
    """
    asked = question(
        "dithered", 'type = "number"\nlow = 0\nhigh = 1e9\nstep = 1\nepsilon = 1'
    )
    values = points_of(asked.domain)
    holders = Holders(values, apportion(1000, np.ones(len(values))))
    gains = {}
    for target in (1, len(values) - 2):
        attack = Attack(asked, holders, (target,), forged=100, kind=MAXIMAL_GAIN)
        gains[target] = simulate_attack(attack, np.random.default_rng(5)).gain[0]
    low, high = gains.values()
    assert low < 0 < high
    assert usual_targets(asked, holders) == (len(values) - 1,)
    holders.counts[0] = 10**6
    assert usual_targets(asked, holders) == (len(values) - 1,)
    holders.counts[-1] = 10**7
    assert usual_targets(asked, holders) == (0,)


@pytest.mark.parametrize("targets", [(20,), tuple(range(8, 18))])
def test_gains_are_the_published_ones(targets):
    """The overall gains of Cao, Jia and Gong 2021, Table 1: of MGA on GRR and OUE,
    exactly.
    """
    size, r, beta, e = 26, len(targets), 400 / 3000, np.e
    for mechanism, expected in (
        ("grr", lambda share: beta * (1 - share) + beta * (size - r) / (e - 1)),
        ("oue", lambda share: beta * (2 * r - share) + 2 * beta * r / (e - 1)),
    ):
        attack, outcome = attacked(mechanism, MAXIMAL_GAIN, targets)
        share = attack.truth[list(targets)].sum()
        assert outcome.gain[list(targets)].sum() == pytest.approx(
            expected(share), rel=1e-9
        )
    # Forgers who keep to the protocol gain beta (1 - held), whatever the mechanism; 6
    # standard errors of 400 reports.
    for mechanism in ("grr", "oue", "olh", "hr", "pgr", "ss"):
        attack, outcome = attacked(mechanism, INPUT, targets)
        noise = 6 * beta * np.sqrt(r * 60 / 400)
        assert outcome.gain[list(targets)].sum() == pytest.approx(
            beta * (1 - share), abs=noise
        )


@pytest.mark.parametrize(
    "name", [name for name in DESIGNED if name.endswith(("-1", "-4"))]
)
@pytest.mark.parametrize("kind", ATTACKS)
def test_forged_reports_are_admitted(name, kind):
    """Nothing in a forged report's shape gives it away, and there are as many as were
    asked for.
    """
    asked, generator = DESIGNED[name], np.random.default_rng(4)
    attack = drawn_attack(asked, generator)
    forged = forged_counts(
        Attack(asked, attack.holders, attack.targets, forged=30, kind=kind), generator
    )
    assert total_reports(forged, asked.layout) == 30
    assert forged.shape == empty_counts(asked.layout).shape
    texts = [attack.values[target] for target in attack.targets]
    make = {
        RANDOM: partial(random_rows, asked.layout, 30),
        MAXIMAL_GAIN: partial(
            crafted_rows,
            asked.randomizer,
            Wanted(np.array(attack.targets), texts, 30, hashes=10),
        ),
    }
    if kind in make:
        rows = make[kind](generator)
        assert rows.shape == (30, asked.layout.width)
        assert faults(rows, asked.layout) == []


def test_vectors_look_normal():
    """A forged vector has as many ones as an honest one, where its targets leave
    room.
    """
    asked = question("oue", f'type = "category"\nvalues = {list(LETTERS)}\nepsilon = 1')
    wanted = Wanted(np.array([3, 5]), (), 200, hashes=1)
    rows = crafted_rows(asked.randomizer, wanted, np.random.default_rng(5))
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    p, q = asked.randomizer.support
    assert set(bits.sum(axis=1)) == {round(float(p + 25 * q))}
    assert bits[:, [3, 5]].all()


def test_fewer_hash_functions_gain_less():
    """A forger who chooses any hash function has all targets in a bucket, of ten
    fewer.
    """
    targets = (0, 3, 9, 14, 25)
    gains = [
        attacked("olh", MAXIMAL_GAIN, targets, hashes=hashes)[1]
        for hashes in (None, 10, 1)
    ]
    free, some, one = (outcome.gain[list(targets)].sum() for outcome in gains)
    attack, _ = attacked("olh", MAXIMAL_GAIN, targets)
    most = float(score_range(attack.question.randomizer)[1])
    assert free == pytest.approx(
        400 / 3000 * (5 * most - attack.truth[list(targets)].sum()), rel=1e-9
    )
    assert free > 1.2 * some > 1.5 * one > 0


def test_hadamard_reports_that_support_all_are_noticed():
    """Symbol 0 of `hr` supports every value, and those in numbers are noticed; guesses
    are not.
    """
    targets = tuple(range(16, 26))
    assert "payloads" in attacked("hr", MAXIMAL_GAIN, targets)[1].noticed
    assert attacked("hr", RANDOM, targets)[1].noticed == ()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "s.toml").write_text(HEAD + PET + AGED + PAGE)
    (tmp_path / "pages.txt").write_text("a.example\nb.example\nc.example\nd.example\n")
    (tmp_path / "pgr.toml").write_text(HEAD + PET.replace("oue", "pgr"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_command_shows_gain_beside_bound(folder):
    """Every question and attack, truth, estimates, gain and bound, what was noticed.

    No bound for a Bloom filter.
    """
    output = ldp("survey simulate-attacks s.toml --runs 2 --seed 3 -n 2000").stdout
    for word in (
        "pet: oue, 105 forged reports beside 2,000 honest ones",
        "maximal-gain",
        "rat",
        "noticed by",
        "bound",
    ):
        assert word in output
    assert (
        output == ldp("survey simulate-attacks s.toml --runs 2 --seed 3 -n 2000").stdout
    )
    records = json.loads(
        ldp("survey simulate-attacks s.toml --seed 3 -n 2e3 --format json").stdout
    )["attacks"]
    assert [record["question"] for record in records] == ["pet"] * 3 + ["aged"] * 3 + [
        "page"
    ] * 3
    for poisoning in records:
        assert poisoning["forged"] == 105
        for target in poisoning["targets"]:
            assert (target["bound"] is None) == (poisoning["question"] == "page")
            assert (
                target["bound"] is None
                or abs(target["furthest_gain"]) <= target["bound"]
            )


def test_command_attacks_a_mean(folder):
    """A question for a mean alone: the shift of its mean beside the bound, to the end
    asked for.
    """
    keys = 'type = "integer"\nlow = 0\nhigh = 60\nepsilon = 1\n'
    hours = f'[[question]]\nname = "hours"\nmechanism = "dithered"\n{keys}'
    (folder / "means.toml").write_text(HEAD + hours)
    words = ("--seed", "3", "-n", "2e3", "--runs", "2")
    assert (
        "mean to 60" in run("survey", "simulate-attacks", "means.toml", *words).stdout
    )
    words += ("--targets", "5", "--format", "json")
    for poisoning in json.loads(
        run("survey", "simulate-attacks", "means.toml", *words).stdout
    )["attacks"]:
        (shift,) = poisoning["targets"]
        assert (shift["value"], poisoning["towards"]) == ("mean", ["5"])
        assert abs(shift["furthest_gain"]) <= shift["bound"]
        assert (poisoning["attack"] == MAXIMAL_GAIN) == (poisoning["noticed"] != {})


def test_targets_choose_their_question(folder):
    """Targets are attacked where they are values; one attack alone where it is
    named.
    """
    words = (
        "--targets",
        "dog, hen",
        "--method",
        "input",
        "--format",
        "json",
        "-n",
        "1000",
    )
    (only,) = json.loads(run("survey", "simulate-attacks", "s.toml", *words).stdout)[
        "attacks"
    ]
    assert (only["question"], only["attack"]) == ("pet", "input")
    assert [target["value"] for target in only["targets"]] == ["dog", "hen"]


AUTO = 'mechanism = "auto"\nepsilon = 1\n'
DRAWN = (
    (
        '[[question]]\nname = "hours"\ntype = "number"\nlow = 0\nhigh = 60\ngoal = '
        f'"mean"\n{AUTO}'
    ),
    f'[[question]]\nname = "age"\ntype = "integer"\nlow = 0\nhigh = 31\n'
    f'goal = "distribution"\n{AUTO}',
    f'[[question]]\nname = "pet"\nmechanism = "grr"\n{PETS}',
)
DRAW = '[[draw]]\nquestions = ["hours", "age", "pet"]\nweights = [1, 1, 2]\n'


@pytest.mark.parametrize(
    ("name", "share"), [("hours", 0.25), ("age", 0.25), ("pet", 0.5)]
)
def test_forgers_of_a_draw_are_a_larger_share_of_its_reports(folder, name, share):
    """All of them answer one question, and a share of the honest devices does: b / (b +
    (1-b) s).

    With 100,000 honest devices the number of those who draw it has a standard error
    below 0.7 %; 4
    %, or 6 of these, are far from what is expected of forgers who draw as well, or of devices that
    all answer.
    """
    (folder / "d.toml").write_text(HEAD + "".join(DRAWN) + DRAW)
    (folder / "all.toml").write_text(HEAD + "".join(DRAWN))
    words = ("--seed", "3", "-n", "1e5", "--fraction", "0.02", "--question", name)
    command = ("--format", "json", "--method", "maximal-gain")
    (drawn,), (asked,) = (
        json.loads(run("survey", "simulate-attacks", path, *words, *command).stdout)[
            "attacks"
        ]
        for path in ("d.toml", "all.toml")
    )
    assert drawn["respondents"] == asked["respondents"] == 100_000
    assert drawn["forged"] == asked["forged"] == 2041
    assert (drawn["drawn"], "drawn" in asked) == (
        "1/4" if share == 0.25 else "1/2",
        False,
    )
    more = 1 / (0.02 + 0.98 * share)
    for target, other in zip(drawn["targets"], asked["targets"], strict=True):
        assert target["bound"] == pytest.approx(more * other["bound"], rel=0.04)
    # Which of the targets has the more of it is drawn.
    gains = [
        sum(target["gain"] for target in record["targets"]) for record in (drawn, asked)
    ]
    assert gains[0] == pytest.approx(more * gains[1], rel=0.04)
    assert drawn["noticed"]["draw"] == 1
    shown = run("survey", "simulate-attacks", "d.toml", *words).stdout
    assert (
        f"honest ones, drawn by a share of {drawn['drawn']} of these, 1 runs" in shown
    )
    assert (
        "forgers answer the question that they attack, whatever they would draw"
        in shown
    )


def test_forgers_who_keep_to_the_protocol_draw(folder):
    """Those of `input` answer as often as honest devices: nothing is noticed."""
    (folder / "d.toml").write_text(HEAD + "".join(DRAWN) + DRAW)
    words = (
        "--seed",
        "3",
        "-n",
        "1e5",
        "--runs",
        "3",
        "--method",
        "input",
        "--format",
        "json",
    )
    for record in json.loads(
        run("survey", "simulate-attacks", "d.toml", *words).stdout
    )["attacks"]:
        assert record["noticed"] == {}
        for target in record["targets"]:
            assert abs(target["furthest_gain"]) <= target["bound"]
    assert (
        "none of these drew"
        in ldp("survey simulate-attacks d.toml -n 1 --seed 1", code=1).output
    )


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("none.toml",), 1, "No such file: none.toml"),
        (
            ("s.toml", "--question", "zoo"),
            1,
            "(pet, aged, page), got 'zoo'",
        ),
        (
            ("s.toml", "--targets", "cat,unicorn"),
            1,
            "expected --targets to be values of a question",
        ),
        (
            ("s.toml", "--targets", "cat", "--question", "aged"),
            1,
            "expected --targets to be values of a question",
        ),
        (
            ("s.toml", "--targets", ""),
            1,
            "expected --targets to be values of a question",
        ),
        (
            ("s.toml", "--fraction", "1"),
            2,
            "expected a number from 1e-06 to 0.99, got '1'",
        ),
        (
            ("s.toml", "--fraction", "0.99", "-n", "1e9"),
            1,
            "expected at most 10,000,000 forged reports",
        ),
        (("s.toml", "--hashes", "0"), 2, "expected a number from 1 to 100000"),
        (("s.toml", "--distribution", "zipf"), 1, "after the colon"),
        (("s.toml", "--method", "bribe"), 2, "bribe"),
    ],
)
def test_bad_calls(folder, words, code, expected):
    """What cannot be attacked is said in a sentence."""
    assert expected in run("survey", "simulate-attacks", *words, code=code).output
