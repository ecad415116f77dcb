"""Estimates: from moments to numbers that an analyst can believe.

estimation    the way from a tally to estimates
question_estimation                   the same for one question
frequencies, without_frequencies      of what has shares of values, and of what has none
question_numbers                      what comes out of it
question_estimates, survey_estimates  how it prints, plots and exports itself
cells         of a histogram, and quantiles of numbers that are counted one by one
means         means of whole numbers
detection     which values are there at all
pooling       versions of a question as one estimate
manipulation  how far forged reports can move them
remarks       what to know before believing a number
second_stage  a map in two stages, of which the first says how the next one asks
stop_lists    of whom questions were asked that a collector has stopped, or asks of fewer

Imports: `contrasts`, `distributions`, `maps`.
"""
