"""Counting on many machines: the tally is a monoid, and the engines that spread work over machines
exist already.

`parts` has what any engine needs, as plain functions of text and bytes; `spark` runs them on Spark.
"""
