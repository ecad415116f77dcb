"""Districts of a map: their shares, and what cells that their borders cut leave open.

A district is a sum of cells, or of parts of them (`answers.geography`). Its share is
known as well as those of rectangles are, with the covariance of all cells, as a share
of *cells so counted*: where within a cell people live, no report tells. What that may
amount to is told by two sums of whole cells:

    all cells wholly within  <=  the district  <=  all cells that it has any of

so that from the lower end of the first to the upper end of the second the interval has
the share of the district itself, wherever within cells people live, at least as often
as its level says.
"""

from __future__ import annotations

from dataclasses import dataclass

from ldp_aggregator.answers.lines.answers import Share


@dataclass(frozen=True)
class District(Share):
    """The share of the answers within a district, whose name is `range`.

    Standard error and interval are for the share of its cells, as they are counted.
    """

    cut: float
    """The share of its area in cells that its border cuts, or beyond the map."""
    surely_low: float
    """The lower end for the cells that lie wholly within."""
    surely_high: float
    """The upper end for all cells that the district has any of."""

    @property
    def is_approximate(self) -> bool:
        """Whether its border cuts cells, or goes beyond the map."""
        return self.cut > 0

    @property
    def label(self) -> str:
        """Its name, as tables show it."""
        if self.is_approximate:
            return f"{self.range} (approximate)"
        return self.range
