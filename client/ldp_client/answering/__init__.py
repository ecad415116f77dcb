"""Answering: answers become randomized reports, and are charged for.

client      the small client                       respondent   answers in, reports out
memory      what was answered before               budget       what may still be spent
ledger      what was spent                         reports      reports as bytes
registered  surveys that stand in a register       state_snapshot  terms that were last read
terms       what an app allows                     consent      what a person said

Imports: `keeping`.
"""
