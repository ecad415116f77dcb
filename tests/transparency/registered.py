"""Registers for tests: versions of one survey, as lines."""

from datetime import date

from ldp import parse_survey
from ldp.transparency.entries import parse_register

DAY = date(2026, 11, 24)
TEXT = """
[survey]
name = "trip"
[[question]]
name = "mode"
text = "How do you get to work?"
type = "category"
values = ["car", "bus", "bike"]
mechanism = "grr"
epsilon = "1"
"""


def version(epsilon="1", text="How do you get to work?", name="trip"):
    """One version of the survey."""
    changed = TEXT.replace('epsilon = "1"', f'epsilon = "{epsilon}"')
    return parse_survey(
        changed.replace("How do you get to work?", text).replace("trip", name)
    )


def content_of(*versions):
    """The bytes of a register of these versions, with a reason for each after the
    first.
    """
    content = b""
    for number, survey in enumerate(versions):
        reason = f"reason {number}" if number else None
        worse = ("question mode: epsilon of a report: 1 -> 2",) if number else ()
        content += (
            parse_register(content).follow(survey, DAY, worse, reason=reason).encode()
        )
    return content
