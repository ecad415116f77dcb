"""Remarks: what an analyst has to know before believing a number, as one plain sentence each.

A remark has a name, for machines to go by, and a text, for people. An estimator adds its own to its moments
(`Moments.remarks`), whatever makes intervals adds those on intervals, and all outputs show all of them: tables,
notebooks, JSON (`remarks`), the page of a service. CSV has no place for sentences; there the commands say them on
standard error.
"""

from __future__ import annotations

from typing import NamedTuple


class Remark(NamedTuple):
    """One thing to know about the estimates of a question."""

    name: str
    text: str

    def __str__(self) -> str:
        return self.text
