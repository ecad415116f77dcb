"""Surveys of questions that are answered together, and tallies drawn from their exact
laws.
"""

from functools import lru_cache

import numpy as np
from written_out import declared_law

from ldp import parse_survey
from ldp_aggregator import Tally

KEYS = {
    "grr": "epsilon = 1",
    "matrix": (
        'matrix = [["0.6", "0.3", "0.1"], ["0.25", "0.5", "0.25"], ["1/8", '
        '"1/8", "3/4"]]'
    ),
    "hr": "epsilon = 1",
    "blocks": "epsilon = 2",
    "pgr": "epsilon = 1",
    "ss": 'epsilon = "1.5"',
    "oue": 'epsilon = "1.5"',
    "she": "epsilon = 20",
    "exponential": (
        'epsilon = 2\nquality = [[1, 0, 0, 0.2], [0, 1, 0.2, 0.5], [0, "1/3", 1, 0.1]]'
    ),
    "geometric": "epsilon = 2",
    "laplace": "epsilon = 2",
    "rappor": 'p = "0.25"\nq = "0.75"\nf = "0.25"',
    "bloom": (
        'bloom_bits = 6\nhashes = 2\ncohorts = 3\np = "0.2"\n'
        'q = "0.8"\nf = "0.125"\ncandidates = "c.txt"'
    ),
}
"""The keys of small questions, by mechanism.

`bloom` is RAPPOR on texts, `blocks` is `hr` with several.
"""

CANDIDATES = ("ant", "bee", "cat")


DOMAINS = {
    "bloom": 'type = "text"',
    "geometric": 'type = "integer"\nlow = 1\nhigh = 3',
    "laplace": 'type = "integer"\nlow = 1\nhigh = 3\nmargin = 2',
}
"""Of the questions that are not of type category."""


def survey_of(*mechanisms):
    """A survey of questions a, b, c, with 3 values each, that are answered together."""
    names = [chr(ord("a") + number) for number in range(len(mechanisms))]
    text = f'[survey]\nname = "s"\njoint = {names}\n'
    for name, mechanism in zip(names, mechanisms, strict=True):
        domain = DOMAINS.get(mechanism, 'type = "category"\nvalues = ["x", "y", "z"]')
        real = {"bloom": "rappor", "blocks": "hr"}.get(mechanism, mechanism)
        text += (
            f'[[question]]\nname = "{name}"\n{domain}\nmechanism = '
            f'"{real}"\n{KEYS[mechanism]}\n'
        )
    return parse_survey(text)


def candidates_of(survey):
    """The candidates of its open questions."""
    return {
        question.name: CANDIDATES for question in survey if question.domain.size is None
    }


def held(question, index):
    """What the randomizer takes for a value, or a candidate, by its number."""
    return CANDIDATES[index].encode() if question.domain.size is None else index


@lru_cache
def law_of(question):
    """(rows, probabilities): every report of a question, and its law for each of three
    values.
    """
    laws = [
        declared_law(question.randomizer, held(question, index))
        for index in range(question.domain.size or 3)
    ]
    reports = sorted(set().union(*laws))
    rows = np.array(
        [list(report.to_bytes(question.width, "little")) for report in reports],
        dtype=np.uint8,
    )
    return rows, np.array(
        [[float(law.get(report, 0)) for report in reports] for law in laws]
    )


def rows_of(survey, holders, generator):
    """Rows of a survey's one group, of respondents who hold `holders`, (respondents,
    questions).
    """
    parts = []
    for question, values in zip(survey.groups[0].members, holders.T, strict=True):
        rows, law = law_of(question)
        ends = np.cumsum(law, axis=1)
        ends[:, -1] = 1
        drawn = generator.random(len(values))
        columns = np.empty(len(values), dtype=int)
        for value in range(len(law)):
            who = values == value
            columns[who] = np.searchsorted(ends[value], drawn[who], side="right")
        parts.append(rows[columns])
    return np.concatenate(parts, axis=1)


def tally_of(survey, rows):
    """The tally of rows of its one group."""
    tally = Tally.empty(survey)
    tally.add(survey.groups[0], rows)
    return tally


def drawn_from(joint, size, generator):
    """Respondents drawn from a population with joint frequencies: values (size,
    questions).
    """
    cells = generator.choice(joint.size, size, p=joint.ravel())
    return np.stack(np.unravel_index(cells, joint.shape), axis=1)
