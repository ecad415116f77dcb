"""The text of a survey file, written from its table: `{"survey": {...}, "question":
[{...}, ...]}`.

The text is TOML: a header for each table, then a line for each key. A list that does
not fit into a line has one line for each of its items. Numbers that TOML has no form
for (fractions, decimals) are texts, which the reader takes as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_LONGEST_LINE = 100
_MOST_BITS = 10_000
"""Python writes no decimals of integers that are longer."""

_ESCAPES = {number: f"\\u{number:04x}" for number in (*range(32), 127)}
_ESCAPES |= str.maketrans(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
)


def toml_text(table: Mapping[str, object]) -> str:
    """The text of a survey file that says what a survey's table does."""
    parts = []
    for name, content in table.items():
        if isinstance(content, list):
            parts += [[f"[[{name}]]", *_lines(part)] for part in content]
        elif isinstance(content, dict):
            parts.append([f"[{name}]", *_lines(content)])
    return "\n\n".join(map("\n".join, parts)) + "\n"


def _lines(table: Mapping[str, object]) -> Iterator[str]:
    """A line for each key, or more where it holds a long list."""
    for key, value in table.items():
        name = key if _is_bare(key) else _quote(key)
        line = f"{name} = {_toml_value(value)}"
        if len(line) <= _LONGEST_LINE or not isinstance(value, list):
            yield line
            continue
        yield f"{name} = ["
        yield from (f"    {_toml_value(item)}," for item in value)
        yield "]"


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return format(value, "#x" if value.bit_length() > _MOST_BITS else "d")
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_quote(key)} = {_toml_value(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return _quote(str(value))


def _quote(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _is_bare(key: str) -> bool:
    return key.isascii() and key.replace("-", "_").isidentifier()
