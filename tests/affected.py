"""Which tests does a change touch? `python -m tests.affected [REV]` lists their files.

`--run` runs them instead, slow ones of pages included. REV is what the files are
compared with; without it, the last commit, so that the change is what is not committed.

A file of tests is touched by a change

- of a module that it imports itself or through helpers; a name that a package exports
  stands for the module that defines it;
- of a module that is loaded by its name (a mechanism, a decoder, a command), if the
  file imports the table of the mechanisms, or if one of its texts begins with that
  name;
- of the file itself, of a helper, or of any other file whose name stands in one of its
  texts.

A change of a page also touches `tests/project`, which reads all pages. Where no file of
tests is touched, those are that a change of the modules would touch which import the
changed one. Who uses a module is not followed further: a change of the core would touch
everything. `pytest` finds the rest.
"""

import argparse
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
PACKAGES = {
    "ldp": ROOT,
    "ldp_client": ROOT / "client",
    "ldp_aggregator": ROOT / "aggregator",
    "ldp_service": ROOT / "aggregator",
    "ldpkit": ROOT / "kit",
    "lab": ROOT,
    "ldp_simulations": ROOT / "simulations",
}
MECHANISMS = ROOT / "ldp" / "mechanisms" / "__init__.py"
LOADED_BY_NAME = {"commands", "decoders"}
IMPORT = re.compile(r"^\s*(?:from ([\w.]+) )?import (\([^)]*\)|[^\n(]+)", re.MULTILINE)
PAGES = "tests/project/test_docs.py::test_python_blocks"


@cache
def source(path):
    """The text of a file."""
    return path.read_text(encoding="utf-8")


@cache
def imports(path):
    """What a file imports, anywhere in it: `from a import b` counts as `a.b`, `import
    a` as `a`.

    Of our packages, what is used of them counts as well: `a.b`.
    """
    names, text = set(), source(path)
    for package, listed in IMPORT.findall(text):
        for words in listed.strip("()").split(","):
            name, _, alias = words.split("#")[0].strip().partition(" as ")
            names.add(f"{package}.{name}" if package else name)
            if name in PACKAGES and not package:
                used = re.findall(rf"\b{alias or name}\.(\w+)", text)
                names |= {f"{name}.{attribute}" for attribute in used}
    return names - {""}


@cache
def file_of(module):
    """The file of a module or package of the product; None if there is no such
    module.
    """
    folder = PACKAGES.get(module.partition(".")[0])
    if folder is None:
        return None
    place = folder.joinpath(*module.split("."))
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in files if path.exists()), None)


@cache
def home_of(name):
    """The file in which an imported name is defined; None if it is not of the
    product.
    """
    if path := file_of(name):
        return path
    package, _, last = name.rpartition(".")
    path = file_of(package) if package else None
    if path is None or path.name != "__init__.py":
        return path
    exported = (one for one in imports(path) if one.rpartition(".")[2] == last)
    return next((home for one in exported if (home := home_of(one))), path)


def sources_of(test, helpers):
    """The files of the product that a test imports, and the helpers by which it
    does.
    """
    files, unread = {test}, [test]
    while unread:
        for name in imports(unread.pop()):
            path = helpers.get(name.partition(".")[0]) or home_of(name)
            if path and path not in files:
                files.add(path)
                unread += [path] if TESTS in path.parents else []
    return files


def is_touched(test, sources, changed):
    """Whether a change of one file touches a file of tests with these sources."""
    if changed in sources:
        return True
    if changed.suffix == ".md" and test.parent.name == "project":
        return True
    if changed.suffix != ".py" or TESTS in changed.parents:
        return f'{changed.name}"' in source(test)
    if MECHANISMS.parent in changed.parents:
        return MECHANISMS in sources
    name = changed.stem.replace("_", "-")
    return (
        not LOADED_BY_NAME.isdisjoint(changed.parts)
        and re.search(rf'(?<!")"(?:\w+ )?{name}[ "]', source(test)) is not None
    )


def importers(paths):
    """The files of the product that import one of these files."""
    folders = (folder / package for package, folder in PACKAGES.items())
    modules = (module for folder in folders for module in folder.rglob("*.py"))
    return {
        module
        for module in modules
        if not paths.isdisjoint(map(home_of, imports(module)))
    }


def affected(changed):
    """The arguments of pytest for a change of these files."""
    helpers = {path.stem: path for path in TESTS.rglob("*.py")}
    tests = {
        path: sources_of(path, helpers)
        for path in sorted(helpers.values())
        if path.name.startswith("test_")
    }
    touched = set()
    for one in changed:
        near_tests, nearest, known = set(), {one}, set()
        while nearest and not near_tests:
            near_tests = {
                test
                for test, sources in tests.items()
                if any(is_touched(test, sources, near) for near in nearest)
            }
            known |= nearest
            nearest = importers(nearest) - known
        touched |= near_tests
    files = [str(test.relative_to(ROOT)) for test in tests if test in touched]
    pages = (path for path in changed if path.suffix == ".md")
    return files + [f"{PAGES}[{path.relative_to(ROOT)}]" for path in pages]


def changes(revision):
    """The files that differ from a revision, those that git does not know yet
    included.
    """
    ask = ["git", "-C", str(ROOT)]
    differing = [*ask, "diff", "--name-only", revision]
    unknown = [*ask, "ls-files", "--others", "--exclude-standard"]
    lines = [
        line
        for command in (differing, unknown)
        for line in subprocess.run(
            command, check=True, capture_output=True, text=True
        ).stdout.splitlines()
    ]
    return [ROOT / line for line in lines if (ROOT / line).exists()]


def main():
    """Print or run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("--run", action="store_true", help="run them")
    asked = parser.parse_args()
    touched = affected(changes(asked.revision))
    if not asked.run:
        sys.stdout.write("".join(f"{line}\n" for line in touched))
    elif touched:
        sys.exit(
            subprocess.run(
                [sys.executable, "-m", "pytest", *touched], check=False
            ).returncode
        )


if __name__ == "__main__":
    main()
