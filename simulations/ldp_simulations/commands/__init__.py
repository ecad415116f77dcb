"""The subcommands of `ldp` that ask nobody.

simulate  simulate and randomize            plan     errors before anyone is asked
attack    simulated poisoning               devices  codegen and ledger
rappor_suite  the regression grid of RAPPOR          options  what several of them take

Imports: everything in this package, when a command runs.
"""
