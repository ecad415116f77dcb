"""Keys that come with numbers: who holds them, and the mean of the numbers among those
who do.

signed the decoder
means  sums and means by key, with standard errors and intervals

Imports: `moments`, `values`.
"""
