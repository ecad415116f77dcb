"""Simulation: whole surveys, from a population to estimates beside the truth.

randomizing  the reports of a table of answers
drawing      who answers which question, where devices draw one of several
simulation   three ways to a tally, and repeated runs
distribution_runs  how far distributions were off in them
report       what came out, as text, HTML and JSON

Imports: `reports`, `sampling`.
"""
