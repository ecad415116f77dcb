"""The type of options that name a file to write: one that cannot be written is refused at once.

A command that learns at its end that there is no such folder has worked for nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from ldp_aggregator.files import check_writable


class OutputFile(click.Path):
    """A path, or `-` for standard output."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Raises `FileError` for a file that cannot be written."""
        path = super().convert(value, param, ctx)
        check_writable(Path(os.fsdecode(path)))
        return path


OUTPUT_FILE = OutputFile()
