"""Keeping: what a device keeps, in memory or in a file, and the secret that it draws
tapes from.

store     records, changed in transactions         database     the same in one SQLite file
state_file  that file: made, opened, checked, synced
new_file  a file that is there whole or not at all syncing      a sync that outlives lost power
locks     one piece of work at a time              forks        locks in forked children
vault     how the secret is kept                   keyrings     the platform's key store
tapes     randomness that comes back               scope        whose a record is
clocks    two clocks                               hidden_answer  unseen in tracebacks
"""
