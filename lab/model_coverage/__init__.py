"""How often intervals of regressions and of weighted estimates hold the truth, and
tests reject.

Run with `python -m lab.model_coverage`.

surveys      the surveys that are asked, and how their reports are drawn
regressions  regressions of drawn reports, beside the coefficients they were drawn from
weightings   weighted estimates of skewed samples, beside the population
measuring    runs, summed up
page         the measurements as Markdown
"""
