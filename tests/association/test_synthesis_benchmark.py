"""What the benchmark says that synthetic people keep is so."""

import numpy as np

from lab.benchmarks.subsets import people
from lab.benchmarks.synthesis import QUESTIONS, UNBIASED, survey_errors, without_noise
from ldp_aggregator.analyses.synthesis.synthesis import PAIRS, TREE


def test_rows_keep_what_tables_of_two_say():
    """Without noise pairs are exact to a row; with it rows are no worse than the
    tables.

    Three surveys of 30,000 people at epsilon 2, seeds 1 to 3; tables of three are
    smoothed.
    """
    answers = people(QUESTIONS)
    clear = without_noise(answers)
    assert clear[PAIRS][0] < 0.0003
    assert clear[TREE][0] > clear[PAIRS][0]
    surveys = [survey_errors(answers, "2", seed) for seed in (1, 2, 3)]
    of_tables, of_rows = (
        np.mean([errors[name] for errors in surveys], axis=0)
        for name in (UNBIASED, PAIRS)
    )
    assert of_rows[0] < 1.05 * of_tables[0]
    assert of_rows[1] < 0.9 * of_tables[1]
