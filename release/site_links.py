"""A hook of the site: links to files that are no pages lead to the repository.

The pages are read on a plain host of the repository as well, where such links lead to
the files beside them.
"""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath
from typing import Any

_LINK = re.compile(r"(!?)\]\((?!https?:|#|mailto:)([^)\s]+)\)|\]\(([^)]*)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The text of a page, whose links out of the folder of pages are whole
    addresses.
    """
    folder = join("docs", dirname(page.file.src_uri))
    return outward(markdown, folder, config["extra"]["source"])


def outward(markdown: str, folder: str, source: str) -> str:
    """The same of a text in a folder of the repository."""

    def whole(link: re.Match[str]) -> str:
        target = link[2]
        if target is None:
            return link[0]
        place = normpath(join(folder, target))
        if place.startswith("docs/"):
            return link[0]
        return f"{link[1]}]({source}/blob/main/{place})"

    return _LINK.sub(whole, markdown)
