"""What ldpkit-core says of another distribution, `ldp`, which has the same import name.

Where both are installed, whichever came last has the folder `ldp`. If it was the other,
nothing of ours works; if it was ours, nothing of the other does. This module lies
beside that folder and imports nothing from it, whosever it is, so that it can say so.
"""

from __future__ import annotations

OTHER = "ldp"
_WHAT_TO_DO = (
    "the distribution 'ldp' of the public index is another project with the same "
    "import name; give each an environment of its own, or: pip uninstall ldp "
    "ldpkit-core, and then pip install ldpkit-core"
)


def clash(error: ImportError) -> ImportError:
    """What to raise in place of an error at importing from `ldp`."""
    # Slow to import, which only a device where nothing works has to wait for.
    from importlib.util import find_spec

    spec = find_spec(OTHER)
    if spec is None:
        return ImportError(
            "expected the package ldp of ldpkit-core; pip install ldpkit-core"
        )
    if installed() is None:
        return error
    return ImportError(
        f"expected the package ldp of ldpkit-core, got {spec.origin}: {_WHAT_TO_DO}"
    )


def warning() -> str | None:
    """What to say where both are installed, and ours came last; None where ours is
    alone.
    """
    version = installed()
    if version is None:
        return None
    return (
        f"ldp {version} is installed as well, and may have lost files to ours: "
        f"{_WHAT_TO_DO}"
    )


def installed() -> str | None:
    """The version of the other distribution, if it is there."""
    from importlib import metadata

    try:
        return metadata.version(OTHER)
    except metadata.PackageNotFoundError:
        return None
