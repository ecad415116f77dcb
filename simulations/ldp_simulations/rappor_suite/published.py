"""What google/rappor's own decoder, in R, makes of the same cases: means over 10 instances.

Its rates have standard errors of about .01. Its interval coverage is over all true candidates. Its
decoding took .08 s in small cases, .4 s in the demo and the paper's case, and 2 s where it has to
select candidates (over_x10).
"""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """One row."""

    found: float
    fpr: float
    fnr: float
    tv: float
    am: float
    coverage: float
    seconds: float


_FIGURES = {
    "demo unif": (98.8, 0.101, 0.014, 0.163, 0.913, 0.77, 0.4),
    "demo gauss": (69.3, 0.087, 0.327, 0.155, 0.886, 0.51, 0.4),
    "demo exp": (59.6, 0.098, 0.447, 0.145, 0.887, 0.43, 0.4),
    "demo zipf1": (57.3, 0.069, 0.440, 0.150, 0.865, 0.45, 0.4),
    "demo zipf1.5": (29.6, 0.053, 0.730, 0.090, 0.899, 0.19, 0.4),
    "small typical unif": (73.6, 0.085, 0.201, 0.257, 0.856, 0.64, 0.08),
    "small typical gauss": (55.4, 0.110, 0.409, 0.204, 0.868, 0.44, 0.08),
    "small typical exp": (44.7, 0.070, 0.519, 0.179, 0.867, 0.37, 0.08),
    "small typical zipf1": (40.6, 0.070, 0.564, 0.192, 0.841, 0.33, 0.08),
    "small typical zipf1.5": (18.3, 0.045, 0.807, 0.111, 0.862, 0.14, 0.08),
    "paper exp": (47.8, 0.026, 0.548, 0.127, 0.851, 0.35, 0.4),
    "small over_x10 exp": (36.0, 0.007, 0.683, 0.239, 0.624, 0.19, 2.0),
}
"""In the order of the fields."""

PUBLISHED = {name: Published(*figures) for name, figures in _FIGURES.items()}
