"""The key `circular` of a question in a survey file.

Where it is true, the values lie on a circle: after the last one comes the first, as
hours, months and angles do. Ranges may then go around, and where the circle is cut does
not matter.
"""

from __future__ import annotations

from ldp.answers.contributions import OF_NUMBERS
from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Kind

_KIND: Kind = "arcs"
"""Of the mechanism that goes around a circle."""


def with_circle(keys: Keys, domain: Domain) -> Domain:
    """The domain, closed to a circle if the question says so."""
    if not keys.flag("circular"):
        return domain
    if domain.numbers is None and domain.scale is None:
        keys.problem(
            "circular", "nothing: only numbers lie on a circle", f"type {domain.type}"
        )
        return domain
    if domain.per_device in OF_NUMBERS:
        keys.problem(
            "per_device",
            (
                "last or one: what numbers of a circle add up to depends on where it "
                "is cut"
            ),
            domain.per_device,
        )
    if domain.outside == "clip":
        keys.problem(
            "outside",
            "refuse or a number: of a circle, neither end is the nearer one",
            "clip",
        )
    domain.circular = True
    return domain


def refuse_on_circle(keys: Keys, kind: Kind) -> None:
    """Note the problem if a mechanism of this kind would take the circle for a line."""
    if kind != _KIND:
        keys.problem(
            "circular", 'nothing without `goal = "distribution"` (arcs)', "true"
        )
