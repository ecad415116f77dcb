"""Whether a survey stands in the register that an app pins: checked before anything is
recorded.

An app that pins the head of a register (`ldp survey register head`) opens a survey only
with a proof that this very version, its words included, is an entry of that register,
or of one that has grown out of it (`ldp survey register prove inclusion`). So no
version can be shown to one device that does not stand where everyone can read it, with
what became worse and the reason for it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ldp.errors import Problem, SurveyError
from ldp.survey.survey import Survey

Proof = str | os.PathLike[str] | Mapping[str, object]
"""A proof of inclusion: as it was read from JSON, or the file that it is in."""

_LARGEST = 1 << 26


def require_registration(survey: Survey, head: str | None, proof: Proof | None) -> None:
    """Raise `SurveyError` unless a proof leads from the survey to the head, where there
    are any.

    head   SIZE:ROOT, as `ldp survey register head` prints it
    proof  what `ldp survey register prove inclusion` writes, or the file that it was
           written to
    """
    if head is None and proof is None:
        return
    place = f"survey {survey.name!r}"
    if head is None or proof is None:
        expected = (
            "a head and a proof (`ldp survey register prove inclusion`): this app pins "
            "one"
        )
        came = "no head" if head is None else "no proof"
        raise SurveyError((Problem(place, expected, came),))
    # Imported here, as most apps pin no register.
    from ldp.transparency.entries import RegisterError
    from ldp.transparency.proofs import check_registration, parse_head

    try:
        check_registration(survey, parse_head(head), _read(proof, place))
    except RegisterError as error:
        expected = f"a survey in the register that this app pins ({head.strip()[:80]})"
        raise SurveyError(
            (Problem(place, expected, f"no proof of it: {error}"),)
        ) from None


def _read(proof: Proof, place: str) -> object:
    if isinstance(proof, Mapping):
        return proof
    import json

    path = os.fspath(proof)
    try:
        with open(path, "rb") as file:
            return json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "text that is no JSON"
        raise SurveyError((Problem(place, f"a proof in {path}", reason),)) from None
