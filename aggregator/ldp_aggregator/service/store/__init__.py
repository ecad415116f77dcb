"""The store: records and batch ids that outlive a loss of power.

store    what every store can do, and its errors      records       what is kept, as keys and bytes
sqlite, postgres (with postgres_connection, postgres_snapshot)      the stores that there are
witness  a second file that tells of a lost one       verification  whether records are whole and all there
reading  tallies out of a snapshot

Imports: `ldp_aggregator.tallies`.
"""
