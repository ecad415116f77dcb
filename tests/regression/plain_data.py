"""Data that everyone has, as people would answer, and a randomizer that says what is
true.

At epsilon 40 a report differs from the answer once in 10^17: regressions of reports are
those of the answers, to every digit that is compared.
"""

import numpy as np

import ldp
from ldp_client import Client, report_bytes

TRUE = "40"


def fair_data():
    """Whether there was an affair, and what may explain it; a part of the 6,366, for
    speed.
    """
    from statsmodels.datasets import fair

    data = fair.load_pandas().data.iloc[::5]
    return data.assign(affair=data["affairs"] > 0)


def anes_data():
    """Votes, and what may explain them."""
    from statsmodels.datasets import anes96

    return anes96.load_pandas().data


def survey_of(name, epsilon=TRUE, **keys):
    """A survey of one question."""
    return ldp.survey("plain", ldp.question(name, epsilon=epsilon, **keys))


def reports_to(survey, name, answers):
    """A report of each answer, as the framework's bytes."""
    return [report_bytes([Client(survey).record(name, answer)]) for answer in answers]


def with_intercept(data, names):
    """The columns of plain regressions."""
    return np.column_stack([np.ones(len(data)), *(data[name] for name in names)])


def coefficients(regression):
    """Coefficients and standard errors."""
    rows = regression.coefficients
    return (
        np.array([row.estimate for row in rows]),
        np.array([row.standard_error for row in rows]),
    )
