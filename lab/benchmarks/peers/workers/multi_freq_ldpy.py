"""multi-freq-ldpy: one function for the client and one for the aggregator of each
mechanism.

Its aggregators clip and scale; a witness at the place where they do so gives the
unbiased estimates too. The witness adds nothing to the time but one call.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from lab.benchmarks.peers.workers.measure import Contender, serve
from lab.benchmarks.peers.workers.unclipping import Witness


def build(name: str, options: dict[str, Any], epsilon: str, size: int) -> Contender:
    """`name` is what module and functions are called after."""
    module = importlib.import_module(f"multi_freq_ldpy.pure_frequency_oracles.{name}")
    if not isinstance(module.MI, Witness):
        module.MI = Witness(module.MI)
    arguments = {"k": size, "epsilon": float(epsilon), **options}
    privatise = getattr(module, f"{name}_Client")
    aggregate = getattr(module, f"{name}_Aggregator_MI")
    # By position: compiled functions are slower when called by name.
    to_client = _further(privatise, arguments)
    to_server = _further(aggregate, arguments)
    return Contender(
        answer=int,
        client=lambda value: privatise(value, *to_client),
        server=lambda reports: aggregate(reports, *to_server),
        read=lambda returned: {"unbiased": module.MI.unclipped(), "returned": returned},
    )


def _further(function: Any, arguments: dict[str, Any]) -> list[Any]:
    """The arguments after the first, in the function's order."""
    parameters = list(
        inspect.signature(getattr(function, "py_func", function)).parameters
    )[1:]
    return [arguments[name] for name in parameters if name in arguments]


if __name__ == "__main__":
    serve(build)
