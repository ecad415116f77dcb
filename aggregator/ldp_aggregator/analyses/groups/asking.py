"""Which groups are asked for: `by` attributes, `where` attributes have certain values.

ldp estimate SURVEY TALLY --by platform --where country=de
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.attributes import UNKNOWN, Attributes
from ldp_aggregator.analyses.groups.crowds import ANY, MOST_BY, Crowd, crowds_by


class GroupRequest(NamedTuple):
    """Groups: one for each combination of values of `by`, all of which have those of
    `where`.
    """

    by: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, by: Iterable[str], where: Mapping[str, str]) -> GroupRequest:
        """Read the arguments of Python."""
        return cls(tuple(by), tuple(where.items()))

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that groups have values of."""
        return tuple(name for name, _ in self.where) + self.by

    def to_dict(self) -> dict[str, Any]:
        """Return it as records have it."""
        return {"by": list(self.by), "where": dict(self.where)}

    @property
    def query(self) -> dict[str, str]:
        """Return it as the query of a URL."""
        where = ",".join("=".join(pair) for pair in self.where)
        return {"by": ",".join(self.by), "where": where}


def by_of(text: str) -> tuple[str, ...]:
    """Attributes that are written side by side, as platform,country."""
    return tuple(filter(None, (name.strip() for name in text.split(","))))


def where_of(text: str) -> tuple[tuple[str, str], ...]:
    """Values of attributes, as platform=ios,country=de. Raises `EstimateError`."""
    pairs = []
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise EstimateError(
                "expected an attribute and one of its values, such as platform=ios, "
                f"got {part[:40]!r}"
            )
        pairs.append((name.strip(), value.strip()))
    return tuple(pairs)


def check_groups(attributes: Attributes, asked: GroupRequest) -> None:
    """Raise `UnknownNameError` or `EstimateError` for groups that a survey does not
    have.
    """
    known = {attribute.name: attribute.labels for attribute in attributes}
    for name in asked.names:
        if name not in known:
            raise UnknownNameError(name, known, "one of the survey's attributes")
    if len(set(asked.names)) < len(asked.names) or len(asked.names) > MOST_BY:
        raise EstimateError(
            f"expected each attribute once, and at most {MOST_BY} together, got "
            f"{', '.join(asked.names)}"
        )
    for name, value in asked.where:
        if value not in known[name]:
            values = ", ".join(known[name])
            raise EstimateError(
                f"attribute {name!r}: expected one of its values ({values}; {UNKNOWN} "
                f"is none of the survey's), got {value!r}"
            )


def crowds_of_request(
    attributes: Attributes, asked: GroupRequest
) -> list[Crowd] | None:
    """The crowds that are asked for; None where some of the attributes are not
    carried.
    """
    places = {attribute.name: place for place, attribute in enumerate(attributes)}
    if not places.keys() >= set(asked.names):
        return None
    where = {places[name]: value for name, value in asked.where}
    crowds = crowds_by(attributes, [places[name] for name in asked.names])
    return [
        crowd
        for crowd in crowds
        if all(crowd[place] == where[place] for place in where)
    ]


def with_any(crowd: Crowd, attributes: Attributes, names: Iterable[str]) -> Crowd:
    """The crowd with any value of some attributes: a total that it is a part of."""
    others = set(names)
    pairs = zip(crowd, attributes, strict=True)
    return tuple(
        ANY if attribute.name in others else label for label, attribute in pairs
    )
