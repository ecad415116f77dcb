"""Heavy hitters: frequent texts, found prefix by prefix.

search         the decoder
continuations  how a text may go on      prefix_extension  the search, stage by stage
reach          what it can find, and what it may miss
found          frequencies of the texts that it found, from cohorts held out

Imports: `moments`, `values`.
"""
