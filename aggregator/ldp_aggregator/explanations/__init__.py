"""Explanation of a survey to its respondents, in words (`explanation`).

explanation         the whole survey
metric_explanation  what metric privacy promises beside an epsilon
scale_explanation   how numbers are counted
shuffled            the whole survey again, if a relay mixes the reports
mixed_batches       estimates that say what their batch was worth
composition         several batches of the same people, numerically
views               a batch as normal noise, Renyi divergences and dp_accounting have it
alternatives        questions that need fewer people at the same epsilon
trusted_curator     the errors of one who holds all answers, to compare with

In no other folder: it puts together what the core says of a question and what its
decoder adds (`explain`, `warnings`), and both `commands` and `google_rappor` below them
ask for it.

Imports: `answers`, `decoders`, `numerics`, `output`, `tallies`.
"""
