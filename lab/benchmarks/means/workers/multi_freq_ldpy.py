"""multi-freq-ldpy: it estimates frequencies, and has no mean; so that of frequencies,
as returned.

What it returns is cut at zero and scaled, so that its means are biased.
"""

from __future__ import annotations

from typing import Any

from lab.benchmarks.means.workers.surveying import Asked, of_frequencies, serve
from lab.benchmarks.peers.workers import multi_freq_ldpy


def build(name: str, options: dict[str, Any], epsilon: str, steps: int) -> Asked:
    """`name` is what module and functions are called after."""
    contender = multi_freq_ldpy.build(name, options, epsilon, size=steps + 1)
    return of_frequencies(contender, "returned", steps)


if __name__ == "__main__":
    serve(build)
