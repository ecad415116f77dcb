"""The TypeScript client, where it is built (`npm ci && npm run build` in client/js)."""

import shutil

import pytest
from places import ROOT

PACKAGE = ROOT / "client" / "js"
NODE = shutil.which("node")

needs_built_client = pytest.mark.skipif(
    not (PACKAGE / "dist" / "index.js").exists() or not (PACKAGE / "node_modules").exists(),
    reason="needs the built client in client/js",
)
