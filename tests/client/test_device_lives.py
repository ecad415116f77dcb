"""Over the life of a device: killed at any moment, it tells no more than it was charged
for.
"""

import math
import random

import pytest
from surveys import survey_of

from lab.endurance.kills import kill_often, violations
from ldp_client import Client

ROUNDS = 365
DEVICES = 600


@pytest.mark.parametrize(
    "kills", [pytest.param(6, marks=pytest.mark.fast("kills of a client")), 60]
)
def test_kills(tmp_path, kills):
    """Kills (-9) at random moments leave charges, reports and the disk as they should
    be.

    What was sent was charged, nothing is randomized twice, and no answer is on disk.
    """
    kill_often(tmp_path, kills, seed=2)
    problems, sent, charged = violations(tmp_path)
    assert problems == []
    assert sent > kills // 3
    assert charged > kills // 3


def test_rollbacks(tmp_path):
    """60 lives, some of which begin from an old copy: what is answered once still
    counts once.
    """
    kill_often(tmp_path, 60, seed=4, rollbacks=True)
    problems, sent, _ = violations(tmp_path, rollbacks=True)
    assert problems == []
    assert sent > 20


SURVEY = survey_of(
    'name = "x"\ntype = "boolean"\nmechanism = "l-grr"\n'
    'epsilon_first = "0.9"\nepsilon_lifetime = "1"'
)


def attack(clients, answers):
    """How often the best attacker is right, who sees a year's reports and knows all but
    noise.
    """
    right = 0
    for client, answer in zip(clients, answers, strict=True):
        said_yes = sum(client.record("x", answer).row[0] for _ in range(ROUNDS))
        # The likelihood ratio grows with the number of reports that say yes; there are
        # no ties in an odd number.
        right += (2 * said_yes > ROUNDS) is answer
    return right / len(answers)


class Forgetful:
    """A new device at every round."""

    def __init__(self, draw):
        self.draw = draw

    def record(self, name, answer):
        """Fresh noise on the answer itself."""
        return Client(SURVEY, random=self.draw.randbytes).record(name, answer)


def test_a_year_of_asking_tells_no_more_than_the_permanent_response():
    """365 rounds of a binary answer, eps_inf = 1: the attacker is right at most .731 of
    the time.

    600 devices (seed 3), + 4 standard errors. Devices that draw fresh noise each round
    are found out nearly always.
    """
    draw = random.Random(3)
    answers = [draw.random() < 0.5 for _ in range(DEVICES)]
    most = 0.731 + 4 * math.sqrt(0.731 * 0.269 / DEVICES)
    right = attack([Client(SURVEY, random=draw.randbytes) for _ in answers], answers)
    assert 0.731 - (most - 0.731) <= right <= most
    assert attack([Forgetful(draw)] * 40, answers[:40]) > most
