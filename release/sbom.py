"""The software bill of materials: CycloneDX in JSON, from uv's lock file, with the
hashes it has.

uv writes the moment and a random serial number into it. Here the moment is that of the
release, and the serial number follows from the content, so that the same release has
the same bytes. Files are named by package URLs (purl) and their hashes, and not by the
address from which they came here. Of our own distributions the lock file knows no
hashes: those of the files that were built stand there.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

LICENCE = "Apache-2.0"
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


def bill(root: Path, moment: int, hashes: Mapping[str, str]) -> bytes:
    """What is known of everything that a distribution or one of its extras needs.

    `hashes` are those of the files that were built, by name.
    """
    done = subprocess.run(COMMAND, cwd=root, capture_output=True, check=True)
    return written(json.loads(done.stdout), moment, hashes)


def written(known: dict[str, Any], moment: int, hashes: Mapping[str, str]) -> bytes:
    """The same with the moment of the release, in one order, without whoever has been
    asked.
    """
    built: dict[str, list[str]] = {}
    for name in hashes:
        built.setdefault(name.partition("-")[0].replace("_", "-"), []).append(name)
    for component in known["components"]:
        component.pop("properties", None)
        if component["name"] in built:
            files = {name: hashes[name] for name in built[component["name"]]}
            component |= _of_ours(component, files)
        for reference in component.get("externalReferences", ()):
            name = reference["url"].rpartition("/")[2]
            reference["url"] = f"{component['purl']}?file_name={quote(name)}"
    known["metadata"]["timestamp"] = datetime.fromtimestamp(moment, UTC).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
    known["metadata"]["component"].pop("properties", None)
    known.pop("serialNumber", None)
    content = json.dumps(known, sort_keys=True)
    known["serialNumber"] = f"urn:uuid:{uuid5(NAMESPACE_URL, content)}"
    return (json.dumps(known, indent=1, sort_keys=True) + "\n").encode()


def _of_ours(component: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    """What is said of one of our distributions, besides its name and version."""
    return {
        "purl": f"pkg:pypi/{component['name']}@{component['version']}",
        "licenses": [{"license": {"id": LICENCE}}],
        "externalReferences": [
            {
                "type": "distribution",
                "url": name,
                "hashes": [{"alg": "SHA-256", "content": digest}],
            }
            for name, digest in sorted(files.items())
        ],
    }
