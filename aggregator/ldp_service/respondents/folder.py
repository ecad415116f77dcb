"""The files of a page, which any static host can serve: a document, a script, a style,
two of data.

Rules
- No script or style stands in the document, and nothing comes from anywhere else: its
  policy names the page's own host, and the collector's to send to.
- The document has the hashes of all other files (subresource integrity), data included,
  so that whoever checks it has checked the page; a host that changes a file breaks the
  page.
- A policy in a document cannot say who may frame it; `headers.txt` has all that a host
  should send.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from hashlib import sha384
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ldp.errors import Problem
from ldp.survey.compiled import compile_survey
from ldp.survey.survey import Survey
from ldp_aggregator.output.markup import tag
from ldp_aggregator.output.web_addresses import AddressError, web_address
from ldp_service.respondents.figures import check_askable, figures, total_figures
from ldp_service.respondents.presentation import PageError, Presentation, QuestionWidget
from ldp_service.respondents.words import words_of

STATIC = Path(__file__).with_name("static")
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
CONTENT_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "survey.json": "application/json",
    "texts.json": "application/json",
}


class Site(NamedTuple):
    """Where a page sends to, and what it may do there."""

    collector: str = ""
    """Nothing where it is the page's own host."""
    counted: bool = False
    """Whether it counts who was shown it and who began."""
    invited: bool = False
    """Whether only those who have a token may answer."""
    words: tuple[Path, ...] = ()
    candidates: Mapping[str, Sequence[str]] = MappingProxyType({})


def page_files(survey: Survey, shown: Presentation, site: Site) -> dict[str, bytes]:
    """All files of a page by name. Raises `PageError`, `FileError`."""
    check_askable(survey)
    _check_address(site.collector)
    files = {
        "page.js": (STATIC / "page.js").read_bytes(),
        "page.css": (STATIC / "page.css").read_bytes(),
        "survey.json": _json(compile_survey(survey)),
        "texts.json": _json(_texts(survey, shown, site)),
    }
    return {"index.html": _document(shown, files, site).encode(), **files}


def headers_of(shown: Presentation, site: Site) -> dict[str, str]:
    """Return the headers that a host should send with a page."""
    policy = _policy(site)
    parents = " ".join(shown.parents) or "'none'"
    return {
        "content-security-policy": f"{policy}; frame-ancestors {parents}",
        **HEADERS,
    }


def headers_text(shown: Presentation, site: Site) -> str:
    """Return the headers as a file, in the form that several hosts read."""
    lines = [f"  {name}: {value}" for name, value in headers_of(shown, site).items()]
    return "\n".join(["/*", *lines]) + "\n"


def _policy(site: Site) -> str:
    sends = " ".join(filter(None, ["'self'", _origin(site.collector)]))
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        f"connect-src {sends}; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'"
    )


def _origin(address: str) -> str:
    parts = urlsplit(address)
    if address:
        return f"{parts.scheme}://{parts.netloc}"
    return ""


def _check_address(collector: str) -> None:
    """Raise `PageError` for what is no address of a web site: it would be a part of the
    policy.
    """
    try:
        web_address(collector or "https://own.example")
    except AddressError:
        expected = "an address such as https://collect.example"
        raise PageError([Problem("address", expected, ascii(collector))]) from None


def _texts(survey: Survey, shown: Presentation, site: Site) -> dict[str, Any]:
    """Return the texts that `client/js/page/texts.ts` reads."""
    empty = dict.fromkeys(("title", "asked_by", "purpose", "contact", "thanks"), "")
    languages = {}
    for language, spoken in shown.languages.items():
        questions = {name: asked.to_dict() for name, asked in spoken.questions.items()}
        said = {**empty, **spoken.texts, "questions": questions}
        languages[language] = {**words_of(language, site.words), "survey": said}
    questions = {}
    for question in survey:
        way = shown.ways.get(question.name, QuestionWidget())
        candidates = site.candidates.get(question.name, ())
        own = {**way._asdict(), "candidates": candidates}
        questions[question.name] = {**figures(question), **own}
    return {
        "languages": languages,
        "questions": questions,
        "total": total_figures(survey),
        "one_by_one": shown.one_by_one,
        "collector": site.collector,
        "counted": site.counted,
        "invited": site.invited,
        "parents": shown.parents,
    }


def _document(shown: Presentation, files: dict[str, bytes], site: Site) -> str:
    spoken = shown.languages[shown.language].texts
    words = words_of(shown.language, site.words)
    title = spoken.get("title", "")
    said = words["words"]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(site)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag(
            "link",
            rel="stylesheet",
            href="page.css",
            integrity=_hash(files["page.css"]),
        ),
        tag("script", type="module", src="page.js", integrity=_hash(files["page.js"])),
    )
    # What stands here without any program: nothing that could be filled in.
    main = tag(
        "main",
        tag("h1", title),
        tag("p", "…", id="waiting", role="status"),
        tag("p", said["not_started"], id="stuck"),
        tag("noscript", tag("p", said["needs_script"])),
        data_survey="survey.json",
        data_survey_integrity=_hash(files["survey.json"]),
        data_texts="texts.json",
        data_texts_integrity=_hash(files["texts.json"]),
        data_failed=said["cannot_be_asked"],
    )
    html = tag(
        "html", head, tag("body", main), lang=shown.language, dir=words["direction"]
    )
    return f"<!doctype html>\n{html}\n"


def _hash(content: bytes) -> str:
    return f"sha384-{base64.b64encode(sha384(content).digest()).decode()}"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()
