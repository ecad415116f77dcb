"""Plans for reports that a relay mixes: the inverse, the ceiling, and errors beside a
curator's.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
from calling import run

import ldp
from ldp.answers.domain import Domain
from ldp.mechanisms.blankets import blanket_of
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.privacy.batches import batch_epsilon
from ldp_aggregator.explanations.trusted_curator import curator_error, rare_count_error
from ldp_simulations.planning import shuffled_plan
from ldp_simulations.planning.kinds.planning import design_parts
from ldp_simulations.planning.shuffled_plan import (
    MECHANISMS,
    BatchWish,
    local_epsilon,
    plan_batches,
)

VALUES = Domain("category", tuple(map(str, range(20))))


def worth(mechanism, local, wish):
    """The epsilon of a batch of reports with this epsilon."""
    randomizer, _ = design_parts(MECHANISMS[mechanism], VALUES, str(local))
    return batch_epsilon(blanket_of(randomizer), wish.reports, wish.delta)


def test_the_inverse_is_the_largest_that_keeps_what_is_wanted():
    """A hundredth more would not; and no more than the ceiling, nor less than what is
    wanted.
    """
    wish = BatchWish(5_000, Fraction(1, 10**6), epsilon=Fraction(1, 10))
    local = local_epsilon("grr", VALUES, wish)
    assert 1 < local < 4
    assert worth("grr", local, wish) <= Fraction(101, 1000)
    assert worth("grr", local + Fraction(3, 100), wish) > Fraction(1, 10)
    assert (
        local_epsilon(
            "grr", VALUES, BatchWish(10**6, Fraction(1, 10**6), Fraction(1, 10))
        )
        == 4
    )
    few = BatchWish(3, Fraction(1, 10**6), epsilon=Fraction(1, 10))
    assert local_epsilon("grr", VALUES, few) == Fraction(1, 10)
    lifted = BatchWish(10**6, Fraction(1, 10**6), Fraction(1, 10), ceiling=Fraction(5))
    assert local_epsilon("grr", VALUES, lifted) == 5


def test_plans_are_sorted_by_error_and_keep_what_is_wanted(monkeypatch):
    """What is best for a batch comes first."""
    monkeypatch.setattr(shuffled_plan, "CONSIDERED", ("oue", "grr"))
    wish = BatchWish(50_000, Fraction(1, 10**6), epsilon=Fraction(3, 100))
    plans = plan_batches([("it", VALUES)], wish).plans
    assert [plan.error for plan in plans] == sorted(plan.error for plan in plans)
    assert {plan.mechanism for plan in plans} == {"grr", "oue"}
    assert all(plan.central <= wish.epsilon for plan in plans)
    assert plans[0].mechanism == "grr"


@pytest.mark.parametrize(
    ("epsilon", "delta", "error"),
    [(1, 1e-6, 5.97), (1, 1e-8, 7.21), (0.25, 1e-8, 27.05)],
)
def test_a_curators_error_is_that_of_the_analytic_gaussian_mechanism(
    epsilon, delta, error
):
    """Published figures, of very many values."""
    assert curator_error(epsilon, delta, 10**9) == pytest.approx(error, abs=0.005)
    assert curator_error(epsilon, delta, 2) == pytest.approx(error / 2**0.5, abs=0.005)


def test_shuffled_errors_are_as_large_as_the_formula_says():
    """20,000 batches of 5,000 reports: the count of a value that nobody holds, within 2
    %.

    A standard deviation of 20,000 draws is off by 2.5 % or more once in a million
    times; a formula that is 5 % off is found nearly always. The seed is fixed.
    """
    randomizer = RandomizedResponse(8, 7, 1)
    p, q = map(float, randomizer.support)
    draw = np.random.default_rng(11)
    counts = []
    for _ in range(20_000):
        reports = draw.multinomial(5_000, [p, *[q] * 7])
        # A batch is its histogram: whatever order a relay gives it, this is what is
        # counted.
        counts.append((reports[3] - 5_000 * q) / (p - q))
    error = rare_count_error(randomizer, 5_000)
    assert np.std(counts) == pytest.approx(error, rel=0.02)
    assert np.mean(counts) == pytest.approx(0, abs=5 * error / 20_000**0.5)


@pytest.mark.parametrize("blocks", [1, 2])
def test_errors_of_hadamard_response_count_those_in_the_block(blocks):
    """4,000 batches of 2,000 reports, within 6 %; without them it would be a third less
    or more.

    A standard deviation of 4,000 draws is off by 5.6 % once in a million times. The
    seed is fixed.
    """
    randomizer = HadamardResponse(8, blocks, 16, truth=11, other=4)
    rows = np.array(randomizer.channel().rows, dtype=float)
    # Half of the respondents hold a value of the first block, half one of the last.
    law = (rows[0] + rows[7]) / 2
    draw = np.random.default_rng(12)
    counts = draw.multinomial(2_000, law, size=4_000)
    # Scores of value 3: c where it is supported, -c elsewhere in its block.
    support = rows[3] > rows[3].min()
    width = len(law) // blocks
    own = int(np.flatnonzero(support)[0]) // width
    scores = np.zeros(len(law))
    scores[own * width : (own + 1) * width] = -1
    scores[support] = 1
    estimates = counts @ scores * float(randomizer.worth)
    assert np.std(estimates) == pytest.approx(
        rare_count_error(randomizer, 2_000), rel=0.06
    )


def test_the_command_prints_both_figures(tmp_path):
    """In a table and in JSON; of a survey's questions, and for a number of values."""
    said = run("plan", "--values", 20, "--shuffled", "3e4", "--epsilon", "1").output
    assert "a batch" in said
    assert "--local-ceiling" in said
    survey = tmp_path / "survey.toml"
    survey.write_text(
        ldp.survey("s", ldp.question("a", ["x", "y", "z"], epsilon="1")).to_toml(),
        encoding="utf-8",
    )
    words = (
        "plan",
        survey,
        "--shuffled",
        50000,
        "--colluding-share",
        "0.1",
        "--format",
        "json",
    )
    record = json.loads(run(*words).output)
    assert record["reports"] == 45_000
    assert {plan["question"] for plan in record["plans"]} == {"a"}
    assert all(
        plan["batch_epsilon"] < plan["local_epsilon"] == 4 for plan in record["plans"]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--values", 9, "--shuffled", 100, "--epsilon", 6),
            "only --local-ceiling lifts it",
        ),
        (("--values", 9, "--central-epsilon", 1), "expected --shuffled N"),
        (("--shuffled", 100), "expected SURVEY or --values"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(words, said):
    """And says what was expected."""
    assert said in run("plan", *words, code=2).output
