"""Options that all commands that simulate share."""

MOST_RUNS = 10**6
