"""The subcommands of `ldp` that need no reports.

demo, new     the first minutes: see it work, write a survey file
plan, attack  what to expect before anyone is asked
simulate      `ldp simulate` and `ldp randomize`
client_test   `ldp client test`
devices       `ldp client ledger` and `ldp client codegen`
options       what commands that simulate have in common

Imports: `attacks`, `audit`, `conformance`, `demo`, `planning`, `simulation`.
"""
