"""Draw the README's picture from the survey of its Python block.

    python -m lab.readme_picture docs/readme.svg

The left side shows one phone, the right side the estimate from 2,000 made-up people.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ldp
import ldp_aggregator
import ldp_simulations
from ldp_aggregator.output.people import reading
from ldp_aggregator.output.pictures.parts import STYLE
from ldp_aggregator.output.pictures.picture import chart

PEOPLE, SMOKERS = 2_000, 620
HALF = (0, 0.5)
"""The ends of the axis."""

PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 330" role="img" class="chart"
 style="font-family: system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif">
<style>{style}
.chart .phone {{ fill: #1f2937; }}
.chart .glass {{ fill: #fff; }}
.chart .card {{ fill: #eef2f7; }}
.chart .sent {{ fill: #dbe8fb; }}
.chart .phone-words {{ fill: #17202e; }}
.chart .phone-note {{ fill: #4b5563; }}
</style>
<rect class="phone" x="60" y="22" width="216" height="286" rx="26"/>
<rect class="glass" x="70" y="36" width="196" height="258" rx="14"/>
<g class="phone-words">
<text class="phone-words" x="168" y="74" font-size="20" font-weight="600" text-anchor="middle">\
Do you smoke?</text>
<rect class="card" x="86" y="94" width="164" height="66" rx="10"/>
<text class="phone-note" x="100" y="116" font-size="14">You said</text>
<text class="phone-words" x="100" y="147" font-size="25" font-weight="700">No</text>
<text class="phone-note" x="168" y="185" font-size="14" text-anchor="middle">\
changed at random</text>
<path d="M168 193v12m-6-6 6 6 6-6" stroke="#12386e" stroke-width="2.5" fill="none"/>
<rect class="sent" x="86" y="212" width="164" height="66" rx="10"/>
<text class="phone-note" x="100" y="234" font-size="14">We received</text>
<text class="phone-words" x="100" y="265" font-size="25" font-weight="700">Yes</text>
</g>
<text x="400" y="74" font-size="18">{people:,} made-up people answered</text>
<text x="400" y="138" font-size="50" font-weight="700">{share}</text>
<text x="556" y="138" font-size="24">smoke, {range}</text>
<svg x="396" y="168" width="420" height="100">{chart}</svg>
<text x="400" y="296" font-size="16">Nobody can be sure who they are.</text>
</svg>
"""


def picture() -> str:
    """Return the picture as SVG."""
    asked = ldp.question("smoker", type="boolean", epsilon=1)
    survey = ldp.survey("habits", asked)
    answers = {"smoker": [True] * SMOKERS + [False] * (PEOPLE - SMOKERS)}
    reports = ldp_simulations.randomize(survey, answers, seed=1)
    estimates = ldp_aggregator.estimate(survey, reports)["smoker"]
    truth = SMOKERS / PEOPLE
    said = reading(estimates["true"].frequency, *estimates["true"].interval)
    panel = estimates.only(np.array([1])).bars([truth])._replace(within=HALF)
    return PICTURE.format(
        style=STYLE.read_text(encoding="utf-8"),
        people=PEOPLE,
        share=said.value,
        range=said.range,
        chart=chart(panel, "smokers"),
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
