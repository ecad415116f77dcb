"""The compiled form of a survey: JSON for clients in other languages.

They neither read TOML nor design mechanisms.

It holds what a device needs to make reports and to check that it has the right survey:
every part of the fingerprints and of the terms, the exact integers of each mechanism as
decimal strings, and the text that people read. docs/wire.md specifies it.
"""

from __future__ import annotations

from ldp.answers.balls import Ball
from ldp.answers.domain import Domain
from ldp.answers.scales import Scale
from ldp.mechanisms.contract import Randomizer, integers
from ldp.survey.survey import Question, Survey

FORMAT = 1


def compile_survey(survey: Survey) -> dict[str, object]:
    """The compiled form of a survey, ready for JSON."""
    lifetime = None
    if survey.lifetime is not None:
        lifetime = {
            "epsilon": survey.lifetime.text,
            "ratio": str(survey.lifetime.bound),
        }
    epoch = {}
    if survey.epoch is not None:
        epoch = {"epoch": survey.epoch}
    return {
        "format": FORMAT,
        "name": survey.name,
        "fingerprint": survey.fingerprint.hex(),
        "terms": survey.terms.hex(),
        **epoch,
        "lifetime": lifetime,
        "questions": [_compile_question(question) for question in survey],
        "groups": [
            [question.name for question in group.members] for group in survey.groups
        ],
        **draws_of(survey),
        **attributes_of(survey),
    }


def attributes_of(survey: Survey) -> dict[str, object]:
    """Return the public attributes of reports, and the least group; empty without
    any.
    """
    if not survey.attributes:
        return {}
    attributes = [
        {
            "name": attribute.name,
            "values": list(attribute.values),
            **({"questions": list(attribute.questions)} if attribute.questions else {}),
        }
        for attribute in survey.attributes
    ]
    return {"attributes": attributes, "least_group": survey.least_group}


def draws_of(survey: Survey) -> dict[str, object]:
    """The questions of which a device answers some, and their weights; nothing without
    any.
    """
    if not survey.draws:
        return {}
    return {
        "draws": [
            {
                "questions": list(draw.names),
                "weights": list(draw.weights),
                **({"answers": draw.answers} if draw.answers > 1 else {}),
            }
            for draw in survey.draws
        ]
    }


def _compile_question(question: Question) -> dict[str, object]:
    return {
        "name": question.name,
        "text": question.text,
        **question_terms(question),
        **_tree(question),
    }


def question_terms(question: Question) -> dict[str, object]:
    """All of a question that its fingerprint and the terms cover, and the
    fingerprint.
    """
    domain = question.domain
    return {
        "name": question.name,
        **_choices(domain),
        **({} if domain.ball is None else {"ball": _ball(domain.ball)}),
        **({"per_device": domain.per_device} if domain.per_device else {}),
        **({"circular": True} if domain.circular else {}),
        "mechanism": question.mechanism,
        "integers": written_integers(question.randomizer),
        "charges": question.charges,
        "fingerprint": question.fingerprint.hex(),
    }


def _choices(domain: Domain) -> dict[str, object]:
    """Return the possible answers: values, a scale, keys and a scale, or fields with
    such.
    """
    if domain.fields:
        fields = [
            {"name": field.name, "text": field.text, **_choices(field.domain)}
            for field in domain.fields
        ]
        return {"type": domain.type, "values": None, "fields": fields}
    values = domain.values if domain.scale is None else None
    scale = domain.scale or domain.key_scale
    stands_in = domain.numbers is not None and domain.outside != "refuse"
    return {
        "type": domain.type,
        "values": None if values is None else list(values),
        **({} if scale is None else {"scale": _scale(scale)}),
        **({"outside": str(domain.outside)} if stands_in else {}),
    }


def _tree(question: Question) -> dict[str, object]:
    """The tree by names, for those who show it to people; what reports depend on are
    integers.
    """
    taxonomy = question.domain.taxonomy
    if taxonomy is None:
        return {}
    names = (*taxonomy.inner, *(question.domain.values or ()))
    above = zip(names, taxonomy.parents, strict=True)
    parents = {name: names[parent - 1] for name, parent in above if parent}
    return {"parents": parents, "levels": list(taxonomy.levels)}


def _scale(scale: Scale) -> dict[str, object]:
    """The points or edges of a scale as exact texts, and what its fingerprint covers
    besides.
    """
    where: dict[str, object] = {"low": str(scale.low), "step": str(scale.step)}
    if scale.edges:
        where = {"edges": list(map(str, scale.edges))}
    return {
        "size": str(scale.size),
        **where,
        "outside": str(scale.outside),
        "unit": scale.unit,
        "missing": list(scale.missing),
    }


def _ball(ball: Ball) -> dict[str, object]:
    """Return the parts of a ball that the fingerprint covers."""
    return {
        "dimensions": ball.dimensions,
        "radius": str(ball.radius),
        "outside": ball.outside,
    }


def written_integers(randomizer: Randomizer) -> dict[str, str | list[list[str]]]:
    """The integers of a randomizer, as texts: JSON readers differ on those beyond
    2^53.
    """
    written: dict[str, str | list[list[str]]] = {}
    for name, number in integers(randomizer).items():
        if isinstance(number, int):
            written[name] = str(number)
        else:
            written[name] = [[str(entry) for entry in row] for row in number]
    return written
