"""OpenDP's randomized response, audited against a survey that declares the same: a
foreign library.

    pip install opendp
    ldp client test warner.toml -- python examples/audit_opendp.py

The survey has one question of type boolean with mechanism warner and epsilon 1. An
adapter reads answers, a line of JSON for each device, and writes frames; what it cannot
do it says with exit code 64, and is not asked.
"""

import json
import math
import os
import sys
from pathlib import Path

import opendp.prelude as dp

from ldp_client import Report, parse_survey, report_bytes

UNKNOWN = 64

dp.enable_features("contrib")

(question,) = parse_survey(
    Path(os.environ["LDP_AUDIT_SURVEY"]).read_text(encoding="utf-8")
)
randomize = dp.m.make_randomized_response_bool(1 / (1 + math.exp(-1)))
for line in sys.stdin:
    answers = json.loads(line)
    if "LDP_AUDIT_STATE" in os.environ or not isinstance(answers, dict):
        sys.exit(UNKNOWN)
    row = bytes([randomize(answers[question.name])])
    sys.stdout.buffer.write(report_bytes([Report(question.fingerprint, row)]))
