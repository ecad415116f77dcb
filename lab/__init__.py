"""The lab: what measures the project itself, and no user runs; `lab/README.md` has the
commands.
"""
