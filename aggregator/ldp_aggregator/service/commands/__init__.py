"""`ldp serve`, `ldp doctor`, `ldp export` and `ldp token`; `workers`: several processes of a service.

Imports: everything in `service`, when a command runs.
"""
