"""Estimates as files: a table of formats."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import NamedTuple

from ldp.errors import EstimateError
from ldp_aggregator.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.output.tables import as_json
from ldp_aggregator.service.page.charts import standalone


class Export(NamedTuple):
    """A format: what its bytes are called, and what makes them."""

    content_type: str
    make: Callable[[SurveyEstimates], bytes]


def _json(estimates: SurveyEstimates) -> bytes:
    return as_json(estimates).encode()


def _csv(estimates: SurveyEstimates) -> bytes:
    return estimates.to_csv().encode()


def _parquet(estimates: SurveyEstimates) -> bytes:
    try:
        from pyarrow import Table
        from pyarrow.parquet import write_table
    except ImportError:
        raise EstimateError(
            "expected pyarrow for Parquet, found none; install it on the server with "
            'pip install "ldpkit-aggregator[parquet]", or ask for csv'
        ) from None
    file = io.BytesIO()
    write_table(Table.from_pylist(list(estimates.rows())), file)
    return file.getvalue()


EXPORTS = {
    "json": Export("application/json", _json),
    "csv": Export("text/csv; charset=utf-8", _csv),
    "svg": Export("image/svg+xml", standalone),
    "parquet": Export("application/vnd.apache.parquet", _parquet),
}
