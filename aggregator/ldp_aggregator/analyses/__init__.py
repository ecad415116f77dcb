"""Analyses: questions beyond the estimates of one survey.

comparisons  two surveys, or two groups            groups       estimates by group
queries      arithmetic of shares                  series       trends over epochs
association  two questions together                regression   outcomes by predictors
weighting    weights, strata and clusters          synthesis    made-up people like the real ones
health_checks  reports that no client sends

Imports: `answers`, `decoders`, `numerics`, `output`, `tallies`.
"""
