"""Associations: joint frequencies of questions that were answered together, or are one
table.

association  the way from a joint tally to its cells    result      what comes out
scores       what a report is worth to each value
likelihood   frequencies that are never negative, for display
jumps        higher moments of products of scores
crosstab     the table of a question's fields           measures    how strongly two go together
crosstabs    the tables of any few of many fields       crosstab_sheet  what is shown of them
"""
