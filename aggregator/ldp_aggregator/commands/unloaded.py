"""What functions say of themselves, without loading the modules that they are in."""

from __future__ import annotations

import inspect
import re
from importlib.util import find_spec
from pathlib import Path


def docstring_of(module: str, function: str) -> str | None:
    """The docstring of a function of a module, as its source has it; None if that is not plain."""
    try:
        spec = find_spec(module)
        source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    except (ImportError, OSError, UnicodeDecodeError, ValueError):
        return None
    head = rf"^def {re.escape(function)}\([^\"]*?\)[^\"]*?:\n"
    plain = re.search(head + r' {4}"""([^\\]*?)"""', source, re.MULTILINE)
    return None if plain is None else inspect.cleandoc(plain[1])
