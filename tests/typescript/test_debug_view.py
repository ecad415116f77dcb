"""`debug: true` of the TypeScript client: the words of the Python one's view, of the
same bytes.
"""

import json

import pytest
from surveys import survey_of, yes_no
from test_js_client import run_js

from ldp.survey.compiled import compile_survey
from ldp.wire.decoded import decoded_file

pytestmark = pytest.mark.needs("node", "built client")

FOUR = 'type = "category"\nvalues = ["a", "b", "c", "d"]\n'
TWICE = 'epsilon_first = "1"\nepsilon_lifetime = "2"'
QUESTIONS = [
    *(
        f'name = "{mechanism}"\n{FOUR}mechanism = "{mechanism}"\nepsilon = "1"'
        for mechanism in ("grr", "ss", "pgr", "hr", "oue", "sue", "the")
    ),
    *(
        f'name = "{mechanism}"\n{FOUR}mechanism = "{mechanism}"\n{TWICE}'
        for mechanism in ("l-grr", "l-sue")
    ),
    'name = "warner"\ntype = "boolean"\nmechanism = "warner"\nepsilon = "1"',
    'name = "many"\ntype = "category"\nmechanism = "oue"\nepsilon = "1"\nvalues = '
    + json.dumps([f"value {number}" for number in range(200)]),
    yes_no("x"),
    yes_no("y"),
]
ANSWERS = {
    **dict.fromkeys(
        ("grr", "ss", "pgr", "hr", "oue", "sue", "the", "l-grr", "l-sue"), "b"
    ),
    "warner": True,
    "many": "value 7",
}


def test_what_leaves_is_told_in_the_words_of_the_python_client():
    """For each batch a message with what it holds, then one with what became of it."""
    survey = survey_of(*QUESTIONS, head='joint = ["x", "y"]')
    written = json.dumps(compile_survey(survey))
    again = [{"l-grr": "b"}] * 11
    said = json.loads(
        run_js(
            "debugged.js",
            survey=written,
            respondents=[ANSWERS, *again],
            together={"x": True, "y": False},
        )
    )
    payloads = [bytes.fromhex(payload) for payload in said["payloads"]]
    expected = []
    for payload in payloads:
        lines = "\n".join(decoded_file(payload, [survey]))
        expected += [
            f"sends {len(payload)} bytes: {lines}",
            "what became of it: accepted",
        ]
    assert len(payloads) == len(ANSWERS) + 1
    assert said["told"] == expected
    assert "and 2 more" in "".join(expected)
