"""The TypeScript client, where it is built (`npm ci && npm run build` in client/js)."""

import shutil
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "client" / "js"
NODE = shutil.which("node")

needs_built_client = pytest.mark.skipif(
    not (PACKAGE / "dist" / "index.js").exists() or not (PACKAGE / "node_modules").exists(),
    reason="needs the built client in client/js",
)
