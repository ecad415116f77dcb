"""How often intervals and findings are right, measured for every mechanism: `python -m
ldp_simulations.coverage`.
"""
