"""Plain pages: subjects that are nouns, short sentences, words to the reader.

Shares are of a page's sentences, without its code, tables and headings.
"""

import re

import yaml
from places import ROOT

DOCS = ROOT / "docs"
_CODE = re.compile(
    r"^```.*?^```|<!--.*?-->|^(?: {4}|\||#|:::|!\[).*?$", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
_ITEM = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.) )")
_END = re.compile(r"(?<=[.!?:;])\s+")
_CLAUSE = re.compile(
    r"(?:^|[,:(] |\b(?:of|to|by|from|for|with|and|is|says?|tells?|shows?) )"
    r"(?:what|who|whoever|whatever)\b(?! to\b)"
    r"|\b(?:so many|so few|of which|of whom|beside|besides|anew|be it)\b",
    re.IGNORECASE,
)
_FRONT = re.compile(r"(?:Of|From|By|With|Where|Between|Behind|Beside|Under|Among) ")
_READER = re.compile(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)
_ORDERS = {
    "Add",
    "Ask",
    "Call",
    "Check",
    "Choose",
    "Copy",
    "Count",
    "Create",
    "Draw",
    "Enter",
    "Give",
    "Install",
    "Keep",
    "Let",
    "Make",
    "Open",
    "Pass",
    "Print",
    "Put",
    "Read",
    "Run",
    "Save",
    "See",
    "Select",
    "Send",
    "Set",
    "Show",
    "Start",
    "Take",
    "Try",
    "Use",
    "Write",
}


def sentences(text):
    """Return the sentences of a page, of four words or more."""
    prose = _LINK.sub(r"\1", re.sub(r"`[^`]*`", "code", _CODE.sub("", text)))
    blocks = [
        " ".join(block.split()).lstrip("-*>0123456789. ")
        for block in _ITEM.split(prose)
    ]
    parts = [part for block in blocks for part in _END.split(block.replace("**", ""))]
    return [part for part in parts if len(part.split()) >= 4]


def is_odd(sentence):
    """Whether a clause stands where a noun belongs, or a bare preposition begins."""
    return (
        bool(_FRONT.match(sentence) or _CLAUSE.search(sentence)) and sentence[-1] != "?"
    )


def is_to_the_reader(sentence):
    """Whether it says you, or tells the reader to do something."""
    return bool(_READER.search(sentence)) or sentence.split()[0] in _ORDERS


def menu():
    """Return the pages of each tab, without the figures of the theme's tags."""
    source = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = yaml.safe_load("nav:" + source.rpartition("\nnav:")[2])["nav"]
    tabs = {name: pages for tab in nav for name, pages in tab.items()}
    return {
        name: [
            one if isinstance(one, str) else next(iter(one.values())) for one in pages
        ]
        for name, pages in tabs.items()
    }


def measured():
    """Return the names of the pages of figures."""
    source = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    [names] = re.findall(r"measured:.*?\[(.*?)\]", source, re.DOTALL)
    return set(names.replace("\n", " ").replace(" ", "").split(","))


def words(prose):
    """Return how many words some sentences have."""
    return sum(len(sentence.split()) for sentence in prose)


def beyond(name, text, guides):
    """Return the marks that a page misses."""
    prose = sentences(text)
    if not prose:
        return []
    odd = sum(map(is_odd, prose)) / len(prose)
    long = sum(len(one.split()) > 40 for one in prose) / len(prose)
    reader = sum(map(is_to_the_reader, prose)) / len(prose)
    marks = {
        "odd": odd > 0.05,
        "long": long > 0.01,
        "you": name in guides and reader < 0.2,
        "words": name in guides and words(prose) > 1500,
    }
    return [mark for mark, missed in marks.items() if missed]


def test_pages_are_plain():
    """At most 5 % odd sentences, 1 % long ones.

    Guides and tutorials are short and speak to the reader. All pages together have at
    most 40,000 words.
    """
    names = {path.relative_to(DOCS).as_posix(): path for path in DOCS.glob("**/*.md")}
    figures = {f"{name}.md" for name in measured()}
    tabs = menu()
    guides = {
        *tabs["Start"],
        *tabs["Guides"],
        *(one for one in names if "tutorials/" in one),
    }
    texts = {
        name: path.read_text(encoding="utf-8")
        for name, path in names.items()
        if name not in figures
    }
    missed = {name: beyond(name, text, guides) for name, text in texts.items()}
    assert {name: marks for name, marks in missed.items() if marks} == {}
    assert sum(words(sentences(text)) for text in texts.values()) <= 40_000


def test_the_menu_is_short():
    """Five tabs, and at most 32 pages in all."""
    tabs = menu()
    assert [*tabs] == ["Start", "Guides", "Reference", "Privacy", "Evidence"]
    assert sum(map(len, tabs.values())) <= 32


def test_a_riddle_is_seen():
    """A clause for a noun, a bare preposition; no question, and no code."""
    assert is_odd("Bad is what leaves the device here.")
    assert is_odd("Of these none is counted twice.")
    assert not is_odd("Do you know what leaves the device?")
    assert (
        sentences("`what` is a\n\n```text\nwho knows of what\n```\n# Of what\n") == []
    )
    assert is_to_the_reader("Run the command in a clone.")
