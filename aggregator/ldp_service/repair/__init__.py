"""Repair: what is wrong with a damaged store, and what can be made of it without a
guess.

doctor                                 the way through a store
census, diagnosis                      what is there, and what is said of it
lost_ids, lost_records, lost_tallies   what may have gone, by what it was
mending                                new records for lost ones
header                                 what of a file's beginning is known in advance
reopening                              epochs that a wrong clock has closed
circumstances                          what is no damage: the clock, the disk
salvage                                readable rows of an unreadable file

Imports: `counting`, `store`.
"""
