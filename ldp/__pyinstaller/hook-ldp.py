"""Names what `ldp` imports by name, which PyInstaller does not see."""

from ldp.mechanisms import modules

hiddenimports = modules()
