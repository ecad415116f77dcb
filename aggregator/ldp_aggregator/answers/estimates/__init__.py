"""Estimates: from a tally to the answers of all its questions.

estimation           the way from a tally to estimates
question_estimation  the same for one question
rooms                the table of kinds of answers
applicable           which of what is asked applies to which questions of a survey
survey_estimates     how those of a survey print, plot and export themselves
pooling              versions of a question as one estimate
second_stage         a map in two stages, of which the first says how the next one asks
stop_lists           of whom questions were asked that a collector has stopped, or asks
                     of fewer

Imports: `distributions`, `lines`, `maps`, `results`, `shares`.
"""
