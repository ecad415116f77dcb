"""`ldp serve`, `ldp doctor`, `ldp export` and `ldp token`.

Imports: everything in `service`, when a command runs.
"""
