"""A hook of the site: commands in the reference, figures out of search, tables on phones.

The page of commands is written from the commands themselves. Pages of figures, which
`extra.measured` of the configuration names, are linked from the page of evidence only.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import click

_MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Replace the mark on the page of commands by a section for each command."""
    name = page.file.src_uri.removesuffix(".md")
    if name in config["extra"]["measured"]:
        page.meta["search"] = {"exclude": True}
    if name == "commands" or name.startswith(
        "api/"
    ):  # guides come before the names in them
        page.meta["search"] = {"boost": 0.5}
    if _MARK not in markdown:
        return markdown
    from ldp_aggregator.commands.main import main

    return markdown.replace(
        _MARK, "\n".join(lines_of(main, click.Context(main, info_name="ldp")))
    )


def on_page_content(html: str, **_: Any) -> str:
    """Add the heading of its column to each cell of a table of three columns or more."""
    return re.sub(r"<table>.*?</table>", _with_headings, html, flags=re.DOTALL)


def _with_headings(table: re.Match[str]) -> str:
    headings = re.findall(r"<th[^>]*>(.*?)</th>", table[0], re.DOTALL)
    names = [re.sub(r"<[^>]*>", "", heading) for heading in headings]
    if len(names) < 3:
        return table[0]
    cells = count()

    def name(cell: re.Match[str]) -> str:
        place = next(cells) % len(names)
        if place and names[place]:
            return f'<td data-heading="{names[place]}"'
        return cell[0]

    return re.sub(r"<td\b", name, table[0])


def lines_of(
    command: click.Command, context: click.Context, level: int = 1
) -> Iterator[str]:
    """The lines of Markdown for a command and those below it."""
    usage = command.get_usage(context).removeprefix("Usage: ")
    if level > 1:
        yield f"\n{'#' * level} {context.command_path}\n"
        yield f"{_paragraphs(inspect.cleandoc(command.help or ''))}\n\n```text\n{usage}\n```\n"
        yield from _table(command, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                below = click.Context(inner, info_name=name, parent=context)
                yield from lines_of(inner, below, level + 1)


def _paragraphs(text: str) -> str:
    return "\n\n".join(
        f"```text\n{part.strip()[1:].strip()}\n```"
        if part.strip().startswith("\b")
        else part
        for part in text.replace("\f", "").split("\n\n")
    )


def _table(command: click.Command, context: click.Context) -> Iterator[str]:
    options = [
        one for one in command.get_params(context) if isinstance(one, click.Option)
    ]
    records = [
        one.get_help_record(context) for one in options if "--help" not in one.opts
    ]
    rows = [record for record in records if record]
    if rows:
        yield "| option | meaning |\n|---|---|"
        yield from (f"| `{names}` | {_cell(meaning)} |" for names, meaning in rows)


def _cell(text: str) -> str:
    return (
        " ".join(text.split())
        .replace("|", "\\|")
        .replace("<", "&lt;")
        .replace("*", "\\*")
    )
