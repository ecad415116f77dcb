"""The operator's and analyst's side: reports in, unbiased frequency estimates with intervals out.

`Ingest(survey)` turns bytes into a `Tally`; `estimate(tally)` turns a tally into estimates. Each name is loaded when it
is first used, so that `ldp --help` does not wait for numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ldp import parse_survey

if TYPE_CHECKING:
    from ldp_aggregator.association import associate
    from ldp_aggregator.association_result import Association
    from ldp_aggregator.detection import detected
    from ldp_aggregator.estimation import estimate
    from ldp_aggregator.health_checks import health
    from ldp_aggregator.ingest import Ingest
    from ldp_aggregator.options import Options
    from ldp_aggregator.phantoms import phantom_score
    from ldp_aggregator.result import Estimate, QuestionEstimates, SurveyEstimates
    from ldp_aggregator.snapshot import decode_tally, encode_tally
    from ldp_aggregator.tally import Intake, Tally

__all__ = [
    "Association",
    "Estimate",
    "Ingest",
    "Intake",
    "Options",
    "QuestionEstimates",
    "SurveyEstimates",
    "Tally",
    "associate",
    "decode_tally",
    "detected",
    "encode_tally",
    "estimate",
    "health",
    "parse_survey",
    "phantom_score",
]

_HOMES = {
    "Association": "association_result",
    "associate": "association",
    "Estimate": "result",
    "Ingest": "ingest",
    "Intake": "tally",
    "Options": "options",
    "QuestionEstimates": "result",
    "SurveyEstimates": "result",
    "Tally": "tally",
    "decode_tally": "snapshot",
    "detected": "detection",
    "encode_tally": "snapshot",
    "estimate": "estimation",
    "health": "health_checks",
    "phantom_score": "phantoms",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
