"""Planning: how good estimates will be, before anyone is asked.

planned                the plans of a survey, or of every mechanism
plans                  designs compared
shuffled_plan          the same where a relay mixes the reports
experiment             arms: a direct question and a randomized one
narrowing              a second survey on the ranges that a first one found
stopwatch              seconds and bytes on a device
report, pictures       the answer as text, and as lines of errors

Imports: `sampling`.
"""
