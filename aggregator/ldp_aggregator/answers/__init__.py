"""Answers: what is said of a question, a folder for each kind of answer.

options        what an analyst chooses             geography    maps of districts
estimates      shares, means, and all of a survey  distributions  distributions of numbers
maps           shares of places                    contrasts    functions of shares

Imports: `decoders`, `numerics`, `output`, `tallies`.
"""
