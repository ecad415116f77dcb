"""Lists of the mutation tool go with the code: what they quote is there."""

import tomllib

import pytest
from mutating import mistakes
from mutation import LEFT, modules, source_of
from statements import normal_lines


@pytest.mark.parametrize("module", modules([]))
def test_mistakes_can_be_made(module):
    """Each is a text that its module has once, and the module is still Python with the other in its
    place.
    """
    source = source_of(module).read_text(encoding="utf-8")
    for mistake in mistakes(module, source):
        assert mistake.source != source
        compile(mistake.source, mistake.after, "exec")


def test_explained_mutants_are_of_lines_that_are_there():
    """A line that has changed needs another look."""
    listed = tomllib.loads(LEFT.read_text(encoding="utf-8"))["mutant"]
    lines = {
        name: normal_lines(source_of(name).read_text(encoding="utf-8")) for name in modules([])
    }
    gone = [each for each in listed if each["before"] not in lines[each["module"]]]
    assert gone == []
