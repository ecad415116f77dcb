"""The key `per_device` of a question in a survey file.

mean, sum     (integer, number) of all the numbers that a device has
last, one     (any type but multi and key-value) the last of its records, or one that is
              drawn
"""

from __future__ import annotations

from ldp.answers.domain import SEPARATOR, Domain
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Randomizer

_OF_ANY_TYPE = ("last", "one")
_MODES = ("mean", "sum", *_OF_ANY_TYPE)


def with_contributions(keys: Keys, domain: Domain) -> Domain:
    """The domain, with what is made of many records if the question says so."""
    if "per_device" not in keys:
        return domain
    if domain.most is not None:
        keys.problem(
            "per_device", "nothing: a set has room for several values", "a word"
        )
        return domain
    if domain.fields:
        keys.problem(
            "per_device", "nothing: a table has one answer of each device", "a word"
        )
        return domain
    numeric = domain.numbers is not None or domain.scale is not None
    mode = keys.choice("per_device", _MODES if numeric else _OF_ANY_TYPE)
    if domain.type == "category" and any(
        SEPARATOR in value for value in domain.values or ()
    ):
        keys.problem(
            "values",
            (
                f"values without {SEPARATOR}, which stands between records in tables "
                "of answers"
            ),
            "one with it",
        )
    domain.per_device = mode or ""
    return domain


def refuse_memoized_mean(keys: Keys, domain: Domain, randomizer: Randomizer) -> None:
    """Averages lie between points, and a permanent response is kept for a point."""
    if domain.per_device != "mean" or not getattr(randomizer, "memoizes", False):
        return
    if domain.scale is None or not domain.scale.edges:
        keys.problem(
            "per_device",
            (
                "sum, last or one, or a mean in cells: a memoized mechanism rounds no "
                "averages"
            ),
            "mean",
        )
