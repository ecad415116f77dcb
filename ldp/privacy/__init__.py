"""Privacy of batches: what a relay between devices and collector adds (the shuffle
model).

Integers and fractions throughout; each answer is an upper bound that is rounded up.
From below:

- `laws`: binomial laws in fixed point, from below and from above
- `deltas`: the delta of a batch at a given epsilon
- `batches`: what a batch was worth, in figures and in words
- `certificate`: the ratio of a survey, for others to check
- `disclosure`: what a survey tells its respondents
- `certificates`: the same for others to check (`examples/check_batch_certificate.py`)

Imports: `answers`, `mechanisms`, `numbers`, `survey`.
"""

from ldp.mechanisms.blankets import Blanket, blanket_of
from ldp.privacy.batches import (
    USUAL_DELTA,
    BatchPrivacy,
    batch_epsilon,
    batch_privacy,
    blanket_of_message,
)
from ldp.privacy.certificates import batch_certificate

__all__ = [
    "USUAL_DELTA",
    "BatchPrivacy",
    "Blanket",
    "batch_certificate",
    "batch_epsilon",
    "batch_privacy",
    "blanket_of",
    "blanket_of_message",
]
