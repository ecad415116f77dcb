"""What google/rappor's own decoder, in R, makes of the same cases: means over 10
instances.

Its rates have standard errors of about .01. Its interval coverage is over all true
candidates. Its decoding took .08 s in small cases, .4 s in the demo and the paper's
case, and 2 s where it has to select candidates (over_x10). The cases without a time
were decoded on the first ten instances of this grid itself, the others on populations
and hash functions of their own.
"""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """One row."""

    found: float
    fpr: float | None
    """None where no candidate is spurious."""
    fnr: float
    tv: float
    am: float
    coverage: float
    seconds: float | None


_FIGURES: dict[
    str, tuple[float, float | None, float, float, float, float, float | None]
] = {
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
    "small sharp unif": (80.5, None, 0.195, 0.208, 0.891, 0.67, None),
    "small sharp gauss": (55.9, None, 0.441, 0.148, 0.898, 0.46, None),
    "small sharp exp": (45.6, None, 0.544, 0.142, 0.889, 0.35, None),
    "small sharp zipf1": (39.4, None, 0.606, 0.179, 0.830, 0.30, None),
    "small sharp zipf1.5": (18.1, None, 0.819, 0.099, 0.871, 0.13, None),
    "small loose unif": (96.4, 0.32, 0.000, 0.116, 0.987, 0.65, None),
    "small loose gauss": (76.4, 0.195, 0.194, 0.119, 0.960, 0.53, None),
    "small loose exp": (73.2, 0.245, 0.241, 0.109, 0.967, 0.47, None),
    "small loose zipf1": (87.3, 0.225, 0.080, 0.087, 0.983, 0.62, None),
    "small loose zipf1.5": (54.7, 0.14, 0.423, 0.054, 0.968, 0.42, None),
    "small over_x2 unif": (67.1, 0.0465, 0.358, 0.311, 0.651, 0.55, None),
    "small over_x2 gauss": (51.2, 0.033, 0.504, 0.225, 0.744, 0.38, None),
    "small over_x2 exp": (43.1, 0.0355, 0.600, 0.203, 0.760, 0.30, None),
    "small over_x2 zipf1": (31.9, 0.028, 0.708, 0.210, 0.710, 0.23, None),
    "small over_x2 zipf1.5": (15.8, 0.012, 0.851, 0.120, 0.817, 0.11, None),
    "small over_x10 unif": (40.9, 0.0095, 0.651, 0.411, 0.336, 0.28, None),
    "small over_x10 gauss": (43.9, 0.0067, 0.587, 0.267, 0.573, 0.28, None),
    "small over_x10 zipf1": (23.5, 0.006, 0.806, 0.242, 0.600, 0.13, None),
    "small over_x10 zipf1.5": (12.2, 0.0024, 0.891, 0.128, 0.771, 0.07, None),
}
"""In the order of the fields."""

PUBLISHED = {name: Published(*figures) for name, figures in _FIGURES.items()}


def rate_of_r(name: str) -> float:
    """How many of the spurious candidates R takes for real.

    Where none is spurious this cannot be seen; then it is the rate of the case that
    differs in some that are.
    """
    rate = PUBLISHED[name].fpr
    if rate is None:
        rate = PUBLISHED[name.replace("sharp", "typical")].fpr
    assert rate is not None
    return rate
