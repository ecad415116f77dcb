"""Synthetic people: rows whose fields go together as the tables of two fields say.

pairs         the tables of all pairs of fields: unbiased, and made consistent
entropy       the joint table that has these tables and no dependence besides
tree          the same of the strongest pairs alone, for more fields than a joint table
              can have
rows          people drawn from either
synthesis     all of it, from a tally
fit           how far the rows are from the unbiased tables, and what they keep

Imports: `association`.
"""
