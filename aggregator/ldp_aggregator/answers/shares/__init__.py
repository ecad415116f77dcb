"""Shares of values, which most questions have, and which most other kinds add to.

room             how they are estimated
share_estimates  the result
frequencies      from moments to shares with errors, intervals and tests
detection        which values are there at all

Imports: `contrasts`, `lines`, `results`.
"""
