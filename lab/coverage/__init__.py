"""How often intervals and findings are right, measured for every mechanism.

Run with `python -m lab.coverage`.

cells                   the grid that is simulated
questions, populations  what is asked, and who holds what
estimands               the two parts of a survey
observing               surveys drawn and decoded
distribution_surveys    those whose distribution is estimated
joint_reports           those of questions answered together
measuring               what a cell shows over its surveys
running                 all cells, on all processors
claims                  what is claimed, and what breaks it
page                    the measurements as Markdown
adding                  rows of new mechanisms in a page that is there
"""
