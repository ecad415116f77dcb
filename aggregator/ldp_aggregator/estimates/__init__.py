"""Estimates: from moments to numbers that an analyst can believe.

estimation    the way from a tally to estimates
question_numbers                      what comes out of it
question_estimates, survey_estimates  how it prints, plots and exports itself
intervals     score, exact and simultaneous ones
cumulants, count_law, count_intervals, scaled_poisson, null_chances
              where the normal law does not hold
means         means of whole numbers
detection     which values are there at all
pooling       versions of a question as one estimate
manipulation  how far forged reports can move them
remarks       what to know before believing a number

Imports: `rendering`, `decoders`, `moments`, `tallies`.
"""
