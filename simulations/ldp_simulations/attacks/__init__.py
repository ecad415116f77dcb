"""Attacks: reports that were made up, and how far they move estimates.

attacking    the attacks on a survey
attack       simulated poisoning, and its gain     forged_rows  reports that say the most for chosen values
maximal_gain the most that any reports can do      report       results as text

Imports: `sampling`.
"""
