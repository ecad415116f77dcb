"""Compatibility with google/rappor: its files, its three clients, and its table of results.

`files` reads what it wrote, `dialects` knows how its clients differ, `decoding` hands both to our
own estimator, and `results` and `survey` lead on: to its consumers' format, and to a survey file
for new collections.
"""
