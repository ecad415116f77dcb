"""Tables of a few of many fields, from reports that tell some of them each.

marginals the decoder
subsets  the subsets of fields, and what symbols say of any few fields
tables   the scores of cells, and the estimates and errors that are their means

Imports: `moments`, `trees`.
"""
