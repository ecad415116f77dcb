"""The operator's and analyst's side: reports in, unbiased frequency estimates with intervals out.

`Ingest(survey)` turns bytes into a `Tally`; `estimate(tally)` turns a tally into estimates.
"""

from ldp import parse_survey
from ldp_aggregator.detection import detected
from ldp_aggregator.estimate import estimate
from ldp_aggregator.ingest import Ingest
from ldp_aggregator.options import Options
from ldp_aggregator.result import Estimate, QuestionEstimates, SurveyEstimates
from ldp_aggregator.snapshot import decode_tally, encode_tally
from ldp_aggregator.tally import Intake, Tally

__all__ = [
    "Estimate",
    "Ingest",
    "Intake",
    "Options",
    "QuestionEstimates",
    "SurveyEstimates",
    "Tally",
    "decode_tally",
    "detected",
    "encode_tally",
    "estimate",
    "parse_survey",
]
