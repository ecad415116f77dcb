"""Intervals: how far an estimate may be from what it is of.

intervals     score, exact and simultaneous ones, and which of them is taken where
cumulants     where the normal law does not hold
count_law, count_intervals, scaled_poisson
              what is taken there
null_chances  how likely an estimate as large is, of a value that no one holds
after_selection
              what was chosen for its estimate being high
rescaled_moments
              moments of values that are held by other shares, for plans

Imports: `moments`.
"""
