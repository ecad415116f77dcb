"""pure-ldp: it estimates frequencies and heavy hitters, and has no mean; so that of
frequencies.
"""

from __future__ import annotations

from typing import Any

from lab.benchmarks.means.workers.surveying import Asked, of_frequencies, serve
from lab.benchmarks.peers.workers import pure_ldp


def build(name: str, options: dict[str, Any], epsilon: str, steps: int) -> Asked:
    """`name` is what the names of its classes begin with."""
    contender = pure_ldp.build(name, options, epsilon, size=steps + 1)
    return of_frequencies(contender, "unbiased", steps)


if __name__ == "__main__":
    serve(build)
