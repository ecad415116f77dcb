"""Values: which of some values a person holds. The table of mechanisms names most
modules; others:

numbered_subsets  subsets by their number, for the levels of trees
optimum           the least error that any mechanism can have

Imports: `matrices`.
"""
