"""The regression grid of google/rappor, run the same way.

Known populations, its parameters, its metrics.

cases      the grid
instances  one case once: a population and its metrics
running    all cases, on all processors
published  figures that were published for it
summary    which cases keep what is promised
page       the report, as text and HTML
"""
