"""Numbers on a line, or a circle: where they lie, and what is answered of them.

line       where the values of a question lie, and which of them are within a range
quantiles  from a cumulative distribution to its quantiles
ends       of the intervals of shares
answers    what comes out, as records
"""
