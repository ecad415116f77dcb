"""`ldp serve` (with `settings`), `backup` and `restore`, `doctor`, `export`, `survey` and `token`.

Imports: everything in `service`, when a command runs.
"""
