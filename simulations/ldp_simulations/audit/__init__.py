"""Audits: what leaves a client, in any language, against what its survey declares.

bounds         lower bounds of epsilon, tests of a law, what either would notice
tapes          the samplers of the core over every tape of randomness, exactly
parts          what is audited: questions, answers, events, and their declared laws
counting       counts of these, as long as the draws may be
learning       events learned from the first half of the draws
statistical_tests
               counts against laws and bounds
ids            ids of batches: that they tell nothing, and that a batch has one report
verdicts       what was found, what would have been, as tables and records
badge          a verdict as a picture
clients        a client as a command, and the frames that it writes
python_client  the Python client so
bench          a client on a bench, where its devices are tried
sequences      permanent responses, kept over many reports and behind other answers
questions      reports to two questions: independent noise, and an order that tells
               nothing
lives          pairs of reports: twice, restarts, retries, forks, epochs, and these two
auditing       the whole, within a budget, from where it was left

Imports: `conformance`, `reports`.
"""
