"""Upkeep: what an operator does with a store as a whole.

backup    a copy of a store that is served, checked, and a store made of it
ending    a survey that takes no more reports, all of which are shown
rotation  backups in a folder, of which old ones are thinned out
removal   a survey that is to be forgotten
sizes     how large a store is, and what it holds, in numbers

Imports: `counting`, `store`.
"""
