"""Tells PyInstaller where the hook of this package is, by the entry point
`pyinstaller40`.

hook-ldp  the hook
"""

from importlib.resources import files


def hook_folders() -> list[str]:
    """Return the folders in which PyInstaller looks for hooks."""
    return [str(files(__name__))]
