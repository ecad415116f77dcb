"""Answers: what is said of a question, a folder for each kind of answer.

options    what an analyst chooses             geography  maps of districts
contrasts  functions of shares                 results    what the answers of all kinds have
lines      numbers in their order              requests   ranges, zooms and others, read

Each kind has a `room`: its result, which adds to that of all kinds, and how it is
estimated.

shares     of values                           means      of numbers, and shapes without errors
distributions  of numbers                      maps       of places, and of districts by name
trees      of values under nodes               pairs      of keys that come with numbers
vectors    their mean                          texts      of open questions

estimates  which room a question has, and all questions of a survey

Imports: `decoders`, `numerics`, `output`, `tallies`.
"""
