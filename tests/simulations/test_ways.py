"""The ways of a simulation: which of them go through clients, and which say so."""

import itertools

import numpy as np
import pytest

from ldp.survey.survey_file import parse_survey
from ldp_simulations.population import synthetic
from ldp_simulations.simulation import randomizing, report
from ldp_simulations.simulation.simulation import CLIENTS, LAW, REPORTS, simulate

BULK = ("ss", "warner", "grr", "sue", "oue", "matrix", "hr")
_MATRIX = 'matrix = [["3/4", "1/4"], ["1/4", "3/4"]]'


def asked(mechanism):
    """A survey of one question with two values."""
    keys = _MATRIX if mechanism == "matrix" else "epsilon = 1"
    return parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "x"\n'
        f'type = "boolean"\nmechanism = "{mechanism}"\n{keys}'
    )


def simulated(mechanism, way, respondents=60):
    """A small simulation."""
    survey = asked(mechanism)
    return simulate(
        survey,
        synthetic(survey, respondents, "uniform", candidates={}),
        seed=1,
        way=way,
    )


@pytest.fixture
def no_client(monkeypatch):
    """No one can make a client."""

    def refused(*_arguments, **_keywords):
        raise AssertionError("a client was asked for")

    monkeypatch.setattr(randomizing, "Client", refused)


@pytest.mark.parametrize("mechanism", BULK)
def test_clients_are_clients(mechanism, no_client):
    """`clients` cannot do without them, for any mechanism.

    Draws in bulk and from the law can, and do.
    """
    with pytest.raises(AssertionError, match="a client was asked for"):
        simulated(mechanism, CLIENTS)
    assert simulated(mechanism, REPORTS).report_size > 0
    assert simulated(mechanism, LAW).report_size == 0


@pytest.mark.parametrize("mechanism", BULK)
def test_clients_and_bulk_draw_alike(mechanism):
    """Both ways estimate the same share.

    4,000 respondents each; 6 standard errors of the difference (false alarm 2e-9 by
    normal theory); a shift of .6 is found with p > .999999, as 6 errors are below .3.
    """
    results = [simulated(mechanism, way, 4000).first["x"] for way in (CLIENTS, REPORTS)]
    error = np.sqrt(sum(result.standard_error**2 for result in results))
    assert np.all(np.abs(results[0].frequency - results[1].frequency) < 6 * error)
    assert np.all(6 * error < 0.3)


def test_the_output_says_which_way():
    """Each way is told in words of its own, and by its name in JSON."""
    results = {way: simulated("grr", way) for way in (CLIENTS, REPORTS, LAW)}
    summaries = {way: report.summary(item) for way, item in results.items()}
    assert "made by clients and read" in summaries[CLIENTS]
    assert "drawn in bulk" not in summaries[CLIENTS]
    assert "drawn in bulk and read" in summaries[REPORTS]
    assert "exact law" in summaries[LAW]
    assert all(
        one != other for one, other in itertools.combinations(summaries.values(), 2)
    )
    assert {
        report.to_dict(result)["simulation"]["way"] for result in results.values()
    } == {
        CLIENTS,
        REPORTS,
        LAW,
    }
