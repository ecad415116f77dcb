"""A survey with a group of questions, and reports that are counted without being
sent.
"""

import numpy as np

from ldp_aggregator.tallies.counting.joint_counting import count_parts
from ldp_service.counting.turn import begin

JOINT = """
[survey]
name = "joint"
epoch = "1h"
joint = [["pet", "tea"]]
""" + "".join(
    f"""
[[question]]
name = "{name}"
type = "boolean"
mechanism = "warner"
epsilon = 1
"""
    for name in ("pet", "tea", "car")
)


def count(books, catalogue, name, *, reports, epoch):
    """Count reports to a question or group, in an epoch."""
    [envelope] = [one for one in catalogue.envelopes.values() if one.name == name]
    rows = np.zeros((reports, envelope.width), dtype=np.uint8)
    with begin(books) as turn:
        for part, counts in count_parts(envelope, rows):
            turn.count(part.fingerprint, epoch, counts)
