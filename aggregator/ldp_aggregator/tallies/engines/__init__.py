"""Counting on many machines: the tally is a monoid, and engines that spread work exist.

`parts` has what any engine needs, as plain functions of text and bytes; `spark` runs
them on Spark.

Imports: `intake`.
"""
