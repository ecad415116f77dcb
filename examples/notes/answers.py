"""Typed answers to the survey notes-2026. Written by `ldp client codegen`: change the survey, not this file."""

from __future__ import annotations

from typing import Literal

from ldp_client import EmbeddedClient, RecordOutcome

TERMS = "1ba9c4232650f0b7f85f37636554978b"
"""What a respondent agrees to: pin it with `EmbeddedClient(..., pins=[TERMS])`."""


def record_kept(client: EmbeddedClient, value: Literal["none", "1 to 9", "10 to 99", "100 or more"]) -> RecordOutcome:
    """How many notes are kept?"""
    return client.record("kept", value)


def record_kept_daily(client: EmbeddedClient, value: Literal["none", "1 to 9", "10 to 99", "100 or more"]) -> RecordOutcome:
    """How many notes are kept? (Once a day: the first answer counts.)"""
    return client.record_daily("kept", value)


def record_theme(client: EmbeddedClient, value: Literal["dark", "light", "never chosen"]) -> RecordOutcome:
    """Which theme is set? Whoever never chose one counts, too."""
    return client.record("theme", value)


def record_theme_daily(client: EmbeddedClient, value: Literal["dark", "light", "never chosen"]) -> RecordOutcome:
    """Which theme is set? Whoever never chose one counts, too. (Once a day: the first answer counts.)"""
    return client.record_daily("theme", value)


def record_sensitive(client: EmbeddedClient, value: Literal["yes", "no", "rather not say"]) -> RecordOutcome:
    """Do you keep passwords in your notes?"""
    return client.record("sensitive", value)
