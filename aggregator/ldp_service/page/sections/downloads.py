"""Estimates as files to download: the formats that the command has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.output.formats.formats import Format, formats_of

DOWNLOADS: Mapping[str, Format] = MappingProxyType(
    {row.name: row for row in formats_of("tables", "record", "rows", "bars")}
)
_ELSEWHERE = "JSON and CSV have all values"


def download(estimates: SurveyEstimates, form: Format) -> bytes:
    """The estimates as the bytes of a file. Raises `EstimateError` if a library is
    missing.
    """
    return form.whole(estimates.sheet(in_full=False, elsewhere=_ELSEWHERE))
