"""The TypeScript client, where it is built (`npm ci && npm run build` in client/js)."""

import shutil

from places import ROOT

PACKAGE = ROOT / "client" / "js"
NODE = shutil.which("node")
