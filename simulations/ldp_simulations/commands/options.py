"""What commands that simulate have in common."""

MOST_RUNS = 10**6
