"""Who is compared, on what: the peers, the cells, and for each mechanism what the peers
call it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ldp.mechanisms import MECHANISMS

OURS = "ldpkit"
PURE, MULTI, OPENDP = "pure-ldp", "multi-freq-ldpy", "opendp"

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    # Imports scikit-learn and statsmodels without declaring them; later numpy and
    # xxhash break its sketches and hashes.
    PURE: (
        "pure-ldp==1.2.0",
        "scikit-learn",
        "statsmodels",
        "numpy<=2.2.6",
        "xxhash<4",
    ),
    # Imports scipy without declaring it; xxhash 4 takes bytes where it passes text.
    MULTI: ("multi-freq-ldpy==0.2.5", "numba", "scipy", "xxhash<4"),
    OPENDP: ("opendp", "numpy"),
}
"""What to install for each peer so that it works."""


class Cell(NamedTuple):
    """How many respondents, values, and how much privacy."""

    respondents: int
    size: int
    epsilon: str


CELLS = tuple(
    Cell(respondents, size, epsilon)
    for respondents, size in ((100_000, 128), (100_000, 1024), (20_000, 16_384))
    for epsilon in ("1", "4")
)


class Entry(NamedTuple):
    """A mechanism as a side calls it: the name of a class, function or mechanism, and
    arguments.
    """

    name: str
    options: Mapping[str, Any]


class Pair(NamedTuple):
    """One of our mechanisms, further keys of its survey file, and what the peers have
    of it.
    """

    mechanism: str
    keys: str
    peers: Mapping[str, Entry]

    @property
    def sides(self) -> dict[str, Entry]:
        """Everyone who has the mechanism, this project first."""
        return {OURS: Entry(self.mechanism, {"keys": self.keys}), **self.peers}


def _pair(mechanism: str, keys: str = "", **peers: tuple[str, dict[str, Any]]) -> Pair:
    names = {"pure": PURE, "multi": MULTI, "opendp": OPENDP}
    return Pair(
        mechanism, keys, {names[peer]: Entry(*entry) for peer, entry in peers.items()}
    )


_SKETCH = "hashes = 128\nwidth = 1024\n"

ROWS = (
    _pair(
        "grr", pure=("DE", {}), multi=("GRR", {}), opendp=("randomized_response", {})
    ),
    _pair(
        "sue",
        pure=("UE", {"use_oue": False}),
        multi=("UE", {"optimal": False}),
        opendp=("randomized_response_bitvec", {}),
    ),
    _pair("oue", pure=("UE", {"use_oue": True}), multi=("UE", {"optimal": True})),
    _pair("ss", multi=("SS", {})),
    _pair("pgr"),
    _pair("hr", pure=("HadamardResponse", {})),
    _pair("olh", pure=("LH", {"use_olh": True}), multi=("LH", {"optimal": True})),
    _pair("cms", _SKETCH, pure=("CMS", {"k": 128, "m": 1024, "is_hadamard": False})),
    _pair("hcms", _SKETCH, pure=("CMS", {"k": 128, "m": 1024, "is_hadamard": True})),
    _pair("blh", pure=("LH", {"g": 2}), multi=("LH", {"optimal": False})),
    # multi-freq-ldpy has it too, but only clipped and scaled, without an estimate that
    # its witness could see.
    _pair("she", pure=("HE", {"use_the": False})),
    _pair("the", pure=("HE", {"use_the": True}), multi=("HE", {"use_thresh": True})),
)
"""Every mechanism to compare. One without peers takes part in best against best."""


def present(known: Mapping[str, object] = MECHANISMS) -> tuple[list[Pair], list[str]]:
    """The rows whose mechanism this project has, and the names of the others."""
    return [row for row in ROWS if row.mechanism in known], [
        row.mechanism for row in ROWS if row.mechanism not in known
    ]
