"""Compatibility with google/rappor: its files, its three clients, and its table of results.

`files` reads what it wrote, from `rows` of cells; `dialects` knows how its clients differ, and
`cohorts` which cohort a secret is in; `privacy` says what respondents were promised; `decoding`
hands files and dialects to our own estimator, and `results` and `survey` lead on: to its consumers'
format, and to a survey file for new collections.
"""
