"""Files for epochs: small ones may count alike by chance, and one that comes twice is
refused.
"""

import numpy as np
import pytest
from calling import run

FILE = """
[survey]
name = "s"
[[question]]
name = "x"
type = "boolean"
mechanism = "grr"
epsilon = "40"
"""


@pytest.fixture
def weeks(tmp_path):
    """Five files of reports, whose counts are those of the answers, the same in all."""
    (tmp_path / "s.toml").write_text(FILE, encoding="utf-8")
    answers = np.array(["yes", "no"] * 400)
    (tmp_path / "a.csv").write_text("x\n" + "\n".join(answers) + "\n", encoding="utf-8")
    paths = [tmp_path / f"week{number}.reports" for number in range(5)]
    for path in paths:
        run(
            "randomize", tmp_path / "s.toml", "-i", tmp_path / "a.csv", "-o", path, "-q"
        )
    return tmp_path / "s.toml", paths


def test_equal_counts_are_no_mistake(weeks):
    """Of different reports."""
    survey, paths = weeks
    assert (
        "Yes, by epoch"
        in run("analyze", "trend", survey, *paths, "--value", "true", "-q").stdout
    )


def test_what_was_not_tested_is_no_sign_of_sameness(weeks):
    """Of epochs that may all still get reports, nothing is said about changes."""
    survey, paths = weeks
    words = [
        "analyze",
        "trend",
        survey,
        *paths,
        "--value",
        "true",
        "-q",
        "--still-open",
        "4",
    ]
    assert "was not tested" in run(*words).stdout


def test_an_alert_of_what_could_not_be_tested(weeks):
    """Has an exit code of its own: 0 would say that nothing has changed."""
    survey, paths = weeks
    words = [
        "analyze",
        "trend",
        survey,
        *paths,
        "--value",
        "true",
        "-q",
        "--alert",
        "--still-open",
        "4",
    ]
    assert "nothing could be tested" in run(*words, code=4).stderr
    small = paths[0].with_name("small")
    answers = small.with_suffix(".csv")
    answers.write_text("x\n" + "yes\nno\n" * 3, encoding="utf-8")
    for number in range(2):
        run("randomize", survey, "-i", answers, "-o", f"{small}{number}", "-q")
    files = [f"{small}{number}" for number in range(2)]
    run("analyze", "trend", survey, *files, "-q", "--alert", "--allow-equal", code=4)


def test_the_same_file_twice_is_refused(weeks):
    """Under whatever name; unless that is meant."""
    survey, paths = weeks
    paths[3].write_bytes(paths[1].read_bytes())
    failed = run("analyze", "trend", survey, *paths, "--value", "true", "-q", code=1)
    assert "got the bytes of" in failed.stderr
    assert "week1.reports" in failed.stderr
    run("analyze", "trend", survey, *paths, "--value", "true", "-q", "--allow-equal")
