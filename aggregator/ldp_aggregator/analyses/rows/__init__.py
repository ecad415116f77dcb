"""Rows: a respondent each, with answers that were randomized before, and what is known
besides.

columns   tables as people have them: files and frames, as columns
codes     which answer a cell says, whatever people call it
reading   rows whose answers are read, and what became of the others
counting  tallies of rows, whole or by column, for whatever is made of tallies
inputs    estimates from whatever an analyst has: a tally, reports, or a table of rows

Imports: `groups`.
"""
