"""The subcommands of `ldp` that ask nobody: plan, simulate, randomize, attack, codegen, ledger, the
RAPPOR suite.

Imports: everything in this package, when a command runs.
"""
