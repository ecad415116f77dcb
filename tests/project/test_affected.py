"""Which tests a change touches: by what they import, by name, and by the page that they
read.
"""

from places import ROOT

from tests.affected import affected


def touched_by(path):
    """The tests that a change of one file touches."""
    return affected([ROOT / path])


def test_a_module_touches_the_tests_that_import_it():
    """By itself, through a helper of the tests, and through the package that exports
    its names.
    """
    assert "tests/core/test_certificate.py" in touched_by("ldp/privacy/certificate.py")
    helped = touched_by("tests/wire/wire_samples.py")
    assert "tests/delivery/test_deliveries.py" in helped
    assert "tests/versions/test_version_keys.py" not in helped


def test_what_is_loaded_by_name_touches_tests_that_say_its_name():
    """A mechanism those of the table of mechanisms, and a command those that run it."""
    assert "tests/laws/test_laws.py" in touched_by("ldp/mechanisms/values/grr.py")
    touched = touched_by("aggregator/ldp_aggregator/commands/analyses/query.py")
    assert "tests/queries/test_queries.py" in touched
    assert "tests/laws/test_laws.py" in touched_by("ldp/mechanisms/matrices/warner.py")


def test_a_module_of_which_no_test_knows_touches_those_of_its_importers():
    """The equations of a regression are solved where it is fitted."""
    folder = "aggregator/ldp_aggregator/analyses/regression"
    touched = touched_by(f"{folder}/equations.py")
    assert touched == touched_by(f"{folder}/fitting.py") != []


def test_a_page_touches_its_own_examples():
    """And the tests that look through all pages."""
    touched = touched_by("docs/survey.md")
    assert "tests/project/test_docs.py::test_python_blocks[docs/survey.md]" in touched
    assert "tests/project/test_documented_commands.py" in touched
