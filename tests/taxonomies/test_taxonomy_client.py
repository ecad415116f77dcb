"""A survey whose tree stands in a file beside it, embedded in an app."""

import pytest

import ldp
from ldp_client import EmbeddedClient

SURVEY = """
[survey]
name = "places"

[[question]]
name = "home"
type = "category"
file = "states.csv"
levels = ["region", "state"]
mechanism = "auto"
epsilon = 1
"""
ROWS = "child,parent\nOhio,Midwest\nIowa,Midwest\nTexas,South\nUtah,West\n"


def test_the_file_is_read_beside_the_survey(tmp_path):
    """By its name there, wherever the app runs."""
    (tmp_path / "survey.toml").write_text(SURVEY, encoding="utf-8")
    (tmp_path / "states.csv").write_text(ROWS, encoding="utf-8")
    with EmbeddedClient(tmp_path / "survey.toml", state=None) as client:
        assert client.record("home", "Iowa")
        assert client.survey["home"].domain.values == ("Ohio", "Iowa", "Texas", "Utah")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        (b"\xff\xfe,", "not UTF-8"),
        (b"a,b,c\n", "a child and its parent"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(tmp_path, content, words):
    """By its name and the survey's."""
    (tmp_path / "survey.toml").write_text(SURVEY, encoding="utf-8")
    if content is not None:
        (tmp_path / "states.csv").write_bytes(content)
    with pytest.raises(ldp.SurveyError, match=words) as caught:
        EmbeddedClient(tmp_path / "survey.toml", state=None)
    assert "states.csv" in str(caught.value)
