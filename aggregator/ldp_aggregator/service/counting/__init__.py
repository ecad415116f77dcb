"""Counting: uploads into the store, each exactly once.

writer        the one thread that writes
turn          what one transaction changes
books         what the records say, in memory
admission     one upload, screened
submissions   what is asked of the writer, and its answers
served        the surveys of a service
housekeeping  closing epochs, forgetting ids
lasting       what goes wrong again and again, said once

Imports: `service.store`, `ldp_aggregator.tallies`.
"""
