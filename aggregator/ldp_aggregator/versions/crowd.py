"""Crowd of a device: the attributes beside its answers, and how many share them.

Whatever tells reports apart divides the crowd: openly said attributes, the epoch that a
batch is made in, and which answers are known to be one person's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ldp.survey.attributes import Attribute
from ldp.survey.survey import Survey
from ldp_aggregator.versions.change import (
    ATTRIBUTE,
    CROWD,
    EPOCH,
    GRACE,
    NOTHING,
    SAME,
    TOGETHER,
    Change,
    list_texts,
    verdict_of,
)

_SURVEY = "survey"


def crowd_changes(old: Survey, new: Survey) -> Iterator[Change]:
    """Yield the changes in the common part of reports of one device, or of few."""
    yield from _together(old, new)
    yield from _epoch(old, new)
    yield from _attributes(old, new)


def _together(old: Survey, new: Survey) -> Iterator[Change]:
    before, after = _pairs(old), _pairs(new)
    linked, parted = sorted(after - before), sorted(before - after)
    for pairs, is_worse in ((linked, True), (parted, False)):
        if not pairs:
            continue
        texts = [NOTHING, list_texts(pairs)]
        if not is_worse:
            texts.reverse()
        verdict, says = verdict_of(
            is_worse,
            "answers to several questions are known to be one person's",
            "answers to several questions are not known any more to be one person's",
        )
        yield Change(
            _SURVEY, TOGETHER, texts[0], after=texts[1], verdict=verdict, says=says
        )


def _pairs(survey: Survey) -> set[str]:
    """The pairs of questions whose answers travel as one row."""
    return {
        "+".join(sorted(pair))
        for group in survey.groups
        for pair in combinations([question.name for question in group.members], 2)
    }


def _epoch(old: Survey, new: Survey) -> Iterator[Change]:
    if old.epoch != new.epoch:
        # Without epochs a batch says nothing of when it was made.
        finer = new.epoch is not None and (old.epoch is None or new.epoch < old.epoch)
        verdict, says = verdict_of(
            finer,
            "a batch says more closely when it was made",
            "a batch says less closely when it was made",
        )
        yield Change(
            _SURVEY,
            EPOCH,
            _seconds(old.epoch),
            after=_seconds(new.epoch),
            verdict=verdict,
            says=says,
        )
    if old.grace != new.grace:
        yield Change(
            _SURVEY,
            GRACE,
            _seconds(old.grace),
            after=_seconds(new.grace),
            verdict=SAME,
            says=(
                "how long after its end reports of an epoch are taken, and their ids "
                "kept"
            ),
        )


def _seconds(length: int | None) -> str:
    if length:
        return f"{length} s"
    return NOTHING


def _attributes(old: Survey, new: Survey) -> Iterator[Change]:
    before = {attribute.name: attribute for attribute in old.attributes}
    after = {attribute.name: attribute for attribute in new.attributes}
    for name in dict.fromkeys((*before, *after)):
        yield from _attribute(before.get(name), after.get(name), surveys=(old, new))
    if old.least_group != new.least_group and old.attributes and new.attributes:
        verdict, says = verdict_of(
            new.least_group < old.least_group,
            "smaller groups are shown",
            "smaller groups are not shown any more",
        )
        yield Change(
            _SURVEY,
            CROWD,
            str(old.least_group),
            after=str(new.least_group),
            verdict=verdict,
            says=says,
        )


def _attribute(
    old: Attribute | None, new: Attribute | None, surveys: tuple[Survey, Survey]
) -> Iterator[Change]:
    before, after = surveys
    if old == new:
        return
    known = old or new
    place = f"{_SURVEY}, attribute {'' if known is None else known.name}"
    for what, was, is_ in (
        ("values", _values(old), _values(new)),
        ("with questions", _along(old, before), _along(new, after)),
    ):
        more = [text for text in is_ if text not in was]
        less = [text for text in was if text not in is_]
        if more:
            yield Change(
                place,
                ATTRIBUTE,
                f"{what}: without them",
                after=f"{what}: with {list_texts(more)}",
                verdict="worse",
                says="reports say more of a device openly, and divide the crowd",
            )
        if less:
            yield Change(
                place,
                ATTRIBUTE,
                f"{what}: with {list_texts(less)}",
                after=f"{what}: without them",
                verdict="better",
                says="reports say less of a device openly",
            )
        if not more and not less and was != is_:
            yield Change(
                place,
                ATTRIBUTE,
                f"{what}: in one order",
                after=f"{what}: in another",
                verdict=SAME,
                says="the same is said, in another order",
            )


def _values(attribute: Attribute | None) -> list[str]:
    if attribute is None:
        return []
    return list(attribute.values)


def _along(attribute: Attribute | None, survey: Survey) -> list[str]:
    """The questions whose reports carry it."""
    if attribute is None:
        return []
    return [question.name for question in survey if attribute.goes_with(question.name)]
