"""Analysis: estimates from a snapshot of the store.

analysis  tallies, estimates, health and history of a question
groups    estimates by public attributes
changes   what has changed over epochs
punctuality   how many batches are late
notes     what the operator noted, by date
queries   what may be asked, and how
stores    what commands of the aggregator read

Imports: `counting`, `store`.
"""
