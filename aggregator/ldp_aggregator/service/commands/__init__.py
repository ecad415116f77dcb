"""`ldp serve`, `ldp doctor`, `ldp export` and `ldp token`; several processes (`workers`).

Imports: everything in `service`, when a command runs.
"""
