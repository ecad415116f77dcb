"""Logistic regression by gradients that no one sees: `python examples/gradients.py
adult.data`.

A model learns who earns more than 50,000 dollars from people whose answers never leave
their devices. Each device works out the gradient of its own loss at the present
weights, and reports it through `codebook`: a seed and a word. The aggregator steps
along the mean of a few thousand such gradients, which is all that it learns. This is
stochastic gradient descent under local differential privacy (local DP-SGD).

In every epoch each device answers once, in one of the steps, so that it spends its
epsilon once an epoch; the ledger of one of the devices is printed beside the weights'
loss. The same steps along the true mean gradients, which no one could take here, show
what privacy costs.

The data are the UCI Adult extract of the census of 1994 (`adult.data`); without a file,
as many people are made up.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ldp
import ldp_aggregator
import ldp_client
import ldp_simulations

Numbers = NDArray[np.float64]

EPOCHS, STEPS = 2, 8
EPSILONS = (1, 4)
"""Of one report, so of one epoch."""
RATE = 4.0
PEOPLE = 32_000
FEATURES = (
    *(
        "constant",
        "age",
        "education",
        "hours",
        "woman",
        "married",
        "manager",
        "professional",
    ),
    *("gains", "losses"),
)


def people_of(path: str) -> tuple[Numbers, Numbers]:
    """The features of everyone, of shape (people, features), and who earns more:
    (people,).
    """
    rows = csv.reader(
        Path(path).read_text(encoding="utf-8").splitlines(), skipinitialspace=True
    )
    people = [row for row in rows if len(row) == 15]
    features = [
        (
            1.0,
            (float(row[0]) - 38) / 28,
            (float(row[4]) - 10) / 5,
            (float(row[12]) - 40) / 24,
            float(row[9] == "Female"),
            float(row[5] == "Married-civ-spouse"),
            float(row[6] == "Exec-managerial"),
            float(row[6] == "Prof-specialty"),
            float(float(row[10]) > 0),
            float(float(row[11]) > 0),
        )
        for row in people
    ]
    return np.array(features), np.array([float(row[14] == ">50K") for row in people])


def made_up(people: int = PEOPLE, seed: int = 1) -> tuple[Numbers, Numbers]:
    """The same of people who do not exist, of whom some features tell."""
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((people, len(FEATURES)))
    features[:, 0] = 1.0
    true = np.array([-1.0, 1, 1, 0.5, -0.5, 1, 0.5, 0, 0, 0])
    return features, (generator.random(people) < chances(features, true)).astype(
        np.float64
    )


def chances(features: Numbers, weights: Numbers) -> Numbers:
    """How likely each is to earn more, by the model."""
    return np.asarray(1 / (1 + np.exp(-features @ weights)), dtype=np.float64)


def gradients(features: Numbers, labels: Numbers, weights: Numbers) -> Numbers:
    """Everyone's own, of shape (people, features)."""
    # Of people whose features are long, as of others, no gradient is longer than 1.
    lengths = np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1)
    errors = chances(features, weights) - labels
    return np.asarray(errors[:, None] * features / lengths, dtype=np.float64)


def survey_of(epsilon: int) -> ldp.Survey:
    """A question for each epoch: each is answered once by a device."""
    questions = (
        ldp.question(
            f"epoch-{epoch}",
            dimensions=len(FEATURES),
            radius=1,
            outside="clip",
            epsilon=epsilon,
            text=(
                "The gradient of your loss at the weights that came with this question."
            ),
        )
        for epoch in range(1, EPOCHS + 1)
    )
    return ldp.survey("income-model", *questions)


def mean_gradient(survey: ldp.Survey, name: str, own: Numbers) -> Numbers:
    """What an aggregator makes of the reports of some devices, one each."""
    table = {question.name: [None] * len(own) for question in survey}
    reports = ldp_simulations.randomize(survey, {**table, name: own})
    return ldp_aggregator.estimate(survey, reports)[name].frequency


def descents(
    features: Numbers, labels: Numbers, survey: ldp.Survey | None
) -> Iterator[tuple[int, Numbers]]:
    """The epoch and the weights after each; along true gradients, where there is no
    survey.
    """
    weights = np.zeros(features.shape[1])
    places = np.random.default_rng(0).permutation(len(labels))
    for epoch in range(1, EPOCHS + 1):
        for step, group in enumerate(np.array_split(places, STEPS)):
            own = gradients(features[group], labels[group], weights)
            if survey is None:
                mean = own.mean(axis=0)
            else:
                mean = mean_gradient(survey, f"epoch-{epoch}", own)
            weights = weights - RATE / (1 + (epoch - 1) * STEPS + step) ** 0.5 * mean
        yield epoch, weights


def told(features: Numbers, labels: Numbers, weights: Numbers) -> str:
    """How well weights tell who earns more."""
    likely = np.clip(chances(features, weights), 1e-12, 1 - 1e-12)
    loss = -np.mean(labels * np.log(likely) + (1 - labels) * np.log(1 - likely))
    right = np.mean((likely > 0.5) == (labels > 0.5))
    return f"loss {loss:.3f}, {100 * right:.1f} % right"


def main(path: str | None = None, people: int = PEOPLE) -> None:
    """Learn with and without privacy, and print how each epoch went."""
    features, labels = made_up(people) if path is None else people_of(path)
    # The last fifth is not learned from.
    learned = len(labels) * 4 // 5
    mine = (features[:learned], labels[:learned])
    seen = (features[learned:], labels[learned:])
    print(f"{learned:,} people, {STEPS} steps an epoch, {len(FEATURES)} weights")
    for epoch, weights in descents(*mine, survey=None):
        print(f"in the clear,       epoch {epoch}: {told(*seen, weights)}")
    for epsilon in EPSILONS:
        survey = survey_of(epsilon)
        device = ldp_client.Client(survey)
        for epoch, weights in descents(*mine, survey=survey):
            # One of the devices, that of the first person: it reports once an epoch.
            own = gradients(mine[0][:1], mine[1][:1], weights)
            device.record(f"epoch-{epoch}", own[0])
            spent = device.ledger().epsilon()
            print(f"epsilon {spent:.3f} spent, epoch {epoch}: {told(*seen, weights)}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python examples/gradients.py [adult.data]")
    main(sys.argv[1] if len(sys.argv) == 2 else None)
