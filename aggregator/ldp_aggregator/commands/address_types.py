"""Types of flags that take addresses of web sites, and origins of pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from ldp_aggregator.output.web_addresses import AddressError, web_address, web_origin

SELF = "'self'"


class _Checked(click.ParamType[str]):
    """A text that a function checks; an empty one stands for none."""

    def __init__(self, name: str, check: Callable[[str], str]) -> None:
        self.name = name
        self._check = check

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Raises `click.BadParameter` for what is no such address."""
        try:
            if value:
                return self._check(str(value))
            return ""
        except AddressError as error:
            self.fail(str(error), param, ctx)


def _framing(text: str) -> str:
    if text == SELF:
        return text
    return web_origin(text, any_below=True)


ADDRESS = _Checked("url", web_address)
"""An address of a web site."""
PAGE_ADDRESS = _Checked("url", partial(web_address, query=True))
"""That of a page, which may have a query."""
SECRET_ADDRESS = _Checked(
    "url", partial(web_address, secure=True, query=True, secret=True)
)
"""One over https, or on this machine, that is itself a secret."""
ORIGIN = _Checked("origin", web_origin)
"""Where pages come from, as browsers name it."""
FRAMING = _Checked("origin", _framing)
"""The same for policies of frames: also 'self', and all hosts below one."""
