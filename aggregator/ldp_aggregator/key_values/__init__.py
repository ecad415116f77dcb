"""Keys that come with numbers: who holds them, and the mean of the numbers among those who do.

laws   what a report is worth to a key: to the share who hold it, and to the balance of its ends
means  sums and means by key, with standard errors and intervals

Imports: numpy and scipy.
"""
