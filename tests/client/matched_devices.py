"""Devices that an attacker matches across two sessions by their reports.

All devices hold one answer, which is known; in each session each makes n reports, by a
client that keeps its state. The sessions are matched as a whole, by the assignment with
the greatest likelihood: what a device shows has to be the same, and what its permanent
response can have been is weighed by Bayes' rule.
"""

import random

import numpy as np

from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp_client import Client

LEAST = 1e-4
"""Taken for probabilities of 0, so that the chances of thirty reports still are floats
above 0.
"""


def match_rate(survey, answer, devices, reports, seed):
    """The share of devices that are matched with themselves over two sessions of
    reports.
    """
    from scipy.optimize import linear_sum_assignment

    draw = random.Random(seed)
    (question,) = survey.questions
    clients = [Client(survey, random=draw.randbytes) for _ in range(devices)]
    sessions = [
        [
            [
                _parts(client.record(question.name, answer), question.layout)
                for _ in range(reports)
            ]
            for client in clients
        ]
        for _ in range(2)
    ]
    # So that an assignment among equals owes nothing to the order of devices.
    order = draw.sample(range(devices), devices)
    first, second = sessions[0], [sessions[1][device] for device in order]
    likelihood = _evidence(question, question.value(answer), first, second=second)
    seen = [[device[0][0] for device in session] for session in (first, second)]
    likelihood[np.array(seen[0])[:, None] != np.array(seen[1])[None]] = -1e9
    rows, columns = linear_sum_assignment(likelihood, maximize=True)
    return float(
        np.mean(
            [order[column] == row for row, column in zip(rows, columns, strict=True)]
        )
    )


def _parts(report, layout):
    """What is shown, and the body."""
    number = int.from_bytes(report.row, "little")
    return number & (
        1 << 8 * layout.prefix_width
    ) - 1, number >> 8 * layout.prefix_width


def _evidence(question, value, first, second):
    """The log of how much likelier two sessions are if they are one device's, for each
    pair.

    The shown part aside.
    """
    randomizer = question.randomizer
    shown = np.array([device[0][0] for device in first])
    if isinstance(randomizer, Rappor | BitFlip) or isinstance(
        randomizer.lasting, UnaryEncoding
    ):
        if isinstance(randomizer, BitFlip):
            steps = (randomizer.within, (1, 0))
        else:
            steps = randomizer.steps
        size = question.layout.bits
        bits = [
            np.array(
                [
                    [[body >> bit & 1 for bit in range(size)] for _, body in device]
                    for device in session
                ]
            ).sum(1)
            for session in (first, second)
        ]
        return sum(
            _of_bit(
                randomizer,
                value,
                shown,
                steps=steps,
                bits=bits,
                bit=bit,
                reports=len(first[0]),
            )
            for bit in range(size)
        )
    lasting, fresh = (tuple(map(float, step)) for step in randomizer.response_steps)
    symbols = randomizer.fresh.size
    memos = np.array([randomizer.memo_value(value, int(cohort)) for cohort in shown])
    prior = np.where(np.arange(symbols) == memos[:, None], *lasting)
    # shape: devices x symbols, for either session
    chances = [
        np.array(
            [
                np.prod(
                    [
                        np.where(np.arange(symbols) == body, *fresh)
                        for _, body in device
                    ],
                    axis=0,
                )
                for device in session
            ]
        )
        for session in (first, second)
    ]
    together = (prior * chances[0]) @ chances[1].T
    return (
        np.log(together)
        - np.log((prior * chances[0]).sum(1))[:, None]
        - np.log(prior @ chances[1].T)
    )


def _of_bit(randomizer, value, shown, steps, bits, bit, reports):
    """The part of one bit, which is 1 without noise for some cohorts and 0 for
    others.
    """
    (held_if_true, held_if_other), (one, zero) = (
        tuple(map(float, step)) for step in steps
    )
    true = np.array(
        [_true_bit(randomizer, value, int(cohort), bit=bit) for cohort in shown]
    )
    counts = np.arange(reports + 1)
    laws = [
        max(chance, LEAST) ** counts * max(1 - chance, LEAST) ** counts[::-1]
        for chance in (one, zero)
    ]
    tables = []
    for share in (held_if_other, held_if_true):
        mixed = share * laws[0] + (1 - share) * laws[1]
        joint = share * np.outer(laws[0], laws[0]) + (1 - share) * np.outer(
            laws[1], laws[1]
        )
        tables.append(np.log(joint / np.outer(mixed, mixed)))
    return np.array(tables)[
        true.astype(int)[:, None], bits[0][:, bit, None], bits[1][None, :, bit]
    ]


def _true_bit(randomizer, value, cohort, bit):
    """Whether a bit is set before any noise."""
    if isinstance(randomizer, BitFlip):
        return randomizer.memo_value(value, cohort) == bit
    if isinstance(randomizer, Rappor):
        return randomizer.true_bits(value, cohort) >> bit & 1
    return value == bit
