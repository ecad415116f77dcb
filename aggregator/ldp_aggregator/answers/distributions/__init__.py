"""Distributions of numbers: ranges, cumulative shares, quantiles and histograms.

line          where the values of a question lie, and which of them are within a range
distribution  all that is asked of a distribution, with standard errors and intervals
asking        what people write for ranges, quantiles and edges
applicable    which of what is asked applies to which questions of a survey
circle        the mean of a circle: its direction and its length
answers       what comes out, as records
quantiles     from a cumulative distribution to its quantiles
ends          of the intervals of shares
band          a band that holds a whole cumulative distribution at once
"""
