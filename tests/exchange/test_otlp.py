"""Estimates go to a collector of OpenTelemetry as its protocol has them, whole or with
an error.
"""

import json
from contextlib import contextmanager

import pytest
from calling import run
from listening import Handler, listening
from surveys import survey_of, yes_no

from ldp_aggregator.output.monitoring.otlp import request_of
from ldp_aggregator.output.sheet import Sheet


@contextmanager
def receiver(status=200, said=b"{}"):
    """A collector of one's own: its address, and what came."""
    came = []

    class Collector(Handler):
        def do_POST(self):
            """Keep the request, and answer."""
            came.append(
                (self.path, self.headers["content-type"], json.loads(self.body()))
            )
            self.answer(status, said)

    with listening(Collector) as address:
        yield address, came


@pytest.fixture
def words(tmp_path):
    """A command that estimates something."""
    (tmp_path / "survey.toml").write_text(survey_of(yes_no("x"), name="walk").to_toml())
    (tmp_path / "counts.json").write_text('{"true": 60, "false": 40}')
    return (
        "estimate",
        tmp_path / "survey.toml",
        "--counts",
        tmp_path / "counts.json",
        "--otlp",
    )


def test_a_collector_gets_gauges(words):
    """A gauge for each number, a point for each value, doubles and times as the
    protocol says.
    """
    with receiver() as (url, came):
        shown = run(*words, url, "--format", "csv").stdout
    ((path, kind, request),) = came
    assert (path, kind) == ("/v1/metrics", "application/json")
    (scope,) = request["resourceMetrics"][0]["scopeMetrics"]
    gauges = {one["name"]: one["gauge"]["dataPoints"] for one in scope["metrics"]}
    columns = shown.splitlines()[0].split(",")[2:]
    assert list(gauges) == [f"ldp_estimate_{column}" for column in columns]
    for at, line in enumerate(shown.splitlines()[1:]):
        _, value, *numbers = line.split(",")
        for points, number in zip(gauges.values(), numbers, strict=True):
            labels = {
                one["key"]: one["value"]["stringValue"]
                for one in points[at]["attributes"]
            }
            assert labels == {"survey": "walk", "question": "x", "value": value}
            assert points[at]["asDouble"] == float(number)
            assert int(points[at]["timeUnixNano"]) > 1.7e18


@pytest.mark.parametrize(
    ("status", "said", "error"),
    [
        (503, b"", "got status 503"),
        (
            200,
            b'{"partialSuccess": {"rejectedDataPoints": "3", "errorMessage": "no"}}',
            "3 left out",
        ),
        (
            200,
            (
                b'{"partialSuccess": {"rejectedDataPoints": 3, "errorMessage": '
                b'"no\\u001b[2J"}}'
            ),
            "3 left out: 'no\\x1b[2J'",
        ),
    ],
)
def test_what_was_not_taken_is_an_error(words, status, said, error):
    with receiver(status, said) as (url, _):
        assert error in run(*words, f"{url}/elsewhere", code=1).stderr


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "localhost:4318", "http://127.0.0.1:9/"]
)
def test_nowhere(words, url):
    assert "expected" in run(*words, url, code=1).stderr


def test_nothing_is_no_gauge():
    """No series without a point."""
    request = json.loads(request_of(Sheet("s: nothing", columns=("value", "low")), 1))
    assert request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"] == []
