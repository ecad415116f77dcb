"""Sharpness in words: the differences that so many reports can show."""

from __future__ import annotations

from collections.abc import Iterator

from ldp_service.page.markup.elements import many
from ldp_service.page.views.question import QuestionView
from ldp_service.page.views.sharpness import POWER, Sharpness, sharpness_of


def sharpness(view: QuestionView) -> list[str]:
    """Return sentences; none where there are no intervals."""
    known = None
    if view.estimates.reports:
        known = sharpness_of(view.estimates)
    if known is None:
        return []
    return list(_sentences(view, known))


def _sentences(view: QuestionView, known: Sharpness) -> Iterator[str]:
    show = f"{known.half_width:.3g}"
    which = "the mean" if not known.of_shares else f"the share of {known.what}"
    widest = ""
    if known.of_shares and len(view.estimates) > 1:
        widest = ", the widest interval of all"
    yield f"They tell {which} within ± {show}{widest}."
    if known.more is None:
        yield (
            "No number of respondents halves that: values share hash functions, and "
            "the error of that stays."
        )
    else:
        yield f"Half of that takes about {many(known.more, 'respondent')} more."
    if known.of_shares and known.detects is not None:
        yield (
            f"A value that {known.detects:.2%} hold is told from zero in {POWER:.0%} "
            "of such surveys; rarer ones mostly are not."
        )
    elif known.of_shares:
        yield (
            f"Not even a value that all hold would be told from zero in {POWER:.0%} of "
            "surveys."
        )
    shares = "shares" if known.of_shares else "means"
    if known.differs is None:
        yield (
            "Between two halves of the respondents, such as two groups, no test tells "
            f"{shares} apart in {POWER:.0%} of cases, however much they differ."
        )
        return
    yield (
        "Between two halves of the respondents, such as two groups, a test tells "
        f"{shares} apart that differ by {known.differs:.3g} or more in {POWER:.0%} of "
        "cases; smaller differences mostly stay unseen."
    )
