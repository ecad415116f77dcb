"""The store: records and batch ids that outlive a loss of power.

store    what every store can do, and a snapshot       records       what is kept, as keys and bytes
sqlite, postgres (with postgres_connection, postgres_snapshot)      the stores that there are
witness  a second file that tells of a lost one       verification  whether records are whole and all there
errors   what goes wrong with a store
reading  tallies out of a snapshot                  opening       stores by their URLs

Imports: `ldp_aggregator.tallies`.
"""
