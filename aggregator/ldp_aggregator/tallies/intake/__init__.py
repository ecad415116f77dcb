"""Intake: from bytes and files to one tally.

screening             which bytes are batches, and why not
ingest                batches into a tally, in bulk
overlaps              which of several tallies have batches in common
paths, object_stores  files and objects as one tally
aggregation           what people have at hand, as one tally
stores                what the service reads in its store

Imports: `counting`.
"""
