"""The software bill of materials: CycloneDX in JSON, from uv's lock file, with the hashes it has.

uv writes the moment and a random serial number into it. Here the moment is that of the release, and
the serial number follows from the content, so that the same release has the same bytes.
"""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

COMMAND = (
    "uv",
    "export",
    "--quiet",
    "--all-packages",
    "--all-extras",
    "--no-default-groups",
    "--format",
    "cyclonedx1.5",
)


def bill(root: Path, moment: int) -> bytes:
    """What is known of everything that a distribution or one of its extras needs."""
    done = subprocess.run(COMMAND, cwd=root, capture_output=True, check=True)
    known = json.loads(done.stdout)
    return written(known, moment)


def written(known: dict[str, Any], moment: int) -> bytes:
    """The same with the moment of the release, in one order, without whoever has been asked."""
    for component in known["components"]:
        # Where a file was fetched from is a matter of the machine; what it is, of its hash.
        for reference in component.get("externalReferences", ()):
            name = reference["url"].rpartition("/")[2]
            reference["url"] = f"https://pypi.org/simple/{component['name']}/#{name}"
    known["metadata"]["timestamp"] = datetime.fromtimestamp(moment, UTC).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
    known.pop("serialNumber", None)
    content = json.dumps(known, sort_keys=True)
    known["serialNumber"] = f"urn:uuid:{uuid5(NAMESPACE_URL, content)}"
    return (json.dumps(known, indent=1, sort_keys=True) + "\n").encode()
