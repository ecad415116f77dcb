"""Public endpoints: the pages of surveys, and the counts of views and starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from ldp_service.uploads.invitations import Invitations
from ldp_service.uploads.page_visits import PageVisits


@dataclass(frozen=True)
class Public:
    """The pages of surveys by name, and what a host sends with each; links need an
    address.
    """

    files: Mapping[str, Mapping[str, bytes]]
    headers: Mapping[str, Mapping[str, str]]
    reach: PageVisits
    invitations: Invitations | None = None
    """Who may answer; everyone, if nobody is named."""
    titles: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    """Of the service, as respondents see it; that of the request, if none is said."""


def link_of(base: str, name: str) -> str:
    """Return the link of a survey's page."""
    return f"{base}/s/{quote(name)}/"
