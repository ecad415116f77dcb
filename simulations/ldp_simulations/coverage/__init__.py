"""How often intervals and findings are right, measured for every mechanism.

Run with `python -m ldp_simulations.coverage`.

cells                   the grid that is simulated
questions, populations  what is asked, and who holds what
observing               surveys drawn and decoded
joint_reports           those of questions answered together
measuring               what a cell shows over its surveys
running                 all cells, on all processors
claims                  what is claimed, and what breaks it
page                    the measurements as Markdown

Imports: `sampling` and the modules beside the folders.
"""
