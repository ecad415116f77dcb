"""What a disk may hold after a loss of power, given everything that happened to it
before.

Rules
- What was written before the last sync of its file is there.
- Of what was written since, each block of 512 or 4,096 bytes is in any of the states
  that it was in since that sync, whatever the others are in: lost, torn and reordered
  writes are cases of this.
- A file that has grown is as long as it was at some moment since; where nothing was
  kept there are zeros or, as on some file systems, anything.
- Files are cut short, created and unlinked at once and in order, but the last of these
  may be lost until a sync: of the file, and of its folder.
- After a sync that failed, what it should have kept may be lost for good, whatever
  later syncs say.
"""

from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import NamedTuple


class Loss(NamedTuple):
    """A way in which disks lose what was not synced."""

    block: int
    kept: float
    """The probability with which the newest state of a block is there.

    If not, the one before, and so on.
    """
    unwritten: bytes
    """What is read where a file has grown and nothing was written."""


STALE = bytes(range(1, 256))
LOSSES = [
    Loss(*parts)
    for parts in product((512, 4096), (0, 0.1, 0.5, 0.9, 0.99, 1), (b"\0", STALE))
]


class _File:
    def __init__(self):
        self.kept = b""
        self.changes = []
        """Since the last sync: (offset, bytes), or (size, None)."""

    def settle(self):
        content = bytearray(self.kept)
        for offset, written in self.changes:
            if written is None:
                content = _resized(content, offset)
            else:
                content = _resized(content, max(offset + len(written), len(content)))
                content[offset : offset + len(written)] = written
        self.kept, self.changes = bytes(content), []

    def after(self, loss, draw):
        content, begin = bytearray(self.kept), 0
        cuts = [
            place for place, (_, written) in enumerate(self.changes) if written is None
        ]
        for cut in _kept(cuts, loss, draw):
            size, _ = self.changes[cut]
            content = _resized(
                _torn(content, self.changes[begin:cut], loss, draw=draw), size
            )
            begin = cut + 1
        return bytes(_torn(content, self.changes[begin:], loss, draw=draw))


def _torn(content, changes, loss, draw):
    """Some content after writes of which every block, and the size, may be kept or not.

    Cuts among them are lost.
    """
    sizes = [len(content)]
    states = defaultdict(list)
    for offset, written in changes:
        if written is not None:
            sizes.append(max(sizes[-1], offset + len(written)))
            for block in range(
                offset // loss.block, -(-(offset + len(written)) // loss.block)
            ):
                states[block].append((offset, written))
    content = _resized(content, sizes[-1], loss.unwritten)
    for block, writes in states.items():
        for offset, written in _kept(writes, loss, draw):
            begin = max(offset, block * loss.block)
            end = min(offset + len(written), (block + 1) * loss.block)
            content[begin:end] = written[begin - offset : end - offset]
    return content[: (sizes[:1] + _kept(sizes[1:], loss, draw))[-1]]


def _resized(content, size, unwritten=b"\0"):
    missing = max(0, size - len(content))
    return content[:size] + (unwritten * (missing // len(unwritten) + 1))[:missing]


class Disk:
    """One folder on a disk, as far as it is known to be kept, and what may be lost of
    it.

    Starts empty.
    """

    def __init__(self, folder, draw):
        self._folder = str(folder)
        self._draw = draw
        self._files = {}
        """By opening; the folder itself has none."""
        self._names = {}
        self._kept_names = {}
        self._renamings = []
        """Since the folder was synced: (path, file or None)."""

    def happen(self, record):
        """Take in what happened next."""
        file = self._files.get(record.file)
        if record.kind == "O":
            self._open(record.file, record.content.decode())
        elif record.kind == "U":
            self._name(record.content.decode(), None)
        elif record.kind == "W":
            file.changes.append((record.offset, record.content))
        elif record.kind == "T":
            file.changes.append((record.offset, None))
        elif record.kind == "S" and file:
            file.settle()
        elif record.kind == "S":
            self._kept_names, self._renamings = dict(self._names), []
        elif record.kind == "F" and file:
            file.kept = file.after(self._draw.choice(LOSSES), self._draw)
            file.changes = []

    def after(self, loss):
        """What each file may hold if power is lost now."""
        names = self._kept_names | dict(_kept(self._renamings, loss, self._draw))
        return {
            path: file.after(loss, self._draw) for path, file in names.items() if file
        }

    def _open(self, opening, path):
        if path != self._folder:
            if path not in self._names:
                self._name(path, _File())
            self._files[opening] = self._names[path]

    def _name(self, path, file):
        self._renamings.append((path, file))
        self._names[path] = file
        if not file:
            del self._names[path]


def put_files(files, folder):
    """Let a folder hold these files, and no others."""
    for path in folder.iterdir():
        path.unlink()
    for path, content in files.items():
        (folder / Path(path).name).write_bytes(content)


def _kept(changes, loss, draw):
    """The changes up to the last one kept, or none: one after the other may be lost."""
    number = len(changes)
    while number and draw.random() >= loss.kept:
        number -= 1
    return changes[:number]
