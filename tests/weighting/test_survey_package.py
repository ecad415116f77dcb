"""Without noise every figure is that of R's package `survey`, in its own published
outputs.

The data are its `api` (schools of California), as CSV files `apiclus1.csv` and
`apistrat.csv` beside the checkout, in shared/data; without them these tests are
skipped. Figures are those that the package prints in its tests (rakecheck, api, caleg),
to a unit of the last digit it prints.
"""

import csv

import numpy as np
import pytest
from places import DATA

from ldp_aggregator.analyses.weighting.answers import ReportAnswers, ReportPart, Units
from ldp_aggregator.analyses.weighting.calibration import factors_for, targets_of
from ldp_aggregator.analyses.weighting.estimation import (
    replicate_errors,
    weighted_means,
)
from ldp_aggregator.analyses.weighting.margins import margins_of

CLUSTERS, STRATA = DATA / "apiclus1.csv", DATA / "apistrat.csv"
TYPES = {"stype": {"E": 4421, "H": 755, "M": 1018}}
BOTH = {**TYPES, "sch.wide": {"No": 1072, "Yes": 5122}}
needs_data = pytest.mark.needs("apiclus1.csv", "apistrat.csv")


def answers_of(path, attributes, *, cluster=None, stratum=None):
    """Schools, whose score from the tests of 2000 is what a report is worth."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    combinations = [tuple(row[name] for name in attributes) for row in rows]
    places = {values: place for place, values in enumerate(dict.fromkeys(combinations))}

    def codes(name):
        texts = [row[name] for row in rows]
        known = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        return np.array([known[text] for text in texts])

    strata = np.zeros(len(rows), dtype=np.int64) if stratum is None else codes(stratum)
    sizes = np.zeros(int(strata.max()) + 1)
    sizes[strata] = [float(row["fpc"]) for row in rows]
    units = Units(
        np.array([places[values] for values in combinations]),
        np.ones(len(rows)),
        np.array([float(row["pw"]) for row in rows]),
        scores=np.array([[float(row["api00"])] for row in rows]),
        cluster=None if cluster is None else codes(cluster),
        stratum=strata,
        sizes=sizes,
    )
    return ReportAnswers(
        "api00",
        (),
        tuple(attributes),
        combinations=tuple(places),
        parts=(ReportPart("api00", (), None),),
        is_mean=True,
        reports=len(rows),
        units=units,
    )


def weighted(answers, margins, method):
    factors = factors_for(answers, targets_of(answers, margins_of(margins)), method)
    numbers = weighted_means(answers, np.ones((1, 1)), factors)
    return float(numbers.estimate[0]), float(numbers.standard_error[0])


@needs_data
def test_stratified_sample():
    """svymean(~api00, dstrat): 662.29, SE 9.4089."""
    answers = answers_of(STRATA, [], stratum="stype")
    mean, error = weighted(answers, {}, "raking")
    assert (round(mean, 2), round(error, 4)) == (662.29, 9.4089)


@needs_data
@pytest.mark.parametrize(
    ("margins", "method", "mean", "error"),
    [
        ({}, "raking", 644.17, 23.542),
        (TYPES, "raking", 642.31, 23.921),
        (TYPES, "linear", 642.31, 23.921),
        (BOTH, "raking", 641.23, 23.704),
    ],
)
def test_cluster_sample(margins, method, mean, error):
    """svymean(~api00) of apiclus1: as drawn, post-stratified, calibrated and raked."""
    answers = answers_of(CLUSTERS, [*margins], cluster="dnum")
    shown = weighted(answers, margins, method)
    assert shown[0] == pytest.approx(mean, abs=0.01)
    assert shown[1] == pytest.approx(error, abs=0.001)


@needs_data
def test_no_replicates_of_finite_populations():
    """They take the population for infinite: refused."""
    answers = answers_of(CLUSTERS, ["stype"], cluster="dnum")
    with pytest.raises(Exception, match="infinite"):
        replicate_errors(
            answers,
            np.ones((1, 1)),
            margins_of(TYPES),
            method="raking",
            way="jackknife",
        )
