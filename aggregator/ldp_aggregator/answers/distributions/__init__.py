"""Distributions of numbers: ranges, cumulative shares, quantiles and histograms.

room          how distributions are estimated
distribution_estimates
              the result: the cells of a histogram, and ranges and quantiles beside them
distribution  all that is asked of a distribution, with standard errors and intervals
circle        the mean of a circle: its direction and its length
band          a band that holds a whole cumulative distribution at once

Imports: `lines`, `results`, `shares`.
"""
