"""Pages read into elements, strictly: whatever is opened is closed, in its order."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input"}


@dataclass
class Element:
    """One element; text stands among its children."""

    name: str
    attributes: dict
    children: list = field(default_factory=list)

    @property
    def all(self):
        """The element itself, and all in it."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.all

    @property
    def text(self):
        """All text in it."""
        return "".join(
            child if isinstance(child, str) else child.text for child in self.children
        )

    def find(self, name, /, **attributes):
        """Those of a name that have these attributes."""
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}
        return [
            element
            for element in self.all
            if element.name == name and wanted.items() <= element.attributes.items()
        ]


def read(answer):
    """The elements of what was answered."""
    reader = _Reader()
    reader.feed(answer.text)
    reader.close()
    assert len(reader.open) == 1
    return reader.open[0]


def problem(page):
    """What a page says is wrong."""
    return "".join(element.text for element in page.find("p", id="problem"))


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("page", {})]

    def handle_starttag(self, name, attributes):
        element = Element(name, dict(attributes))
        assert len(element.attributes) == len(attributes)
        self.open[-1].children.append(element)
        if name not in VOID:
            self.open.append(element)

    def handle_endtag(self, name):
        assert self.open.pop().name == name

    def handle_data(self, data):
        self.open[-1].children.append(data)
