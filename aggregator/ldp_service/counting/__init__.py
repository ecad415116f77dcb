"""Counting: uploads into the store, each exactly once.

writer        the one thread that writes
turn          what one transaction changes
changes       these changes, written and taken into the books
books         what the records say, in memory
admission     one upload, screened
submissions   what is asked of the writer, and its answers
served        the surveys of a service
publication   what of the tallies may be looked at
clock         whether the collector's clock has jumped
submission_queue
              what waits for the writer
permissions   what a token may send
pieces        uploads that are cut, so that none keeps the others waiting
housekeeping  closing epochs, forgetting ids
persistent_errors
              what goes wrong again and again, logged once
writer_health what keeps the writer from writing

Imports: `store`.
"""
