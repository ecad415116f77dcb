"""The store: records and batch ids that outlive a loss of power.

store         what every store can do             errors    what goes wrong with one
records       what is kept, as keys and bytes     opening   stores by their URLs
combinations  what is kept by public attributes
released_snapshot
              what analysts may see of a snapshot
verification  whether records are whole           reading   tallies out of a snapshot
unordered     ids in a table that tells no order of arrival
proof         the same of many ids, beside the writer
sqlite, postgres (with postgres_connection, postgres_snapshot)      the stores that there are
witness       a second file that tells of a lost one
"""
