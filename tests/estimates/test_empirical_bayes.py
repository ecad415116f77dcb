"""The view posterior-mean: frequencies shrunk by a law that is learned from all of
them.
"""

import math

import numpy as np
import pytest

from ldp_aggregator.numerics.empirical_bayes import (
    freedom_of,
    law_of,
    posterior_mean,
    posteriors,
)


def test_learns_the_law_that_frequencies_are_drawn_from():
    """Half of 20,000 values at 0, half at 3 errors: the view errs as little as one that
    knows that.

    The mean squared errors differ by .6 % here; shrinking all by one factor costs 59 %,
    doing nothing 129 %.
    """
    from scipy.stats import norm

    generator = np.random.default_rng(1)
    truth = np.repeat([0.0, 3.0], 10_000)
    scores = truth + generator.normal(size=truth.size)
    knowing = 3 / (1 + norm.pdf(scores) / norm.pdf(scores - 3))
    view = posterior_mean(scores / 100, np.full(truth.size, 1 / 100)) * 100
    assert ((view - truth) ** 2).mean() < 1.02 * ((knowing - truth) ** 2).mean()


def test_what_no_one_holds_shrinks_to_nothing():
    """10,000 estimates of 0: the view's mean square is below 1 % of theirs."""
    noise = np.random.default_rng(2).normal(size=10_000)
    assert (posterior_mean(noise, np.ones(10_000)) ** 2).mean() < 0.01


def test_errors_may_differ():
    """Every estimate is measured by its own standard error: scaling both scales the
    view.
    """
    generator = np.random.default_rng(3)
    scores = generator.normal(1, 2, size=500)
    error = generator.uniform(0.01, 0.1, size=500)
    assert posterior_mean(scores * error, error) == pytest.approx(
        posterior_mean(scores, np.ones(500)) * error
    )


def written_out(scores):
    """The view of scores with errors of 1, one by one: a law on eighths, from bins of
    .05.
    """
    grid = [place / 8 for place in range(81)]
    within = [score for score in scores if score < 10]
    middles = [
        -6 + 0.05 * (math.floor((max(score, -6) + 6) / 0.05) + 0.5) for score in within
    ]
    law = {point: 1 / len(grid) for point in grid}
    for _ in range(200):
        posteriors = [posterior(law, middle) for middle in middles]
        law = {
            point: sum(chances[point] for chances in posteriors) / len(within)
            for point in grid
        }
    views = {
        score: sum(
            point * chance for point, chance in posterior(law, max(score, -6)).items()
        )
        for score in within
    }
    return [views.get(score, score) for score in scores]


def posterior(law, score):
    """The law of m, given a score."""
    joint = {
        point: mass * math.exp(-((score - point) ** 2) / 2)
        for point, mass in law.items()
    }
    return {point: mass / sum(joint.values()) for point, mass in joint.items()}


def test_view_written_out():
    """Score by score, also below the bins, in the first and the last, and beyond the
    grid.
    """
    scores = [
        -8.0,
        -6.0,
        -0.51,
        0.13,
        0.14,
        0.37,
        2.01,
        2.88,
        5.03,
        9.91,
        9.98,
        10.0,
        11.0,
    ]
    view = posterior_mean(np.array(scores) / 50, np.full(len(scores), 1 / 50))
    np.testing.assert_allclose(view * 50, written_out(scores), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("error", [0.0, 1e-3])
def test_certain_frequencies_stay(error):
    """An estimate of ten standard errors or more, or without any error, is left as it
    is.
    """
    frequency = np.array([0.01, 0.3, 0.69])
    assert posterior_mean(frequency, np.full(3, error)).tolist() == frequency.tolist()


def test_order_and_sign():
    """With equal errors the view keeps the order of estimates, and none is negative."""
    frequency = np.sort(np.random.default_rng(4).normal(0, 3, size=1000))
    frequency[0] = -40.0
    view = posterior_mean(frequency, np.ones(1000))
    assert (np.diff(view[frequency < 10]) >= -1e-12).all()
    assert view.min() >= 0


def test_freedom_is_what_more_noise_moves():
    """With a little noise added, means move along with it, and further if the law is
    made again.

    300 draws of noise tell that to 3.4 %, of which 20 % are 6.
    """
    generator = np.random.default_rng(5)
    scores = np.maximum(generator.normal(size=200), 0) * 3 + generator.normal(size=200)
    law, rounds = law_of(scores, rounds=400), 20

    def means(moved):
        return posteriors(moved, law_of(moved, law, rounds)).mean

    along = []
    for noise in generator.normal(size=(300, 200)):
        up, down = scores + 0.1 * noise, scores - 0.1 * noise
        fixed = posteriors(up, law).mean - posteriors(down, law).mean
        along.append(noise @ (means(up) - means(down) - fixed) / 0.2)
    freedom = freedom_of(scores, law, rounds)
    assert freedom == pytest.approx(np.mean(along), rel=0.2)
    assert freedom_of(np.full(5, 20.0), law, rounds) == 0
