"""The survey designer's side: randomize tables of answers, simulate surveys, compare estimates with
the truth.
"""
