"""HTML and SVG, from text that may be anything.

Rules
- Whatever is not `Safe` is escaped, wherever it stands; only `tag` and `join` make
  something `Safe`.
- Characters that XML cannot hold are shown as U+FFFD: texts that respondents sent may
  have any.
- Nothing here makes scripts, styles or event handlers; the page's policy would not let
  them work.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

_VOID = frozenset({"img", "input", "link", "meta"})
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Attribute = str | float | bool | None


class Safe(str):
    """Markup, which needs no escaping any more."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return it as it stands, for templates."""
        return self


def escape(text: str) -> Safe:
    """Text as markup that shows it; what is `Safe` already stays as it is."""
    if isinstance(text, Safe):
        return text
    return Safe(html.escape(_NOT_XML.sub("\ufffd", text)))


def join(parts: Iterable[str]) -> Safe:
    """One after the other."""
    return Safe("".join(escape(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: Attribute) -> Safe:
    """An element.

    `class_` is class, `aria_label` aria-label; True has no value, None and False are
    left out.
    """
    start = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
    )
    if name in _VOID:
        return Safe(f"<{name}{start}>")
    return Safe(f"<{name}{start}>{join(children)}</{name}>")


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    return f' {name}="{escape(_text(value))}"'


def _text(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.10g}"
