"""Draw the README's picture from the survey of its Python block.

    python -m lab.readme_picture docs/readme.svg

The left side shows one phone, the right side the estimate from 2,000 made-up people.
"""

from __future__ import annotations

import sys
from pathlib import Path

import ldp
import ldp_aggregator
import ldp_simulations

PEOPLE, SMOKERS = 2_000, 620
LEFT, WIDTH, MOST = 400, 400, 0.5
"""The left end of the scale, its length, and the share at its right end."""

PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 330" role="img"
 font-family="system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif" fill="#1f2937">
<rect width="860" height="330" rx="16" fill="#eef2ff"/>
<rect x="60" y="22" width="216" height="286" rx="26" fill="#1f2937"/>
<rect x="70" y="36" width="196" height="258" rx="14" fill="#fff"/>
<text x="168" y="74" font-size="20" font-weight="600" text-anchor="middle">Do you smoke?</text>
<rect x="86" y="94" width="164" height="66" rx="10" fill="#f3f4f6"/>
<text x="100" y="116" font-size="14" fill="#4b5563">You said</text>
<text x="100" y="147" font-size="25" font-weight="700">No</text>
<text x="168" y="185" font-size="14" text-anchor="middle" fill="#4b5563">changed at random</text>
<path d="M168 193v12m-6-6 6 6 6-6" stroke="#4f46e5" stroke-width="2.5" fill="none"/>
<rect x="86" y="212" width="164" height="66" rx="10" fill="#e0e7ff"/>
<text x="100" y="234" font-size="14" fill="#4b5563">Sent</text>
<text x="100" y="265" font-size="25" font-weight="700" fill="#4338ca">Yes</text>
<text x="{left}" y="84" font-size="18" fill="#4b5563">{people:,} made-up people answered</text>
<text x="{left}" y="148" font-size="50" font-weight="700">{share:.0f} %</text>
<text x="{beside}" y="148" font-size="24">smoke, {low:.0f} to {high:.0f} %</text>
<rect x="{left}" y="194" width="{width}" height="16" rx="8" fill="#fff"/>
<rect x="{low_at:.1f}" y="194" width="{span:.1f}" height="16" rx="8" fill="#a5b4fc"/>
<circle cx="{share_at:.1f}" cy="202" r="7" fill="#4338ca"/>
<path d="M{truth_at:.1f} 184v36" stroke="#b45309" stroke-width="3"/>
<text x="{truth_at:.1f}" y="242" font-size="16" fill="#92400e">truth: {truth:.0f} %</text>
<text x="{left}" y="242" font-size="16" fill="#4b5563">0 %</text>
<text x="{end}" y="242" font-size="16" text-anchor="end" fill="#4b5563">{most:.0f} %</text>
<text x="{left}" y="286" font-size="16" fill="#4b5563">Nobody can be sure who they are.</text>
</svg>
"""


def picture() -> str:
    """Return the picture as SVG."""
    survey = ldp.survey("habits", ldp.question("smoker", type="boolean", epsilon=1))
    answers = {"smoker": [True] * SMOKERS + [False] * (PEOPLE - SMOKERS)}
    reports = ldp_simulations.randomize(survey, answers, seed=1)
    smokers = ldp_aggregator.estimate(survey, reports)["smoker"]["true"]
    low, high = smokers.interval
    truth, scale = SMOKERS / PEOPLE, WIDTH / MOST
    return PICTURE.format(
        people=PEOPLE,
        left=LEFT,
        width=WIDTH,
        end=LEFT + WIDTH,
        most=100 * MOST,
        beside=LEFT + 156,
        share=100 * smokers.frequency,
        low=100 * low,
        high=100 * high,
        truth=100 * truth,
        low_at=LEFT + scale * low,
        span=scale * (high - low),
        share_at=LEFT + scale * smokers.frequency,
        truth_at=LEFT + scale * truth,
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
