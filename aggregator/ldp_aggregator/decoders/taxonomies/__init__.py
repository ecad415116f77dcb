"""Trees of values: least squares on them, what reports are worth to their nodes, which
to show.

views       the decoder
two_passes  least squares on a tree            worths  what each report is worth to each node
selection   levels, the finest that is sure enough, and crowds

Imports: `moments`.
"""
