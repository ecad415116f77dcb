"""Names that a package exports and loads when they are first used.

A package that loads all that it exports makes each importer wait for things that most
never use: numpy for a command that prints its help, SQLite for a device that keeps
nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazily(
    package: str, homes: Mapping[str, str], names: Sequence[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a package (PEP 562).

    package  its name
    homes    the module of each name that is loaded late, as a path within the package
    names    all that it exports

    Type checkers read the names from imports under `TYPE_CHECKING`, beside which this
    is called: they then refuse names that there are not.
    """

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    def list_names() -> list[str]:
        return [*names]

    return load, list_names
