"""Heavy hitters: frequent texts, found prefix by prefix.

continuations  how a text may go on     prefix_extension  the search     reach  what it can find, and what it may miss

Imports: `moments`, `tallies`.
"""
