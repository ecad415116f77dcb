"""QR codes, in a terminal and as SVG, and sheets of cards to print.

Needs segno, of the extra `serve`.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from ldp.errors import LDPError
from ldp_aggregator.output.markup import Safe, join, tag

_STYLE = (
    "body{font:11pt/1.35 system-ui,sans-serif;margin:0}"
    "ul{list-style:none;margin:0;padding:8mm;display:grid;gap:4mm;"
    "grid-template-columns:repeat(3,1fr)}"
    "li{border:1px dashed #777;padding:4mm;text-align:center;break-inside:avoid;"
    "overflow-wrap:anywhere}"
    "svg{inline-size:42mm;block-size:42mm}p{margin:1mm 0}small{font-size:7pt}"
)


class CodeError(LDPError):
    """A QR code that cannot be made."""


def in_terminal(address: str) -> str:
    """A code of blocks, two rows in a line."""
    out = io.StringIO()
    _code(address).terminal(out=out, compact=True, border=2)
    return out.getvalue()


def as_svg(address: str, words: str) -> Safe:
    """A code as a part of a page, dark on light in any scheme."""
    code = _code(address)
    size = code.symbol_size(border=4)[0]
    dark = [
        f"M{column} {row}h1v1h-1z"
        for row, modules in enumerate(code.matrix_iter(border=4))
        for column, module in enumerate(modules)
        if module
    ]
    ground = tag("path", d=f"M0 0h{size}v{size}h-{size}z", fill="#fff")
    drawn = tag("path", d="".join(dark), fill="#000")
    box = {"viewBox": f"0 0 {size} {size}", "role": "img"}
    return tag("svg", ground, drawn, **box, aria_label=words, width="180", height="180")


def sheet(title: str, addresses: Sequence[str]) -> str:
    """A page of cards, each with a link and its code, to be printed and cut."""
    cards = join(
        tag(
            "li",
            as_svg(address, "QR code of the link"),
            tag("p", title),
            tag("small", address),
        )
        for address in addresses
    )
    style = tag("style", Safe(_STYLE))
    head = tag("head", tag("meta", charset="utf-8"), tag("title", title), style)
    return f"<!doctype html>\n{tag('html', head, tag('body', tag('ul', cards)))}\n"


def _code(address: str):  # type: ignore[no-untyped-def]  # segno has no types of its own
    try:
        import segno
    except ImportError:
        raise CodeError(
            "expected segno, found none; install it with pip install "
            '"ldpkit-aggregator[serve]"'
        ) from None
    return segno.make(address, error="m", micro=False)
