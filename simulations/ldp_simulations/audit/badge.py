"""A verdict as a picture of two words and a number, for a README."""

from __future__ import annotations

from xml.sax.saxutils import escape

from ldp_simulations.audit.bounds import FALSE_ALARMS
from ldp_simulations.audit.verdicts import Verdict

LABEL = "ldp client test"
_GREEN, _RED, _GREY = "#2e7d32", "#c62828", "#555"
_LETTER, _MARGIN, _HEIGHT = 6.6, 12, 20


def badge(verdict: Verdict) -> str:
    """A verdict as SVG, which fetches nothing; what it says in a title, for those who
    hear it.
    """
    draws = f"{verdict.draws:,} draws"
    text = f"no alarm in {draws}" if verdict.passes else f"alarm in {draws}"
    color = _GREEN if verdict.passes else _RED
    left, right = (round(len(words) * _LETTER + _MARGIN) for words in (LABEL, text))
    width = left + right
    title = (
        f"{LABEL} of {verdict.survey.name} ({verdict.survey.fingerprint.hex()}): "
        f"{text} of each answer; false alarms at most {FALSE_ALARMS:g}"
    )
    middle = _HEIGHT / 2 + 4
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
        'role="img" '
        f'aria-label="{escape(text)}"><title>{escape(title)}</title>'
        f'<rect width="{left}" height="{_HEIGHT}" fill="{_GREY}"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{color}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        'text-anchor="middle">'
        f'<text x="{left / 2:g}" y="{middle:g}">{LABEL}</text>'
        f'<text x="{left + right / 2:g}" '
        f'y="{middle:g}">{escape(text)}</text></g></svg>\n'
    )
