"""Pages by templates of jinja2: all text is escaped, unless it is `Safe` already."""

from __future__ import annotations

from collections.abc import Callable

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from ldp_aggregator.output.markup import escape


def templates_of(*packages: str, **functions: Callable[..., object]) -> Environment:
    """Return the templates of packages, and those for pages that stand alone.

    They may call `functions`.
    """
    places = (*packages, "ldp_aggregator.output")
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(place) for place in places]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_without_controls,
    )
    environment.globals |= functions
    return environment


def _without_controls(value: object) -> object:
    """Text without characters that markup cannot hold; what is markup stays as it
    is.
    """
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    if is_text:
        return escape(str(value))
    return value
