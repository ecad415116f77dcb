"""pure-ldp: one class for the client and one for the server of each mechanism.

Its values are counted from 1. Mechanisms that hash hand the server's functions to the
client, so the server is made first and kept; it is reset between decodings.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from pure_ldp import frequency_oracles

from lab.benchmarks.peers.workers.measure import Contender, serve


def build(name: str, options: dict[str, Any], epsilon: str, size: int) -> Contender:
    """`name` is what the names of both classes begin with.

    Each takes those of the options that it knows.
    """
    arguments = {"epsilon": float(epsilon), "d": size, **options}
    server = _made(getattr(frequency_oracles, f"{name}Server"), arguments)
    if hasattr(server, "get_hash_funcs"):
        arguments["hash_funcs"] = server.get_hash_funcs()
    client = _made(getattr(frequency_oracles, f"{name}Client"), arguments)
    domain = range(1, size + 1)

    def decode(reports: list[Any]) -> Any:
        server.reset()
        server.aggregate_all(reports)
        return server.estimate_all(domain, suppress_warnings=True) / len(reports)

    return Contender(
        answer=lambda value: value + 1,
        client=client.privatise,
        server=decode,
        read=lambda estimates: {"unbiased": np.asarray(estimates)},
    )


def _made(kind: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in arguments.items() if name in known})


if __name__ == "__main__":
    serve(build)
